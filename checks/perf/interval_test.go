package perf

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/job"
)

// measured is a record with all figures of a run that the interval looks at.
func measured(params, backend string, median, low, relStd float64) bench {
	kernel := map[string]string{"cutile-rs": "x_entry", "cutile": "k"}[backend]
	return bench{params: params, backend: backend, raw: fmt.Sprintf(
		"{'%s': {'forward': {'median': %v, 'min': %s, 'rel_std': %v, 'nrep': 50, 'kernel_times': [{'name': '%s', 'self_time_us': %v, 'count': 1}]}}}",
		backend, median, strings.ToLower(fmt.Sprint(low)), relStd, kernel, 1000*median)}
}

// rounds are files of one config, a pair of medians for each.
func rounds(pairs ...[2]float64) (files []File) {
	for i, p := range pairs {
		files = append(files, xmlFile(fmt.Sprint(i), Both, rs("A", p[0]), cutile("A", p[1])))
	}
	return files
}

func TestDriftThatBothSidesShareCancels(t *testing.T) {
	v := Compare(rounds([2]float64{1.00, 1.00}, [2]float64{1.04, 1.0401}, [2]float64{1.06, 1.0601}), nil, cutileOptions)
	require.Less(t, v.Confidence.High/v.Confidence.Low, 1.004)
	require.Zero(t, v.MoreRounds)
	require.Contains(t, strings.Join(v.Notes, "\n"), "round 3 was 6.0 % slower than round 1 on both sides")
	require.Contains(t, v.Configs[0].Note, "medians of the rounds differ by 6.0 % (candidate)")
}

// Rounds that differ by as little as two runs of the same code do not disagree; those
// on two sides of a limit do.
func TestHowFarRoundsLieApart(t *testing.T) {
	for second, want := range map[float64]string{
		0.500: "",
		0.505: "",
		0.512: "the rounds spread by 2.4 %: their geomeans lie between 0.500 and 0.512, with no limit between them",
		1.060: "the rounds disagree: their geomeans lie between 0.500 and 1.060, and a limit lies between them",
	} {
		v := Compare(rounds([2]float64{0.5, 1}, [2]float64{second, 1}), nil, cutileOptions)
		said := ""
		for _, n := range v.Notes {
			if strings.HasPrefix(n, "the rounds ") {
				said = n
			}
		}
		require.Equal(t, want, said)
	}
	v := Compare(rounds([2]float64{1.045, 1}, [2]float64{1.069, 1}), nil, cutileOptions)
	require.Contains(t, strings.Join(v.Notes, "\n"), "the rounds disagree: ")
}

// The candidate is noisy and only ever slower: its undisturbed time may lie below
// the lowest median, which the rounds' mean does not know.
func TestIntervalAllowsForNoiseThatOnlyAdds(t *testing.T) {
	v := Compare(rounds([2]float64{1.030, 1}, [2]float64{1.031, 1}, [2]float64{1.029, 1}, [2]float64{1.0305, 1}, [2]float64{1.01, 1}), nil, cutileOptions)
	require.InDelta(t, 1.01, *v.GeomeanRatio, 1e-9)
	// detrended, the distance of the lowest is half of 1.9 %; one and a half of it
	require.InDelta(t, 1.01*(1-1.5*0.0094), v.Confidence.Low, 0.002)
	require.Equal(t, "widened to what the lowest medians allow", v.ConfidenceNote)
}

func TestTimerStepKeepsTheIntervalOpen(t *testing.T) {
	v := Compare(rounds([2]float64{0.004928, 0.004896}, [2]float64{0.004928, 0.004896}, [2]float64{0.004928, 0.004896}), nil, cutileOptions)
	require.Less(t, v.Confidence.Low, 1.002)
	require.Greater(t, v.Confidence.High, 1.0105)
	slow := Compare(rounds([2]float64{4.928, 4.896}, [2]float64{4.928, 4.896}, [2]float64{4.928, 4.896}), nil, cutileOptions)
	require.InDelta(t, 4.928/4.896-0.001, slow.Confidence.Low, 1e-4)
}

// All rounds caught the candidate in its slow state. Its minimum tells.
func TestTwoSpeeds(t *testing.T) {
	files := func(low float64) (files []File) {
		for i := range 3 {
			files = append(files, xmlFile(fmt.Sprint(i), Both,
				measured("A", "cutile-rs", 1.09+float64(i)/1e4, low, 6), measured("A", "cutile", 1, 0.99, 6)))
		}
		return files
	}
	v := Compare(files(0.992), nil, cutileOptions)
	require.Less(t, v.Confidence.Low, 1.003)
	require.Greater(t, v.Confidence.High, 1.09)
	require.Contains(t, v.ConfidenceNote, "1 config with the spread of two speeds")
	require.True(t, v.Borderline)
	require.Equal(t, 3, v.MoreRounds)
	require.Contains(t, v.Configs[0].Note, "rel_std 6.0 %")

	v = Compare(files(1.085), nil, cutileOptions)
	require.Greater(t, v.Confidence.Low, 1.08, "the minimum is slow too: so is the kernel")
	require.Zero(t, v.MoreRounds)

	v = Compare(files(math.NaN()), nil, cutileOptions)
	require.Nil(t, v.Confidence)
	require.Contains(t, v.ConfidenceNote, "test_perf[A] may run at two speeds (rel_std 6.0 %)")
	var b bytes.Buffer
	require.NoError(t, WriteMarkdown(&b, v))
	require.Contains(t, b.String(), "no interval: test\\_perf\\[A\\]", "a name from a record is literal")
}

// Beside other work on the card times that lie about the limit decide nothing.
func TestSharedCard(t *testing.T) {
	files := func(rounds int, ratio, relStd float64) (files []File) {
		for i := range rounds {
			var cases []bench
			for n := range 4 {
				p := fmt.Sprint(n)
				up := 1 + 0.1*float64((i+n)%3)
				cases = append(cases, measured(p, "cutile-rs", ratio*up, ratio, relStd), measured(p, "cutile", 2.1-up, 0.9, 1))
			}
			files = append(files, xmlFile(fmt.Sprint(i), Both, cases...))
		}
		return files
	}
	both := []job.Evidence{evidence(nil)}
	v := Compare(files(2, 1.0, 15), both, cutileOptions)
	require.Equal(t, Blocked, v.Verdict, v.Sentence)
	require.Contains(t, v.Sentence, "something else used the card")
	require.Equal(t, "unknown", v.Comparable, "so that the gate asks for a run and does not blame the change")
	require.Nil(t, v.GeomeanRatio)
	require.Nil(t, v.Confidence)
	require.Positive(t, v.MoreRounds)
	require.Zero(t, Compare(files(6, 1.0, 15), both, cutileOptions).MoreRounds)

	v = Compare(files(6, 3, 15), both, cutileOptions)
	require.Equal(t, Investigate, v.Verdict, "far from the limit it does not matter")
	require.Equal(t, "yes", v.Comparable)
	require.Nil(t, v.Confidence)
	require.Contains(t, v.ConfidenceNote, "something else used the card")
	require.Contains(t, v.Triage[0].Steps[0], "Measure again")

	v = Compare(files(6, 1, 4), both, cutileOptions)
	require.NotEqual(t, Blocked, v.Verdict)
	require.NotNil(t, v.Confidence)

	wall := evidence(nil)
	wall.Timing = "wall"
	v = Compare(files(2, 1.0, 15), []job.Evidence{wall}, cutileOptions)
	require.NotEqual(t, Blocked, v.Verdict, "a wall clock always varies")
}

// An interval that holds the limit leaves the verdict as it is, and the sentence
// says that it is none, and what to do.
func TestMeasurementThatDoesNotDecideSaysSo(t *testing.T) {
	wall := evidence(nil)
	wall.Timing = "wall"
	wild := rounds([2]float64{3, 1}, [2]float64{0.9, 1.4}, [2]float64{0.5, 2})
	for _, row := range []struct {
		evidence job.Evidence
		max      int
		says     string
	}{
		{wall, 3, "; measure again on a machine that nothing else uses, or by device times, which scatter less than those of a wall clock."},
		{wall, 6, "; measure 3 more rounds on a machine that nothing else uses, or by"},
		{evidence(nil), 4, "; measure 1 more round on a card that nothing else uses."},
	} {
		o := cutileOptions
		o.MaxRounds = row.max
		v := Compare(wild, []job.Evidence{row.evidence}, o)
		require.Equal(t, Done, v.Verdict, v.Sentence)
		require.True(t, v.Borderline)
		require.Less(t, v.Confidence.Low, 0.2)
		require.Greater(t, v.Confidence.High, 5.0)
		require.Regexp(t, `; borderline\. The measurement does not decide: the ratio may lie anywhere from 0\.\d+ to \d+\.\d+, on both sides of the limit; `, v.Sentence)
		require.Contains(t, v.Sentence, row.says)
	}

	v := Compare(rounds([2]float64{0.5, 1}, [2]float64{0.51, 1}, [2]float64{0.5, 1}), []job.Evidence{wall}, cutileOptions)
	require.NotContains(t, v.Sentence, "does not decide")
	v = Compare(rounds([2]float64{1.045, 1}, [2]float64{1.045, 1}, [2]float64{1.045, 1}), nil, cutileOptions)
	require.True(t, v.Borderline, "close to the limit")
	require.NotContains(t, v.Sentence, "does not decide", "the interval is on one side of it")
	failed := wall
	failed.Commands = []job.Command{{Name: "pytest", ExitCode: 1}}
	v = Compare(wild, []job.Evidence{failed}, cutileOptions)
	require.Equal(t, Blocked, v.Verdict)
	require.NotContains(t, v.Sentence, "does not decide")
}

// A true ratio next to the limit is decided by luck, however quiet the rounds are.
func TestOnTheLimitIsBorderline(t *testing.T) {
	for ratio, borderline := range map[float64]bool{1.03: false, 1.045: true, 1.0526: true, 1.053: true, 1.065: false} {
		v := Compare(rounds([2]float64{ratio, 1}, [2]float64{ratio, 1}, [2]float64{ratio, 1}), nil, cutileOptions)
		require.Equal(t, borderline, v.Borderline, "%v", ratio)
	}
}

func TestMoreRoundsThatWouldDecide(t *testing.T) {
	r := reading{rounds: 2, lowest: math.Log(1.03), mean: math.Log(1.03), std: 0.005, least: math.Log(1.03)}
	low, high, ok := r.interval(0)
	require.True(t, ok)
	require.False(t, sameBand(low, high, DefaultThreshold), "t(1) is 12.7")
	require.Equal(t, 1, r.more(4, DefaultThreshold), "t(2)/sqrt(3) is 2.5")
	r.std = 0.02
	require.Equal(t, 5, r.more(8, DefaultThreshold), "t(6)/sqrt(7) is 0.92 and t(5)/sqrt(6) is 1.05, and the limit is 0.96 away")
	r.std = 0.5
	require.Equal(t, 4, r.more(4, DefaultThreshold), "never: the budget")
	_, _, ok = reading{rounds: 1}.interval(0)
	require.False(t, ok)
}

func TestNoisyRows(t *testing.T) {
	v := Compare([]File{xmlFile("a", Both,
		measured("A", "cutile-rs", 1.2, 1, 12), measured("A", "cutile", 1, 1, 1),
		measured("B", "cutile-rs", 1, 1, 1), measured("B", "cutile", 1, 1, 1))}, nil, cutileOptions)
	require.InDelta(t, math.Sqrt(1.2), *v.GeomeanRatio, 1e-9)
	require.Contains(t, strings.Join(v.Notes, "\n"), "without 1 config that is noisy the geomean is 1.000: rel_std above 10 % in test_perf[A]")
}

func TestClocksThatDiffer(t *testing.T) {
	files := rounds([2]float64{1.2, 1})
	clock := func(mhz int) job.Evidence {
		return evidence(func(e *job.Evidence) { e.GPUIdentity.Clocks = job.Clocks{SMMHz: mhz, MemoryMHz: 3201} })
	}
	v := Compare(files, []job.Evidence{clock(1980), clock(1410)}, cutileOptions)
	require.Equal(t, "yes", v.Comparable)
	require.Contains(t, v.Notes, "the SM clock was read as 1410 and as 1980 MHz")
	require.Contains(t, v.Triage[0].Steps, "the SM clock was read as 1410 and as 1980 MHz")
	require.NotContains(t, strings.Join(Compare(files, []job.Evidence{clock(1980), clock(1975)}, cutileOptions).Notes, "\n"), "clock")
}
