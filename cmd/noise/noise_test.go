package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// recorded is what stands in the recordings of one H200: equal code is never red,
// whatever the number of rounds, and a change that is a slowdown is always.
type recorded struct {
	card, backend string
	ops           int // all of them together count as one
	repetitions   int // at least, of the op that was measured least often
	// launches are the ops in which a set changes what is launched.
	launches map[string][]string
	caught   int // changes of at least 1.055
}

func TestRecordings(t *testing.T) {
	for _, want := range []recorded{
		{card: "card0", backend: "pytorch", ops: 4, repetitions: 8},
		{card: "card0", backend: "triton", ops: 5, repetitions: 19, caught: 13, launches: map[string][]string{
			"clone": {"rms_norm", "layer_norm_legacy", everything},
			"extra": {"rms_norm", "layer_norm_legacy", "rope", everything},
		}},
		{card: "card1", backend: "triton", ops: 5, repetitions: 41},
		{card: "card2", backend: "triton", ops: 5, repetitions: 6, caught: 16, launches: map[string][]string{
			"clone": {"rms_norm", "layer_norm_legacy", "dropout", everything},
			"fills": {"rms_norm", "layer_norm_legacy", "dropout", everything},
			"extra": {"rms_norm", "layer_norm_legacy", "rope", everything},
		}},
	} {
		t.Run(want.card+" "+want.backend, func(t *testing.T) {
			equal, changes := judged(t, want.card, want.backend)
			require.Len(t, equal, want.ops)
			for _, e := range equal {
				require.GreaterOrEqual(t, e.repetitions, want.repetitions, e.op)
				for k, rounds := range e.rounds {
					require.Zero(t, rounds.red+rounds.blocked, "%s, %d rounds", e.op, k+1)
				}
				require.Zero(t, e.plan.red+e.plan.blocked, "%s, plan", e.op)
				require.Zero(t, e.changedLaunches, e.op)
				require.LessOrEqual(t, e.worst, 1.05)
			}
			caught := 0
			for _, ch := range changes {
				launched := 0
				if slices.Contains(want.launches[ch.set], ch.op) {
					launched = ch.repetitions
				}
				require.Equal(t, launched, ch.launches, "%s %s: launches", ch.set, ch.op)
				if ch.pooled >= 1.055 {
					require.Equal(t, ch.plan.compared, ch.plan.red, "%s %s, pooled %.4f", ch.set, ch.op, ch.pooled)
					caught++
				}
			}
			require.Equal(t, want.caught, caught)
		})
	}
}

// Tiny kernels that tune themselves in each process run at one of several speeds,
// up to 40 % apart: a fixed number of rounds is red for equal code, the plan asks
// for more of them and is not.
func TestRecordingsOfKernelsThatTuneThemselves(t *testing.T) {
	equal, _ := judged(t, "card3-tuned", "triton")
	fixed := 0
	for _, e := range equal {
		fixed += e.rounds[1].red
		require.Zero(t, e.plan.red+e.plan.blocked, "%s, plan", e.op)
		require.Zero(t, e.changedLaunches, e.op)
	}
	require.Positive(t, fixed, "expected kernels with several speeds")
}

func judged(t *testing.T, name, backend string) ([]equalCode, []change) {
	c, err := readCard("../../testdata/h200/" + name)
	require.NoError(t, err)
	return judge([]card{c}, backend)
}

func TestReadCardSaysWhatIsMissing(t *testing.T) {
	_, err := readCard(t.TempDir())
	require.ErrorContains(t, err, "expected folders with files rNN.xml, found none")
}

func TestBackendWithoutRecordings(t *testing.T) {
	require.ErrorContains(t, run("tilecpp", []string{"../../testdata/h200/card0"}), "no op of tilecpp")
}
