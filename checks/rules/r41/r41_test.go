package r41_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tilegate/tilegate/checks/rules/r41"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestR41(t *testing.T) { ruletest.Run(t, r41.Rule) }

// The help of a finding is its rule's first step, and no step reads as if all were
// well.
func TestFirstStepFitsTheConstruct(t *testing.T) {
	for construct, want := range map[string]string{
		"clone": "let the kernel read", "compute": "let the kernel read", "fill": "torch.empty", "allocation": "torch.empty",
		"sync": "waits for the device", "graph": "records its work", "layout": "pass strides", "upload": "out of the function that the tuner calls",
	} {
		assert.Contains(t, r41.Rule.Steps(construct)[0], want, construct)
	}
	assert.NotContains(t, r41.Rule.Steps("")[0], "the wrapper works")
}
