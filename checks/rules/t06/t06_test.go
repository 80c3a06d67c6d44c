package t06_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/rules/t06"
)

func TestT6(t *testing.T) { ruletest.Run(t, t06.Rule) }
