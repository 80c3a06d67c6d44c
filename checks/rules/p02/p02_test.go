package p02_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/p02"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestP2(t *testing.T) { ruletest.Run(t, p02.Rule) }
