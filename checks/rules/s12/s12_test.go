package s12_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/rules/s12"
)

func TestS12(t *testing.T) { ruletest.Run(t, s12.Rule) }
