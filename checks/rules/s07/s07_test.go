package s07_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/rules/s07"
)

func TestS7(t *testing.T) { ruletest.Run(t, s07.Rule) }
