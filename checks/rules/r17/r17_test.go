package r17_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r17"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestR17(t *testing.T) { ruletest.Run(t, r17.Rule) }
