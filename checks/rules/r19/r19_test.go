package r19_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r19"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestR19(t *testing.T) { ruletest.Run(t, r19.Rule) }
