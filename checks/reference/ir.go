package reference

import (
	"io/fs"
	"path"
	"strings"

	"github.com/tilegate/tilegate/checks/ir"
	"github.com/tilegate/tilegate/checks/rules"
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
