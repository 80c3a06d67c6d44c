package correctness

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/hostile"
	"github.com/tilegate/tilegate/checks/records"
)

// FuzzJudge: any records make a verdict that can be written, and ALL_PASS only
// when cases passed, none failed or is missing, and no file is damaged.
func FuzzJudge(f *testing.F) {
	for _, name := range []string{"collection_error.xml", "interrupted.xml", "nan_std.xml", "no_tests.xml", "rms_norm_ref.xml", "perf_wrong_result.xml"} {
		text, err := os.ReadFile(filepath.Join("../../testdata/junit", name))
		require.NoError(f, err)
		f.Add(text, "triton", "pytorch", "", 0, false)
		f.Add(text[:len(text)/2], "cutile-rs", "triton", "a.py::t[triton-1]\n\n", 1, true)
	}
	f.Add([]byte("<testsuite><testcase classname='a' name='t[cutile_rs-1]'/><testcase classname='a' name='t[cutile-1]'><skipped message='no'/></testcase></testsuite>"), "cutile-rs", "cutile", "", 0, false)
	f.Fuzz(func(t *testing.T, text []byte, backend, reference, expect string, exit int, base bool) {
		r := records.ReadJUnit("x.xml", bytes.NewReader(text))
		o := Options{Backend: backend, Reference: reference, ExitCode: &exit}
		if expect != "" {
			o.Expect = strings.Split(expect, "\n")
		}
		var before []records.Report
		if base {
			before = []records.Report{r}
		}
		hostile.Ends(t, len(text)+len(expect), func() {
			v := Judge([]records.Report{r}, before, o)
			checkVerdict(t, v, r)
			_, whole := records.ExitSentence(exit)
			require.False(t, v.Verdict == AllPass && !whole, "all passed, and pytest exited %d", exit)
		})
	})
}

func checkVerdict(t *testing.T, v Verdict, r records.Report) {
	t.Helper()
	require.Contains(t, []string{AllPass, Fail, Blocked}, v.Verdict)
	require.NotEmpty(t, v.Sentence)
	text, err := json.Marshal(v)
	require.NoError(t, err)
	require.True(t, utf8.Valid(text))
	require.NoError(t, WriteText(io.Discard, v))
	require.GreaterOrEqual(t, min(v.Expected, v.Passed, v.Failed, v.Skipped), 0)
	if v.Verdict != AllPass {
		return
	}
	require.Positive(t, v.Passed)
	require.Zero(t, v.Failed)
	require.Empty(t, v.Missing)
	require.NoError(t, r.Damage, "all passed, and the file is damaged")
	require.Empty(t, r.Interrupted(), "all passed in half a run")
	for _, c := range v.Cases {
		require.Contains(t, []records.Outcome{records.Passed, records.SkippedCited}, c.Outcome, c.ID)
	}
}

// FuzzDamage: a file that lost cases of the candidate is not ALL_PASS.
func FuzzDamage(f *testing.F) {
	whole := "<testsuites><testsuite>"
	for _, name := range []string{"t[cutile_rs-1]", "t[cutile-1]", "t[cutile_rs-2]", "t[cutile-2]", "u[1-cutile_rs]", "u[1-cutile]"} {
		whole += `<testcase classname="tests.ops.test_x.Test_X" name="` + name + `" time="0.1"></testcase>`
	}
	whole += "</testsuite></testsuites>"
	for at := 0; at < len(whole); at += 37 {
		f.Add(at, at+20, "")
		f.Add(at, len(whole), "</testsuite></testsuites>")
		f.Add(at, at, "<failure/>")
		f.Add(at, at+90, "\x00")
	}
	f.Fuzz(func(t *testing.T, from, to int, instead string) {
		from = min(max(from, 0), len(whole))
		to = min(max(to, from), len(whole))
		r := records.ReadJUnit("x.xml", strings.NewReader(whole[:from]+instead+whole[to:]))
		// The base's records say what is expected, as in the App.
		o := rs
		o.Expect = []string{}
		for _, c := range records.ReadJUnit("x.xml", strings.NewReader(whole)).Cases {
			o.Expect = append(o.Expect, c.ID())
		}
		v := Judge([]records.Report{r}, nil, o)
		checkVerdict(t, v, r)
		if v.Verdict == AllPass {
			passed := map[string]bool{}
			for _, c := range r.Cases {
				if id := records.ParseID(c.Class, c.Name); c.Outcome == records.Passed && id.Backend == "cutile-rs" {
					passed[id.Key()] = true
				}
			}
			require.GreaterOrEqual(t, len(passed), 3, "all passed with %d of 3 cases: %q", len(passed), whole[:from]+instead+whole[to:])
		}
	})
}
