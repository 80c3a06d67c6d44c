package a10_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/a10"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestA10(t *testing.T) { ruletest.Run(t, a10.Rule) }
