package s13_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/rules/s13"
)

func TestS13(t *testing.T) { ruletest.Run(t, s13.Rule) }
