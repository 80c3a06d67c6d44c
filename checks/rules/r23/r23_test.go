package r23_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r23"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestR23(t *testing.T) { ruletest.Run(t, r23.Rule) }
