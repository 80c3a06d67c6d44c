package review_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/hostile"
	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

const demoKernel = tree.OpsRoot + "/demo_kernel/kernel.rs"

// replacing is a rule against a text in kernel.rs, whose fix replaces it.
func replacing(id, old, with string) *rules.Rule {
	return replacingIn(id, func(k *tree.Kernel) string { return k.KernelRS }, old, with, nil)
}

// replacingIn is a rule against a text in one of a kernel's files, which applies
// when the condition, if there is one, holds.
func replacingIn(id string, file func(*tree.Kernel) string, old, with string, when func(*rules.Pass) bool) *rules.Rule {
	return &rules.Rule{ID: id, Title: id, Severity: rules.Error, Scope: rules.PerKernel, Run: func(p *rules.Pass) {
		if when != nil && !when(p) {
			return
		}
		f := p.Tree.File(file(p.Kernel))
		for at := 0; ; {
			i := strings.Index(string(f.Src[at:]), old)
			if i < 0 {
				return
			}
			span := syntax.Span{Start: at + i, End: at + i + len(old)}
			p.Report(rules.Diagnostic{File: f, Span: span, Message: "found " + old, Fix: &rules.Fix{
				Description: "write " + with, Edits: []rules.TextEdit{{Span: span, New: with}},
			}})
			at = span.End
		}
	}}
}

// kernel is the clean checkout with another kernel.rs.
func kernel(text string) fstest.MapFS {
	out := ruletest.Base()
	out[demoKernel] = &fstest.MapFile{Data: []byte(text)}
	return out
}

// With a base only what is new is mended, also where an older finding of the same
// rule has a fix; what is left says which is which.
func TestRepairOnlyWhatIsNew(t *testing.T) {
	const old = "fn a() { bad() }\n"
	head := kernel(old + "fn b() { bad() }\n")
	out, err := review.Repair(context.Background(), review.Options{Head: head, Base: kernel(old), Rules: []*rules.Rule{replacing("R1", "bad", "good")}}, nil)
	require.NoError(t, err)
	require.Len(t, out.Files, 1)
	require.Equal(t, old+"fn b() { good() }\n", string(out.Files[0].After))
	require.Equal(t, 1, out.Files[0].Edits)
	require.Len(t, out.Left.Findings, 1)
	require.False(t, out.Left.Findings[0].New)
	require.Empty(t, out.Dropped)
}

// A fix that another one would make impossible goes first, and where neither order
// helps it is told.
func TestRepairLosesNoFix(t *testing.T) {
	// This rule has a fix for one text only.
	bare := &rules.Rule{ID: "R3", Title: "R3", Severity: rules.Error, Scope: rules.PerKernel, Run: func(p *rules.Pass) {
		f := p.Tree.File(p.Kernel.KernelRS)
		src := string(f.Src)
		if !strings.Contains(src, "worse") {
			return
		}
		at := strings.Index(src, "worse")
		d := rules.Diagnostic{File: f, Span: syntax.Span{Start: at, End: at + len("worse")}, Message: "found worse"}
		if i := strings.Index(src, "x = worse"); i >= 0 {
			d.Fix = &rules.Fix{Description: "write better", Edits: []rules.TextEdit{{Span: syntax.Span{Start: i, End: at + len("worse")}, New: "x = better"}}}
		}
		p.Report(d)
	}}
	r := repair(t, kernel("fn a() { (x = worse) }\n"), nil, replacing("R1", "(x = worse)", "(y = worse)"), bare)
	require.Len(t, r.Files, 1)
	require.Equal(t, "fn a() { (x = better) }\n", string(r.Files[0].After))
	require.Empty(t, r.Dropped)

	r = repair(t, kernel("fn a() { x = worse; }\n"), nil, replacing("R1", "x =", "y ="), bare)
	require.Len(t, r.Files, 1)
	require.Equal(t, "fn a() { y = worse; }\n", string(r.Files[0].After))
	require.Equal(t, []review.Dropped{{Rule: "R3", Path: demoKernel, Line: 1, Description: "write better", Why: "another fix changed the text around it, and it has none any more"}}, r.Dropped)
}

func repair(t *testing.T, head fstest.MapFS, only []string, list ...*rules.Rule) *review.Repaired {
	t.Helper()
	r, err := review.Repair(context.Background(), review.Options{Head: head, Rules: list}, only)
	require.NoError(t, err)
	return r
}

func kernelRS(k *tree.Kernel) string { return k.KernelRS }

func ffiRS(k *tree.Kernel) string { return k.FFI }

// has is the condition that a file holds a text.
func has(file func(*tree.Kernel) string, text string) func(*rules.Pass) bool {
	return func(p *rules.Pass) bool { return strings.Contains(string(p.Tree.File(file(p.Kernel)).Src), text) }
}

func TestRepairRounds(t *testing.T) {
	// dd is only found when aa is fixed: two rounds.
	head := kernel("fn f() { aa(); aa(); dd(); }\n")
	first, second := replacing("R1", "aa", "bb"), replacingIn("R2", kernelRS, "dd", "ee", has(kernelRS, "bb"))
	r := repair(t, head, nil, first, second)
	require.Len(t, r.Files, 1)
	f := r.Files[0]
	assert.Equal(t, "fn f() { bb(); bb(); ee(); }\n", string(f.After))
	assert.Equal(t, string(head[demoKernel].Data), string(f.Before))
	assert.Equal(t, 3, f.Edits)
	assert.Equal(t, []string{"R1", "R2"}, f.Rules)
	assert.Empty(t, r.Dropped)
	assert.Empty(t, r.Left.Findings)

	r = repair(t, head, []string{"R1"}, first, second)
	require.Len(t, r.Files, 1)
	assert.Equal(t, "fn f() { bb(); bb(); dd(); }\n", string(r.Files[0].After))
	assert.Len(t, r.Left.Findings, 1)
	assert.Empty(t, repair(t, head, []string{"R2"}, first, second).Files)
}

// Fixes that undo each other over two files end where they began.
func TestRepairCycle(t *testing.T) {
	head := kernel("fn f() { aa(); }\n")
	head[tree.OpsRoot+"/demo_kernel/ffi.rs"] = &fstest.MapFile{Data: []byte("fn g() { one(); }\n")}
	cycle := []*rules.Rule{
		replacingIn("R1", kernelRS, "aa", "bb", has(ffiRS, "one")), replacingIn("R2", ffiRS, "one", "two", has(kernelRS, "bb")),
		replacingIn("R5", kernelRS, "bb", "aa", has(ffiRS, "two")), replacingIn("R6", ffiRS, "two", "one", has(kernelRS, "aa")),
	}
	r := repair(t, head, nil, cycle...)
	assert.Empty(t, r.Files)
	require.Len(t, r.Dropped, 1)
	assert.Equal(t, "R1", r.Dropped[0].Rule)
	assert.Equal(t, "another fix undoes it", r.Dropped[0].Why)
}

func TestRepairDrops(t *testing.T) {
	for name, c := range map[string]struct {
		rule  []*rules.Rule
		after string // of the whole file; empty when nothing is changed
		why   string
	}{
		"unparsable":    {[]*rules.Rule{replacing("R1", "aa()", "aa(")}, "", "cannot be parsed"},
		"still there":   {[]*rules.Rule{replacing("R1", "aa", "aaa")}, "", "R1 still finds something"},
		"breaks a rule": {[]*rules.Rule{replacing("R1", "aa", "zz"), {ID: "R2", Severity: rules.Error, Scope: rules.PerKernel, Run: findsOnly("zz")}}, "", "breaks R2"},
		"no change":     {[]*rules.Rule{replacing("R1", "aa", "aa")}, "", "changes nothing"},
		"one of two":    {[]*rules.Rule{replacing("R1", "aa()", "aa("), replacing("R2", "dd", "ee")}, "fn f() { aa(); ee(); }\n", "cannot be parsed"},
	} {
		t.Run(name, func(t *testing.T) {
			head := kernel("fn f() { aa(); dd(); }\n")
			r := repair(t, head, nil, c.rule...)
			if c.after == "" {
				assert.Empty(t, r.Files)
			} else if assert.Len(t, r.Files, 1) {
				assert.Equal(t, c.after, string(r.Files[0].After))
			}
			if assert.Len(t, r.Dropped, 1) {
				d := r.Dropped[0]
				assert.Contains(t, d.Why, c.why)
				assert.Equal(t, "R1", d.Rule)
				assert.Equal(t, demoKernel, d.Path)
				assert.Equal(t, 1, d.Line)
			}
			require.NotEmpty(t, r.Left.Findings)
			assert.Equal(t, "R1", r.Left.Findings[0].Rule)
		})
	}
}

// findsOnly is a rule against a text without a fix.
func findsOnly(text string) func(*rules.Pass) {
	return func(p *rules.Pass) {
		f := p.Tree.File(p.Kernel.KernelRS)
		if i := bytes.Index(f.Src, []byte(text)); i >= 0 {
			p.Report(rules.Diagnostic{File: f, Span: syntax.Span{Start: i, End: i + len(text)}, Message: "found " + text})
		}
	}
}

func TestRepairOverlaps(t *testing.T) {
	// The fixes of a call and of its argument overlap; the second waits.
	r := repair(t, kernel("fn f() { aa(bb) }\n"), nil, replacing("R1", "aa(bb)", "cc(bb)"), replacing("R2", "bb", "dd"))
	require.Len(t, r.Files, 1)
	assert.Equal(t, "fn f() { cc(dd) }\n", string(r.Files[0].After))
	assert.Empty(t, r.Dropped)
}

func TestRepairKeepsBytes(t *testing.T) {
	head := kernel("\xef\xbb\xbffn f() {\r\n    aa(); // \xc3\xbc\r\n}\r\n")
	r := repair(t, head, nil, replacing("R1", "aa();", "bb();\n    cc();"))
	require.Len(t, r.Files, 1)
	assert.Equal(t, "\xef\xbb\xbffn f() {\r\n    bb();\r\n    cc(); // \xc3\xbc\r\n}\r\n", string(r.Files[0].After))
	assert.Equal(t, string(head[demoKernel].Data), string(r.Files[0].Before))
}

func TestRepairUnread(t *testing.T) {
	r := repair(t, kernel("fn f() { aa(); } }}}\n"), nil, replacing("R1", "aa", "bb"))
	assert.Empty(t, r.Files)
	require.Len(t, r.Dropped, 1)
	assert.Contains(t, r.Dropped[0].Why, "could not be read as a whole")
	assert.NotEmpty(t, r.Left.Summary.Unread)
}

// Every fixture of a rule with a safe fix: the fixed tree parses, a second repair
// changes nothing, and no finding with a fix is left unless it was dropped.
func TestRepairRuleFixtures(t *testing.T) {
	fixtures, goldens, applied, rulesFixed := 0, 0, 0, 0
	for _, rule := range all.Rules {
		if rule.Fix != "safe" {
			continue
		}
		rulesFixed++
		number, err := strconv.Atoi(rule.ID[1:])
		require.NoError(t, err)
		files, err := filepath.Glob(fmt.Sprintf("../rules/%s%02d/testdata/*.txtar", strings.ToLower(rule.ID[:1]), number))
		require.NoError(t, err)
		require.NotEmpty(t, files, rule.ID)
		for i, file := range files {
			head, golden, err := ruletest.Head(file, rule)
			require.NoError(t, err, file)
			if hostile.Race && i%8 != 0 && !golden {
				continue // TestReviewsTogether runs the code of all rules
			}
			fixtures++
			r := repair(t, head, nil, all.Rules...)
			for _, f := range r.Files {
				applied += f.Edits
				head[f.Path] = &fstest.MapFile{Data: f.After}
			}
			if golden {
				goldens++
				assert.NotEmpty(t, r.Files, "%s: nothing was fixed, dropped %v", file, r.Dropped)
			}
			again := repair(t, head, nil, all.Rules...)
			assert.Empty(t, again.Files, file)
			assert.Equal(t, r.Dropped, again.Dropped, file)
			for _, d := range r.Dropped {
				t.Logf("%s: %s:%d %s: %s", file, filepath.Base(d.Path), d.Line, d.Rule, d.Why)
			}
			offered := 0
			for _, f := range again.Left.Findings {
				if f.Fix != nil {
					offered++
				}
			}
			assert.LessOrEqual(t, offered, len(again.Dropped), file)
		}
	}
	t.Logf("%d rules, %d fixtures, %d with a fixed form, %d edits", rulesFixed, fixtures, goldens, applied)
	assert.Greater(t, goldens, rulesFixed)
	assert.Greater(t, applied, goldens)
}
