package t06_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tilegate/tilegate/checks/integrity"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/rules/t06"
)

func TestT6(t *testing.T) { ruletest.Run(t, t06.Rule) }

// Of a test file that is new nothing can be given back: a person reads it.
func TestHelpOfANewTestFile(t *testing.T) {
	assert.Contains(t, t06.Rule.Steps(integrity.NewFile)[0], "a maintainer reads its cases")
	assert.Contains(t, t06.Rule.WhyOf(integrity.NewFile), "only a person can say")
	assert.Contains(t, t06.Rule.Steps("deleted")[0], "back")
}
