package r12_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r12"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r12.Rule) }
