package reference

import (
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/syntax"
)

// Copies are the copies that the op makes beside its kernels, those of backward
// passes left out.
type Copies struct {
	file   *File
	list   []host.Copy
	params map[string]bool // of all functions that the op reaches
}

// HostCopies finds the op's copies.
func (m *File) HostCopies() *Copies {
	out := &Copies{file: m, params: map[string]bool{}}
	for _, c := range m.Wrapper.Copies() {
		if m.Reached(c.Node) && m.Kernel(c.Node) == nil && !backward(c.Node) {
			out.list = append(out.list, c)
		}
	}
	for _, fn := range m.File.Root().Find("function_definition") {
		for _, q := range host.Params(fn) {
			out.params[q.Text()] = out.params[q.Text()] || m.Reached(q)
		}
	}
	return out
}

func backward(n syntax.Node) bool {
	for p := n.Ancestor("function_definition"); p.Valid(); p = p.Ancestor("function_definition") {
		if name := p.Field("name").Text(); strings.Contains(name, "backward") || strings.Contains(name, "bwd") {
			return true
		}
	}
	return false
}

// Include reports whether the op makes the same kind of copy as a wrapper does.
// For a transposition the operands must be able to be the same: their names
// differ only where the reference has no parameter of the wrapper's name.
func (o *Copies) Include(w *host.Wrapper, c host.Copy) bool {
	ours := ""
	if c.Kind == host.Layout {
		ours = w.Origin(c.Tensor)
	}
	for _, r := range o.list {
		if r.Kind != c.Kind || c.Kind == host.Compute && r.Op != c.Op {
			continue
		}
		if c.Kind != host.Layout || ours == "" || !o.params[ours] {
			return true
		}
		if theirs := o.file.Origin(r.Tensor); theirs == "" || theirs == ours {
			return true
		}
	}
	return false
}
