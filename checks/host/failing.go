package host

import (
	"maps"
	"slices"

	"github.com/tilegate/tilegate/checks/syntax"
)

// maxRounds bounds through how many names, functions and callers a return code is
// followed.
const maxRounds = 8

// codes knows what may tell of the return code of a library call, and what runs for a
// failure alone. All of it is found once, when the file is read.
type codes struct {
	w       *Wrapper
	calls   map[syntax.Node]bool // of the library
	names   map[scopedName]bool
	gives   map[syntax.Node]bool // functions that may return it
	globals map[string]bool      // names of the module that a function may set
	off     map[syntax.Node]bool // parts of statements that no success is known to run
	exits   map[syntax.Node]int  // where a success may have left a block
	ends    map[syntax.Node]int  // the last return of each function
	failed  map[syntax.Node]bool // functions that no success is known to call
}

func newCodes(w *Wrapper) *codes {
	k := &codes{
		w: w, calls: map[syntax.Node]bool{}, names: map[scopedName]bool{}, gives: map[syntax.Node]bool{}, globals: map[string]bool{},
		off: map[syntax.Node]bool{}, exits: map[syntax.Node]int{}, ends: map[syntax.Node]int{}, failed: map[syntax.Node]bool{},
	}
	if len(w.Calls) == 0 || w.large() {
		return k
	}
	for _, c := range w.Calls {
		k.calls[c.Node] = true
	}
	returns := w.File.Root().Find("return_statement")
	for _, r := range returns {
		k.ends[Owner(r)] = max(k.ends[Owner(r)], r.Span().End)
	}
	for _, g := range w.File.Root().Find("global_statement") {
		for _, name := range g.NamedChildren() {
			k.globals[name.Text()] = true
		}
	}
	for range maxRounds {
		if !k.spread(returns) {
			break
		}
	}
	k.branches()
	k.functions()
	return k
}

// spread marks what tells of the code because of what is known to, and reports whether
// there was more. What it finds does not depend on the order in which it looks.
func (k *codes) spread(returns []syntax.Node) bool {
	names, gives := maps.Clone(k.names), maps.Clone(k.gives)
	for name, bound := range k.w.binds {
		for _, b := range bound {
			value := b.node.Field("right")
			if !value.Valid() {
				value = b.node.Field("value")
			}
			if value.Valid() && k.tells(value) {
				names[name] = true
			}
		}
	}
	for _, r := range returns {
		if k.tells(r) {
			gives[Owner(r)] = true
		}
	}
	for _, calls := range k.w.callers {
		for _, c := range calls {
			k.hand(c, names)
		}
	}
	more := len(names) > len(k.names) || len(gives) > len(k.gives)
	k.names, k.gives = names, gives
	return more
}

// hand marks the parameters of a function of the file that a call gives a code.
func (k *codes) hand(call syntax.Node, names map[scopedName]bool) {
	fn := k.w.Function(call.Field("function"))
	if !fn.Valid() {
		return
	}
	params := Params(fn)
	for i, a := range syntax.PyArgs(call) {
		if i < len(params) && k.tells(a) {
			names[scopedName{fn, params[i].Text()}] = true
		}
	}
	for a := range call.Field("arguments").Children() {
		if a.Is("keyword_argument") && k.tells(a.Field("value")) {
			names[scopedName{fn, a.Field("name").Text()}] = true
		}
	}
}

// tells reports whether an expression may tell of the code.
func (k *codes) tells(n syntax.Node) bool {
	found := false
	n.Inspect(func(c syntax.Node) bool {
		switch {
		case found, c.Is("function_definition", "lambda"):
			return false
		case c.Is("call"):
			f := c.Field("function")
			found = k.calls[c] || f.Is("identifier") && len(k.gives) > 0 && k.gives[k.w.Function(f)]
		case c.Is("identifier"):
			found = !label(c) && k.named(c)
		}
		return !found
	})
	return found
}

// label reports whether an identifier names an attribute or an argument, and nothing
// of the file.
func label(id syntax.Node) bool {
	p := id.Parent()
	return p.Is("attribute") && p.Field("attribute") == id || p.Is("keyword_argument") && p.Field("name") == id
}

// named reports whether a name may tell of the code.
func (k *codes) named(id syntax.Node) bool {
	for owner := Owner(id); owner.Valid(); owner = Owner(owner) {
		name := scopedName{owner, id.Text()}
		if len(k.w.binds[name]) > 0 || parameter(owner, name.name) {
			return k.names[name]
		}
	}
	return false
}

// answer is what a condition says in a call of the op that succeeds.
type answer uint8

const (
	open    answer = iota // has nothing to do with the code
	yes                   // holds
	no                    // does not hold
	unclear               // asks for the code in a way that is not followed
)

func (a answer) not() answer {
	switch a {
	case yes:
		return no
	case no:
		return yes
	}
	return a
}

// and is the answer where both conditions have to hold.
func (a answer) and(b answer) answer {
	for _, first := range []answer{no, unclear, open} {
		if a == first || b == first {
			return first
		}
	}
	return yes
}

// ask evaluates a condition for the code of a success. Constants of the file count as
// what they are.
func (k *codes) ask(cond syntax.Node) answer {
	switch cond.Kind() {
	case "parenthesized_expression":
		return k.ask(cond.NamedChild(0))
	case "not_operator":
		return k.ask(cond.Field("argument")).not()
	case "boolean_operator":
		l, r := k.ask(cond.Field("left")), k.ask(cond.Field("right"))
		if cond.Field("operator").Text() == "or" {
			return l.not().and(r.not()).not()
		}
		return l.and(r)
	case "true":
		return yes
	case "false", "none":
		return no
	case "integer":
		if v, known := PyInt(cond); known && v == 0 {
			return no
		}
		return yes
	case "identifier":
		if a := k.constant(cond); a != open {
			return a
		}
	}
	switch {
	case k.isCode(cond):
		return no
	case !k.tells(cond):
		return open
	}
	return k.compare(cond)
}

// constant is the truth of a name that the module alone assigns, and once.
func (k *codes) constant(id syntax.Node) answer {
	value := k.w.Consts[id.Text()]
	if !value.Is("true", "false", "none", "integer") || k.w.Local(id) != value || k.globals[id.Text()] {
		return open
	}
	return k.ask(value)
}

// compare evaluates the comparison of a code with a number, where the code is 0.
func (k *codes) compare(cond syntax.Node) answer {
	parts := cond.NamedChildren()
	if !cond.Is("comparison_operator") || len(parts) != 2 || !plain(parts[0]).Is("identifier") {
		return unclear
	}
	v, known := PyInt(parts[1])
	if !known {
		return unclear
	}
	holds := false
	switch {
	case cond.ChildOf("==").Valid():
		holds = v == 0
	case cond.ChildOf("!=").Valid():
		holds = v != 0
	case cond.ChildOf("<").Valid():
		holds = 0 < v
	case cond.ChildOf("<=").Valid():
		holds = 0 <= v
	case cond.ChildOf(">").Valid():
		holds = 0 > v
	case cond.ChildOf(">=").Valid():
		holds = 0 >= v
	default:
		return unclear
	}
	if holds {
		return yes
	}
	return no
}

// plain is an expression without a conversion to int.
func plain(n syntax.Node) syntax.Node {
	if n.Is("call") && n.Field("function").Text() == "int" && len(syntax.PyArgs(n)) == 1 {
		return syntax.PyArgs(n)[0]
	}
	return n
}

// isCode reports whether an expression is a name that its function gives the return
// code of a library call, and nothing else.
func (k *codes) isCode(n syntax.Node) bool {
	n = plain(n)
	bound := k.w.binds[scopedName{Owner(n), n.Text()}]
	return n.Is("identifier") && len(bound) > 0 && !slices.ContainsFunc(bound, func(b binding) bool {
		return !b.node.Is("assignment") || b.index >= 0 || !k.calls[b.node.Field("right")]
	})
}

// branches finds what no success is known to run, and where one may leave.
func (k *codes) branches() {
	mark := func(n syntax.Node, a answer) {
		if n.Valid() && (a == no || a == unclear) {
			k.off[n] = true
		}
	}
	for _, s := range k.w.File.Root().Find("if_statement", "while_statement", "match_statement", "conditional_expression", "boolean_operator") {
		switch s.Kind() {
		case "if_statement":
			k.branch(s, mark)
		case "while_statement":
			mark(s.Field("body"), k.ask(s.Field("condition")))
		case "match_statement":
			if !k.tells(s.Field("subject")) {
				continue
			}
			for _, c := range s.Find("case_clause") {
				if c.Ancestor("match_statement") == s && !zero(c) {
					k.off[c] = true
				}
			}
			k.exit(s, s)
		case "conditional_expression":
			if parts := s.NamedChildren(); len(parts) == 3 {
				a := k.ask(parts[1])
				mark(parts[0], a)
				mark(parts[2], a.not())
			}
		case "boolean_operator":
			a := k.ask(s.Field("left"))
			if s.Field("operator").Text() == "or" {
				a = a.not()
			}
			mark(s.Field("right"), a)
		}
	}
}

// branch does that for one if statement.
func (k *codes) branch(s syntax.Node, mark func(syntax.Node, answer)) {
	before := yes // what leads to the condition
	clause := func(body, cond syntax.Node) {
		a := k.ask(cond)
		mark(body, a)
		if all := before.and(a); all == yes || all == unclear {
			k.exit(s, body)
		}
		before = before.and(a.not())
	}
	clause(s.Field("consequence"), s.Field("condition"))
	for c := range s.Children() {
		switch {
		case c.Is("elif_clause"):
			mark(c, before)
			clause(c.Field("consequence"), c.Field("condition"))
		case c.Is("else_clause"):
			mark(c, before)
			if before == yes || before == unclear {
				k.exit(s, c)
			}
		}
	}
}

// exit notes that a success may leave by a branch of a statement, and with it the
// blocks around that run in any case.
func (k *codes) exit(stmt, branch syntax.Node) {
	returns := len(branch.Find("return_statement")) > 0
	if !returns && len(branch.Find("break_statement", "continue_statement")) == 0 {
		return
	}
	for c, p := stmt, stmt.Parent(); p.Valid(); c, p = p, p.Parent() {
		switch {
		case p.Is("block"):
			if at, seen := k.exits[p]; !seen || c.Span().End < at {
				k.exits[p] = c.Span().End
			}
			if !returns {
				return
			}
		case !p.Is("with_statement", "try_statement"):
			return
		}
	}
}

// zero reports whether a case is for the code 0 and no other.
func zero(clause syntax.Node) bool {
	return clause.ChildOf("case_pattern").Text() == "0" && !clause.Field("guard").Valid()
}

// functions finds those that are named by calls alone, none of which a success is
// known to make.
func (k *codes) functions() {
	calls := map[syntax.Node][]syntax.Node{}
	passed := map[syntax.Node]bool{}
	for _, id := range k.w.File.Root().Find("identifier") {
		fn := k.w.Function(id)
		if !fn.Is("function_definition") || label(id) || fn.Field("name") == id {
			continue
		}
		if call := id.Parent(); call.Is("call") && call.Field("function") == id {
			calls[fn] = append(calls[fn], call)
		} else {
			passed[fn] = true
		}
	}
	for fn := range calls {
		if passed[fn] || len(syntax.PyDecorators(fn)) > 0 {
			delete(calls, fn)
		}
	}
	for range maxRounds {
		found := maps.Clone(k.failed)
		for fn, list := range calls {
			if !slices.ContainsFunc(list, func(c syntax.Node) bool { return !k.failing(c) }) {
				found[fn] = true
			}
		}
		if len(found) == len(k.failed) {
			return
		}
		k.failed = found
	}
}

// Failing reports whether it cannot be said that a call of the op which succeeds runs
// a node: it stands in what ends with an error, under a condition on a return code
// that no success meets or that is not understood, after a return for a success, or
// in a function that is called from such places alone. What a constant of the file
// switches off is run by no call.
func (w *Wrapper) Failing(n syntax.Node) bool { return w.codes.failing(n) }

func (k *codes) failing(n syntax.Node) bool {
	owner := Owner(n)
	if k.failed[owner] {
		return true
	}
	for c, p := n, n.Parent(); p.Valid() && c != owner; c, p = p, p.Parent() {
		if k.off[c] || p.Is("block") && k.raises(p, c, owner) {
			return true
		}
		if at, left := k.exits[p]; left && c.Span().Start >= at {
			return true
		}
	}
	return false
}

// raises reports whether a block that is run under a condition, or the body of the
// function, ends with an error after one of its statements.
func (k *codes) raises(block, stmt, owner syntax.Node) bool {
	list := block.NamedChildren()
	if !list[len(list)-1].Is("raise_statement") {
		return false
	}
	return block.Parent().Is("if_statement", "elif_clause", "else_clause", "except_clause", "case_clause") ||
		block == owner.Field("body") && k.ends[owner] <= stmt.Span().Start
}

// AsWritten reports whether a call of a function by its name gives what its body
// returns: no decorator that is not known replaces it, and the name is bound once.
func (w *Wrapper) AsWritten(fn syntax.Node) bool {
	for _, d := range syntax.PyDecorators(fn) {
		if d.Is("call") {
			d = d.Field("function")
		}
		switch full := w.Full(d); {
		case syntax.PyName(d) == "register_impl", full == "torch.no_grad", full == "torch.inference_mode":
		default:
			return false
		}
	}
	name := fn.Field("name").Text()
	if w.Imports[name] != "" {
		return false
	}
	for k, bound := range w.binds {
		if k.name == name && slices.ContainsFunc(bound, func(b binding) bool { return b.node.Field("right") != fn }) {
			return false
		}
	}
	for _, other := range w.File.Root().Find("function_definition") {
		if other != fn && other.Field("name").Text() == name && Owner(other) == Owner(fn) && !other.Ancestor("class_definition").Valid() {
			return false
		}
	}
	return true
}
