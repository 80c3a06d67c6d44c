package r20_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r20"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestR20(t *testing.T) { ruletest.Run(t, r20.Rule) }
