package a13_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/a13"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestA13(t *testing.T) { ruletest.Run(t, a13.Rule) }
