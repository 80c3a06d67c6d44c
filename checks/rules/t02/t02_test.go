package t02_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/rules/t02"
)

func TestT2(t *testing.T) { ruletest.Run(t, t02.Rule) }
