package reference

import (
	"io/fs"
	"path"
	"strings"

	"github.com/tilegate/tilegate/checks/ir"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// IR is the fact that holds the kernels of the reference's IR dumps beside a
// kernel, supplements left out. It is empty when there are none or when one of
// them is cut off, since half a dump does not show what a kernel lacks.
var IR = rules.NewFact("reference IR", func(t *tree.Tree, u rules.Unit) []ir.Entry {
	if u.Kernel == nil {
		return nil
	}
	dir := path.Join(u.Kernel.Dir, "reference")
	list, err := fs.ReadDir(t.FS, dir)
	if err != nil {
		return nil
	}
	var out []ir.Entry
	for _, e := range list {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".mlir") {
			continue
		}
		data, err := t.Bytes(path.Join(dir, e.Name()))
		if err != nil {
			return nil
		}
		m := ir.Read(data)
		if !m.HasModule || !m.Closed || m.PythonLevel != "" || len(m.Entries) == 0 {
			return nil
		}
		out = append(out, m.Entries...)
	}
	return out
})

// Dump is an IR file that is a whole module.
type Dump struct {
	File *syntax.File
	ir.Module
}

// Generated is the fact that holds the IR that a kernel compiles to, as it lies
// beside it. A canonical form is left out where the plain one is there; what is
// not a whole module is left out too.
var Generated = rules.NewFact("generated IR", func(t *tree.Tree, u rules.Unit) []*Dump {
	if u.Kernel == nil {
		return nil
	}
	var out []*Dump
	for _, p := range t.Files(path.Join(u.Kernel.Dir, "generated"), func(p string) bool { return path.Ext(p) == ".mlir" }) {
		if stem, canonical := strings.CutSuffix(p, "_canon.mlir"); canonical && t.Exists(stem+".mlir") {
			continue
		}
		if d := ReadDump(t, p); d != nil {
			out = append(out, d)
		}
	}
	return out
})

// ReadDump reads an IR file; nil when it is not a whole module with entries.
func ReadDump(t *tree.Tree, p string) *Dump {
	f := t.File(p)
	if f.Unread != "" || len(f.Src) == 0 {
		return nil
	}
	d := &Dump{f, ir.Read(f.Src)}
	if !d.HasModule || !d.Closed || d.PythonLevel != "" || len(d.Entries) == 0 {
		return nil
	}
	return d
}

// At is the span of a line of the dump.
func (d *Dump) At(line int) syntax.Span {
	start := d.File.LineStart(line)
	return syntax.Span{Start: start, End: start + len(d.File.Line(line))}
}
