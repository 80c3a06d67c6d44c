// Package ruletest checks a rule against its fixtures. A fixture is a txtar
// archive in the rule's testdata folder whose files are laid over a small clean
// checkout (the base folder). Its name says what it shows: bad_* violates the
// rule, near_* almost does, hold_* is a case that the rule must leave alone,
// miss_* is a violation that the rule is known not to see. In a bad fixture
// each finding stands on a line with the comment
//
//	// want error "regexp" warning "regexp"
//
// (or # want in Python and TOML; in JSON, Markdown and text files, which have no
// comments, it is taken out before the rule sees the file). A section NAME.golden is the file after all
// fixes were applied. A section base/NAME is a file of the base that a change is
// compared with; without such sections there is no base, except for a rule that
// compares, whose base is then the clean checkout. Findings in a file that the
// head does not have stand in its base section.
package ruletest

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/tree"
)

//go:embed all:base
var base embed.FS

// short maps the names that fixtures may use to their place in a checkout.
var short = map[string]string{
	"kernel.rs":     tree.OpsRoot + "/demo_kernel/kernel.rs",
	"ffi.rs":        tree.OpsRoot + "/demo_kernel/ffi.rs",
	"demo.py":       tree.OpsRoot + "/demo.py",
	"reference.py":  tree.ReferenceRoot + "/demo.py",
	"test_demo.py":  tree.TestsRoot + "/test_demo.py",
	"__init__.py":   tree.OpsRoot + "/__init__.py",
	"ffi_util.rs":   tree.OpsRoot + "/ffi_util.rs",
	"Cargo.toml":    tree.OpsRoot + "/cutile_kernels/Cargo.toml",
	"lib.rs":        tree.OpsRoot + "/cutile_kernels/src/lib.rs",
	"common.py":     "tests/common.py",
	"conftest.py":   "tests/conftest.py",
	"config.py":     "tests/config.py",
	"dispatcher.py": "src/tilegym/backend/dispatcher.py",
	"utils.py":      tree.BackendRoot + "/utils.py",
	"autotuner.py":  tree.BackendRoot + "/autotuner.py",
	"ops.py":        "src/tilegym/ops/ops.py",
	"analysis.json": tree.OpsRoot + "/demo_kernel/reference/analysis.json",
}

// body.rs holds only statements; they stand in this entry. ELLIPSIS is where.
const bodyTemplate = `#[cutile::module]
pub mod demo_module {
    use cutile::core::*;

    #[cutile::entry()]
    pub unsafe fn demo_kernel<E: ElementType, const BM: i32, const BN: i32>(
        x: *mut E,
        y: *mut E,
        t: &Tensor<E, { [-1, -1] }>,
        n: i32,
        eps: f32,
    ) {
ELLIPSIS
    }
}
`

// Run checks the fixtures of a rule in the test's testdata folder: at least two
// that violate it and one that almost does. It also checks that every bad
// fixture fails when the rule is disabled, so that no fixture passes for
// another reason.
func Run(t *testing.T, rule *rules.Rule) {
	t.Helper()
	if err := rule.Validate(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		kind, _, _ := strings.Cut(name, "_")
		count[kind]++
		t.Run(name, func(t *testing.T) {
			fx, err := load(file, rule)
			if err != nil {
				t.Fatal(err)
			}
			switch kind {
			case "bad":
				if len(fx.wants) == 0 {
					t.Fatal("a bad fixture needs want comments")
				}
			case "near", "hold", "miss":
				if len(fx.wants) > 0 {
					t.Fatalf("a %s fixture must have no want comments", kind)
				}
			default:
				t.Fatalf("fixture names start with bad_, near_, hold_ or miss_, not %q", kind)
			}
			for _, problem := range fx.check(t, rule) {
				t.Error(problem)
			}
			if kind == "bad" {
				disabled := *rule
				disabled.Run, disabled.Also = func(*rules.Pass) {}, nil
				if len(fx.check(t, &disabled)) == 0 {
					t.Error("the fixture passes without the rule")
				}
			}
		})
	}
	t.Run("reasons", func(t *testing.T) { reasons(t, files, rule) })
	if count["bad"] < 2 || count["near"] < 1 {
		t.Errorf("rule %s has %d bad and %d near fixtures; it needs at least 2 and 1", rule.ID, count["bad"], count["near"])
	}
}

// reasons checks that a finding of some fixture has each reason that the rule has
// for a kind of construct.
func reasons(t *testing.T, files []string, rule *rules.Rule) {
	t.Helper()
	if len(rule.Whys) == 0 {
		return
	}
	// Reasons may share a text: here each is its construct.
	marked := *rule
	marked.Whys = map[string]string{}
	for construct := range rule.Whys {
		marked.Whys[construct] = construct
	}
	found := map[string]bool{}
	for _, file := range files {
		if !strings.HasPrefix(filepath.Base(file), "bad_") {
			continue
		}
		fx, err := load(file, rule)
		if err != nil {
			t.Fatal(err)
		}
		report, err := fx.review(&marked)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range report.Findings {
			found[f.Why] = true
		}
	}
	for construct := range rule.Whys {
		if !found[construct] {
			t.Errorf("no finding of a bad fixture has the reason of %q", construct)
		}
	}
}

type want struct {
	path     string
	line     int
	severity review.Severity
	pattern  *regexp.Regexp
}

type fixture struct {
	fs      fstest.MapFS
	base    fstest.MapFS // nil without a base
	wants   []want
	goldens map[string][]byte
}

func load(file string, rule *rules.Rule) (*fixture, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	fx := &fixture{fs: Base(), goldens: map[string][]byte{}}
	if rule.Compares() {
		fx.base = Base()
	}
	for _, f := range txtar.Parse(data).Files {
		name, golden := strings.CutSuffix(f.Name, ".golden")
		content := f.Data
		name, inBase := strings.CutPrefix(name, "base/")
		if name == "body.rs" {
			name = "kernel.rs"
			content = []byte(strings.Replace(bodyTemplate, "ELLIPSIS", strings.TrimRight(indent(string(content)), "\n"), 1))
		}
		if full, ok := short[name]; ok {
			name = full
		}
		if inBase && fx.base == nil {
			fx.base = Base()
		}
		switch {
		case inBase && len(bytes.TrimSpace(content)) == 0 && path.Base(name) != "__init__.py":
			delete(fx.base, name)
		case inBase:
			fx.base[name] = &fstest.MapFile{Data: content}
			w, err := wants(name, content)
			if err != nil {
				return nil, err
			}
			fx.wants = append(fx.wants, w...)
		case golden:
			fx.goldens[name] = content
		case len(bytes.TrimSpace(content)) == 0 && path.Base(name) != "__init__.py":
			delete(fx.fs, name)
		default:
			w, err := wants(name, content)
			if err != nil {
				return nil, err
			}
			fx.wants = append(fx.wants, w...)
			if slices.Contains([]string{".json", ".md", ".txt"}, path.Ext(name)) {
				content = wantTail.ReplaceAll(content, nil)
			}
			fx.fs[name] = &fstest.MapFile{Data: content}
		}
	}
	return fx, nil
}

func indent(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if l != "" {
			lines[i] = "        " + l
		}
	}
	return strings.Join(lines, "\n")
}

// Head is the checkout of a rule's fixture, and whether the fixture says how it
// looks after all fixes.
func Head(file string, rule *rules.Rule) (head fstest.MapFS, fixed bool, err error) {
	fx, err := load(file, rule)
	if err != nil {
		return nil, false, err
	}
	return fx.fs, len(fx.goldens) > 0, nil
}

// Base is the clean checkout that fixtures are laid over.
func Base() fstest.MapFS {
	out := fstest.MapFS{}
	err := fs.WalkDir(base, "base", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := base.ReadFile(p)
		out[strings.TrimPrefix(p, "base/")] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		panic(err)
	}
	return out
}

var (
	wantComment = regexp.MustCompile(`(?://|#) want (.*)$`)
	wantTail    = regexp.MustCompile(`(?m)[ \t]*// want .*$`)
	wantItem    = regexp.MustCompile(`^\s*(error|warning|note) ("(?:[^"\\]|\\.)*")`)
)

func wants(name string, content []byte) ([]want, error) {
	var out []want
	s := bufio.NewScanner(bytes.NewReader(content))
	s.Buffer(nil, 1<<22)
	for line := 1; s.Scan(); line++ {
		m := wantComment.FindStringSubmatch(strings.TrimRight(s.Text(), "\r"))
		if m == nil {
			continue
		}
		rest := m[1]
		for strings.TrimSpace(rest) != "" {
			item := wantItem.FindStringSubmatch(rest)
			if item == nil {
				return nil, fmt.Errorf("%s:%d: want: expected severity \"regexp\", found %s", name, line, rest)
			}
			text, err := strconv.Unquote(item[2])
			if err != nil {
				return nil, fmt.Errorf("%s:%d: want: %w", name, line, err)
			}
			re, err := regexp.Compile(text)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: want: %w", name, line, err)
			}
			out = append(out, want{name, line, review.Severity(item[1]), re})
			rest = rest[len(item[0]):]
		}
	}
	return out, s.Err()
}

// review reviews the fixture with one rule.
func (fx *fixture) review(rule *rules.Rule) (*review.Report, error) {
	options := review.Options{Head: fx.fs, Rules: []*rules.Rule{rule}}
	if fx.base != nil {
		options.Base = fx.base
	}
	return review.Run(context.Background(), options)
}

// check reviews the fixture with one rule and lists what differs.
func (fx *fixture) check(t *testing.T, rule *rules.Rule) []string {
	t.Helper()
	var problems []string
	report, err := fx.review(rule)
	if err != nil {
		return []string{err.Error()}
	}
	left := slices.Clone(fx.wants)
	for _, f := range report.Findings {
		for _, line := range append([]int{f.Line}, f.AlsoAt...) {
			i := slices.IndexFunc(left, func(w want) bool {
				return w.path == f.Path && w.line == line && w.severity == f.Severity && (line != f.Line || w.pattern.MatchString(f.Message))
			})
			if i < 0 {
				problems = append(problems, fmt.Sprintf("%s:%d: unexpected %s: %s", f.Path, line, f.Severity, f.Message))
				continue
			}
			left = slices.Delete(left, i, i+1)
		}
	}
	for _, w := range left {
		problems = append(problems, fmt.Sprintf("%s:%d: no %s matching %q", w.path, w.line, w.severity, w.pattern))
	}
	return append(problems, fx.checkFixes(rule, report)...)
}

// checkFixes applies all fixes and compares with the golden sections; the
// result must have no finding with a fix left.
func (fx *fixture) checkFixes(rule *rules.Rule, report *review.Report) []string {
	edits := map[string][]review.Edit{}
	for _, f := range report.Findings {
		if f.Fix != nil {
			edits[f.Path] = append(edits[f.Path], f.Fix.Edits...)
		}
	}
	var problems []string
	fixed := fstest.MapFS{}
	for p, f := range fx.fs {
		fixed[p] = f
	}
	for p, e := range edits {
		out, _ := review.Apply(fx.fs[p].Data, e)
		fixed[p] = &fstest.MapFile{Data: out}
		golden, ok := fx.goldens[p]
		if !ok {
			problems = append(problems, fmt.Sprintf("%s: the rule offers a fix but the fixture has no golden section; the fixed file is:\n%s", p, out))
		} else if string(golden) != string(out) {
			problems = append(problems, fmt.Sprintf("%s: fixed file differs from the golden section:\n%s", p, out))
		}
	}
	for p := range fx.goldens {
		if edits[p] == nil {
			problems = append(problems, fmt.Sprintf("%s: golden section but no fix", p))
		}
	}
	if len(edits) == 0 {
		return problems
	}
	again, err := review.Run(context.Background(), review.Options{Head: fixed, Rules: []*rules.Rule{rule}})
	if err != nil {
		return append(problems, err.Error())
	}
	if n := len(again.Summary.Unread); n > len(report.Summary.Unread) {
		problems = append(problems, fmt.Sprintf("after the fix a file is unread: %v", again.Summary.Unread))
	}
	for _, f := range again.Findings {
		if f.Fix != nil {
			problems = append(problems, fmt.Sprintf("%s:%d: still offers a fix after the fix: %s", f.Path, f.Line, f.Message))
		}
	}
	return problems
}
