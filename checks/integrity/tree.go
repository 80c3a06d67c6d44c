package integrity

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
	"github.com/tilegate/tilegate/checks/words"
)

// Facts is the comparison of a tree with its base, made once for all rules.
var Facts = rules.NewFact("test integrity", func(t *tree.Tree, _ rules.Unit) *Comparison { return &Comparison{head: t} })

// Comparison is what a change does to the tests. It is safe for concurrent use.
type Comparison struct {
	head     *tree.Tree
	once     sync.Once
	findings []Finding
}

// With lists the findings of a kind, compared with the base, in the order of
// the files.
func (c *Comparison) With(base *tree.Tree, kind Kind) []Finding {
	c.once.Do(func() { c.findings = Compare(c.head, base) })
	return slices.DeleteFunc(slices.Clone(c.findings), func(f Finding) bool { return f.Kind != kind })
}

// harness are the files that all tests share.
var harness = []string{"tests/conftest.py", "tests/common.py", "tests/config.py"}

// Compare lists what the change from base to head does to the tests of the
// kernels of either, to the harness, and to the dispatcher.
func Compare(head, base *tree.Tree) []Finding {
	of := &review{[2]map[string]*signature{signaturesOf(base), signaturesOf(head)}, maxReview}
	var out []Finding
	tests := testFiles(head, base)
	used, requested := map[string]bool{}, map[string]bool{}
	support := map[string]bool{}
	for _, p := range harness {
		support[p] = true
	}
	out = append(out, overshadowed(head, base)...)
	for _, p := range tests {
		out = append(out, compareTest(head, base, p, of)...)
		if head.Exists(p) {
			f := head.File(p)
			for _, id := range f.Root().Find("identifier") {
				used[id.Text()] = true
			}
			for _, name := range fixturesAsked(f) {
				requested[name] = true
			}
			for _, m := range imported(f) {
				if head.Exists(m) || base.Exists(m) {
					support[m] = true
				}
			}
		}
		for dir := path.Dir(p); ; dir = path.Dir(dir) {
			support[path.Join(dir, "conftest.py")] = true
			if dir != "." {
				support[path.Join(dir, "__init__.py")] = true
			}
			if dir == "." {
				break
			}
		}
	}
	for _, p := range sortedKeys(support) {
		if !slices.Contains(tests, p) {
			out = append(out, compareSupport(head, base, p, of, used, requested)...)
		}
	}
	out = append(out, compareSettings(head, base, tests)...)
	now, was := newModules(head), newModules(base)
	files := packageFiles(head)
	shared := sortedKeys(support)
	selection, moved := compareSelection(now, was, of, slices.Concat(files, tests, shared))
	out = append(out, selection...)
	out = append(out, comparePackage(now, was, files, moved)...)
	out = append(out, compareShadows(now, was, tests, shared, files)...)
	return out
}

func signaturesOf(t *tree.Tree) map[string]*signature {
	out := map[string]*signature{}
	if f := t.File("tests/common.py"); f.Unread == "" {
		readSignatures(out, f)
	}
	for _, p := range harness {
		if f := t.File(p); f.Unread == "" && setsDefaultDtype(f) {
			out[defaultDtype] = &signature{}
		}
	}
	opSignatures(out, t)
	return out
}

// opsRoot is where the ops are declared.
const opsRoot = "src/tilegym/ops"

// opSignatures adds how the ops take their arguments: those that one file declares. Their
// defaults are left to the ops.
func opSignatures(into map[string]*signature, t *tree.Tree) {
	entries, err := fs.ReadDir(t.FS, opsRoot)
	if err != nil {
		return // a folder that is not there, or that others say is unread
	}
	seen := map[string]bool{}
	for _, e := range entries {
		if e.IsDir() || path.Ext(e.Name()) != ".py" {
			continue
		}
		f := t.File(path.Join(opsRoot, e.Name()))
		if f.Unread != "" {
			continue
		}
		found := map[string]*signature{}
		addSignatures(found, f, func(string) bool { return true })
		for name, sg := range found {
			full := "tilegym.ops." + name
			delete(into, full)
			if !seen[name] {
				into[full] = &signature{params: sg.params, defaults: map[string]string{}}
			}
			seen[name] = true
		}
	}
}

// maxEntries bounds how many files and folders are looked at for tests.
const maxEntries = 100_000

// testFiles are the test files of the kernels of both revisions, and other test
// files that name the candidate and differ.
func testFiles(head, base *tree.Tree) []string {
	var out []string
	for _, t := range []*tree.Tree{base, head} {
		for _, k := range t.Kernels {
			for _, either := range []*tree.Tree{base, head} {
				if p := either.TestOf(k.Suite, k.Name); p != "" {
					out = append(out, p)
				}
			}
		}
		err := t.Walk("tests", maxEntries, func(p string, d fs.DirEntry) error {
			name := path.Base(p)
			if d.IsDir() || !strings.HasSuffix(name, ".py") || !strings.HasPrefix(name, "test_") {
				return nil
			}
			a, errA := tree.ReadFile(head.FS, p, syntax.MaxSize)
			b, errB := tree.ReadFile(base.FS, p, syntax.MaxSize)
			if errA != nil && !errors.Is(errA, fs.ErrNotExist) {
				head.File(p) // which says why it is not read
			}
			if (errA != nil) != (errB != nil) || !bytes.Equal(a, b) {
				if mark := []byte(candidate); bytes.Contains(a, mark) || bytes.Contains(b, mark) {
					out = append(out, p)
				}
			}
			return nil
		})
		if err != nil {
			head.Unread("tests", err.Error())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// compareTest compares one test file, which either side may lack.
func compareTest(head, base *tree.Tree, p string, of *review) []Finding {
	inHead, inBase := head.Exists(p), base.Exists(p)
	switch {
	case !inHead && !inBase:
		return nil
	case !inHead:
		return deleted(head, base, p)
	case !inBase:
		return added(head, p, of.known[1])
	}
	b, h := base.File(p), head.File(p)
	if unchanged(b, h) || restsOnUnread(head, h) {
		return nil
	}
	return compareFile(b, h, of, func(c *comparison) {
		c.base.takeHelpers(base, h)
		c.head.takeHelpers(head, b)
		c.testFile()
	})
}

// restsOnUnread reports whether a file takes names from one that cannot be read: what
// they do is not known, and that file is listed as unread.
func restsOnUnread(t *tree.Tree, f *syntax.File) bool {
	return slices.ContainsFunc(imported(f), func(p string) bool { return t.Exists(p) && t.File(p).Unread != "" })
}

// unchanged reports whether two revisions of a file are the same but for
// comments and formatting.
func unchanged(b, h *syntax.File) bool {
	return b == h || bytes.Equal(b.Src, h.Src) && b.Unread == h.Unread || tree.SameSyntax(b, h)
}

// overshadowed reports kernels whose tests are taken from another file than in the
// base, which is still there and is not run for them any more.
func overshadowed(head, base *tree.Tree) []Finding {
	var out []Finding
	for _, k := range head.Kernels {
		if was := base.TestOf(k.Suite, k.Name); was != "" && k.Test != "" && was != k.Test && head.Exists(was) {
			out = append(out, whole(head.File(k.Test), Collection, rules.Warning, "instead of "+was, fmt.Sprintf("the tests of `%s` are taken from this file and no more from `%s`; a maintainer must look", k.Name, was)))
		}
	}
	return out
}

// deleted reports a test file that the head does not have, unless the op has
// no implementation any more either.
func deleted(head, base *tree.Tree, p string) []Finding {
	for _, k := range base.Kernels {
		if k.Test == p && head.Kernel(k.ID()) == nil && !head.Exists(k.Reference) {
			return nil
		}
	}
	f := base.File(p)
	message := "the test file is deleted or moved to where its kernel's tests are not looked for"
	return []Finding{absent(f, "deleted", message)}
}

// NewFile is the construct of the finding that a test file is new.
const NewFile = "new file"

// added notes a test file that is new, with what it holds.
func added(head *tree.Tree, p string, known map[string]*signature) (out []Finding) {
	f := head.File(p)
	if f.Unread != "" {
		return nil // listed as unread
	}
	const text = "the test file is new: there is nothing to compare it with"
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(tooLarge); !ok {
				panic(r)
			}
			out = []Finding{whole(f, Collection, rules.Note, NewFile, text)}
		}
	}()
	s := newSide(newUniverse(maxSteps), f, known)
	s.load()
	tests, checks := s.tests(), 0
	for _, t := range tests {
		for _, e := range s.execute(t, s.symbolic(t)) {
			if e.kind == checked {
				checks++
			}
		}
	}
	return []Finding{whole(f, Collection, rules.Note, NewFile, text+"; it has "+words.Count(len(tests), "test")+" with "+words.Count(checks, "check"))}
}

// compareSupport compares a file that tests share.
func compareSupport(head, base *tree.Tree, p string, of *review, used, requested map[string]bool) []Finding {
	inHead, inBase := head.Exists(p), base.Exists(p)
	if !inHead {
		if inBase {
			return []Finding{absent(base.File(p), "deleted", "the file, which tests share, is deleted")}
		}
		return nil
	}
	h := head.File(p)
	b := syntax.Parse(p, syntax.Python, nil)
	if inBase {
		b = base.File(p)
	}
	if unchanged(b, h) || restsOnUnread(head, h) {
		return nil
	}
	return compareFile(b, h, of, func(c *comparison) {
		// Calls of the file's own functions are compared with defaults left out.
		c.base.known, c.head.known = signaturesIn(b, of.known[0]), signaturesIn(h, of.known[1])
		c.harnessFile(used, requested)
	})
}

func signaturesIn(f *syntax.File, known map[string]*signature) map[string]*signature {
	out := map[string]*signature{}
	for k, v := range known {
		out[k] = v
	}
	addSignatures(out, f, func(string) bool { return true })
	return out
}

// imported are the files below tests that a test file imports.
func imported(f *syntax.File) []string {
	var out []string
	add := func(dotted string) {
		out = append(out, strings.ReplaceAll(dotted, ".", "/")+".py")
	}
	for _, n := range f.Root().Find("import_from_statement", "import_statement") {
		module := n.Field("module_name")
		name := module.Squeeze()
		if !module.Valid() {
			for _, m := range n.Fields("name") {
				if m.Is("aliased_import") {
					m = m.Field("name")
				}
				if strings.HasPrefix(m.Squeeze(), "tests.") {
					add(m.Squeeze())
				}
			}
			continue
		}
		if rest := strings.TrimLeft(name, "."); rest != name {
			dir := f.Path
			for range len(name) - len(rest) {
				dir = path.Dir(dir)
			}
			name = strings.ReplaceAll(dir, "/", ".")
			if rest != "" {
				name += "." + rest
			}
		}
		if name != "tests" && !strings.HasPrefix(name, "tests.") {
			continue
		}
		add(name)
		for _, m := range n.Fields("name") {
			if m.Is("aliased_import") {
				m = m.Field("name")
			}
			add(name + "." + m.Squeeze())
		}
	}
	return out
}

// settings are the files that pytest reads its settings from, with the section
// in which they stand; none is the whole file.
var settings = []struct{ name, section string }{
	{"pytest.ini", ""}, {".pytest.ini", ""}, {"pytest.toml", ""}, {".pytest.toml", ""},
	{"pyproject.toml", "tool.pytest"}, {"tox.ini", "[pytest]"}, {"setup.cfg", "[tool:pytest]"},
	{"pyproject.toml", "project.entry-points.pytest11"}, {"setup.cfg", "[options.entry_points]"},
}

// compareSettings reports settings of pytest that changed.
func compareSettings(head, base *tree.Tree, tests []string) []Finding {
	dirs := map[string]bool{".": true}
	for _, p := range tests {
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	var out []Finding
	for _, dir := range sortedKeys(dirs) {
		for _, s := range settings {
			p := path.Join(dir, s.name)
			now, was := setting(head, p, s.section), setting(base, p, s.section)
			if now == was {
				continue
			}
			if !head.Exists(p) {
				out = append(out, absent(base.File(p), "settings ", "the file, which sets what pytest collects or how it runs, is deleted; a maintainer must look"))
				continue
			}
			out = append(out, settingChange(head.File(p), base.File(p), s.section, "settings "+now))
		}
	}
	return out
}

// settingChange reports settings of pytest that are others, at the first line of
// their section that the base does not have there.
func settingChange(now, was *syntax.File, section, construct string) Finding {
	f := Finding{Collection, now, syntax.Span{}, rules.Warning, construct, "what pytest collects or how it runs is set here, and it changed; a maintainer must look"}
	f.Span = lineOf(now, 1)
	lines := func(file *syntax.File) (list []int) {
		in := section == ""
		for n := 1; n <= file.LineCount(); n++ {
			line := strings.TrimSpace(file.Line(n))
			if strings.HasPrefix(line, "[") && section != "" {
				in = line == section || strings.HasPrefix(strings.TrimLeft(line, "["), section)
			}
			if in && file == now && strings.HasPrefix(line, "[") {
				f.Span = lineOf(now, n)
			}
			if in && line != "" && !strings.ContainsRune("#;[", rune(line[0])) {
				list = append(list, n)
			}
		}
		return list
	}
	left := map[string]int{}
	old := lines(was)
	for _, n := range old {
		left[strings.TrimSpace(was.Line(n))]++
	}
	list := lines(now)
	for _, n := range list {
		line := strings.TrimSpace(now.Line(n))
		if left[line]--; left[line] < 0 {
			f.Span = lineOf(now, n)
			f.Message = quote(line) + " is new: it sets what pytest collects or how it runs; a maintainer must look"
			return f
		}
	}
	for _, n := range old {
		if line := strings.TrimSpace(was.Line(n)); left[line] > 0 {
			f.Message = quote(line) + ", which set what pytest collects or how it runs, is gone; a maintainer must look"
			break
		}
	}
	return f
}

// setting is the part of a file that pytest reads, without comments.
func setting(t *tree.Tree, p, section string) string {
	if !t.Exists(p) {
		return ""
	}
	src, err := t.Bytes(p)
	if err != nil {
		return err.Error()
	}
	if why := t.File(p).Unread; why != "" {
		return why
	}
	if path.Ext(p) == ".toml" && section != "" {
		var part map[string]any
		if err := toml.Unmarshal(src, &part); err != nil {
			return err.Error()
		}
		for key := range strings.SplitSeq(section, ".") {
			part, _ = part[key].(map[string]any)
		}
		if part == nil {
			return ""
		}
		if options, ok := part["ini_options"].(map[string]any); ok {
			delete(options, "markers") // names that select nothing by themselves
		}
		text, err := toml.Marshal(part)
		if err != nil {
			return err.Error()
		}
		return string(text)
	}
	var out []string
	in := section == ""
	for _, line := range strings.Split(string(src), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") && section != "" {
			in = line == section
		}
		if in && line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, ";") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}
