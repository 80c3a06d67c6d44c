package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What stands in the recordings of one H200: equal code is never red, whatever
// the number of rounds, and a change that is a slowdown is always.
func TestRecordings(t *testing.T) {
	c, err := readCard("../../testdata/h200/card0")
	require.NoError(t, err)
	for _, backend := range []string{"triton", "pytorch"} {
		equal, changes := judge([]card{c}, backend)
		require.NotEmpty(t, equal)
		for _, e := range equal {
			for k, rounds := range e.rounds {
				require.Zero(t, rounds.red+rounds.blocked, "%s %s, %d rounds", backend, e.op, k+1)
			}
			require.Zero(t, e.plan.red+e.plan.blocked, "%s %s, plan", backend, e.op)
			require.Zero(t, e.changedLaunches, "%s %s", backend, e.op)
			require.LessOrEqual(t, e.worst, 1.05)
		}
		if backend == "pytorch" {
			require.Empty(t, changes)
			continue
		}
		require.GreaterOrEqual(t, len(equal), 5, "four ops and all of them together")
		caught := 0
		for _, ch := range changes {
			launched := ch.op != "rope" && ch.set == "clone" || ch.set == "extra"
			require.Equal(t, launched, ch.launches == ch.repetitions, "%s %s: launches", ch.set, ch.op)
			require.Equal(t, launched, ch.launches > 0, "%s %s: launches", ch.set, ch.op)
			if ch.pooled >= 1.055 {
				require.Equal(t, ch.plan.compared, ch.plan.red, "%s %s, pooled %.4f", ch.set, ch.op, ch.pooled)
				caught++
			}
		}
		require.GreaterOrEqual(t, caught, 10)
	}
}

func TestReadCardSaysWhatIsMissing(t *testing.T) {
	_, err := readCard(t.TempDir())
	require.ErrorContains(t, err, "expected folders with files rNN.xml, found none")
}

func TestBackendWithoutRecordings(t *testing.T) {
	require.ErrorContains(t, run("tilecpp", []string{"../../testdata/h200/card0"}), "no op of tilecpp")
}
