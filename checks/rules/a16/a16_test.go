package a16_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/a16"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestA16(t *testing.T) { ruletest.Run(t, a16.Rule) }
