// Package r42 is rule R42: a performance cliff is looked at in order, and the
// tuning of the port is compared with that of the reference first.
package r42

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R42.
var Rule = &rules.Rule{
	ID: "R42", Title: "Tuning covers what the reference's does",
	Category: "process", Owner: "process", Severity: rules.Note, DecidedBy: "cross-file", Fix: "none",
	Signatures: []string{"S-P01", "S-P02", "S-P03", "S-P04", "S-P05", "S-P07"},
	Why:        "A port that tries fewer configurations than the reference, or that reuses one for inputs that need another, is slow for reasons that no reading of the kernel shows.",
	Triage: []string{
		"Count the launches and the copies of one call (R38, R41).",
		"Compare the configurations with the reference's: tiles, occupancy, CTAs, latency, variant (R20).",
		"Compare the operations of the IR: TMA or pointers, types of `mmaf`, reductions.",
		"Put the dtype, the flags and the sizes that the tuned code reads into the key, as the reference does.",
		"Only then rewrite arithmetic. For an fp32 product look for tf32 before `mmaf` first (R8).",
	},
	First: map[string]int{"configurations": 1, "key": 3},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{host.Facts, reference.Facts}, Run: run,
	Also: []rules.Check{{Scope: rules.PerChange, Run: change}},
}

func run(p *rules.Pass) {
	k := host.Of(p).Kernel(p.Kernel)
	w := k.Wrapper
	if w == nil || !w.Tuned() {
		return
	}
	configurations(p, w)
	flagged := map[syntax.Node][]string{} // by function: one may call the tuner again and again
	for _, c := range w.File.Root().Find("call") {
		if syntax.PyName(c.Field("function")) != "autotune_launch" || w.Region(c) == host.Unreached {
			continue
		}
		fn := host.Owner(c)
		if _, known := flagged[fn]; !known {
			flagged[fn] = flags(w, fn)
		}
		key(p, k, w, c, flagged[fn])
	}
}

// configurations compares how many configurations the tuners try.
func configurations(p *rules.Pass, w *host.Wrapper) {
	ref := reference.Facts.Of(p)
	if ref == nil {
		p.Undecided("the reference's configurations are not known")
		return
	}
	var ours, theirs []reference.ConfigSet
	for _, s := range reference.Configs(w) {
		if s.Node.Is("list") || w.Reached(s.Node) {
			ours = append(ours, s)
		}
	}
	for _, s := range reference.Configs(ref.Wrapper) {
		if ref.Reached(s.Node.Field("body")) || s.Node.Is("list") {
			theirs = append(theirs, s)
		}
	}
	for _, pair := range pairs(ours, theirs) {
		a, b := len(pair[0].Configs), len(pair[1].Configs)
		if b < 2 || 2*a >= b {
			continue
		}
		at := pair[0].Node
		if name := at.Field("name"); name.Valid() {
			at = name
		}
		name := pair[0].Name
		if name == "" {
			name = "the list"
		} else {
			name = "`" + name + "`"
		}
		p.Reportf(at, rules.Note, "configurations", "%s has %d of the reference's %d configurations (`%s`, for compute capability 10.0); a slow shape may only miss its configuration", name, a, b, pair[1].Name)
	}
}

// pairs matches the sets of the port with those of the reference: by name when
// there are as many, else the port's largest with the reference's smallest.
func pairs(ours, theirs []reference.ConfigSet) [][2]reference.ConfigSet {
	if len(ours) == 0 || len(theirs) == 0 {
		return nil
	}
	size := func(a, b reference.ConfigSet) int { return len(a.Configs) - len(b.Configs) }
	if len(ours) != len(theirs) {
		return [][2]reference.ConfigSet{{slices.MaxFunc(ours, size), slices.MinFunc(theirs, size)}}
	}
	var out [][2]reference.ConfigSet
	left := slices.Clone(theirs)
	for range ours {
		best, bi, bj := -1<<30, 0, 0
		for i, a := range ours {
			for j, b := range left {
				if s := reference.Alike(a.Name, b.Name); s > best {
					best, bi, bj = s, i, j
				}
			}
		}
		out = append(out, [2]reference.ConfigSet{ours[bi], left[bj]})
		ours, left = slices.Delete(slices.Clone(ours), bi, bi+1), slices.Delete(left, bj, bj+1)
	}
	return out
}

// key notes a tuning key without the dtype or without a flag that chooses code.
func key(p *rules.Pass, k *host.Kernel, w *host.Wrapper, call syntax.Node, flagged []string) {
	arg := syntax.PyArg(call, "key", 2)
	if arg.Is("identifier") {
		arg = w.Before(arg)
	}
	if !arg.Is("tuple", "list") {
		p.Undecided("the tuning key is computed")
		return
	}
	if calls := arg.Find("call", "list_splat"); slices.ContainsFunc(calls, func(c syntax.Node) bool {
		return c.Is("list_splat") || !slices.Contains([]string{"str", "int", "bool", "tuple", "float", "repr"}, syntax.PyName(c.Field("function")))
	}) {
		p.Undecided("parts of the tuning key are computed")
		return
	}
	var missing []string
	if dtypes(k) > 1 && !has(w, arg, func(n syntax.Node) bool { return strings.Contains(strings.ToLower(n.Text()), "dtype") }) {
		missing = append(missing, "the dtype")
	}
	for _, name := range flagged {
		if !has(w, arg, func(n syntax.Node) bool { return n.Is("identifier") && n.Text() == name }) {
			missing = append(missing, "`"+name+"`")
		}
	}
	if len(missing) > 0 {
		p.Reportf(arg, rules.Note, "key", "the tuning key lacks %s, so inputs that compile to other code reuse a configuration that was chosen for different ones", strings.Join(missing, " and "))
	}
}

// change notes a name that a change takes out of a tuning key while the code
// that is tuned still reads it.
func change(p *rules.Pass) {
	for _, k := range host.Of(p).Kernels {
		if k.Wrapper == nil || !k.Wrapper.Tuned() {
			continue
		}
		old := p.Base.Kernel(k.ID())
		if old == nil || old.Wrapper == "" {
			continue
		}
		f := p.Base.File(old.Wrapper)
		if f.Unread != "" {
			p.Undecided("the base's wrapper is unread")
			continue
		}
		before, after := tuners(host.ParseWrapper(f)), tuners(k.Wrapper)
		if len(before) != 1 || len(after) != 1 {
			p.Undecided("there are several tuners")
			continue
		}
		arg, free := after[0].key, read(k.Wrapper, host.Owner(after[0].call))
		flagged := flags(k.Wrapper, host.Owner(after[0].call))
		var lost []string
		for _, e := range before[0].key.NamedChildren() {
			name := e.Text()
			if e.Is("identifier") && free[name] && !slices.Contains(flagged, name) &&
				!has(k.Wrapper, arg, func(n syntax.Node) bool { return n.Text() == name }) {
				lost = append(lost, "`"+name+"`")
			}
		}
		if len(lost) > 0 {
			p.Reportf(arg, rules.Note, "key", "the tuning key no longer has %s, which the tuned code reads, so inputs that compile to other code reuse a configuration that was chosen for different ones", strings.Join(lost, " and "))
		}
	}
}

// tuner is a call of autotune_launch with the tuple that is its key.
type tuner struct{ call, key syntax.Node }

func tuners(w *host.Wrapper) []tuner {
	var out []tuner
	for _, c := range w.File.Root().Find("call") {
		if syntax.PyName(c.Field("function")) != "autotune_launch" || w.Region(c) == host.Unreached {
			continue
		}
		arg := syntax.PyArg(c, "key", 2)
		if arg.Is("identifier") {
			arg = w.Before(arg)
		}
		if arg.Is("tuple", "list") {
			out = append(out, tuner{c, arg})
		}
	}
	return out
}

// dtypes counts the element types that the op dispatches on.
func dtypes(k *host.Kernel) int {
	n := 0
	if k.FFI != nil {
		for _, e := range k.FFI.Exports {
			if e.ArmsKnown {
				n = max(n, len(e.Arms))
			}
		}
	}
	return n
}

// has reports whether an expression holds a node, also through the names that
// it is made of. A condition counts only when it chooses between literals, which
// then stand for its answer.
func has(w *host.Wrapper, n syntax.Node, match func(syntax.Node) bool) bool {
	budget := 200
	var walk func(n syntax.Node, hops int) bool
	walk = func(n syntax.Node, hops int) bool {
		found := false
		n.Inspect(func(c syntax.Node) bool {
			if p := c.Parent(); p.Is("conditional_expression") && c != n {
				if parts := p.NamedChildren(); len(parts) == 3 && parts[1] == c && !(literal(parts[0]) && literal(parts[2])) {
					return false
				}
			}
			if found || !c.Is("identifier", "attribute") {
				return !found
			}
			if budget--; budget < 0 || match(c) {
				found = true // too large: take it as there
			} else if c.Is("identifier") && hops > 0 && !(c.Parent().Is("attribute") && c.Parent().Field("attribute") == c) {
				if v := w.Before(c); v.Valid() {
					found = walk(v, hops-1)
				}
			}
			return !found
		})
		return found
	}
	return walk(n, 3)
}

func literal(n syntax.Node) bool {
	return n.Is("string", "integer", "float", "true", "false", "none")
}

// flags names the boolean parameters of a function around the tuner's call that
// code that the tuner calls reads, as they are or under other names.
func flags(w *host.Wrapper, fn syntax.Node) []string {
	free := read(w, fn)
	from := map[string]map[string]bool{} // names on the right -> names on the left
	for _, a := range fn.Field("body").Find("assignment") {
		if host.Owner(a) != fn || !a.Field("left").Is("identifier") {
			continue
		}
		for _, r := range a.Field("right").Find("identifier") {
			if from[r.Text()] == nil {
				from[r.Text()] = map[string]bool{}
			}
			from[r.Text()][a.Field("left").Text()] = true
		}
	}
	var out []string
	for _, q := range fn.Field("parameters").NamedChildren() {
		if !q.Is("default_parameter", "typed_default_parameter") || !q.Field("value").Is("true", "false") {
			continue
		}
		name := q.Field("name").Text()
		used := free[name]
		for derived := range from[name] {
			used = used || free[derived]
		}
		if used {
			out = append(out, name)
		}
	}
	return out
}

// read holds the names that code inside of a function which the tuner calls
// takes from around it.
func read(w *host.Wrapper, fn syntax.Node) map[string]bool {
	free := map[string]bool{}
	for _, inner := range fn.Field("body").Find("function_definition", "lambda") {
		if !w.Reached(inner) {
			continue
		}
		own := map[string]bool{}
		for _, q := range host.Params(inner) {
			own[q.Text()] = true
		}
		for _, id := range inner.Field("body").Find("identifier") {
			if p := id.Parent(); !(p.Is("attribute") && p.Field("attribute") == id || p.Is("keyword_argument") && p.Field("name") == id || own[id.Text()]) {
				free[id.Text()] = true
			}
		}
	}
	return free
}
