package report_test

import (
	"encoding/json"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/report"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/checks/perf"
)

// TestFieldReport91 : every time that a check prints, times its printed unit, is
// the raw value, also where it crosses a unit.
func TestFieldReport91(t *testing.T) {
	units := map[string]float64{"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}
	one := 1.0
	v := perf.Verdict{Candidate: "cutile-rs", Reference: "cutile", GeomeanRatio: &one}
	raw := []float64{1.5, 0.0000234, 0.99996, 1, 0.99, 1.1, 1440.5, 54.81316799999999}
	for i, ms := range raw {
		v.Configs = append(v.Configs, perf.Config{Name: "c" + strconv.Itoa(i), CandidateMS: ms, ReferenceMS: ms, Ratio: &one, Change: "same"})
	}
	data, err := json.Marshal(v)
	require.NoError(t, err)
	s := subject()
	s.Results = []report.Result{{Result: store.Result{Stage: "perf", Kernel: "bmm", GPU: "h200", Outcome: "DONE", Sentence: "DONE.", Verdict: data}}}
	checks, err := report.Checks(s)
	require.NoError(t, err)
	row := regexp.MustCompile("`c(\\d)` \\| ([0-9.]+) (ns|us|ms|s) \\| ([0-9.]+) (ns|us|ms|s) \\|")
	rows := row.FindAllStringSubmatch(checks[4].Text, -1)
	require.Len(t, rows, len(raw), checks[4].Text)
	for _, r := range rows {
		i, err := strconv.Atoi(r[1])
		require.NoError(t, err)
		for _, printed := range [][2]string{{r[2], r[3]}, {r[4], r[5]}} {
			n, err := strconv.ParseFloat(printed[0], 64)
			require.NoError(t, err)
			require.InEpsilon(t, raw[i], n*units[printed[1]], 0.001, r[0])
		}
	}
}
