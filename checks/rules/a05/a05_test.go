package a05_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/a05"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestA5(t *testing.T) { ruletest.Run(t, a05.Rule) }
