package a04_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/a04"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestA4(t *testing.T) { ruletest.Run(t, a04.Rule) }
