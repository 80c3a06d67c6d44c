package r26_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r26"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r26.Rule) }
