package a09_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/a09"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestA9(t *testing.T) { ruletest.Run(t, a09.Rule) }
