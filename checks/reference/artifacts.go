package reference

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/check"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
	"github.com/tilegate/tilegate/checks/untrusted"
)

// outRoot is the folder that the porting pipeline writes to by default, with
// one folder for each kernel.
const outRoot = "cutile_kernel_out"

// Artifacts is a folder with what the porting pipeline left of a kernel.
type Artifacts struct {
	Dir string // relative to the checkout
	// Problems are all that its files lack, each with the file that it stands in,
	// relative to Dir.
	Problems []analysis.Located
	files    []string // relative to the checkout, the analysis first
}

// ArtifactsOf is the fact that holds the artifact folders of a kernel: its own
// folder, and that of the pipeline, each when one of reference, generated and
// reports in it has a file. Ordinary changes have none.
var ArtifactsOf = rules.NewFact("artifacts", func(t *tree.Tree, u rules.Unit) []*Artifacts {
	if u.Kernel == nil {
		return nil
	}
	var out []*Artifacts
	for _, dir := range []string{u.Kernel.Dir, path.Join(outRoot, u.Kernel.Name), path.Join(outRoot, path.Base(u.Kernel.Dir))} {
		a := &Artifacts{Dir: dir}
		for _, part := range []string{"reference", "generated", "reports"} {
			a.files = append(a.files, t.Files(path.Join(dir, part), func(string) bool { return true })...)
		}
		if len(a.files) == 0 {
			continue
		}
		if document := path.Join(dir, "reference/analysis.json"); slices.Contains(a.files, document) {
			a.files = append([]string{document}, a.files...)
		}
		sub, err := fs.Sub(t.FS, dir)
		if err != nil {
			continue
		}
		a.Problems = analysis.Review(sub, u.Kernel.Name)
		out = append(out, a)
	}
	return out
})

// ReportProblems reports the problems of the pass's own rule in the kernel's
// artifacts, those of one place together. A file that is absent is reported at
// the analysis, or at the first artifact when there is no analysis. The rule
// must require ArtifactsOf.
func ReportProblems(p *rules.Pass) {
	ReportSome(p, func(*Artifacts, analysis.Located) bool { return true })
}

// ReportSome is ReportProblems for those of the rule's problems that are to be
// kept: the others are reported by another rule.
func ReportSome(p *rules.Pass, keep func(*Artifacts, analysis.Located) bool) {
	for _, a := range ArtifactsOf.Of(p) {
		a.report(p, func(l analysis.Located) bool { return l.Rule == p.Rule.ID && keep(a, l) })
	}
}

// maxTold bounds how many problems of one place are told.
const maxTold = 6

func (a *Artifacts) report(p *rules.Pass, want func(analysis.Located) bool) {
	type place struct {
		file     *syntax.File
		span     syntax.Span
		severity rules.Severity
	}
	type told struct {
		message string
		fields  []string
	}
	said := map[place][]told{}
	var order []place
	for _, l := range a.Problems {
		if !want(l) {
			continue
		}
		at := place{severity: rules.Warning}
		if l.Severity == check.Error {
			at.severity = p.Rule.Severity
		}
		name := path.Join(a.Dir, l.File)
		if at.file = present(p.Tree, name); at.file == nil {
			// The file is absent: the first one stands for the folder.
			if at.file = present(p.Tree, a.files[0]); at.file == nil {
				p.Undecided("no artifact can be read")
				continue
			}
			text := at.file.Line(1)
			start := len(text) - len(strings.TrimLeft(text, " \t"))
			at.span = syntax.Span{Start: start, End: min(start+1, len(text))}
		} else {
			at.span = spanOf(at.file, l)
		}
		if said[at] == nil {
			order = append(order, at)
		}
		field := l.Field.Line()
		if field == l.File && field != "" {
			field = untrusted.Text(name).Line()
		}
		list, message := said[at], l.Message.Line()
		if i := slices.IndexFunc(list, func(t told) bool { return t.message == message && field != "" }); i >= 0 {
			list[i].fields = append(list[i].fields, field)
			continue
		}
		said[at] = append(list, told{message, []string{field}})
	}
	for _, at := range order {
		var texts []string
		for _, t := range said[at] {
			if t.fields[0] == "" {
				texts = append(texts, t.message)
				continue
			}
			texts = append(texts, "`"+strings.Join(t.fields, "`, `")+"`: "+t.message)
		}
		// One problem more at a place that had some is new.
		all := strings.Join(texts, "; ")
		if n := len(texts) - maxTold; n > 0 {
			texts = append(texts[:maxTold:maxTold], fmt.Sprintf("and %d more", n))
		}
		p.Report(rules.Diagnostic{File: at.file, Severity: at.severity, Construct: all, Span: at.span, Message: strings.Join(texts, "; ")})
	}
}

// spanOf is the place of a problem in its file: what it names on its line, else the
// line without its indentation.
func spanOf(f *syntax.File, l analysis.Located) syntax.Span {
	bom := 0
	if f.BOM {
		bom = 3
	}
	line := min(max(l.Line, 1), f.LineCount())
	if at := (syntax.Span{Start: l.Start - bom, End: l.End - bom}); at.Start >= 0 && at.Start < at.End && at.End <= len(f.Src) && f.Position(at.Start).Line == line {
		return at
	}
	text := f.Line(line)
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	return syntax.Span{Start: f.LineStart(line) + indent, End: f.LineStart(line) + len(text)}
}

// present is a file that exists, can be read and has text; nil otherwise.
func present(t *tree.Tree, name string) *syntax.File {
	if !t.Exists(name) {
		return nil
	}
	f := t.File(name)
	if f.Unread != "" || f.LineCount() == 0 || strings.TrimSpace(string(f.Src)) == "" {
		return nil
	}
	return f
}
