// Package r33 is rule R33: one crate for all kernels, with pinned registry
// dependencies.
package r33

import (
	_ "embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

//go:embed doc.md
var doc string

// Rule is R33.
var Rule = &rules.Rule{
	ID: "R33", Title: "One crate for all kernels, pinned to the registry",
	Category: "process", Owner: "host", Severity: rules.Error, DecidedBy: "cross-file", Fix: "safe",
	Signatures: []string{"S-B13", "S-B14", "S-I01"},
	Why:        "The five cutile crates only work together in one version, no Cargo.lock is committed, and the loader looks for one library under one name.",
	Whys: map[string]string{
		"toml":       "Cargo refuses a manifest that it cannot read, so that nothing of the crate is built.",
		"own crate":  "The library is built from one crate; what stands in another one is not in it.",
		"crate-type": "Without `cdylib` Cargo builds a library for Rust only, which the loader cannot open.",
		"edition":    "The edition decides what the source means: the kernel macros and the exports are written for 2024.",
		"gone":       "A file that is not there stops the build of the whole library, for all ops.",
		"alone":      "A kernel that nothing exports and no wrapper launches is compiled for nobody: no test and no benchmark can reach it.",
		"half":       "What the host side launches is in `kernel.rs`, and what exports it in `ffi.rs`; a module with one of them is no op.",
	},
	Triage: []string{
		"Ask for the five crates with one `=` version each, from the registry.",
		"Keep `crate-type = [\"cdylib\"]`, the library's name and edition 2024.",
		"Include `kernel.rs` and `ffi.rs` of each op in one module of `lib.rs`.",
		"Restore the file that is gone, or take its module and whatever calls it out, too.",
		"Add what the port lacks: the export in `ffi.rs`, the wrapper that registers the op, its import and a test.",
		"Move the op into the shared crate: a folder of its own beside the others and a module in `lib.rs`, no manifest.",
		"Remove the patch or the path: every checkout builds the same registry versions.",
		"Correct the TOML at that place.",
	},
	First: map[string]int{"name": 1, "crate-type": 1, "edition": 1, "half": 2, "gone": 3, "alone": 4, "own crate": 5, "configuration": 6, "patch": 6, "missing": 0, "source": 0, "version": 0, "toml": 7},
	Doc:   doc, Scope: rules.PerCrate, Requires: []rules.AnyFact{host.Facts}, Run: run,
	Also: []rules.Check{{Scope: rules.PerKernel, Run: alone}},
}

// pinned are the crates that must have one exact version.
var pinned = []string{"cutile", "cutile-compiler", "cutile-macro", "cuda-core", "cuda-async"}

// upstreamVersion is what TileGym's own crate pins.
const upstreamVersion = "0.2.0"

func run(p *rules.Pass) {
	m := host.Of(p)
	c := m.Crate(p.Crate)
	for _, k := range c.Kernels {
		if f := path.Join(k.Dir, "Cargo.toml"); p.Tree.Exists(f) {
			report(p, p.Tree.File(f), syntax.Span{}, "own crate", nil, "`%s` has a manifest of its own; the op belongs to the crate in `%s`", k.Dir, orNone(c.Dir))
		}
	}
	if c.Lib != nil {
		includes(p, c)
	}
	configurations(p, c)
	man := c.Manifest
	switch {
	case man == nil:
		p.Undecided("the crate has no manifest")
	case man.File.Unread != "":
		p.Undecided("the manifest is unread")
	case man.Problem != "":
		report(p, man.File, man.ProblemAt, "toml", nil, "the manifest is no valid TOML: %s", man.Problem)
	default:
		dependencies(p, m, c)
		library(p, m, c)
		patches(p, c)
	}
}

func orNone(dir string) string {
	if dir == "" {
		return "the shared crate"
	}
	return dir
}

// report reports a place in a manifest; an empty span is the first line.
func report(p *rules.Pass, f *syntax.File, at syntax.Span, construct string, fix *rules.Fix, format string, args ...any) {
	if at.End <= at.Start && f.LineCount() > 0 {
		at = syntax.Span{Start: 0, End: len(f.Line(1))}
	}
	p.Report(rules.Diagnostic{File: f, Span: at, Severity: rules.Error, Construct: construct, Fix: fix, Message: rules.Message(format, args...)})
}

// dependency is what a manifest says of one crate.
type dependency struct {
	name    string
	version host.Value
	has     bool // version is set
	source  host.Value
	local   string // path, git, registry or registry-index, when it is not from crates.io
	plain   bool   // all keys are about where the crate comes from
	inherit bool   // workspace = true
	at      syntax.Span
	table   bool // in a table of its own
}

// read lists what a manifest asks for in one of its tables of dependencies.
func read(m *host.Manifest, in string) map[string]*dependency {
	out := map[string]*dependency{}
	renamed := map[string]string{}
	for _, v := range m.Under(in) {
		if len(v.Path) == 3 && v.Path[2] == "package" {
			renamed[v.Path[1]] = v.Text
		}
	}
	for _, v := range m.Under(in) {
		if len(v.Path) < 2 {
			continue
		}
		name := v.Path[1]
		if r := renamed[name]; r != "" {
			name = r
		}
		d := out[name]
		if d == nil {
			_, table := m.Table(in, v.Path[1])
			d = &dependency{name: name, at: v.Entry, plain: true, table: table}
			out[name] = d
		}
		key := "version"
		if len(v.Path) > 2 {
			key = v.Path[2]
		}
		switch key {
		case "version":
			d.version, d.has = v, true
		case "path", "git", "registry-index":
			d.source, d.local = v, key
		case "registry":
			if v.Text != "crates-io" && d.local == "" {
				d.source, d.local = v, key
			}
		case "branch", "rev", "tag":
		case "workspace":
			d.inherit = true
		default:
			d.plain = false
		}
	}
	return out
}

// exact is the version of an exact requirement, such as "0.2.0" for "=0.2.0".
func exact(requirement string) string {
	v, ok := strings.CutPrefix(strings.TrimSpace(requirement), "=")
	v = strings.TrimSpace(v)
	if !ok || !fullVersion.MatchString(v) {
		return ""
	}
	return v
}

var fullVersion = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+([-+][0-9A-Za-z.+-]+)?$`)

// common is the version that most of the pinned crates ask for; empty when
// none has an exact one.
func common(deps map[string]*dependency) string {
	count, best := map[string]int{}, ""
	for _, name := range pinned {
		if d := deps[name]; d != nil && d.has && d.local == "" {
			if v := exact(d.version.Text); v != "" {
				count[v]++
				if count[v] > count[best] {
					best = v
				}
			}
		}
	}
	return best
}

func dependencies(p *rules.Pass, m *host.Model, c *host.Crate) {
	man := c.Manifest
	deps := read(man, "dependencies")
	want := common(deps)
	if c.Suite != "" {
		// A suite's crate shares ffi_util.rs and the loader with the main one.
		for _, other := range m.Crates {
			if o := other.Manifest; other.Suite == "" && o != nil && o.Problem == "" {
				if v := common(read(o, "dependencies")); v != "" {
					want = v
				}
			}
		}
	}
	known := want != ""
	if !known {
		want = upstreamVersion
	}
	elsewhere := slices.ContainsFunc(man.Values, func(v host.Value) bool {
		return v.Path[0] == "target" && slices.Contains(v.Path, "dependencies")
	})
	for _, name := range pinned {
		d := deps[name]
		switch {
		case d == nil && elsewhere:
			p.Undecided("the crate may be among the dependencies of a target")
		case d == nil:
			missing(p, man, deps, name, want)
		default:
			judge(p, man, d, want, known)
		}
	}
	// Tests and build scripts are written against the same release.
	for _, table := range []string{"build-dependencies", "dev-dependencies"} {
		others := read(man, table)
		for _, name := range pinned {
			if d := others[name]; d != nil {
				judge(p, man, d, want, known)
			}
		}
	}
}

// judge reports a crate that is not pinned to a version of the registry.
func judge(p *rules.Pass, man *host.Manifest, d *dependency, want string, known bool) {
	name := d.name
	switch {
	case d.inherit:
		p.Undecided("the version comes from the workspace")
	case d.local != "":
		from := "a `" + d.local + "`"
		if strings.HasPrefix(d.local, "registry") {
			from = "another registry (`" + d.source.Text + "`)"
		}
		report(p, man.File, d.source.Entry, "source "+name, sourceFix(d, want), "`%s` comes from %s; expected the registry with `\"=%s\"`", name, from, want)
	case !d.has:
		report(p, man.File, d.at, "version "+name, nil, "`%s` has no version; expected `\"=%s\"`", name, want)
	case exact(d.version.Text) == "":
		report(p, man.File, d.version.At, "version "+name, versionFix(d, want), "`%s` asks for `%s`, which many versions satisfy; expected `\"=%s\"`", name, d.version.Text, want)
	case exact(d.version.Text) != want && known:
		report(p, man.File, d.version.At, "version "+name, versionFix(d, want), "`%s` is pinned to `%s`, the other cutile crates to `=%s`; they only work in one version", name, d.version.Text, want)
	}
}

// missing reports a crate that is not asked for, after the last one that is.
func missing(p *rules.Pass, man *host.Manifest, deps map[string]*dependency, name, want string) {
	header, ok := man.Table("dependencies")
	var fix *rules.Fix
	if ok {
		at := header.At.End + len("]")
		for _, other := range pinned {
			if d := deps[other]; d != nil && !d.table && d.at.End > at {
				at = d.at.End
			}
		}
		end := man.File.LineStart(man.File.Position(at).Line) + len(man.File.Line(man.File.Position(at).Line))
		fix = rules.Insert(end, fmt.Sprintf("\n%s = \"=%s\"", name, want), "add the crate")
	}
	why := ""
	if name == "cutile-compiler" {
		why = "; no source names it, but the proc macro looks it up in the manifest"
	}
	report(p, man.File, header.At, "missing "+name, fix, "`%s` is not among the dependencies%s; expected `%s = \"=%s\"`", name, why, name, want)
}

func versionFix(d *dependency, want string) *rules.Fix {
	return &rules.Fix{Description: "pin the version", Edits: []rules.TextEdit{{Span: d.version.At, New: `"=` + want + `"`}}}
}

// sourceFix replaces an inline table that only says where the crate is.
func sourceFix(d *dependency, want string) *rules.Fix {
	if !d.plain || d.table || len(d.source.Path) != 3 || d.source.Entry.Start == d.source.Key.Start {
		return nil
	}
	return &rules.Fix{Description: "take the crate from the registry", Edits: []rules.TextEdit{{
		Span: d.source.Entry, New: d.source.Path[1] + ` = "=` + want + `"`,
	}}}
}

// library checks what decides whether the loader finds the library.
func library(p *rules.Pass, m *host.Model, c *host.Crate) {
	man := c.Manifest
	lib, _ := man.Table("lib")
	kind, ok := man.Get("lib", "crate-type")
	if !ok {
		kind, ok = man.Get("lib", "crate_type")
	}
	switch {
	case !ok:
		report(p, man.File, lib.At, "crate-type", nil, "the library has no `crate-type`; expected `[\"cdylib\"]`, else no shared library is built")
	case !slices.Contains(append(kind.List, kind.Text), "cdylib"):
		report(p, man.File, kind.Entry, "crate-type", nil, "`crate-type` lacks `\"cdylib\"`, so no shared library is built")
	}

	name, ok := man.Get("lib", "name")
	if !ok {
		if name, ok = man.Get("package", "name"); ok {
			name.Text = strings.ReplaceAll(name.Text, "-", "_")
		}
	}
	if so := soName(m, c); ok && so != "" && so != "lib"+name.Text+".so" {
		report(p, man.File, name.Entry, "name", nil, "the library is built as `lib%s.so`, but the loader opens `%s`", name.Text, so)
	}

	if len(man.Under("package", "edition")) == 1 && len(man.Under("package", "edition")[0].Path) > 2 {
		return // from the workspace
	}
	switch edition, ok := man.Get("package", "edition"); {
	case !ok:
		pkg, _ := man.Table("package")
		report(p, man.File, pkg.At, "edition", nil, "the crate has no `edition`, which means 2015; expected `\"2024\"`")
	case edition.Text != "2024":
		report(p, man.File, edition.Entry, "edition", nil, "the crate is of edition `%s`; expected `\"2024\"`", edition.Text)
	}
}

// soName is the file that the wrappers of the crate load; empty when unknown.
func soName(m *host.Model, c *host.Crate) string {
	if c.Suite == "" {
		if m.Utils != nil {
			return m.Utils.SoName
		}
		return ""
	}
	name := ""
	for _, w := range c.Wrappers {
		for _, b := range w.Binds {
			s, ok := w.String(b.SoName)
			if !ok || name != "" && s != name {
				return ""
			}
			name = s
		}
	}
	return name
}

// configurations reports settings of Cargo that put other crates in the place of
// the pinned ones. A mirror or a vendored folder (source.*.replace-with) is a usual
// setup, and whether it holds the same crates cannot be seen.
// The file nearest to the crate is reported for it alone, those of the folders
// above for the first crate below them.
func configurations(p *rules.Pass, c *host.Crate) {
	if c.Dir == "" {
		return
	}
	for dir := c.Dir; ; dir = path.Dir(dir) {
		for _, name := range []string{".cargo/config.toml", ".cargo/config"} {
			f := path.Join(dir, name)
			if !p.Tree.Exists(f) || !first(p, dir) {
				continue
			}
			m := host.ParseTOML(p.Tree, f)
			seen := map[string]bool{}
			replaced := func(key []string, at syntax.Span) {
				if n := key[0]; (n == "patch" || n == "paths") && !seen[n] {
					seen[n] = true
					report(p, m.File, at, "configuration "+n, nil, "`%s` in `%s` swaps pinned crates for others; every checkout would build something else", n, name)
				}
			}
			for _, t := range m.Tables {
				if t.Path[0] == "patch" {
					replaced(t.Path, t.At)
				}
			}
			for _, v := range m.Values {
				replaced(v.Path, v.Entry)
			}
		}
		if dir == "." || dir == "/" {
			return
		}
	}
}

// first reports whether the crate is the first one of the tree below a folder.
func first(p *rules.Pass, dir string) bool {
	for _, c := range p.Tree.Crates {
		if c.Dir != "" && (dir == "." || c.Dir == dir || strings.HasPrefix(c.Dir, dir+"/")) {
			return c == p.Crate
		}
	}
	return true
}

func patches(p *rules.Pass, c *host.Crate) {
	seen := map[string]bool{}
	for _, t := range c.Manifest.Tables {
		if name := t.Path[0]; (name == "patch" || name == "replace") && !seen[name] {
			seen[name] = true
			report(p, c.Manifest.File, t.At, name, nil, "`[%s]` swaps pinned crates for others; every checkout would build something else", name)
		}
	}
	for _, v := range c.Manifest.Values {
		if name := v.Path[0]; (name == "patch" || name == "replace") && !seen[name] {
			seen[name] = true
			report(p, c.Manifest.File, v.Entry, name, nil, "`%s` swaps pinned crates for others; every checkout would build something else", name)
		}
	}
}

// includes checks that each op's module includes both files of one op and none
// that is gone.
func includes(p *rules.Pass, c *host.Crate) {
	for _, mod := range c.Lib.Mods {
		for _, inc := range mod.Includes {
			if inc.Path == "" {
				continue
			}
			if !p.Tree.Exists(inc.Path) {
				p.Reportf(inc.Node, rules.Error, "gone", "module `%s` includes `%s`, which does not exist", mod.Name, inc.Path)
				continue
			}
			other := partner(inc.Path)
			if other == "" || !p.Tree.Exists(other) || c.Lib.Has(other) {
				continue
			}
			p.ReportFix(inc.Node, rules.Error, "half", includeFix(inc, other), "module `%s` includes `%s` without `%s` of the same op", mod.Name, path.Base(inc.Path), path.Base(other))
		}
	}
}

// alone reports a kernel that is a device source only, with all that a port of it
// lacks. What R35 and R40 say of the other files begins with an export or a wrapper.
func alone(p *rules.Pass) {
	k := host.Of(p).Kernel(p.Kernel)
	if k.KernelRS == "" || k.Kernel.FFI != "" || len(k.Entries) == 0 {
		return
	}
	f := p.Tree.File(k.KernelRS)
	lib := k.Crate.Lib
	if f.Unread != "" || lib == nil || lib.Opaque() || elsewhere(k) {
		p.Undecided("the kernel may be exported by another file")
		return
	}
	root := path.Dir(k.Dir)
	lacks := []string{"`" + path.Join(k.Dir, "ffi.rs") + "`, which exports it"}
	if k.Kernel.Wrapper == "" {
		lacks = append(lacks, "the wrapper `"+path.Join(root, k.Name+".py")+"`, which registers the op for `cutile-rs`")
	}
	if init := k.Crate.Init; init != nil && !init.Imported[k.Name] {
		lacks = append(lacks, "`from . import "+k.Name+"` in `"+init.File.Path+"`")
	}
	speaks := func(n syntax.Node) bool { return syntax.PyString(n) == host.Backend }
	switch {
	case k.Test == "":
		lacks = append(lacks, "a test with the backend, such as `"+p.Kernel.TestPath()+"`")
	case p.Tree.File(k.Test).Unread == "" && !slices.ContainsFunc(p.Tree.File(k.Test).Root().Find("string"), speaks):
		lacks = append(lacks, "`"+host.Backend+"` among the backends of `"+k.Test+"`")
	}
	at := entryName(k)
	for _, inc := range lib.Includes {
		if inc.Path == k.KernelRS {
			at = inc.Node
		}
	}
	p.Reportf(at, rules.Error, "alone", "`%s` is a kernel alone, which nothing can call; expected also %s", k.KernelRS, strings.Join(lacks, ", "))
}

// entryName is where the first entry of a kernel is named.
func entryName(k *host.Kernel) syntax.Node {
	var first syntax.Node
	for _, e := range k.Entries {
		if !first.Valid() || e.NameAt.Span().Start < first.Span().Start {
			first = e.NameAt
		}
	}
	return first
}

// elsewhere reports whether another file of the crate may export a kernel: one of its
// folder that lib.rs includes, or the export of another op that names its module or
// an entry.
func elsewhere(k *host.Kernel) bool {
	for _, inc := range k.Crate.Lib.Includes {
		if inc.Path != k.KernelRS && path.Dir(inc.Path) == k.Dir {
			return true
		}
	}
	names := map[string]bool{}
	for name, e := range k.Entries {
		names[name] = true
		names[e.Module.Node.Field("name").Text()] = true
	}
	for _, o := range k.Crate.Kernels {
		if o.FFI != nil && slices.ContainsFunc(o.FFI.File.Root().Find("identifier"), func(n syntax.Node) bool { return names[n.Text()] }) {
			return true
		}
	}
	return !k.Crate.AllFFIRead()
}

// partner is the export that belongs to a kernel.rs. The other way round is
// R17's.
func partner(p string) string {
	dir, name := path.Split(p)
	if name != "kernel.rs" || !strings.HasSuffix(strings.TrimSuffix(dir, "/"), "_kernel") || !strings.Contains(dir, path.Base(tree.OpsRoot)) {
		return ""
	}
	return dir + "ffi.rs"
}

// includeFix adds the include of the partner after that of a file.
func includeFix(inc host.Include, other string) *rules.Fix {
	stmt := inc.Node
	if stmt.Parent().Is("expression_statement") {
		stmt = stmt.Parent()
	}
	line := strings.Replace(inc.Node.Text(), path.Base(inc.Path), path.Base(other), 1) + ";"
	f, last := stmt.File(), stmt.EndPos().Line
	return rules.Insert(f.LineStart(last)+len(f.Line(last)), "\n"+host.Indent(stmt)+line, "include the other file of the op")
}
