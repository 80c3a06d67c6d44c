package rules_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/syntax"
)

func TestCodeOfSeveralLinesInAMessage(t *testing.T) {
	for code, want := range map[string]string{
		"f(a,b)":                               "f(a,b)",
		"f(\n    a,  # first\n    b,\n)":       "f(a, b,)",
		"isinstance(a, b) and (\n    c\n)":     "isinstance(a, b) and (c)",
		"(a\n    .t()\n    [0])":               "(a.t() [0])",
		"(a ==\n    'b  c')":                   "(a == 'b  c')",
		"int(\n    'a\\tlong \\'text\\'')":     `int('a\tlong \'text\'')`,
		"int(\"\"\"one  two\n{x} three\"\"\")": `int("""one  two\n{x} three""")`,
		"g(f\"a  {b!r}\",\n  c)":               `g(f"a  {b!r}", c)`,
		"(a not\n  in b)":                      "(a not in b)",
		"a + \\\n    b":                        "a + b",
		"[lambda a, b:\n    c]":                "[lambda a, b: c]",
	} {
		f := syntax.Parse("a.py", syntax.Python, []byte("x = "+code+"\n"))
		n := f.Root().Find("assignment")[0].Field("right")
		assert.Equal(t, want, rules.Source(n))
		assert.Equal(t, want, rules.Short(n))
	}
	f := syntax.Parse("a.py", syntax.Python, []byte("x = f("+strings.Repeat("ä, ", 40)+")\n"))
	n := f.Root().Find("assignment")[0].Field("right")
	assert.Equal(t, "f("+strings.Repeat("ä, ", 18)+"ä...", rules.Short(n))
}

// A rule that leaves places to another one does not take a fault in that one for silence.
func TestFaultOfAnotherRule(t *testing.T) {
	broken := &rules.Rule{ID: "R1", Severity: rules.Error, Scope: rules.PerKernel, Run: func(*rules.Pass) { panic("broken") }}
	asks := &rules.Rule{ID: "R2", Severity: rules.Error, Scope: rules.PerKernel, Run: func(p *rules.Pass) {
		if !p.Speaks(broken) {
			p.Reportf(p.Tree.File(p.Kernel.KernelRS).Root(), rules.Error, "", "nobody else says it")
		}
	}}
	_, err := review.Run(context.Background(), review.Options{Head: ruletest.Base(), Rules: []*rules.Rule{asks}})
	var crash *rules.Crash
	require.True(t, errors.As(err, &crash), "%v", err)
	assert.Equal(t, "broken", crash.Value)
	assert.Contains(t, crash.What, "R1")
}

// What a rule that is off would say, another one does not leave to it.
func TestNothingIsLeftToARuleThatIsOff(t *testing.T) {
	first := &rules.Rule{ID: "R1", Severity: rules.Error, Scope: rules.PerKernel, Run: func(p *rules.Pass) {
		p.Reportf(p.Tree.File(p.Kernel.KernelRS).Root(), rules.Error, "", "from near")
	}}
	second := &rules.Rule{ID: "R2", Severity: rules.Error, Scope: rules.PerKernel, Run: func(p *rules.Pass) {
		if !p.Speaks(first) {
			p.Reportf(p.Tree.File(p.Kernel.KernelRS).Root(), rules.Error, "", "from far")
		}
	}}
	said := func(off map[string]review.Severity) (out []string) {
		r, err := review.Run(context.Background(), review.Options{Head: ruletest.Base(), Rules: []*rules.Rule{first, second}, Severities: off})
		require.NoError(t, err)
		for _, f := range r.Findings {
			out = append(out, f.Message)
		}
		return out
	}
	assert.Equal(t, []string{"from near"}, said(nil))
	assert.Equal(t, []string{"from far"}, said(map[string]review.Severity{"R1": review.Off}))
}

// What stands between backticks stays one piece of code whatever a value has.
func TestMessageKeepsCodeTogether(t *testing.T) {
	for want, got := range map[string]string{
		"`a` is 5 % of 2 `b`s":          rules.Message("`%s` is %d %% of %d `b`s", "a", 5, 2),
		"``x`y`` of `z`, ``p`q``":       rules.Message("`%s` of `%s`, %s", "x`y", "z", rules.List([]string{"p`q"})),
		"`` `a/b.py `` has 100% of `c`": rules.Message("`%s/b.py` has 100%% of `c`", "`a"),
		"no code, x`y":                  rules.Message("no code, %s", "x`y"),
		"``mod a`b { c }``, line 3":     rules.Message("`mod %s { %s }`, line %d", "a`b", "c", 3),
	} {
		assert.Equal(t, want, got)
	}
}
