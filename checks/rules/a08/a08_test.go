package a08_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/a08"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestA8(t *testing.T) { ruletest.Run(t, a08.Rule) }
