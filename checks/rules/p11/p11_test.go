package p11_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/p11"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestP11(t *testing.T) { ruletest.Run(t, p11.Rule) }
