package s09_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/rules/s09"
)

func TestS9(t *testing.T) { ruletest.Run(t, s09.Rule) }
