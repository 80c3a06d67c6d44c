package r06_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r06"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r06.Rule) }
