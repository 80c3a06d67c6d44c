package r35_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r35"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r35.Rule) }
