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

// After a review that failed nothing plans any more: a rerun does, not time.
func TestPlanIsUnknownWhenTheReviewFailed(t *testing.T) {
	in := good()
	in.Plan, in.Rules = Plan{}, Rules{State: RulesFailed}
	for _, n := range Evaluate(in).Leaves() {
		assert.NotEqual(t, Pending, n.Status, "%s", n.Name)
	}
	assert.Contains(t, string(Evaluate(in).Unblock), "`/tilegym rerun rules`")
}

// A change that removes every kernel has one way in, which no command is.
func TestChangeThatRemovesEveryKernel(t *testing.T) {
	in := good()
	in.Rules, in.Integrity, in.Jobs = Rules{State: RulesNothing}, Integrity{}, nil
	in.Plan = Plan{State: PlanNothing, Why: "it removes every kernel."}
	n := Evaluate(in)
	assert.Equal(t, ActionRequired, n.Conclusion())
	assert.Equal(t, "rules: The change removes every cutile-rs kernel, so that nothing is left to review.", string(n.Reason))
	for _, l := range n.Leaves() {
		assert.NotEqual(t, Pending, l.Status, "%s", l.Name)
		if l.Status != Success {
			assert.Contains(t, string(l.Unblock), "an administrator")
			assert.NotContains(t, string(l.Unblock), "/tilegym")
		}
	}
	in.MergeGroup = true
	assert.NotContains(t, string(Evaluate(in).Unblock), "a push")
}
