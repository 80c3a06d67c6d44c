package r08_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r08"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r08.Rule) }
