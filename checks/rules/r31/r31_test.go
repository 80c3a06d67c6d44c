package r31_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r31"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestR31(t *testing.T) { ruletest.Run(t, r31.Rule) }
