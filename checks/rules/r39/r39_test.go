package r39_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r39"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestR39(t *testing.T) { ruletest.Run(t, r39.Rule) }
