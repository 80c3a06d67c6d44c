package a14_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/a14"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestA14(t *testing.T) { ruletest.Run(t, a14.Rule) }
