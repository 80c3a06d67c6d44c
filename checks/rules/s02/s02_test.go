package s02_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/rules/s02"
)

func TestS2(t *testing.T) { ruletest.Run(t, s02.Rule) }
