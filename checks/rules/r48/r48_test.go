package r48_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/r48"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestR48(t *testing.T) { ruletest.Run(t, r48.Rule) }
