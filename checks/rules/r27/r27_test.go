package r27_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r27"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestR27(t *testing.T) { ruletest.Run(t, r27.Rule) }
