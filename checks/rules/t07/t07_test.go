package t07_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/rules/t07"
)

func TestT7(t *testing.T) { ruletest.Run(t, t07.Rule) }
