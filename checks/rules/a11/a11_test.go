package a11_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/a11"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestA11(t *testing.T) { ruletest.Run(t, a11.Rule) }
