package r34_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r34"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r34.Rule) }
