package p09_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/p09"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestP9(t *testing.T) { ruletest.Run(t, p09.Rule) }
