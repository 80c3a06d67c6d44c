package r14_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r14"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r14.Rule) }
