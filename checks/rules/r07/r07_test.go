package r07_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r07"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r07.Rule) }
