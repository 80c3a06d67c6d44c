package r20

import (
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/syntax"
)

// values finds which integers an expression of a wrapper may have. None counts
// as -1, the automatic choice.
type values struct {
	w      *host.Wrapper
	budget int
}

func newValues(w *host.Wrapper) *values { return &values{w, 500} }

// of lists the values; ok is false when one is not known.
func (v *values) of(n syntax.Node) (out []int, ok bool) {
	if v.budget--; v.budget < 0 || !n.Valid() {
		return nil, false
	}
	if i, ok := host.PyInt(n); ok {
		return []int{i}, true
	}
	switch n.Kind() {
	case "none":
		return []int{-1}, true
	case "parenthesized_expression":
		return v.of(n.NamedChild(0))
	case "identifier":
		return v.name(n)
	case "attribute":
		if object := n.Field("object"); object.Is("identifier") && config(object.Text()) {
			return v.field(n.Field("attribute").Text(), syntax.Node{})
		}
	case "conditional_expression":
		parts := n.NamedChildren()
		if len(parts) == 3 {
			return v.all(parts[0], parts[2])
		}
	case "boolean_operator":
		return v.all(n.Field("left"), n.Field("right"))
	case "call":
		fn := n.Field("function")
		args := syntax.PyArgs(n)
		switch name := syntax.PyDotted(fn); {
		case name == "int" && len(args) == 1:
			return v.of(args[0])
		case name == "max" || name == "min":
			return v.all(args...)
		case name == "getattr" && len(args) >= 2 && config(args[0].Text()):
			field, ok := v.w.String(args[1])
			if !ok {
				return nil, false
			}
			missing := syntax.Node{}
			if len(args) == 3 {
				missing = args[2]
			}
			return v.field(field, missing)
		case fn.Is("identifier") && len(args) == 1:
			// A function that replaces None and converts.
			if callee := v.w.Function(fn); callee.Valid() && len(host.Params(callee)) == 1 {
				return v.of(args[0])
			}
		}
	}
	return nil, false
}

// config reports whether a name is by its looks one of the tuner's choices.
func config(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "cfg") || strings.Contains(name, "conf")
}

func (v *values) all(list ...syntax.Node) (out []int, ok bool) {
	for _, n := range list {
		more, ok := v.of(n)
		if !ok {
			return nil, false
		}
		out = append(out, more...)
	}
	return out, len(list) > 0
}

// name follows a local name, a constant, or a parameter to all its callers.
func (v *values) name(id syntax.Node) ([]int, bool) {
	if b := v.w.Before(id); b.Valid() {
		return v.of(b)
	}
	for owner := host.Owner(id); owner.Valid(); owner = host.Owner(owner) {
		for i, q := range host.Params(owner) {
			if q.Text() == id.Text() {
				return v.parameter(owner, q.Text(), i)
			}
		}
	}
	if c := v.w.Const(id); c != id {
		return v.of(c)
	}
	if l := v.w.Local(id); l.Valid() {
		return v.of(l)
	}
	return nil, false
}

func (v *values) parameter(fn syntax.Node, name string, i int) ([]int, bool) {
	callers := v.w.Callers(fn)
	var args []syntax.Node
	for _, c := range callers {
		arg := syntax.PyArg(c, name, i)
		if !arg.Valid() {
			return nil, false
		}
		args = append(args, arg)
	}
	return v.all(args...)
}

// field lists the values that the file gives to a field of configurations;
// missing is what a configuration without the field has.
func (v *values) field(name string, missing syntax.Node) ([]int, bool) {
	var given []syntax.Node
	for _, n := range v.w.File.Root().Find("keyword_argument") {
		if n.Field("name").Text() == name {
			given = append(given, n.Field("value"))
		}
	}
	for _, n := range v.w.File.Root().Find("pair") {
		if syntax.PyString(n.Field("key")) == name {
			given = append(given, n.Field("value"))
		}
	}
	var out []int
	for _, g := range given {
		more, ok := v.given(g)
		if !ok {
			return nil, false
		}
		out = append(out, more...)
	}
	if len(given) == 0 {
		if !missing.Valid() {
			return nil, false
		}
		return v.of(missing)
	}
	return out, true
}

// given lists the values of a field, which may be a loop's variable.
func (v *values) given(n syntax.Node) ([]int, bool) {
	if out, ok := v.of(n); ok {
		return out, true
	}
	if !n.Is("identifier") {
		return nil, false
	}
	owner := host.Owner(n)
	for _, loop := range owner.Find("for_in_clause", "for_statement") {
		if loop.Field("left").Text() != n.Text() {
			continue
		}
		over := loop.Field("right")
		if over.Is("identifier") {
			over = v.w.Before(over)
		}
		if over.Is("list", "tuple") {
			return v.all(over.NamedChildren()...)
		}
	}
	return nil, false
}
