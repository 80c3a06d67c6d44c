package a12_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/a12"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestA12(t *testing.T) { ruletest.Run(t, a12.Rule) }
