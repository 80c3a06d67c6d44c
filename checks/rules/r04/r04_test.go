package r04_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r04"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r04.Rule) }
