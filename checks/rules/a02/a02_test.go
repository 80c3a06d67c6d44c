package a02_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/a02"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestA2(t *testing.T) { ruletest.Run(t, a02.Rule) }
