package reference

import (
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/syntax"
)

// Copies are the copies that the file makes beside its kernels, those of backward
// passes left out.
type Copies struct {
	file   *File
	list   []made
	params map[string]bool // of all functions that the op reaches
}

// made is a copy, and how surely the forward path of the ops makes it.
type made struct {
	host.Copy
	reach Answer
}

// Answer says how surely something holds.
type Answer uint8

// The answers.
const (
	No Answer = iota
	Maybe
	Yes
)

// HostCopies finds the copies on the forward path of ops.
func (m *File) HostCopies(ops ...string) *Copies {
	out := &Copies{file: m, params: map[string]bool{}}
	path := m.forward(ops)
	for _, c := range m.Wrapper.Copies() {
		if r := path.reach(c.Node); r != No && m.Kernel(c.Node) == nil && !backward(c.Node) {
			out.list = append(out.list, made{c, r})
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
func (o *Copies) Include(w *host.Wrapper, c host.Copy) Answer {
	ours, out := "", No
	if c.Kind == host.Layout {
		ours = w.Origin(c.Tensor)
	}
	for _, r := range o.list {
		if r.reach <= out || r.Kind != c.Kind || c.Kind == host.Compute && r.Op != c.Op {
			continue
		}
		if c.Kind != host.Layout || ours == "" || !o.params[ours] {
			out = r.reach
		} else if theirs := o.file.Origin(r.Tensor); theirs == "" || theirs == ours {
			out = r.reach
		}
	}
	return out
}
