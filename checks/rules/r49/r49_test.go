package r49_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r49"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestR49(t *testing.T) { ruletest.Run(t, r49.Rule) }
