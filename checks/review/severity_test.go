package review_test

import (
	"context"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/rules/t01"
	"github.com/tilegate/tilegate/checks/rules/t06"
)

// What is configured bounds every finding of a rule, and lifts only those that the rule
// is sure of.
func TestConfiguredSeverity(t *testing.T) {
	all := []review.Severity{review.Error, review.Warning, review.Note}
	found := func(own, set review.Severity) string {
		rule := &rules.Rule{ID: "R1", Severity: own, Scope: rules.PerKernel, Run: func(p *rules.Pass) {
			for _, s := range all {
				if s.Rank() <= own.Rank() {
					p.Reportf(p.Tree.File(p.Kernel.KernelRS).Root(), s, string(s), "found as %s", s)
				}
			}
		}}
		o := review.Options{Head: ruletest.Base(), Rules: []*rules.Rule{rule}}
		if set != "" {
			o.Severities = map[string]review.Severity{"R1": set}
		}
		r, err := review.Run(context.Background(), o)
		require.NoError(t, err)
		was := map[string]string{}
		for _, f := range r.Findings {
			was[strings.TrimPrefix(f.Message, "found as ")] = string(f.Severity)
		}
		var out []string
		for _, s := range all {
			if is := was[string(s)]; is != "" {
				out = append(out, string(s)+" is "+is)
			}
		}
		return strings.Join(out, ", ")
	}
	for _, c := range []struct {
		own, set review.Severity
		want     string
	}{
		{review.Error, "", "error is error, warning is warning, note is note"},
		{review.Error, review.Error, "error is error, warning is warning, note is note"},
		{review.Error, review.Warning, "error is warning, warning is warning, note is note"},
		{review.Error, review.Note, "error is note, warning is note, note is note"},
		{review.Error, review.Off, ""},
		{review.Warning, review.Error, "warning is error, note is note"},
		{review.Warning, review.Note, "warning is note, note is note"},
		{review.Note, review.Error, "note is error"},
	} {
		assert.Equal(t, c.want, found(c.own, c.set), "own %s, set %q", c.own, c.set)
	}
}

// The gate waits for findings about the tests that are more than notes, and for the note
// that a kernel's test file is new, which no severity but off takes away.
func TestWhatTheGateWaitsFor(t *testing.T) {
	const test, second = "tests/ops/test_demo.py", "tests/ops/test_demo_more.py"
	with := ruletest.Base()
	without := maps.Clone(with)
	delete(without, test)
	more := maps.Clone(with)
	more[second] = with[test]
	loose := maps.Clone(with)
	text := strings.Replace(string(with[test].Data), `"factor": 2.0}`, `"factor": 2.0}, rtol=0.5`, 1)
	require.NotEqual(t, string(with[test].Data), text)
	loose[test] = &fstest.MapFile{Data: []byte(text)}
	for name, c := range map[string]struct {
		base, head fstest.MapFS
		set        map[string]review.Severity
		severity   review.Severity
		waits      bool
	}{
		"new test file":                  {without, with, nil, review.Note, true},
		"new test file, a note anyway":   {without, with, map[string]review.Severity{"T6": review.Note}, review.Note, true},
		"new test file, off":             {without, with, map[string]review.Severity{"T6": review.Off}, "", false},
		"second test file":               {with, more, nil, review.Note, false},
		"looser tolerance":               {with, loose, nil, review.Warning, true},
		"looser tolerance as an error":   {with, loose, map[string]review.Severity{"T1": review.Error}, review.Error, true},
		"looser tolerance made a note":   {with, loose, map[string]review.Severity{"T1": review.Note}, review.Note, false},
		"looser tolerance, not compared": {nil, loose, nil, "", false},
	} {
		o := review.Options{Head: c.head, Rules: []*rules.Rule{t01.Rule, t06.Rule}, Severities: c.set}
		if c.base != nil {
			o.Base = c.base
		}
		r, err := review.Run(context.Background(), o)
		require.NoError(t, err, name)
		if c.severity == "" {
			assert.Empty(t, r.Findings, name)
			assert.Zero(t, r.Waiting(), name)
			continue
		}
		require.NotEmpty(t, r.Findings, name)
		for _, f := range r.Findings {
			assert.Equal(t, c.severity, f.Severity, name)
			assert.Equal(t, c.waits, f.Waits, name)
		}
		var out strings.Builder
		require.NoError(t, review.Write(&out, "text", r, review.Style{}))
		assert.Equal(t, c.waits, strings.Contains(out.String(), "  gate: waits for a maintainer's `/tilegym waive "+r.Findings[0].Rule+" "+test+" REASON`\n"), name)
		assert.Equal(t, c.waits, r.Waiting() > 0, name)
	}
}
