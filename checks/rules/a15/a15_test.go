package a15_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/a15"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestA15(t *testing.T) { ruletest.Run(t, a15.Rule) }
