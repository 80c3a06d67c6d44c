package r18_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r18"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r18.Rule) }
