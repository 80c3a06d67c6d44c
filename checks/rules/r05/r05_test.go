package r05_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r05"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r05.Rule) }
