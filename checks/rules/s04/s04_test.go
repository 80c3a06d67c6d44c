package s04_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/rules/s04"
)

func TestS4(t *testing.T) { ruletest.Run(t, s04.Rule) }
