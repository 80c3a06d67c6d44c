package s05_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/rules/s05"
)

func TestS5(t *testing.T) { ruletest.Run(t, s05.Rule) }
