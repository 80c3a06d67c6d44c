package r24_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r24"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r24.Rule) }
