package r15_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r15"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r15.Rule) }
