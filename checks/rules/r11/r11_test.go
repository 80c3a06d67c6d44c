package r11_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r11"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r11.Rule) }
