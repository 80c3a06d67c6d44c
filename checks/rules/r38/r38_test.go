package r38_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r38"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestR38(t *testing.T) { ruletest.Run(t, r38.Rule) }
