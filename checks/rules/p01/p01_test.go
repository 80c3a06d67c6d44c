package p01_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/p01"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestP1(t *testing.T) { ruletest.Run(t, p01.Rule) }
