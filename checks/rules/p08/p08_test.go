package p08_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/p08"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestP8(t *testing.T) { ruletest.Run(t, p08.Rule) }
