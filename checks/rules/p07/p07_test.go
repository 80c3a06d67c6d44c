package p07_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/p07"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestP7(t *testing.T) { ruletest.Run(t, p07.Rule) }
