package r16_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r16"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r16.Rule) }
