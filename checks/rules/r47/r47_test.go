package r47_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r47"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r47.Rule) }
