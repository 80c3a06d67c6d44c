package r30_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r30"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestR30(t *testing.T) { ruletest.Run(t, r30.Rule) }
