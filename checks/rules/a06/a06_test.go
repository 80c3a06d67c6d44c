package a06_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/a06"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestA6(t *testing.T) { ruletest.Run(t, a06.Rule) }
