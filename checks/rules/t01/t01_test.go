package t01_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/rules/t01"
)

func TestT1(t *testing.T) { ruletest.Run(t, t01.Rule) }
