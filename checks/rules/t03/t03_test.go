package t03_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/rules/t03"
)

func TestT3(t *testing.T) { ruletest.Run(t, t03.Rule) }
