package r29_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r29"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r29.Rule) }
