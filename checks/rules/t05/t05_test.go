package t05_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/rules/t05"
)

func TestT5(t *testing.T) { ruletest.Run(t, t05.Rule) }
