package a03_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/a03"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestA3(t *testing.T) { ruletest.Run(t, a03.Rule) }
