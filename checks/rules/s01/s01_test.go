package s01_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/rules/s01"
)

func TestS1(t *testing.T) { ruletest.Run(t, s01.Rule) }
