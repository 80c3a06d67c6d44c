package rules_test

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/linediff"
	"github.com/tilegate/tilegate/checks/memfs"
	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/tree"
)

// mutation is one edit of upstream's tree. An edit with a rule breaks that rule
// in a form that a person would write; one without a rule breaks none.
type mutation struct {
	name string
	rule string
	file string // short as in shortNames, or a path in the checkout
	do   []step
	// at says where the rule reports the edit when that is not in the edited
	// lines: a file, or a file and a token of the line, as "mm.k: const BK".
	at []string
	// by is the rule whose finding carries this one's, where two rules say the
	// same of one line and only one of them reports it.
	by string
}

// step changes one source; in moves it to another file.
type step struct {
	file string
	edit func(src string) (string, error)
}

// shortNames are the names by which edits name upstream's files.
var shortNames = func() map[string]string {
	names := map[string]string{
		"lib":   tree.OpsRoot + "/cutile_kernels/src/lib.rs",
		"cargo": tree.OpsRoot + "/cutile_kernels/Cargo.toml",
		"futil": tree.OpsRoot + "/ffi_util.rs",
		"init":  tree.OpsRoot + "/__init__.py",
		"utils": tree.BackendRoot + "/utils.py",
		"tuner": tree.BackendRoot + "/autotuner.py",
	}
	for short, op := range map[string]string{"mm": "matmul", "bmm": "bmm", "silu": "silu_and_mul", "swiglu": "swiglu", "sink": "attention_sink"} {
		names[short+".k"] = path.Join(tree.OpsRoot, op+"_kernel/kernel.rs")
		names[short+".f"] = path.Join(tree.OpsRoot, op+"_kernel/ffi.rs")
		names[short+".py"] = path.Join(tree.OpsRoot, op+".py")
		names[short+".t"] = path.Join(tree.TestsRoot, "test_"+op+".py")
		names[short+".d"] = path.Join(tree.OpsRoot, op+"_kernel")
	}
	return names
}()

// long is the path of a short name; a short name may be followed by a path.
func long(name string) string {
	head, rest, _ := strings.Cut(name, "/")
	if p, ok := shortNames[head]; ok {
		return path.Join(p, rest)
	}
	return name
}

// in makes steps on another file of the same edit.
func in(file string, steps ...step) []step {
	for i := range steps {
		steps[i].file = file
	}
	return steps
}

// anchor finds the n-th line (from 1) that has a token.
func anchor(lines []string, token string, n int) (int, error) {
	for i, l := range lines {
		if strings.Contains(l, token) {
			if n--; n == 0 {
				return i, nil
			}
		}
	}
	return 0, fmt.Errorf("no such line with %q", token)
}

// splice replaces count lines from the anchor on, shifted by off, with a text
// that is indented like the anchor.
func splice(token string, n, off, count int, text string) step {
	return step{edit: func(src string) (string, error) {
		lines := strings.Split(src, "\n")
		i, err := anchor(lines, token, n)
		if err != nil {
			return "", err
		}
		indent := lines[i][:len(lines[i])-len(strings.TrimLeft(lines[i], " \t"))]
		var put []string
		if text != "" {
			for _, l := range strings.Split(strings.TrimPrefix(text, "\n"), "\n") {
				if l != "" {
					l = indent + l
				}
				put = append(put, l)
			}
		}
		return strings.Join(slices.Replace(lines, i+off, i+off+count, put...), "\n"), nil
	}}
}

// after puts text on new lines after the n-th line that has a token.
func after(token string, n int, text string) step { return splice(token, n, 1, 0, text) }

// before puts text on new lines before the n-th line that has a token.
func before(token string, n int, text string) step { return splice(token, n, 0, 0, text) }

// lines replaces count lines from the n-th line that has a token on.
func lines(token string, n, count int, text string) step { return splice(token, n, 0, count, text) }

// cut removes count lines from the n-th line that has a token on.
func cut(token string, n, count int) step { return splice(token, n, 0, count, "") }

// sub replaces text within the n-th line that has a token.
func sub(token string, n int, old, with string) step {
	return step{edit: func(src string) (string, error) {
		lines := strings.Split(src, "\n")
		i, err := anchor(lines, token, n)
		if err != nil {
			return "", err
		}
		if !strings.Contains(lines[i], old) {
			return "", fmt.Errorf("line %d has no %q", i+1, old)
		}
		lines[i] = strings.Replace(lines[i], old, with, 1)
		return strings.Join(lines, "\n"), nil
	}}
}

// every replaces each occurrence of a text.
func every(old, with string) step {
	return step{edit: func(src string) (string, error) {
		if !strings.Contains(src, old) {
			return "", fmt.Errorf("no %q", old)
		}
		return strings.ReplaceAll(src, old, with), nil
	}}
}

// rename replaces each whole word.
func rename(old, with string) step {
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(old) + `\b`)
	return step{edit: func(src string) (string, error) {
		if !word.MatchString(src) {
			return "", fmt.Errorf("no word %q", old)
		}
		return word.ReplaceAllLiteralString(src, with), nil
	}}
}

// swap exchanges two neighbouring runs of lines: count lines from the n-th
// line that has a token on, and the next lines below them.
func swap(token string, n, count, next int) step {
	return step{edit: func(src string) (string, error) {
		lines := strings.Split(src, "\n")
		i, err := anchor(lines, token, n)
		if err != nil {
			return "", err
		}
		a, b := slices.Clone(lines[i:i+count]), slices.Clone(lines[i+count:i+count+next])
		return strings.Join(slices.Replace(lines, i, i+count+next, append(b, a...)...), "\n"), nil
	}}
}

// create makes a new file, or another content for an old one.
func create(text string) step {
	return step{edit: func(string) (string, error) { return strings.TrimPrefix(text, "\n"), nil }}
}

// add puts text at the end of a file.
func add(text string) step {
	return step{edit: func(src string) (string, error) { return src + text, nil }}
}

// checkout is a tree in memory, by path.
type checkout map[string][]byte

// load reads a checkout without its repository.
func load(t *testing.T, fsys fs.FS) checkout {
	c := checkout{}
	require.NoError(t, fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && p == ".git" {
			return errorOr(err, fs.SkipDir)
		}
		if d.Type().IsRegular() {
			c[p], err = fs.ReadFile(fsys, p)
		}
		return err
	}))
	return c
}

// errorOr is the error, or what else to return.
func errorOr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// with is the checkout after an edit, and the lines that the edit changed, by
// path. A deletion changes the lines on both sides of it.
func (c checkout) with(m mutation) (checkout, map[string][]int, error) {
	head, edited := maps.Clone(c), map[string][]int{}
	for _, s := range m.do {
		file := long(cmp.Or(s.file, m.file))
		text, err := s.edit(string(head[file]))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", file, err)
		}
		head[file], edited[file] = []byte(text), nil
	}
	for file := range edited {
		if string(head[file]) == string(c[file]) {
			return nil, nil, fmt.Errorf("%s is not changed", file)
		}
		line := 1
		for _, op := range linediff.Lines(c[file], head[file]) {
			switch op.Kind {
			case ' ':
				line = op.New + 1
			case '+':
				edited[file] = append(edited[file], op.New)
				line = op.New + 1
			case '-':
				edited[file] = append(edited[file], line-1, line)
			}
		}
	}
	return head, edited, nil
}

func (c checkout) fs() fs.FS {
	f := &memfs.FS{}
	for name, data := range c {
		f.Add(name, data)
	}
	return f
}

// reported says whether a finding stands where the edit was made, or where the
// edit says that it is reported.
func (m mutation) reported(f review.Finding, head checkout, edited map[string][]int) bool {
	at := append([]int{f.Line}, f.AlsoAt...)
	for _, line := range edited[f.Path] {
		if slices.Contains(at, line) || f.Line <= line && line <= f.EndLine && f.EndLine-f.Line < 25 {
			return true
		}
	}
	for _, place := range m.at {
		file, token, _ := strings.Cut(place, ": ")
		if long(file) != f.Path {
			continue
		}
		src := strings.Split(string(head[f.Path]), "\n")
		if token == "" || slices.ContainsFunc(at, func(line int) bool {
			return line >= 1 && line <= len(src) && strings.Contains(src[line-1], token)
		}) {
			return true
		}
	}
	return false
}

// mutate reviews each edit against upstream's tree and gives the new findings
// to judge, from two workers at a time.
func mutate(t *testing.T, edits []mutation, judge func(m mutation, found []review.Finding, head checkout, edited map[string][]int)) {
	base := load(t, upstream(t))
	baseFS := base.fs()
	var mu sync.Mutex
	var group sync.WaitGroup
	slots := make(chan struct{}, 2)
	names := map[string]bool{}
	for _, m := range edits {
		require.False(t, names[m.name], "two edits are named %q", m.name)
		names[m.name] = true
		head, edited, err := base.with(m)
		if !assert.NoError(t, err, m.name) {
			continue
		}
		group.Add(1)
		slots <- struct{}{}
		go func() {
			defer func() { <-slots; group.Done() }()
			report, err := review.Run(context.Background(), review.Options{Head: head.fs(), Base: baseFS, Rules: all.Rules})
			mu.Lock()
			defer mu.Unlock()
			if !assert.NoError(t, err, m.name) {
				return
			}
			if m.rule == "" {
				assert.Empty(t, report.Summary.Unread, "%s: unread", m.name)
			}
			found := slices.DeleteFunc(slices.Clone(report.Findings), func(f review.Finding) bool { return !f.New })
			judge(m, found, head, edited)
		}()
	}
	group.Wait()
}

// brief is a finding in one line.
func brief(found []review.Finding) string {
	var out []string
	for _, f := range found {
		out = append(out, fmt.Sprintf("%s %s %s:%d %s", f.Rule, f.Severity, path.Base(f.Path), f.Line, f.Title))
	}
	return strings.Join(out, "\n      ")
}

// TestMutationRecall makes single edits of upstream's kernels, wrappers, tests
// and manifests that each break one rule, and asks for a new finding of that
// rule at the edited lines.
func TestMutationRecall(t *testing.T) {
	require.GreaterOrEqual(t, len(violations), 150)
	hit, perRule, of := 0, map[string]int{}, map[string]int{}
	var missed []string
	mutate(t, violations, func(m mutation, found []review.Finding, head checkout, edited map[string][]int) {
		of[m.rule]++
		if slices.ContainsFunc(found, func(f review.Finding) bool {
			return f.Rule == cmp.Or(m.by, m.rule) && m.reported(f, head, edited)
		}) {
			hit++
			perRule[m.rule]++
			return
		}
		missed = append(missed, fmt.Sprintf("%s (%s): new findings:\n      %s", m.name, m.rule, brief(found)))
	})
	slices.Sort(missed)
	recall := float64(hit) / float64(len(violations))
	t.Logf("recall %.4f: %d of %d edits", recall, hit, len(violations))
	for _, r := range slices.Sorted(maps.Keys(of)) {
		t.Logf("  %s %d/%d", r, perRule[r], of[r])
	}
	for _, m := range missed {
		t.Logf("missed: %s", m)
	}
	assert.GreaterOrEqual(t, recall, 0.97)
}

// TestHarmlessEditsAreSilent makes edits that break no rule and asks for no
// new finding of any rule.
func TestHarmlessEditsAreSilent(t *testing.T) {
	require.GreaterOrEqual(t, len(harmless), 100)
	silent := 0
	mutate(t, harmless, func(m mutation, found []review.Finding, _ checkout, _ map[string][]int) {
		if assert.Empty(t, brief(found), "%s: new findings", m.name) {
			silent++
		}
	})
	t.Logf("%d of %d harmless edits are silent", silent, len(harmless))
}

// TestMutationsCoverTheTree keeps the edits spread over rules and kernels.
func TestMutationsCoverTheTree(t *testing.T) {
	files := map[string]int{}
	for _, m := range violations {
		head, _, _ := strings.Cut(m.file, ".")
		files[head]++
	}
	for _, k := range []string{"mm", "bmm", "silu", "swiglu", "sink"} {
		assert.GreaterOrEqual(t, files[k], 15, "edits of %s", k)
	}
}
