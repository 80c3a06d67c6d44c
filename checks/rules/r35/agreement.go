package r35

import (
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

// agreement notes an op with several inputs whose sizes nobody compares while
// its entry does not check its accesses.
func agreement(p *rules.Pass, k *host.Kernel, w *host.Wrapper) {
	if k.FFI == nil || w != k.Wrapper || len(w.Registers) == 0 {
		return
	}
	for _, e := range k.FFI.Exports {
		descs := 0
		for _, q := range e.Params {
			if q.Desc() {
				descs++
			}
		}
		// An output and at least two inputs.
		if descs < 3 || !unchecked(k) {
			continue
		}
		switch python, rust := comparesShapes(w), comparesDims(e); {
		case python == yes || rust == yes:
		case python == maybe || rust == maybe:
			p.Undecided("the sizes may be compared elsewhere")
		default:
			p.Reportf(w.Registers[0].Func.Field("name"), rules.Note, "agreement", "neither the wrapper nor `%s` compares a size of one input with that of another, while an entry has `unchecked_accesses = true`; inputs that do not fit are read out of bounds", e.Name)
		}
	}
}

// unchecked reports whether an entry turns bounds checks off.
func unchecked(k *host.Kernel) bool {
	for _, e := range k.Entries {
		args := e.Entry.Args.Squeeze()
		if strings.Contains(args, "unchecked_accesses=true") {
			return true
		}
	}
	return false
}

// maxTensors bounds the set of tensors that one size is made from.
const maxTensors = 16

type answer uint8

const (
	no answer = iota
	maybe
	yes
)

// comparesShapes reports whether the code that runs for the op compares a size
// of one tensor with a size of another.
func comparesShapes(w *host.Wrapper) answer {
	result := no
	for _, fn := range w.File.Root().Find("function_definition") {
		if !w.Reached(fn) {
			continue
		}
		of := sizes(fn)
		for _, c := range fn.Find("comparison_operator") {
			var all []map[string]bool
			for _, part := range c.NamedChildren() {
				if r := of(part); len(r) > 0 {
					all = append(all, r)
				}
			}
			if differ(all) {
				return yes
			}
		}
		for _, c := range fn.Find("call") {
			if f := c.Field("function"); handsOn(c) && !(f.Is("identifier") && w.Function(f).Valid()) {
				result = maybe
			}
		}
	}
	return result
}

// differ reports whether two operands are sizes of different tensors.
func differ(operands []map[string]bool) bool {
	for i, a := range operands {
		for _, b := range operands[i+1:] {
			for x := range a {
				for y := range b {
					if x != y {
						return true
					}
				}
			}
		}
	}
	return false
}

// handsOn reports whether a call gives the shapes of two tensors, or the
// tensors, to code that is not in the file and may compare them.
func handsOn(c syntax.Node) bool {
	switch name := syntax.PyDotted(c.Field("function")); {
	case strings.Contains(name, "check"), strings.Contains(name, "valid"), strings.Contains(name, "assert"), strings.Contains(name, "broadcast"), strings.Contains(name, "verify"):
		return name != "check_rc"
	}
	return false
}

// sizes returns a function that lists the tensors whose sizes an expression
// holds.
func sizes(fn syntax.Node) func(syntax.Node) map[string]bool {
	env := map[string]map[string]bool{}
	of := func(n syntax.Node) map[string]bool {
		out := map[string]bool{}
		n.Inspect(func(c syntax.Node) bool {
			switch c.Kind() {
			case "attribute":
				if name := c.Field("attribute").Text(); name == "shape" || name == "size" {
					if id := c.Field("object"); id.Is("identifier") {
						out[id.Text()] = true
					}
				}
				return false
			case "identifier":
				for t := range env[c.Text()] {
					out[t] = true
				}
			}
			return len(out) < maxTensors
		})
		return out
	}
	for _, a := range fn.Find("assignment") {
		left, right := a.Field("left"), a.Field("right")
		targets := []syntax.Node{left}
		if left.Is("pattern_list", "tuple_pattern") {
			targets = left.NamedChildren()
		}
		parts := right.NamedChildren()
		for i, t := range targets {
			value := right
			if right.Is("expression_list", "tuple") && len(parts) == len(targets) && len(targets) > 1 {
				value = parts[i]
			}
			if t.Is("identifier") {
				env[t.Text()] = of(value)
			}
		}
	}
	return of
}

// comparesDims is comparesShapes for the export.
func comparesDims(e *host.Export) answer {
	env := map[string]map[string]bool{}
	of := func(n syntax.Node) map[string]bool {
		out := map[string]bool{}
		for _, id := range n.Find("identifier") {
			if d := e.Descs[id.Text()]; d != "" && dimension(id) {
				out[d] = true
			}
			for t := range env[id.Text()] {
				out[t] = true
			}
		}
		return out
	}
	result := no
	e.Body.Inspect(func(n syntax.Node) bool {
		switch n.Kind() {
		case "let_declaration":
			pat, v := n.Field("pattern"), n.Field("value")
			targets, parts := []syntax.Node{pat}, []syntax.Node{v}
			if pat.Is("tuple_pattern") && v.Is("tuple_expression") {
				targets, parts = pat.NamedChildren(), v.NamedChildren()
			}
			for i, t := range targets {
				if t.Is("identifier") && i < len(parts) {
					env[t.Text()] = of(parts[i])
				}
			}
		case "binary_expression":
			if op := n.Field("operator").Text(); op == "==" || op == "!=" {
				l, r := of(n.Field("left")), of(n.Field("right"))
				if len(l) > 0 && len(r) > 0 && differ([]map[string]bool{l, r}) {
					result = yes
				}
			}
		case "macro_invocation":
			name := syntax.LastSegment(n.Field("macro"))
			count := 0
			for _, a := range host.TokenArgs(n) {
				if len(a.Nodes) == 1 && e.Descs[a.Text] != "" {
					count++
				}
			}
			if name != "deref_descs" && count > 1 {
				result = max(result, maybe)
			}
		case "call_expression":
			if c, ok := dsl.AsCall(n); ok && !c.Method() && c.Name != "borrow_tensor" {
				count := 0
				for _, a := range c.Args {
					if a := dsl.Unparen(a); a.Is("identifier", "reference_expression") && e.Descs[host.Root(a)] != "" {
						count++
					}
				}
				if count > 1 {
					result = max(result, maybe)
				}
			}
		}
		return true
	})
	return result
}

// dimension reports whether a descriptor is asked for a size there: x.dim(i)
// or x.shape[i].
func dimension(id syntax.Node) bool {
	f := id.Parent()
	if !f.Is("field_expression") || f.Field("value") != id {
		return false
	}
	name := f.Field("field").Text()
	return name == "dim" || name == "shape"
}
