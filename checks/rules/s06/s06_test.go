package s06_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/rules/s06"
)

func TestS6(t *testing.T) { ruletest.Run(t, s06.Rule) }
