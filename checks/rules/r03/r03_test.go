package r03_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r03"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r03.Rule) }
