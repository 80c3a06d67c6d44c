package r01_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r01"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r01.Rule) }
