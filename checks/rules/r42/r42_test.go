package r42_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r42"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestR42(t *testing.T) { ruletest.Run(t, r42.Rule) }
