package r36_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r36"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r36.Rule) }
