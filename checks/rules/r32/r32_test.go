package r32_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r32"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r32.Rule) }
