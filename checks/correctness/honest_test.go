package correctness

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever the dispatcher says when it does not call the candidate, nothing of the
// candidate passed.
func TestAnyOtherImplementationIsVoid(t *testing.T) {
	passed := tc("test_op[cutile-1]", "")
	for said, want := range map[string]string{
		"Current backend 'cutile-rs' has no implementation for 'x', falling back to 'cutile' backend": Blocked,
		"Current backend 'cutile_rs' has no implementation for 'x', falling back to 'cutile' backend": Blocked,
		"No backend implementation found for 'x', using default implementation":                       Blocked,
		"Current backend 'cutile' has no implementation for 'x', falling back to 'torch' backend":     AllPass,
		"the backend has no implementation notes":                                                     AllPass,
	} {
		v := judgeOne(rs, tc("test_op[cutile_rs-1]", "<system-err>"+said+"</system-err>"), passed)
		require.Equal(t, want, v.Verdict, said)
	}
}

// A skip of a forward case is not excused by the word in its parameters.
func TestForwardCaseThatNamesTheBackwardPass(t *testing.T) {
	for name, want := range map[string]string{
		"no_backward": Blocked, "backward=False": Blocked, "backward": AllPass, "bwd_True": AllPass,
	} {
		v := judgeOne(rs, tc("test_op[cutile_rs-"+name+"]", skip("the port is forward-only")), tc("test_op[cutile-"+name+"]", ""),
			tc("test_op[cutile_rs-1]", ""), tc("test_op[cutile-1]", ""))
		require.Equal(t, want, v.Verdict, "%s: %s", name, v.Sentence)
	}
}

func TestSentenceEndsOnce(t *testing.T) {
	v := judgeOne(rs, tc("test_op[cutile_rs-1]", failure("AssertionError: Tensor-likes are not close!")), tc("test_op[cutile-1]", ""))
	require.Regexp(t, `not close!$`, v.Sentence)
	v = judgeOne(rs, tc("test_op[cutile_rs-1]", `<skipped type="pytest.xfail" message=""/>`), tc("test_op[cutile_rs-2]", ""), tc("test_op[cutile-1]", ""))
	require.Regexp(t, `test_op\[cutile_rs-1\]\.$`, v.Sentence)
}
