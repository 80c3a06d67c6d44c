package r28_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r28"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r28.Rule) }
