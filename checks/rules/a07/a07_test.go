package a07_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/a07"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestA7(t *testing.T) { ruletest.Run(t, a07.Rule) }
