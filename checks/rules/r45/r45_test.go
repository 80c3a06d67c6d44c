package r45_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r45"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r45.Rule) }
