package r40_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r40"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestR40(t *testing.T) { ruletest.Run(t, r40.Rule) }
