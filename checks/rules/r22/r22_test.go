package r22_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r22"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r22.Rule) }
