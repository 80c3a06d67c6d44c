package tree

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/words"
)

// PlanSchema is the identifier of the JSON form of a Plan.
const PlanSchema = "tilegate.plan/v1"

// Change is one changed path. Previous is the path before a rename. Untracked says
// that the path is in the work tree and that git does not track it.
type Change struct {
	Path      string
	Previous  string
	Untracked bool
}

// Plan says which kernels and stages a change needs, and why.
type Plan struct {
	Schema   string          `json:"schema"`
	Kernels  []PlannedKernel `json:"kernels"`
	Rules    bool            `json:"rules"` // the static rules have something to look at
	GPU      bool            `json:"gpu"`   // a stage needs a GPU
	Sentence string          `json:"sentence"`
}

// PlannedKernel is one kernel that has to be built, tested and measured.
type PlannedKernel struct {
	Name    string   `json:"name"`
	Suite   string   `json:"suite"`
	Stages  []string `json:"stages"`
	Because []string `json:"because"`
}

// allStages are the stages of an affected kernel, in order.
var allStages = []string{"build", "correctness", "perf"}

// planner collects why each kernel is affected and what else was seen.
type planner struct {
	head, base *Tree
	because    map[*Kernel][]string
	seen       map[string]int // what needs no run -> number of files
	order      []string
	rules      bool
	broken     []string // what of the head still takes in a deleted op, in sentences
}

// MakePlan decides what a change from base to head needs. A nil head or base
// stands for a checkout of another layout.
func MakePlan(head, base *Tree, changes []Change) *Plan {
	plan := &Plan{Schema: PlanSchema, Kernels: []PlannedKernel{}}
	if (head == nil || len(head.Kernels) == 0) && base != nil && len(base.Kernels) > 0 {
		var names []string
		for _, k := range base.Kernels {
			names = append(names, k.ID())
		}
		plan.Rules = true
		plan.Sentence = fmt.Sprintf("Nothing to run: the change removes every cutile-rs kernel (%s). The gate does not open for that: a push that keeps one does it, or an administrator, who can merge without the check where the removal is meant.", strings.Join(names, ", "))
		return plan
	}
	if head == nil || len(head.Crates) == 0 {
		plan.Sentence = "Nothing to run: this repository has " + ErrNoKernels.Error() + "."
		return plan
	}
	p := &planner{head: head, base: base, because: map[*Kernel][]string{}, seen: map[string]int{}}
	for _, c := range changes {
		p.change(c)
	}
	for _, k := range head.Kernels {
		if why := p.because[k]; len(why) > 0 {
			plan.Kernels = append(plan.Kernels, PlannedKernel{k.Name, k.Suite, slices.Clone(allStages), why})
		}
	}
	plan.Rules = p.rules
	plan.GPU = len(plan.Kernels) > 0
	plan.Sentence = p.sentence(plan, len(changes))
	return plan
}

func (p *planner) sentence(plan *Plan, changed int) string {
	if len(plan.Kernels) > 0 {
		var names []string
		for _, k := range plan.Kernels {
			names = append(names, k.Name)
		}
		return fmt.Sprintf("%s to build, test and measure: %s.", words.Count(len(names), "kernel"), strings.Join(names, ", ")) + strings.Join(p.broken, "") + p.untested()
	}
	if changed == 0 {
		return "Nothing to run: the change has no files."
	}
	var parts []string
	for _, what := range p.order {
		parts = append(parts, fmt.Sprintf("%s (%s)", what, words.Count(p.seen[what], "file")))
	}
	return "Nothing to run: the change touches only " + strings.Join(parts, ", ") + "."
}

// untested names the affected kernels that the runner cannot test or measure.
func (p *planner) untested() string {
	out := ""
	for _, k := range p.head.Kernels {
		switch {
		case len(p.because[k]) == 0:
		case k.Test == "":
			out += fmt.Sprintf(" `%s` can be neither tested nor measured: %s.", k.ID(), k.NoTest())
		case p.head.unmeasured(k.Test):
			out += fmt.Sprintf(" `%s` cannot be measured: %s has no %s; expected one that records a time for each backend.", k.ID(), k.Test, perfTest)
		}
	}
	return out
}

// perfTest is what the names of the tests that are measured hold.
const perfTest = "test_perf"

// unmeasured reports whether a test file is sure to have nothing that the perf stage
// selects. What it may take over from elsewhere counts.
func (t *Tree) unmeasured(at string) bool {
	f := t.File(at)
	if f.Unread != "" || strings.Contains(at, perfTest) || bytes.Contains(f.Src, []byte(perfTest)) || len(f.Root().Find("wildcard_import")) > 0 {
		return false
	}
	for _, c := range f.Root().Find("class_definition") {
		for _, base := range c.Field("superclasses").NamedChildren() {
			if name := syntax.PyName(base); name != "PyTestCase" && name != "TestCase" && name != "object" {
				return false
			}
		}
	}
	return true
}

func (p *planner) note(what string) {
	if p.seen[what] == 0 {
		p.order = append(p.order, what)
	}
	p.seen[what]++
}

// affect marks kernels as affected by a path.
func (p *planner) affect(where string, kernels ...*Kernel) {
	for _, k := range kernels {
		if !slices.Contains(p.because[k], where) {
			p.because[k] = append(p.because[k], where)
		}
	}
}

func (p *planner) change(c Change) {
	// A build leaves it beside the manifest, and TileGym neither commits nor ignores it.
	if c.Untracked && path.Base(c.Path) == "Cargo.lock" {
		p.note("what cargo wrote and git does not track")
		return
	}
	paths := []string{c.Path}
	if c.Previous != "" && c.Previous != c.Path {
		paths = append(paths, c.Previous)
	} else if what := p.harmless(c.Path); what != "" {
		p.rules = p.rules || reviewed(c.Path)
		p.note(what)
		return
	}
	for _, at := range paths {
		p.rules = p.rules || reviewed(at)
		p.path(at, c.Path)
	}
}

// reviewed reports whether the static rules read the path.
func reviewed(at string) bool {
	return strings.HasPrefix(at, "src/tilegym/ops/") || strings.HasPrefix(at, "src/tilegym/backend/") ||
		strings.HasPrefix(at, SuitesRoot+"/") || strings.HasPrefix(at, "tests/")
}

// harmless says why a change of content needs no run although the file counts,
// or is empty.
func (p *planner) harmless(at string) string {
	if p.base == nil {
		return ""
	}
	old, oldErr := p.base.Bytes(at)
	now, nowErr := p.head.Bytes(at)
	if oldErr != nil || nowErr != nil {
		return ""
	}
	if string(old) == string(now) {
		return "file modes"
	}
	switch path.Ext(at) {
	case ".rs", ".py":
		if SameSyntax(p.base.File(at), p.head.File(at)) {
			return "comments and formatting"
		}
	}
	return ""
}

// path finds what one path affects. where is the path that is named as reason.
func (p *planner) path(at, where string) {
	for _, c := range p.head.Crates {
		if strings.HasPrefix(at, c.Root+"/") {
			p.crate(c, at, where)
			return
		}
	}
	switch {
	case strings.HasPrefix(at, BackendRoot+"/"),
		slices.Contains([]string{"src/tilegym/backend/selector.py", "src/tilegym/backend/dispatcher.py", "src/tilegym/backend/__init__.py", "src/tilegym/ops/__init__.py"}, at),
		slices.Contains([]string{"tests/conftest.py", "tests/common.py", "tests/config.py", "tests/__init__.py", "tests/ops/conftest.py", "tests/ops/__init__.py"}, at):
		p.affect(where, p.head.Kernels...)
	case at == "src/tilegym/ops/ops.py" || strings.HasPrefix(at, SuitesRoot+"/") && path.Base(at) == "ops.py":
		p.dispatch(at, where)
	case strings.HasPrefix(at, SuiteTests+"/"):
		p.suiteTest(at, where)
	case strings.HasPrefix(at, "tests/"):
		if k := p.byFile(at, func(k *Kernel) string { return k.Test }); k != nil {
			p.affect(where, k)
		} else {
			p.note("tests of other backends or ops")
		}
	case p.byFile(at, func(k *Kernel) string { return k.Reference }) != nil:
		p.note("the reference op")
	case strings.HasPrefix(at, ".github/"):
		p.note("workflows and repository settings")
	case strings.HasPrefix(at, "skills/"), strings.HasPrefix(at, ".agents/"), strings.HasPrefix(at, ".claude/"):
		p.note("skills")
	case at == "requirements.txt" || path.Base(at) == "pyproject.toml" || path.Base(at) == "setup.py":
		p.note("Python packaging")
	case isDoc(at):
		p.note("documentation")
	default:
		p.note("files outside the cutile-rs backend")
	}
}

func isDoc(at string) bool {
	switch strings.ToLower(path.Ext(at)) {
	case ".md", ".rst", ".txt", ".png", ".jpg", ".svg":
		return true
	}
	return strings.HasPrefix(at, "wiki/") || strings.HasPrefix(at, "docs/") || strings.HasPrefix(path.Base(at), "LICENSE")
}

func (p *planner) byFile(at string, file func(*Kernel) string) *Kernel {
	for _, k := range p.head.Kernels {
		if file(k) == at {
			return k
		}
	}
	// A file that the head no longer has belonged to the kernel of the base.
	if p.base != nil {
		for _, k := range p.base.Kernels {
			if file(k) == at {
				return p.head.Kernel(k.ID())
			}
		}
	}
	return nil
}

func (p *planner) suiteTest(at, where string) {
	suite, _, _ := strings.Cut(strings.TrimPrefix(at, SuiteTests+"/"), "/")
	if k := p.byFile(at, func(k *Kernel) string { return k.Test }); k != nil {
		p.affect(where, k)
		return
	}
	var hit bool
	for _, k := range p.head.Kernels {
		if k.Suite == suite {
			p.affect(where, k)
			hit = true
		}
	}
	if !hit {
		p.note("tests of other backends or ops")
	}
}

// crate decides a path below a crate's root.
func (p *planner) crate(c *Crate, at, where string) {
	rel := strings.TrimPrefix(at, c.Root+"/")
	first, rest, deep := strings.Cut(rel, "/")
	inCrate := func() []*Kernel { return p.kernelsOf(func(k *Kernel) bool { return k.Crate == c }) }
	switch {
	case at == c.FFIUtil || rel == "ffi_util.rs":
		p.affect(where, p.kernelsOf(func(k *Kernel) bool { return k.Crate == c || k.Crate.FFIUtil == at })...)
	case at == c.Lib:
		p.parts(at, where, libParts, inCrate)
	case rel == "__init__.py":
		p.parts(at, where, importParts, inCrate)
	case deep && strings.HasSuffix(first, kernelSuffix):
		name := strings.TrimSuffix(first, kernelSuffix)
		if isDoc(rest) {
			p.note("documentation")
			return
		}
		p.kernel(c, name, where)
	case !deep && strings.HasSuffix(first, ".py"):
		p.kernel(c, strings.TrimSuffix(first, ".py"), where)
	case isDoc(at):
		p.note("documentation")
	default:
		p.affect(where, inCrate()...)
	}
}

func (p *planner) kernelsOf(keep func(*Kernel) bool) []*Kernel {
	var out []*Kernel
	for _, k := range p.head.Kernels {
		if keep(k) {
			out = append(out, k)
		}
	}
	return out
}

// kernel marks one op of a crate. One that the head no longer has is noted, unless
// something still takes it in: then nothing of the crate can be built or imported.
func (p *planner) kernel(c *Crate, name, where string) {
	k := p.head.Kernel((&Kernel{Name: name, Suite: c.Suite}).ID())
	if k == nil || k.Crate != c {
		if p.base != nil && p.base.Kernel((&Kernel{Name: name, Suite: c.Suite}).ID()) != nil {
			left := p.takers(c, name)
			if len(left) == 0 {
				p.note("a deleted op")
			}
			for _, at := range left {
				crate := p.kernelsOf(func(k *Kernel) bool { return k.Crate == c })
				p.affect(where, crate...)
				p.affect(at, crate...)
				if s := fmt.Sprintf(" %s still takes in `%s`, which the change deletes.", at, name); !slices.Contains(p.broken, s) {
					p.broken = append(p.broken, s)
				}
			}
			return
		}
		// A helper module beside the wrappers serves all of them.
		p.affect(where, p.kernelsOf(func(k *Kernel) bool { return k.Crate == c })...)
		return
	}
	p.affect(where, k)
}

// takers are the files of a crate that take in an op of which the file is gone: Rust
// sources by an include or the path of a module, Python ones by an import.
func (p *planner) takers(c *Crate, name string) []string {
	var out []string
	add := func(at string) {
		if !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	dir := path.Join(c.Root, name+kernelSuffix) + "/"
	rust := []string{c.Lib}
	for _, k := range p.kernelsOf(func(k *Kernel) bool { return k.Crate == c }) {
		rust = append(rust, k.KernelRS, k.FFI)
	}
	for _, at := range rust {
		if at == "" {
			continue
		}
		for _, of := range included(p.head.File(at)) {
			if of = path.Join(path.Dir(at), of); strings.HasPrefix(of, dir) && !p.head.Exists(of) {
				add(at)
			}
		}
	}
	if p.head.Exists(path.Join(c.Root, name+".py")) || p.head.Exists(path.Join(c.Root, name, "__init__.py")) {
		return out
	}
	list, err := fs.ReadDir(p.head.FS, c.Root)
	if err != nil {
		return out
	}
	for _, e := range list[:min(len(list), MaxPython)] {
		if at := path.Join(c.Root, e.Name()); path.Ext(at) == ".py" && imports(p.head.File(at), c.Root, name) {
			add(at)
		}
	}
	return out
}

// included are the paths that a Rust file takes in, relative to its folder.
func included(f *syntax.File) []string {
	var out []string
	for _, n := range f.Root().Find("macro_invocation") {
		if syntax.LastSegment(n.Field("macro")) == "include" {
			for _, s := range n.ChildOf("token_tree").NamedChildren() {
				out = append(out, s.ChildOf("string_content").Text())
			}
		}
	}
	for _, m := range f.Root().Find("mod_item") {
		for _, a := range m.Attributes() {
			if a.NamedChild(0).Text() == "path" {
				out = append(out, a.Field("value").ChildOf("string_content").Text())
			}
		}
	}
	return out
}

// imports reports whether a file beside a module imports it, by its relative or its
// whole name.
func imports(f *syntax.File, root, name string) bool {
	whole := strings.ReplaceAll(strings.TrimPrefix(root, "src/"), "/", ".")
	for _, n := range f.Root().Find("import_from_statement") {
		switch n.Field("module_name").Text() {
		case "." + name, whole + "." + name:
			return true
		case ".", whole:
			for _, what := range n.Fields("name") {
				if what.Is("aliased_import") {
					what = what.Field("name")
				}
				if what.Text() == name {
					return true
				}
			}
		}
	}
	for _, n := range f.Root().Find("import_statement") {
		for _, what := range n.Fields("name") {
			if what.Is("aliased_import") {
				what = what.Field("name")
			}
			if what.Text() == whole+"."+name {
				return true
			}
		}
	}
	return false
}

// parts compares a file that lists ops, entry by entry: only the ops whose
// entries changed are affected, all when anything else in it changed.
func (p *planner) parts(at, where string, split func(*syntax.File) (map[string]string, string), all func() []*Kernel) {
	now, rest := split(p.head.File(at))
	var old map[string]string
	oldRest := ""
	known := p.base != nil && p.base.Exists(at)
	if known {
		old, oldRest = split(p.base.File(at))
	}
	if !known || rest != oldRest || p.head.File(at).Unread != "" || p.base.File(at).Unread != "" {
		p.affect(where, all()...)
		return
	}
	hit := false
	for _, k := range all() {
		if now[k.Name] != old[k.Name] {
			p.affect(where, k)
			hit = true
		}
	}
	if !hit {
		p.note("a deleted op")
	}
}

// libParts splits lib.rs into the op modules by name and the rest.
func libParts(f *syntax.File) (map[string]string, string) {
	ops, rest := map[string]string{}, ""
	for _, c := range f.Root().NamedChildren() {
		if c.Is("mod_item") && c.Field("body").Valid() {
			ops[c.Field("name").Text()] += c.Squeeze()
			continue
		}
		rest += c.Squeeze() + "\n"
	}
	return ops, rest
}

// importParts splits __init__.py into `from . import op` lines and the rest.
func importParts(f *syntax.File) (map[string]string, string) {
	ops := map[string]string{}
	var rest strings.Builder
	var walk func(syntax.Node)
	walk = func(n syntax.Node) {
		for c := range n.Children() {
			switch {
			case c.IsComment():
			case c.Is("import_from_statement") && c.Field("module_name").Text() == ".":
				for _, name := range c.Fields("name") {
					ops[name.Squeeze()] = c.Parent().Kind() + " import"
				}
			case c.Is("if_statement", "block", "else_clause", "elif_clause", "try_statement", "except_clause"):
				walk(c)
			default:
				rest.WriteString(c.Squeeze() + "\n")
			}
		}
	}
	walk(f.Root())
	return ops, rest.String()
}

// dispatch decides ops.py: the ops whose @dispatch function changed.
func (p *planner) dispatch(at, where string) {
	p.parts(at, where, dispatchParts, func() []*Kernel {
		return p.kernelsOf(func(k *Kernel) bool {
			return k.Suite == "" == (at == "src/tilegym/ops/ops.py") && (k.Suite == "" || strings.HasPrefix(at, path.Join(SuitesRoot, k.Suite)+"/"))
		})
	})
}

func dispatchParts(f *syntax.File) (map[string]string, string) {
	ops, rest := map[string]string{}, ""
	for _, c := range f.Root().NamedChildren() {
		name := ""
		for _, d := range syntax.PyDecorators(c.Field("definition")) {
			if syntax.PyName(d.Field("function")) == "dispatch" {
				name = strings.TrimPrefix(syntax.PyString(syntax.PyArg(d, "name", 0)), "get_")
			}
		}
		if name == "" {
			rest += c.Squeeze() + "\n"
			continue
		}
		ops[name] += c.Squeeze()
	}
	return ops, rest
}
