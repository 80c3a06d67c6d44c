package r44_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r44"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r44.Rule) }
