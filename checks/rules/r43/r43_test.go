package r43_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r43"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r43.Rule) }
