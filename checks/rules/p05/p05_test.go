package p05_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/p05"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestP5(t *testing.T) { ruletest.Run(t, p05.Rule) }
