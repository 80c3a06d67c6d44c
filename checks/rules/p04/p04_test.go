package p04_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/p04"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestP4(t *testing.T) { ruletest.Run(t, p04.Rule) }
