package p10_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/p10"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestP10(t *testing.T) { ruletest.Run(t, p10.Rule) }
