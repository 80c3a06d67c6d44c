package r41_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r41"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestR41(t *testing.T) { ruletest.Run(t, r41.Rule) }
