package r37_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r37"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r37.Rule) }
