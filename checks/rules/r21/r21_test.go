package r21_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r21"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r21.Rule) }
