package r13_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r13"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r13.Rule) }
