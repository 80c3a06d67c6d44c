package reference

import (
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
	"github.com/tilegate/tilegate/checks/words"
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
// artifacts. A file that is absent is reported at
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

func (a *Artifacts) report(p *rules.Pass, want func(analysis.Located) bool) {
	for _, l := range a.Problems {
		if !want(l) {
			continue
		}
		d := rules.Diagnostic{Severity: rules.Warning}
		if l.Severity == check.Error {
			d.Severity = p.Rule.Severity
		}
		name := path.Join(a.Dir, l.File)
		if d.File = present(p.Tree, name); d.File == nil {
			// The file is absent: the first one stands for the folder.
			if d.File = present(p.Tree, a.files[0]); d.File == nil {
				p.Undecided("no artifact can be read")
				continue
			}
			text := d.File.Line(1)
			start := len(text) - len(strings.TrimLeft(text, " \t"))
			d.Span = syntax.Span{Start: start, End: min(start+1, len(text))}
		} else {
			d.Span = spanOf(d.File, l)
		}
		d.Message = l.Message.Line()
		if field := l.Field.Line(); field == l.File && field != "" {
			d.Message = "`" + untrusted.Text(name).Line() + "`: " + d.Message
		} else if field != "" {
			d.Message = "`" + field + "`: " + d.Message
		}
		// Each problem is one of its own: of several at one place some may be mended,
		// and what is left is not new.
		d.Construct = words.Cut(d.Message, maxConstruct)
		p.Report(d)
	}
}

// maxConstruct bounds the letters of a problem that tell it from the others at its
// place.
const maxConstruct = 500

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
