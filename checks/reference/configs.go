package reference

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/syntax"
)

// capability is the compute capability for which configurations are read: the
// one that TileGym's cutile-rs kernels are tuned for.
var capability = []int{10, 0}

// maxConfigs and maxSteps bound what is evaluated of one function.
const (
	maxConfigs = 4096
	maxSteps   = 20_000
)

// ConfigSet is the list of tuning configurations that a function gives, or that
// stands as a list in the file, as far as they hold for one GPU.
type ConfigSet struct {
	Name string
	Node syntax.Node // function_definition, or the list
	// Configs hold the fields of each configuration; a value is an integer's
	// text, None, True, False, or the source of anything else.
	Configs []map[string]string
}

// Configs lists the sets of configurations of a file. A function with a set
// that depends on what the source does not say is left out.
func Configs(w *host.Wrapper) []ConfigSet {
	var out []ConfigSet
	for _, fn := range w.File.Root().Find("function_definition") {
		if list, ok := (&evaluator{w: w}).function(fn); ok && len(list) > 0 {
			out = append(out, ConfigSet{fn.Field("name").Text(), fn, list})
		}
	}
	for _, n := range w.File.Root().Find("list") {
		owner := host.Owner(n)
		switch p := n.Parent(); {
		case p.Is("assignment") && owner.Is("module"):
		case p.Is("keyword_argument") && p.Field("name").Text() == "configs":
		default:
			continue
		}
		e := &evaluator{w: w}
		if list, ok := e.list(n, map[string]any{}); ok && len(list) > 0 && configs(list) {
			set := ConfigSet{"", n, nil}
			if p := n.Parent(); p.Is("assignment") {
				set.Name = p.Field("left").Text()
			}
			for _, c := range list {
				set.Configs = append(set.Configs, c.(map[string]string))
			}
			out = append(out, set)
		}
	}
	return out
}

// configs reports whether all values are configurations.
func configs(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool { _, ok := v.(map[string]string); return !ok })
}

// evaluator runs the part of Python that lists of configurations are written
// in. Values are int, string (source of anything), []any and
// map[string]string (a configuration).
type evaluator struct {
	w     *host.Wrapper
	out   []map[string]string
	steps int
}

// function runs a function of configurations; false when it does anything else.
func (e *evaluator) function(fn syntax.Node) ([]map[string]string, bool) {
	if len(host.Params(fn)) > 0 {
		return nil, false
	}
	_, ok := e.block(fn.Field("body"), map[string]any{})
	return e.out, ok
}

// block runs statements; ok is false when one is not understood.
func (e *evaluator) block(b syntax.Node, env map[string]any) (returned, ok bool) {
	for _, st := range b.NamedChildren() {
		if e.steps++; e.steps > maxSteps || len(e.out) > maxConfigs {
			return false, false
		}
		returned, ok := e.statement(st, env)
		if returned || !ok {
			return returned, ok
		}
	}
	return false, true
}

func (e *evaluator) statement(st syntax.Node, env map[string]any) (returned, ok bool) {
	switch st.Kind() {
	case "expression_statement":
		return false, e.expression(st.NamedChild(0), env)
	case "return_statement":
		v := st.NamedChild(0)
		if !v.Valid() {
			return true, true
		}
		list, ok := e.list(v, env)
		return true, ok && e.add(list)
	case "for_statement":
		over, ok := e.list(st.Field("right"), env)
		if !ok {
			return false, false
		}
		for _, v := range over {
			if !bind(st.Field("left"), v, env) {
				return false, false
			}
			if returned, ok := e.block(st.Field("body"), env); returned || !ok {
				return returned, ok
			}
		}
		return false, true
	case "if_statement":
		if yes, known := e.condition(st.Field("condition"), env); !known {
			return false, false
		} else if yes {
			return e.block(st.Field("consequence"), env)
		}
		for c := range st.Children() {
			switch c.Kind() {
			case "elif_clause":
				if yes, known := e.condition(c.Field("condition"), env); !known {
					return false, false
				} else if yes {
					return e.block(c.Field("consequence"), env)
				}
			case "else_clause":
				return e.block(c.Field("body"), env)
			}
		}
		return false, true
	case "import_statement", "import_from_statement", "pass_statement":
		return false, true
	}
	return false, false
}

func (e *evaluator) expression(n syntax.Node, env map[string]any) bool {
	switch n.Kind() {
	case "string", "concatenated_string":
		return true
	case "yield":
		v := n.NamedChild(0)
		if n.ChildOf("from").Valid() {
			list, ok := e.list(v, env)
			return ok && e.add(list)
		}
		c, ok := e.config(v, env)
		return ok && e.add([]any{c})
	case "assignment":
		v, ok := e.value(n.Field("right"), env)
		return ok && bind(n.Field("left"), v, env)
	case "augmented_assignment":
		have, ok := env[n.Field("left").Text()].([]any)
		more, ok2 := e.list(n.Field("right"), env)
		if ok && ok2 && n.Field("operator").Text() == "+=" {
			env[n.Field("left").Text()] = append(slices.Clone(have), more...)
			return true
		}
	case "call":
		fn := n.Field("function")
		name := fn.Field("object").Text()
		have, ok := env[name].([]any)
		if args := syntax.PyArgs(n); ok && syntax.PyName(fn) == "append" && len(args) == 1 {
			c, ok := e.config(args[0], env)
			env[name] = append(have, c)
			return ok
		}
	}
	return false
}

func (e *evaluator) add(list []any) bool {
	for _, v := range list {
		c, ok := v.(map[string]string)
		if !ok || len(e.out) > maxConfigs {
			return false
		}
		e.out = append(e.out, c)
	}
	return true
}

// bind gives names values; a tuple is taken apart.
func bind(target syntax.Node, v any, env map[string]any) bool {
	switch target.Kind() {
	case "identifier":
		env[target.Text()] = v
		return true
	case "pattern_list", "tuple_pattern":
		list, ok := v.([]any)
		parts := target.NamedChildren()
		if !ok || len(list) != len(parts) {
			return false
		}
		for i, p := range parts {
			if !bind(p, list[i], env) {
				return false
			}
		}
		return true
	}
	return false
}

// list is the value of an expression that gives a list.
func (e *evaluator) list(n syntax.Node, env map[string]any) ([]any, bool) {
	v, ok := e.value(n, env)
	list, isList := v.([]any)
	return list, ok && isList
}

func (e *evaluator) value(n syntax.Node, env map[string]any) (any, bool) {
	if e.steps++; e.steps > maxSteps {
		return nil, false
	}
	switch n.Kind() {
	case "parenthesized_expression":
		return e.value(n.NamedChild(0), env)
	case "identifier":
		if v, ok := env[n.Text()]; ok {
			return v, true
		}
		if c := e.w.Const(n); c.Valid() && c != n {
			return e.value(c, map[string]any{})
		}
		return n.Text(), true
	case "list", "tuple", "expression_list":
		out := []any{}
		for _, c := range n.NamedChildren() {
			v, ok := e.value(c, env)
			if !ok || c.Is("list_splat") {
				return nil, false
			}
			out = append(out, v)
		}
		return out, true
	case "list_comprehension", "generator_expression":
		return e.comprehension(n, env)
	case "call":
		switch name := syntax.PyName(n.Field("function")); {
		case name == "get_device_capability":
			return []any{capability[0], capability[1]}, true
		case name == "list" || name == "tuple":
			return e.value(syntax.PyArg(n, "", 0), env)
		case name == "range":
			return e.span(n, env)
		}
		if c, ok := e.config(n, env); ok {
			return c, true
		}
		return n.Squeeze(), true
	case "dictionary":
		if c, ok := e.config(n, env); ok {
			return c, true
		}
		return nil, false
	case "subscript":
		list, ok := e.list(n.Field("value"), env)
		if i, isInt := host.PyInt(n.Field("subscript")); ok && isInt && i >= 0 && i < len(list) {
			return list[i], true
		}
		return n.Squeeze(), true
	case "binary_operator":
		l, ok1 := e.value(n.Field("left"), env)
		r, ok2 := e.value(n.Field("right"), env)
		a, isList := l.([]any)
		b, isList2 := r.([]any)
		if ok1 && ok2 && isList && isList2 && n.Field("operator").Text() == "+" {
			return append(slices.Clone(a), b...), true
		}
		return n.Squeeze(), true
	}
	if v, ok := host.PyInt(n); ok {
		return v, true
	}
	return n.Squeeze(), true
}

// span is the value of range(..).
func (e *evaluator) span(call syntax.Node, env map[string]any) (any, bool) {
	var ints []int
	for _, a := range syntax.PyArgs(call) {
		v, _ := e.value(a, env)
		i, ok := v.(int)
		if !ok {
			return nil, false
		}
		ints = append(ints, i)
	}
	from, to, step := 0, 0, 1
	switch len(ints) {
	case 1:
		to = ints[0]
	case 2:
		from, to = ints[0], ints[1]
	case 3:
		from, to, step = ints[0], ints[1], ints[2]
	default:
		return nil, false
	}
	if step <= 0 || to-from > maxConfigs {
		return nil, false
	}
	out := []any{}
	for i := from; i < to; i += step {
		out = append(out, i)
	}
	return out, true
}

func (e *evaluator) comprehension(n syntax.Node, env map[string]any) (any, bool) {
	var clauses []syntax.Node
	for c := range n.Children() {
		if c.Is("for_in_clause", "if_clause") {
			clauses = append(clauses, c)
		}
	}
	out := []any{}
	var walk func(i int, env map[string]any) bool
	walk = func(i int, env map[string]any) bool {
		if e.steps++; e.steps > maxSteps || len(out) > maxConfigs {
			return false
		}
		if i == len(clauses) {
			v, ok := e.value(n.Field("body"), env)
			out = append(out, v)
			return ok
		}
		if clauses[i].Is("if_clause") {
			yes, known := e.condition(clauses[i].NamedChild(0), env)
			return known && (!yes || walk(i+1, env))
		}
		over, ok := e.list(clauses[i].Field("right"), env)
		if !ok {
			return false
		}
		for _, v := range over {
			if !bind(clauses[i].Field("left"), v, env) || !walk(i+1, env) {
				return false
			}
		}
		return true
	}
	local := map[string]any{}
	for k, v := range env {
		local[k] = v
	}
	return out, walk(0, local)
}

// config reads SimpleNamespace(..), any other call with named arguments only,
// or a dictionary with plain keys.
func (e *evaluator) config(n syntax.Node, env map[string]any) (map[string]string, bool) {
	out := map[string]string{}
	field := func(name string, value syntax.Node) bool {
		v, ok := e.value(value, env)
		switch v := v.(type) {
		case int:
			out[name] = strconv.Itoa(v)
		case string:
			out[name] = v
		default:
			out[name] = value.Squeeze()
		}
		return ok && name != ""
	}
	switch n.Kind() {
	case "call":
		for _, a := range n.Field("arguments").NamedChildren() {
			if !a.Is("keyword_argument") || !field(a.Field("name").Text(), a.Field("value")) {
				return nil, false
			}
		}
	case "dictionary":
		for _, p := range n.NamedChildren() {
			if !p.Is("pair") || !field(syntax.PyString(p.Field("key")), p.Field("value")) {
				return nil, false
			}
		}
	case "identifier":
		c, ok := env[n.Text()].(map[string]string)
		return c, ok
	}
	return out, len(out) > 0
}

// condition evaluates comparisons of integers, tuples and the capability.
func (e *evaluator) condition(n syntax.Node, env map[string]any) (yes, known bool) {
	switch n.Kind() {
	case "parenthesized_expression":
		return e.condition(n.NamedChild(0), env)
	case "not_operator":
		yes, known := e.condition(n.Field("argument"), env)
		return !yes, known
	case "boolean_operator":
		l, known1 := e.condition(n.Field("left"), env)
		r, known2 := e.condition(n.Field("right"), env)
		if n.Field("operator").Text() == "and" {
			return l && r, known1 && known2 || known1 && !l || known2 && !r
		}
		return l || r, known1 && known2 || known1 && l || known2 && r
	case "comparison_operator":
		parts := n.NamedChildren()
		if len(parts) != 2 {
			return false, false
		}
		l, ok1 := e.value(parts[0], env)
		r, ok2 := e.value(parts[1], env)
		if !ok1 || !ok2 {
			return false, false
		}
		return compare(n, l, r)
	}
	return false, false
}

func compare(n syntax.Node, l, r any) (yes, known bool) {
	if n.ChildOf("in", "not in").Valid() {
		list, ok := r.([]any)
		if !ok {
			return false, false
		}
		found := false
		for _, v := range list {
			c, known := order(l, v)
			if !known {
				return false, false
			}
			found = found || c == 0
		}
		return found == n.ChildOf("in").Valid(), true
	}
	c, known := order(l, r)
	for op, holds := range map[string]bool{"==": c == 0, "!=": c != 0, "<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0} {
		if n.ChildOf(op).Valid() {
			return holds, known
		}
	}
	return false, false
}

// order compares integers, and lists of them.
func order(l, r any) (int, bool) {
	switch a := l.(type) {
	case int:
		b, ok := r.(int)
		return a - b, ok
	case []any:
		b, ok := r.([]any)
		if !ok {
			return 0, false
		}
		for i := range min(len(a), len(b)) {
			if c, known := order(a[i], b[i]); !known || c != 0 {
				return c, known
			}
		}
		return len(a) - len(b), true
	}
	return 0, false
}

// Alike counts the words that two names have in common, less those that only
// one has: more for names that are more alike. A word after non belongs to it.
func Alike(a, b string) int {
	words := func(s string) []string {
		s = strings.ReplaceAll(strings.ToLower("_"+s), "_non_", "_non-")
		return strings.FieldsFunc(s, func(r rune) bool { return r == '_' })
	}
	score := 0
	x, y := words(a), words(b)
	for _, w := range x {
		if slices.Contains(y, w) {
			score += 2
		}
	}
	return 2*score - len(x) - len(y)
}
