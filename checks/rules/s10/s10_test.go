package s10_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/rules/s10"
)

func TestS10(t *testing.T) { ruletest.Run(t, s10.Rule) }
