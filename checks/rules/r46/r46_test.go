package r46_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r46"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r46.Rule) }
