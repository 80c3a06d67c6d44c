package r33_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r33"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r33.Rule) }
