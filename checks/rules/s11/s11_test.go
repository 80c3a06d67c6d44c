package s11_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/rules/s11"
)

func TestS11(t *testing.T) { ruletest.Run(t, s11.Rule) }
