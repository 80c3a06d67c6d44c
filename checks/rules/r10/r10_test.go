package r10_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r10"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r10.Rule) }
