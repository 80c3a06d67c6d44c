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

// Each failure is judged by its own text, whatever another with its message says,
// in whatever order.
func TestCauseOfFailuresWithOneMessage(t *testing.T) {
	lost := `<failure message="RuntimeError: it ended">torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 160.00 GiB</failure>`
	wrong := `<failure message="RuntimeError: it ended">in the kernel</failure>`
	for _, two := range [][2]string{{lost, wrong}, {wrong, lost}} {
		v := judgeOne(rs, tc("test_op[cutile_rs-1]", two[0]), tc("test_op[cutile_rs-2]", two[1]), tc("test_op[cutile_rs-3]", ""),
			tc("test_op[cutile-1]", ""), tc("test_op[cutile-2]", ""), tc("test_op[cutile-3]", ""))
		require.Equal(t, Fail, v.Verdict, v.Sentence)
	}
}

// A wrong result is the change's, whatever was printed before.
func TestOutputExcusesNoWrongResult(t *testing.T) {
	wrong := failure("AssertionError: Tensor-likes are not close!")
	plain := failure("assert 1.0 == 2.0")
	for _, output := range []string{
		"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 160.00 GiB",
		"OSError: [Errno 28] No space left on device",
	} {
		for _, element := range []string{"system-out", "system-err"} {
			out := "<" + element + ">" + output + "</" + element + ">"
			v := judgeOne(rs, tc("test_op[cutile_rs-1]", wrong+out), tc("test_op[cutile-1]", ""))
			require.Equal(t, Fail, v.Verdict, v.Sentence)
			require.Equal(t, Fail, judgeOne(rs, tc("test_op[cutile_rs-1]", plain+out), tc("test_op[cutile-1]", "")).Verdict)
			v = judgeOne(rs, tc("test_op[cutile_rs-1]", failure("RuntimeError: no result")+out), tc("test_op[cutile-1]", ""))
			require.Equal(t, Blocked, v.Verdict, v.Sentence)
		}
	}
	// Nor does a lost context that it only names.
	lost := failure("torch.AcceleratorError: CUDA error: an illegal memory access was encountered")
	v := judgeOne(rs, tc("test_op[cutile-1]", lost), tc("test_op[cutile_rs-1]", failure("AssertionError: not close (an illegal memory access was encountered?)")))
	require.Equal(t, Fail, v.Verdict, v.Sentence)
	v = judgeOne(rs, tc("test_op[cutile-1]", lost), tc("test_op[cutile_rs-1]", lost))
	require.Equal(t, Blocked, v.Verdict, v.Sentence)
}
