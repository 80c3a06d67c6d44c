package config

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/hostile"
)

func TestDefaults(t *testing.T) {
	for _, data := range []string{"", "\n", "# nothing\n", "---\n"} {
		c, err := Parse("tilegym.yml", []byte(data))
		require.NoError(t, err, data)
		require.Equal(t, Default(), c)
	}
	require.Equal(t, "cutile", Default().ReferenceBackend(""))
	require.Equal(t, "triton", Default().ReferenceBackend("triton"))
	c := Default()
	c.Reference = "cutile"
	require.Equal(t, "cutile", c.ReferenceBackend("triton"))
}

const whole = `paths:
  ops: src/tilegym/ops/cutile_rs
rules:
  R45: warning
  P9: "off"
reference: triton
perf:
  threshold: 1.02
  rounds: {min: 3, max: 8}
  max_missing: 0.1
  renames:
    "test_perf[old]": "test_perf[new]"
allowed_skips:
  - '{candidate} .* fp64'
gpus:
  - {name: h200, labels: [self-hosted, h200], required: true}
  - {name: rtx, labels: [rtx], required: false}
workflow: gate.yaml
deadlines: {queue: 30m, run: 1h30m}
`

func TestEveryField(t *testing.T) {
	c, err := Parse("tilegym.yml", []byte(whole))
	require.NoError(t, err)
	want := Default()
	want.Rules = map[string]string{"R45": "warning", "P9": "off"}
	want.Reference = "triton"
	want.Perf = Perf{1.02, Rounds{3, 8}, 0.1, map[string]string{"test_perf[old]": "test_perf[new]"}}
	want.AllowedSkips = []string{"{candidate} .* fp64"}
	want.GPUs = []GPU{{"h200", []string{"self-hosted", "h200"}, true}, {"rtx", []string{"rtx"}, false}}
	want.Workflow = "gate.yaml"
	want.Deadlines = Deadlines{30 * time.Minute, 90 * time.Minute}
	require.Equal(t, want, c)
	m := c.SkipMatcher("cutile-rs")
	require.True(t, m("cutile_rs matmul: no fp64"))
	require.False(t, m("cutile matmul: no fp64"))
}

// A GPU class is required unless it says otherwise.
func TestRequiredByDefault(t *testing.T) {
	c, err := Parse("t.yml", []byte("gpus:\n  - {name: a, labels: [x]}\n  - {name: b, labels: [4090, 1.50]}\n  - {name: c, labels: [x], required: }\n  - {name: d, labels: [x], required: false}\n"))
	require.NoError(t, err)
	require.Equal(t, []GPU{{"a", []string{"x"}, true}, {"b", []string{"4090", "1.50"}, true}, {"c", []string{"x"}, true}, {"d", []string{"x"}, false}}, c.GPUs)
}

// A field without a value has its default, and a number may stand in quotes.
func TestEmptyFields(t *testing.T) {
	c, err := Parse("t.yml", []byte("paths:\nrules:\nreference:\nperf: {threshold: \"1.05\", rounds: {min: \"2\", max: ~}}\nallowed_skips:\ngpus:\nworkflow: >-\n  tilegym-gate.yml\ndeadlines: {}\n"))
	require.NoError(t, err)
	require.Equal(t, Default(), c)
}

// A rule may be written as on the command line, and is named as it is printed.
func TestRulesAsPeopleWriteThem(t *testing.T) {
	c, err := Parse("t.yml", []byte("rules:\n  r46: note\n  007: off\n  P9: error\n"))
	require.NoError(t, err)
	require.Equal(t, map[string]string{"R46": "note", "R7": "off", "P9": "error"}, c.Rules)
}

// A misspelt field is one fault: what it stands for is not missing.
func TestMisspeltFieldIsOneFault(t *testing.T) {
	for _, data := range []string{"gpus:\n  - {name: a, label: [x]}\n", "gpu: [{name: a, labels: [x]}]\n", "gpus:\n  - {nam: a, labels: [x]}\n"} {
		_, err := Parse("t.yml", []byte(data))
		require.Len(t, err, 1, "%v", err)
	}
}

// Each fault names the file, the line, the field, what was expected and found.
func TestFaults(t *testing.T) {
	for data, want := range map[string]string{
		"perf:\n  treshold: 1.1\n":   "t.yml:2: perf.treshold: expected one of the fields threshold, rounds, max_missing, renames (see docs/configuration.md), found an unknown one; did you mean perf.threshold?",
		"gpu: []\n":                  "found an unknown one; did you mean gpus?",
		"a: 1\n":                     "t.yml:1: a: expected one of the fields paths, rules, reference, perf, allowed_skips, gpus, workflow, deadlines (see docs/configuration.md), found an unknown one",
		"perf:\n  threshold: fast\n": `t.yml:2: perf.threshold: expected a number, found "fast"`,
		"perf: 1\n":                  "t.yml:1: perf: expected fields with values, found 1",
		"gpus: a\n":                  `t.yml:1: gpus: expected a list, found "a"`,
		"workflow: [a]\n":            "t.yml:1: workflow: expected text, found a list",
		"deadlines: {run: 2}\n":      "t.yml:1: deadlines.run: expected a duration such as 2h or 90m, found 2",
		"deadlines: {run: soon}\n":   `t.yml:1: deadlines.run: expected a duration such as 2h or 90m, found "soon"`,
		"perf:\n  rounds:\n    min: 3\n    max: 2\n":                  "t.yml:3: perf.rounds: expected 1 <= min <= max <= 20, found min 3, max 2",
		"perf:\n  rounds:\n    min: 1.5\n":                            "t.yml:3: perf.rounds.min: expected a whole number, found 1.5",
		"perf:\n  rounds: {min: 1, max: 2.0}\n":                       "t.yml:2: perf.rounds.max: expected a whole number, found 2.0",
		"\nperf:\n  threshold: .nan\n":                                "t.yml:3: perf.threshold: expected a ratio between 0.5 and 10, found NaN",
		"perf:\n  max_missing: 1\n":                                   "t.yml:2: perf.max_missing: expected a share from 0 to below 1, found 1",
		"rules:\n  R45: loud\n":                                       `t.yml:2: rules.R45: expected off, note, warning, error, found "loud"`,
		"rules:\n  R0: note\n":                                        `t.yml:2: rules.R0: expected a rule such as R45`,
		"rules:\n  R045: note\n  r45: off\n":                          `t.yml:3: rules.r45: expected each rule once, found "r45"`,
		"paths:\n  tests: ../up\n":                                    "t.yml:2: paths.tests: expected tests/ops, the one layout that is read, found \"../up\"",
		"reference: Not A Name\n":                                     "t.yml:1: reference: expected auto or a backend's name",
		"allowed_skips:\n  - a\n  - '('\n":                            `t.yml:3: allowed_skips[1]: expected a regular expression (RE2), found "("`,
		"gpus: []\n":                                                  "t.yml:1: gpus: expected at least one class with required: true, so that the gate measures something, found none",
		"gpus:\n  - name: a b\n    labels: [x]\n    required: true\n": "t.yml:2: gpus[0].name: expected a name",
		"gpus:\n  - {name: a, required: true}\n":                      "t.yml:2: gpus[0].labels: expected at least one runner label",
		"workflow: ../x.yml\n":                                        "t.yml:1: workflow: expected a file name",
		"deadlines:\n  run: 5s\n":                                     "t.yml:2: deadlines.run: expected a duration between",
		"a: [\n":                                                      "t.yml:1: expected YAML",
		"perf: {threshold: 1.1}\nperf: {}\n":                          "t.yml:2: ",
		"reference: cutile\n---\nreference: x\n":                      "expected one YAML document, found 2",
		"---\nreference: x\n---\n":                                    "t.yml:3: expected one YAML document, found a second one",
		"# a\nreference: " + strings.Repeat("x", 2000):                "t.yml:2: expected a line of at most 2000 bytes, found a longer one",
		"gpus: &x []\nallowed_skips: *x\n":                            "t.yml:1: gpus: expected plain values, found an anchor, alias, tag or merge key",
		strings.Repeat("# comment\n", 10000):                          "t.yml: expected at most 32768 bytes",
		"- a\n":                                                       "t.yml:1: expected fields with values, found a list",
		"deadlines: {queue: 2 hours}\n":                               `t.yml:1: deadlines.queue: expected a duration such as 2h or 90m, found "2 hours"`,
		"ruels: {}\n":                                                 "found an unknown one; did you mean rules?",
		"threshold: 1.1\n":                                            "found an unknown one; did you mean perf.threshold?",
		"gpus:\n  - {name: a, lables: [x]}\n":                         "t.yml:2: gpus[0].lables: expected one of the fields name, labels, required (see docs/configuration.md), found an unknown one; did you mean gpus[0].labels?",
		"gpus:\n  - {name: a, labels: [x], required: maybe}\n":        `t.yml:2: gpus[0].required: expected true or false, found "maybe"`,
		"gpus:\n  - {name: a, labels: [x], required: false}\n":        "t.yml:2: gpus: expected at least one class with required: true, so that the gate measures something, found 1 class, none with required: true",
		"reference: !!str a\n":                                        "t.yml:1: reference: expected plain values",
		"perf: {rounds: {min: 99999999999999999999}}\n":               "t.yml:1: perf.rounds.min: expected a whole number, found \"99999999999999999999\"",
		"perf: {rounds: {max: 21}}\n":                                 "expected 1 <= min <= max <= 20, found min 2, max 21",
	} {
		_, err := Parse("t.yml", []byte(data))
		require.ErrorContains(t, err, want, data)
		require.IsType(t, Problems{}, err)
	}
	_, err := Parse("t.yml", []byte("workflow: x\nreference: X\ndeadlines: {queue: 2 hours, run: soon}\nruels: {}\n"))
	require.Len(t, err, 5, "all faults at once, of every kind")
	_, err = Parse("t.yml", []byte("gpus: [5]\n"))
	require.Len(t, err, 1, "a fault is told once")
	_, err = Parse("t.yml", []byte("perf:\n  renames:\n    a: b\n    c: [d]\n"))
	require.EqualError(t, err, "t.yml:4: perf.renames.c: expected text, found a list")
	_, err = Parse("t.yml", []byte("perf:\n  renames:\n    a: b\n    c: ''\n"))
	require.EqualError(t, err, `t.yml:4: perf.renames.c: expected old and new config names, found "c"`)
	_, err = Parse("t.yml", []byte("gpus: ["+strings.Repeat("1, ", maxFaults+1)+"]\n"))
	require.Len(t, err, maxFaults+1)
	require.ErrorContains(t, err, "t.yml: 1 more fault")
	require.NotContains(t, err.Error(), "more faults")
	_, err = Parse("t.yml", []byte("gpus:\n"+strings.Repeat("  - {a: 1}\n", 2000)))
	require.Len(t, err, maxFaults+1)
	require.ErrorContains(t, err, "more faults")
}

func TestDeclaredGap(t *testing.T) {
	for _, text := range []string{
		"cutile-rs matmul does not support transpose",
		"cutile-rs matmul does not support dtype torch.float64",
		"cutile_rs backend does not support the backward pass",
		"multi_wave_cached mode is not implemented for backend cutile-rs",
		"Skip: float8 is unsupported by cutile-rs",
	} {
		require.True(t, DeclaredGap("cutile-rs", text), text)
	}
	for _, text := range []string{
		"cutile matmul does not support transpose",
		"Backend cutile-rs is not available",
		"Framework cutile-rs is not available",
		"Backend is not supported: Unknown backend: cutile-rs, available backends: {'triton'}",
		"Failed to set backend cutile-rs: not supported",
		"cutile-rs is slow here",
		"sm80 does not support fp8",
		"cutile-rs-next does not support it",
		"",
	} {
		require.False(t, DeclaredGap("cutile-rs", text), text)
	}
	c, err := Parse("t.yml", []byte("allowed_skips: []\n"))
	require.NoError(t, err)
	require.False(t, c.SkipMatcher("cutile-rs")("cutile-rs matmul does not support transpose"), "an empty list allows nothing")
}

// FuzzParse: a file is a configuration whose limits hold or is refused with
// places in it.
func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("perf: {rounds: {min: 1}}\n---\n*a"))
	for _, s := range slices.Concat(hostile.YAML, hostile.Any) {
		f.Add([]byte(s.Text(200)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		hostile.Ends(t, len(data), func() {
			c, err := Parse("t.yml", data)
			if err == nil {
				c.SkipMatcher(Candidate)("text")
				require.True(t, c.Perf.Rounds.Min >= 1 && c.Perf.Rounds.Min <= c.Perf.Rounds.Max, "%+v", c.Perf.Rounds)
				require.True(t, c.Perf.Threshold > 0 && c.Perf.MaxMissing >= 0 && c.Perf.MaxMissing < 1, "%+v", c.Perf)
				return
			}
			var problems Problems
			require.ErrorAs(t, err, &problems)
			require.NotEmpty(t, problems)
			for _, p := range problems {
				require.True(t, p.Line >= 0 && p.Line <= bytes.Count(data, []byte("\n"))+bytes.Count(data, []byte("\r"))+1, "line %d of %q", p.Line, data)
			}
		})
	})
}

// A configuration is bounded, and with it the time that the YAML library takes.
func TestHostileShapes(t *testing.T) {
	for _, s := range slices.Concat(hostile.YAML, hostile.Any) {
		t.Run(s.Name, func(t *testing.T) {
			text := []byte(s.Text(maxBytes))
			hostile.Within(t, 2*time.Second, func() { _, _ = Parse("t.yml", text) })
			_, err := Parse("t.yml", []byte(s.Text(20<<20)))
			require.ErrorContains(t, err, "expected at most 32768 bytes")
		})
	}
}

// The documented example is the default configuration.
func TestDocumentedDefaults(t *testing.T) {
	doc, err := os.ReadFile("../../docs/configuration.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(doc), "```yaml\n")
	require.True(t, ok)
	example, _, ok := strings.Cut(rest, "```")
	require.True(t, ok)
	c, err := Parse("configuration.md", []byte(example))
	require.NoError(t, err)
	require.Equal(t, Default(), c)
}
