package r09_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r09"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r09.Rule) }
