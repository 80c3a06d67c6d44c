package gate

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestTestsAreUnknownWhenTheReviewFailed: the review that failed is the one
// that compares the tests, so nothing may be said for them.
func TestTestsAreUnknownWhenTheReviewFailed(t *testing.T) {
	in := Input{HeadSHA: head, Rules: Rules{State: RulesFailed, Why: "the tree is too large."}, Integrity: Integrity{State: IntegrityDone}}
	n := in.integrity()
	assert.NotEqual(t, Success, n.Status)
	assert.Contains(t, string(n.Reason), "not known")
	assert.NotEqual(t, Success, Evaluate(in).Status)

	in.Rules = Rules{State: RulesDone}
	assert.Equal(t, Success, in.integrity().Status)
}
