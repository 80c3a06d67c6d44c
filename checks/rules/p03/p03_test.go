package p03_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/p03"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestP3(t *testing.T) { ruletest.Run(t, p03.Rule) }
