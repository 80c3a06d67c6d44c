package a01_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/a01"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestA1(t *testing.T) { ruletest.Run(t, a01.Rule) }
