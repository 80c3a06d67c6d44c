package s08_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/rules/s08"
)

func TestS8(t *testing.T) { ruletest.Run(t, s08.Rule) }
