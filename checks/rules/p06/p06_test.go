package p06_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/p06"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestP6(t *testing.T) { ruletest.Run(t, p06.Rule) }
