package r25_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r25"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r25.Rule) }
