package t04_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/rules/t04"
)

func TestT4(t *testing.T) { ruletest.Run(t, t04.Rule) }
