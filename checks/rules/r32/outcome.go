package r32

import (
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

// outcomes follows the results of launches to what the caller gets when one failed.
type outcomes struct {
	uses   map[string]string           // imported names
	consts map[string]syntax.Node      // values of constants that are defined once
	funcs  map[string]syntax.Node      // functions of the file that are defined once
	left   int                         // names that are still followed
	looks  dsl.Budget                  // names and statements that are still compared
	ends   map[syntax.Node]bool        // what leaves says, each asked once
	zero   map[syntax.Node]bool        // what always says of the names that lets give
	lasts  map[syntax.Node]syntax.Node // what lastOf says of blocks
	macros map[string]bool             // what answered says
	params map[param]answer            // what functions make of failures
}

// param is a parameter of a function that gets what tells of a launch.
type param struct {
	fn    syntax.Node
	index int
	as    view
}

// maxFollowed bounds how often a result is followed through a name in one file.
const maxFollowed = 2000

// maxLooks bounds how many names and statements of one file are compared with those of
// results.
const maxLooks = 400000

func newOutcomes(f *host.FFI) *outcomes {
	o := &outcomes{
		uses: f.Uses, consts: map[string]syntax.Node{}, funcs: map[string]syntax.Node{}, left: maxFollowed, looks: maxLooks,
		ends: map[syntax.Node]bool{}, zero: map[syntax.Node]bool{}, lasts: map[syntax.Node]syntax.Node{},
		macros: map[string]bool{}, params: map[param]answer{},
	}
	once := func(m map[string]syntax.Node, n, v syntax.Node) {
		name := n.Field("name").Text()
		if _, twice := m[name]; twice {
			v = syntax.Node{}
		}
		m[name] = v
	}
	for _, c := range f.File.Root().Find("const_item") {
		once(o.consts, c, c.Field("value"))
	}
	for _, fn := range f.File.Root().Find("function_item") {
		once(o.funcs, fn, fn)
	}
	return o
}

// failures reports launches whose failure looks like success to the caller.
func failures(p *rules.Pass, e *host.Export, o *outcomes) {
	seen := map[syntax.Node]bool{}
	var results []syntax.Node
	for _, c := range dsl.Calls(e.Body) {
		if c.Method() && (c.Name == "sync_on" || c.Name == "sync") {
			results = append(results, c.Node)
		}
	}
	e.Body.Inspect(func(n syntax.Node) bool {
		if n.Is("macro_invocation") && shown(n) {
			results = append(results, n)
		}
		return true
	})
	for _, n := range results {
		tell(p, o.of(n, result), seen, "nobody looks at whether the launch failed; expected a return code for `Err`")
	}
}

// tell reports an answer under which a failed launch is lost, once for each place; lost
// says it where nobody looks.
func tell(p *rules.Pass, a answer, seen map[syntax.Node]bool, lost string) {
	if seen[a.at] || a.is != ignored && a.is != success {
		return
	}
	seen[a.at] = true
	if a.is == ignored {
		p.Reportf(a.at, rules.Error, "failure", "%s", lost)
		return
	}
	p.Reportf(a.at, rules.Error, "failure", "a failed launch is answered with `%s`, so that the caller takes an output that was never written; expected `rc::LAUNCH_FAILED`", rules.Short(a.at))
}

// shown reports whether a macro gives back the result of a launch that it writes into a
// message.
func shown(macro syntax.Node) bool {
	tokens := macro.ChildOf("token_tree").NamedChildren()
	last := len(tokens) - 1
	return syntax.LastSegment(macro.Field("macro")) == "dbg" && last > 0 && tokens[last].Is("token_tree") &&
		tokens[last-1].Is("identifier") && (tokens[last-1].Text() == "sync_on" || tokens[last-1].Text() == "sync")
}

// view is what a value tells of a launch.
type view uint8

const (
	result    view = iota
	okOption       // None for a failure
	errOption      // Some for a failure
	okBool         // false for a failure
	errBool        // true for a failure
	code           // a code of a failure, and not that of success
	okCode         // the code of success, for a failure too
)

// fails reports whether one of the alternatives of a pattern takes every failure, as
// far as it says so.
func (v view) fails(pattern syntax.Node) bool {
	return slices.ContainsFunc(alternatives(pattern), func(p syntax.Node) bool { return v.failing(p.Squeeze()) })
}

// failing is fails of a pattern without alternatives.
func (v view) failing(pattern string) bool {
	switch inner, partly := v.inFailure(pattern); v {
	case result, errOption:
		return partly && every(inner)
	case okOption:
		return variant(pattern) == "None"
	case okBool:
		return pattern == "false"
	case errBool:
		return pattern == "true"
	case okCode:
		return strings.HasSuffix(pattern, "rc::OK") || pattern == "0"
	default:
		return strings.HasSuffix(pattern, "rc::LAUNCH_FAILED")
	}
}

// alternatives lists the patterns that a pattern joins by `|`, without a guard.
func alternatives(pattern syntax.Node) []syntax.Node {
	var out []syntax.Node
	var walk func(p syntax.Node)
	walk = func(p syntax.Node) {
		switch {
		case p.Is("match_pattern"):
			walk(p.NamedChild(0))
		case p.Is("captured_pattern"):
			walk(p.NamedChild(1))
		case p.Is("or_pattern"):
			for _, c := range p.NamedChildren() {
				walk(c)
			}
		default:
			out = append(out, p)
		}
	}
	walk(pattern)
	return out
}

// inFailure is what a pattern asks of the value that comes with a failure, if it is
// one for failures that have a value.
func (v view) inFailure(pattern string) (inner string, ok bool) {
	prefix := map[view]string{result: "Err(", errOption: "Some("}[v]
	if prefix == "" {
		return "", false
	}
	inner, ok = strings.CutPrefix(variant(pattern), prefix)
	return strings.TrimSuffix(inner, ")"), ok
}

// variant is a pattern without the type that its variant is one of.
func variant(pattern string) string {
	return strings.TrimPrefix(strings.TrimPrefix(pattern, "Result::"), "Option::")
}

// every reports whether a pattern takes every value: a blank or a new name. Names of
// constants and variants begin with a capital.
func every(pattern string) bool {
	name := strings.TrimPrefix(strings.TrimPrefix(pattern, "ref "), "mut ")
	return pattern == ".." || name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) && (name[0] < '0' || name[0] > '9')
}

// succeeds reports whether a pattern takes what did not fail and nothing else.
func (v view) succeeds(pattern syntax.Node) bool {
	return !slices.ContainsFunc(alternatives(pattern), func(p syntax.Node) bool { return !v.succeeding(p.Squeeze()) })
}

// succeeding is succeeds of a pattern without alternatives.
func (v view) succeeding(pattern string) bool {
	switch v {
	case result:
		return strings.HasPrefix(variant(pattern), "Ok(")
	case okOption:
		return strings.HasPrefix(variant(pattern), "Some(")
	case errOption:
		return variant(pattern) == "None"
	case okBool:
		return pattern == "true"
	case errBool:
		return pattern == "false"
	case okCode:
		return false // both are the code of success
	default:
		return strings.HasSuffix(pattern, "rc::OK") || pattern == "0"
	}
}

// after is what the value of a method tells when nothing is decided by it.
func (v view) after(method string) (view, bool) {
	switch method {
	case "map", "inspect", "as_ref", "copied", "cloned":
		return v, v <= errOption
	case "map_err", "inspect_err":
		return v, v == result
	case "ok":
		return okOption, v == result
	case "err":
		return errOption, v == result
	case "is_ok", "is_ok_and":
		return okBool, v == result
	case "is_err":
		return errBool, v == result
	case "is_some":
		return map[view]view{okOption: okBool, errOption: errBool}[v], v == okOption || v == errOption
	case "is_none":
		return map[view]view{okOption: errBool, errOption: okBool}[v], v == okOption || v == errOption
	}
	return v, false
}

// answer is what becomes of a failed launch, and where it is seen.
type answer struct {
	is fate
	at syntax.Node
}

type fate uint8

const (
	undecided fate = iota // told to the caller, or used in a way that is not followed
	ignored               // nobody looks at the result
	success               // the caller gets the code of success
)

// of follows an expression that tells of a launch to what the caller gets.
func (o *outcomes) of(n syntax.Node, v view) answer { return o.from(n, v, n) }

// from is of for a value that was decided at a place.
func (o *outcomes) from(n syntax.Node, v view, at syntax.Node) answer {
	for {
		if v == okCode && returned(n) {
			return answer{success, at}
		}
		p := n.Parent()
		switch p.Kind() {
		case "parenthesized_expression", "unsafe_block", "else_clause", "match_block", "reference_expression":
		case "unary_expression":
			if !strings.HasPrefix(p.Text(), "!") || v != okBool && v != errBool {
				return answer{}
			}
			v = okBool + errBool - v
		case "binary_expression":
			told, ok := o.joined(p, n, v)
			if !ok {
				return answer{}
			}
			if told == okCode && v != okCode {
				at = p
			}
			v = told
		case "type_cast_expression":
			told, ok := v.number()
			if !ok || p.Field("value") != n {
				return answer{}
			}
			if told == okCode && v != okCode {
				at = p
			}
			v = told
		case "expression_statement":
			if strings.HasSuffix(p.Text(), ";") {
				return answer{ignored, p}
			}
		case "block":
			if lastOf(p) != n {
				return answer{}
			}
		case "if_expression":
			if p.Field("condition") == n {
				return o.branch(p, v == errBool, v == okBool)
			}
		case "let_condition":
			if p.Field("value") != n || p.Parent().Field("condition") != p {
				return answer{}
			}
			pattern := p.Field("pattern")
			return o.branch(p.Parent(), v.fails(pattern), v.succeeds(pattern))
		case "match_arm":
			if p.Field("value") != n {
				return answer{}
			}
		case "match_expression":
			if p.Field("value") == n {
				return o.match(p, v)
			}
		case "closure_expression":
			call := p.Parent()
			if call.Is("parenthesized_expression") {
				call = call.Parent()
			}
			switch {
			case p.Field("body") != n:
				return answer{}
			case call.Is("let_declaration") && call.Field("pattern").Is("identifier"):
				return o.called(call, v)
			case call.Is("arguments") && unjoined(call.Parent()):
				return answer{ignored, call.Parent().Parent()}
			case !call.Is("call_expression") || len(call.Field("arguments").NamedChildren()) > 0 || dsl.Unparen(call.Field("function")) != p:
				return answer{}
			}
			p = call
		case "field_expression":
			call := p.Parent()
			if call.Is("generic_function") {
				call = call.Parent()
			}
			c, ok := dsl.AsCall(call)
			if !ok || p.Field("value") != n {
				return answer{}
			}
			next, told := v.after(c.Name)
			if !told {
				return o.method(c, v)
			}
			// What the method calls may set the code itself, or not come back.
			if slices.ContainsFunc(c.Args, o.acts) {
				return answer{}
			}
			v, p = next, call
		case "let_declaration":
			return o.bound(p, v, at)
		case "arguments":
			c, ok := dsl.AsCall(p.Parent())
			told, known := v.by(c)
			if !ok || !known {
				return o.handed(p, n, v)
			}
			if told == okCode && v != okCode {
				at = c.Node
			}
			v, p = told, c.Node
		default:
			return answer{}
		}
		n = p
	}
}

// number is what a truth value tells as a number, which is 1 for true, and what a
// code tells in another type.
func (v view) number() (view, bool) {
	switch v {
	case okBool:
		return okCode, true
	case errBool:
		return code, true
	}
	return v, v == code || v == okCode
}

// by is what the value of a function that is no method tells when nothing is decided
// by it.
func (v view) by(c dsl.Call) (view, bool) {
	if c.Method() || len(c.Args) != 1 {
		return v, false
	}
	parts := strings.Split(c.Path, "::")
	if len(parts) < 2 {
		return v, false
	}
	switch of := parts[len(parts)-2]; {
	case of == "i32" && c.Name == "from":
		return v.number()
	case of == "Result" || of == "Option":
		return v.after(c.Name)
	}
	return v, false
}

// unjoined reports whether a call starts a thread whose result nobody asks for.
func unjoined(call syntax.Node) bool {
	c, ok := dsl.AsCall(call)
	p := call.Parent()
	return ok && c.Name == "spawn" && (p.Is("expression_statement") && strings.HasSuffix(p.Text(), ";") || p.Is("let_declaration") && p.Field("pattern").Text() == "_")
}

// joined is what an operator makes of a value that tells of a launch and another one.
func (o *outcomes) joined(n, side syntax.Node, v view) (view, bool) {
	other := n.Field("right")
	if other == side {
		other = n.Field("left")
	}
	switch op := n.Field("operator").Text(); {
	case v == errBool && (op == "||" || op == "&&" && o.apart(other)):
		return errBool, true
	case v == okBool && (op == "&&" || op == "||" && o.apart(other)):
		if op == "||" {
			return errBool, true // true for some failure
		}
		return okBool, true
	case v != code && v != okCode:
		return v, false
	case o.ok(other) && (op == "&" || op == "*"):
		return okCode, true
	default:
		told := o.compared(op, other, n.Field("right") == other)
		if v == okCode && told != code && o.ok(other) && op != "<" {
			return okBool + errBool - told, true
		}
		return told, v == code && told != code
	}
}

// compared is what a comparison of the code of a failed launch with another code
// tells; code for one that says nothing for sure.
func (o *outcomes) compared(op string, other syntax.Node, right bool) view {
	text := other.Squeeze()
	failed := strings.HasSuffix(text, "rc::LAUNCH_FAILED")
	another := other.Is("scoped_identifier") && earlier[other.Field("name").Text()] && syntax.LastSegment(other.Field("path")) == "rc" && !o.answered(other)
	switch {
	case op == "==" && (o.ok(other) || another), op == "!=" && failed:
		return okBool
	case op == "!=" && (o.ok(other) || another), op == "==" && failed, op == "<" && o.ok(other) && right:
		return errBool
	}
	return code
}

// answered reports whether a macro of the file gives a code.
func (o *outcomes) answered(code syntax.Node) bool {
	name := code.Field("name").Text()
	given, known := o.macros[name]
	if !known {
		given = slices.ContainsFunc(code.File().Root().Find("macro_definition"), func(m syntax.Node) bool { return strings.Contains(m.Squeeze(), "rc::"+name) })
		o.macros[name] = given
	}
	return given
}

// earlier are the codes of what is refused before anything is launched.
var earlier = map[string]bool{"UNSUPPORTED_DTYPE": true, "NULL_PTR": true, "DEVICE_INIT_FAILED": true}

// apart reports whether a condition holds or not whatever is computed, since only the
// environment of the process, the build or a constant decides; a condition that
// never holds is none.
func (o *outcomes) apart(n syntax.Node) bool {
	for range 8 {
		n = dsl.Unparen(n)
		switch n.Kind() {
		case "boolean_literal":
			return n.Text() == "true"
		case "macro_invocation":
			name := syntax.LastSegment(n.Field("macro"))
			return name == "cfg" || name == "option_env"
		case "unary_expression":
			n = n.NamedChild(0)
			if n.Is("boolean_literal") {
				return n.Text() == "false"
			}
		case "binary_expression":
			for _, op := range []string{"==", "!="} {
				if l, r, ok := dsl.Binary(n, op); ok && r.Is("string_literal", "call_expression", "integer_literal") && len(r.Find("identifier")) <= 1 {
					n = l
				}
			}
			if n.Is("binary_expression") {
				return false
			}
		case "call_expression":
			c, ok := dsl.AsCall(n)
			switch {
			case !ok:
				return false
			case !c.Method():
				return strings.HasSuffix(c.Path, "env::var") || strings.HasSuffix(c.Path, "env::var_os")
			}
			n = c.Receiver
		case "identifier":
			let := o.letOf(n)
			switch v := o.consts[n.Text()]; {
			case v.Valid():
				n = v
			case !let.Field("pattern").Is("identifier") || let.ChildOf("mutable_specifier").Valid():
				return false
			default:
				n = let.Field("value")
			}
		default:
			return false
		}
	}
	return false
}

// lastOf is the last item of a block that is no comment.
func lastOf(block syntax.Node) syntax.Node {
	var out syntax.Node
	for _, c := range block.NamedChildren() {
		if !c.IsComment() {
			out = c
		}
	}
	return out
}

// method is what a method that decides for a failure gives the caller.
func (o *outcomes) method(c dsl.Call, v view) answer {
	var value syntax.Node
	switch {
	case v != result && v != okOption:
		return answer{}
	case c.Name == "unwrap_or_default":
		value = c.Node
	case (c.Name == "map_or" || c.Name == "map_or_else") && len(c.Args) == 2, (c.Name == "unwrap_or" || c.Name == "unwrap_or_else") && len(c.Args) == 1:
		value = c.Args[0]
		if strings.HasSuffix(c.Name, "_else") && value.Is("closure_expression") {
			body := value.Field("body")
			if o.leaves(body) {
				return answer{}
			}
			value = last(body)
		}
	default:
		return answer{}
	}
	if returned(c.Node) && (value == c.Node || o.ok(value)) {
		return answer{success, value}
	}
	if p := c.Node.Parent(); p.Is("expression_statement") && strings.HasSuffix(p.Text(), ";") && !o.leaves(value) {
		return answer{ignored, p}
	}
	if told, ok := o.constant(value); ok && value != c.Node {
		return o.from(c.Node, told, value)
	}
	return answer{}
}

// constant is what a value tells that a failure alone leads to.
func (o *outcomes) constant(n syntax.Node) (view, bool) {
	switch {
	case o.ok(n):
		return okCode, true
	case strings.HasSuffix(n.Squeeze(), "rc::LAUNCH_FAILED"):
		return code, true
	case n.Is("boolean_literal") && n.Text() == "true":
		return errBool, true
	case n.Is("boolean_literal"):
		return okBool, true
	case n.Is("identifier") && n.Text() == "None":
		return okOption, true
	}
	return code, false
}

// bound follows a result that gets a name or is taken apart by a pattern.
func (o *outcomes) bound(let syntax.Node, v view, at syntax.Node) answer {
	pattern := let.Field("pattern")
	if otherwise := let.Field("alternative"); otherwise.Valid() {
		if v.succeeds(pattern) {
			return o.leaving(otherwise)
		}
		return answer{}
	}
	if pattern.Text() == "_" {
		return answer{ignored, let}
	}
	if pattern.Is("mut_pattern") {
		pattern = pattern.ChildOf("identifier")
	}
	if !pattern.Is("identifier") {
		return answer{}
	}
	var scope []syntax.Node
	for s := let.Next(); s.Valid(); s = s.Next() {
		scope = append(scope, s)
		if s.Is("let_declaration") && s.Field("pattern").Text() == pattern.Text() {
			break
		}
	}
	return o.follow(pattern.Text(), scope, v, let, at)
}

// follow is what becomes of a failure that a name holds in what follows: ignored, at
// the place where it got the name, when nobody looks at it. A code of success was
// decided at another place.
func (o *outcomes) follow(name string, scope []syntax.Node, v view, got, decided syntax.Node) answer {
	found := answer{ignored, got}
	for _, s := range scope {
		for _, id := range uses(s) {
			if !o.looks.Spend() {
				return answer{}
			}
			if id.Text() != name || id == s.Field("pattern") {
				continue
			}
			if o.left--; o.left < 0 {
				return answer{}
			}
			at := id
			if v == okCode {
				at = decided
			}
			switch a := o.from(id, v, at); a.is {
			case undecided:
				return answer{}
			case success:
				if v == code || v == okCode || a.at.Parent().Is("return_expression") {
					return a // it has been answered before the name comes again
				}
				found = a
			}
		}
		if o.given(s, name) {
			return answer{}
		}
	}
	return found
}

// uses lists the names in a node, or the node when it is one.
func uses(n syntax.Node) []syntax.Node {
	if n.Is("identifier") {
		return []syntax.Node{n}
	}
	return n.Find("identifier")
}

// called follows the result of a closure that has a name to the calls of it.
func (o *outcomes) called(let syntax.Node, v view) answer {
	name, found := let.Field("pattern").Text(), answer{}
	for s := let.Next(); s.Valid(); s = s.Next() {
		for _, id := range s.Find("identifier") {
			if !o.looks.Spend() {
				return answer{}
			}
			if id.Text() != name {
				continue
			}
			call := id.Parent()
			if o.left--; o.left < 0 || !call.Is("call_expression") || call.Field("function") != id {
				return answer{}
			}
			a := o.of(call, v)
			if a.is == undecided {
				return answer{}
			}
			found = a
		}
		if o.given(s, name) {
			return answer{}
		}
	}
	return found
}

// given reports whether a macro gets a value by its name and may do more with it than
// write it into a message.
func (o *outcomes) given(n syntax.Node, name string) bool {
	return slices.ContainsFunc(n.Find("macro_invocation"), func(m syntax.Node) bool {
		tokens := m.ChildOf("token_tree")
		return !tokens.Parsed().Valid() && (!writes[syntax.LastSegment(m.Field("macro"))] || blocks(tokens)) && o.names(tokens, name)
	})
}

// names reports whether tokens name a value, or a text among them does in braces, as
// that of format!("{name:?}").
func (o *outcomes) names(tokens syntax.Node, name string) bool {
	for t := range tokens.Children() {
		switch {
		case t.Is("identifier") && t.Text() == name,
			t.Is("string_literal", "raw_string_literal") && (strings.Contains(t.Text(), "{"+name+"}") || strings.Contains(t.Text(), "{"+name+":")),
			t.Is("token_tree") && o.names(t, name), !o.looks.Spend():
			return true
		}
	}
	return false
}

// blocks reports whether tokens hold a block, which may do anything.
func blocks(tokens syntax.Node) bool {
	for t := range tokens.Children() {
		if t.Is("token_tree") && (strings.HasPrefix(t.Text(), "{") || blocks(t)) {
			return true
		}
	}
	return false
}

// acts reports whether an argument is anything but a closure that computes a value.
func (o *outcomes) acts(arg syntax.Node) bool {
	return !arg.Is("closure_expression") || len(arg.Find("assignment_expression", "compound_assignment_expr", "unsafe_block")) > 0 || o.leaves(arg.Field("body"))
}

// handed follows a result that a function gets.
func (o *outcomes) handed(args, n syntax.Node, v view) answer {
	c, ok := dsl.AsCall(args.Parent())
	if !ok || c.Method() {
		return answer{}
	}
	if c.Name == "drop" || c.Name == "forget" {
		return answer{ignored, c.Node.Parent()}
	}
	fn := o.funcs[c.Path]
	if !fn.Valid() {
		return answer{}
	}
	params, body := fn.Field("parameters").NamedChildren(), fn.Field("body")
	for i, a := range c.Args {
		if a != n || len(params) != len(c.Args) || !params[i].Field("pattern").Is("identifier", "_") {
			continue
		}
		k := param{fn, i, v}
		in, known := o.params[k]
		if !known {
			o.params[k] = answer{} // of a function that calls itself
			in = o.follow(params[i].Field("pattern").Text(), []syntax.Node{body}, v, c.Node, c.Node)
			o.params[k] = in
		}
		switch {
		case in.is == ignored && !o.leaves(body) && o.ok(last(body)):
			in = answer{success, last(body)}
		case in.is == ignored && !fn.Field("return_type").Valid() && valueless(c.Node):
			return answer{ignored, c.Node}
		}
		if in.is != success {
			return answer{}
		}
		return o.from(c.Node, okCode, in.at)
	}
	return answer{}
}

// valueless reports whether nobody asks for the value of an expression.
func valueless(n syntax.Node) bool {
	p := n.Parent()
	return p.Is("expression_statement") || p.Is("let_declaration") || p.Is("block") && lastOf(p) == n
}

// match is what the arm for a failure gives the caller.
func (o *outcomes) match(m syntax.Node, v view) answer {
	told := false
	for _, arm := range m.Field("body").NamedChildren() {
		pattern := arm.Field("pattern")
		name, whole := binding(pattern)
		guard := pattern.Field("condition")
		takes := v.fails(pattern)
		if !takes && !told {
			takes = whole || slices.ContainsFunc(alternatives(pattern), func(p syntax.Node) bool { return p.Squeeze() == "_" })
		}
		if guard.Valid() && !o.apart(guard) || !takes {
			// The failures that are left are others than those of this arm.
			some := slices.ContainsFunc(alternatives(pattern), func(p syntax.Node) bool { _, some := v.inFailure(p.Squeeze()); return some })
			told = told || some || guard.Valid() && guard.Text() != "false"
			continue
		}
		told = told || !guard.Valid()
		value := arm.Field("value")
		if name != "" {
			if a := o.follow(name, []syntax.Node{value}, v, arm, arm); a.is == success {
				return a
			} else if a.is == undecided {
				continue
			}
		}
		if a := o.taken(m, value); a.is != undecided {
			return a
		}
	}
	return answer{}
}

// binding is the name that a pattern gives to the whole value, and whether it does so
// for every value.
func binding(pattern syntax.Node) (name string, whole bool) {
	if pattern.Is("match_pattern") {
		pattern = pattern.NamedChild(0)
	}
	switch {
	case pattern.Is("captured_pattern"):
		return pattern.NamedChild(0).Text(), every(pattern.NamedChild(1).Squeeze())
	case pattern.Is("identifier") && every(pattern.Text()):
		return pattern.Text(), true
	}
	return "", false
}

// branch is what an if gives the caller after a failure, which takes its first branch,
// or surely not.
func (o *outcomes) branch(i syntax.Node, first, second bool) answer {
	switch {
	case first:
		return o.taken(i, i.Field("consequence"))
	case second:
		return o.taken(i, i.Field("alternative").NamedChild(0))
	}
	return answer{}
}

// taken is what the caller gets when a branch of an if or a match is taken. It is
// invalid where there is none.
func (o *outcomes) taken(of, branch syntax.Node) answer {
	if branch.Valid() && len(branch.Find("return_expression")) > 0 || branch.Is("return_expression") {
		return o.leaving(branch)
	}
	if o.leaves(branch) {
		return answer{}
	}
	value := last(branch)
	if told, ok := o.constant(value); ok && value.Inside(of) && (told == okCode || !returned(value)) {
		return o.from(of, told, value)
	}
	if !unit(value) {
		return answer{}
	}
	return o.falls(of)
}

// leaving is what the caller gets from a branch that ends the function.
func (o *outcomes) leaving(branch syntax.Node) answer {
	returns := branch.Find("return_expression")
	if branch.Is("return_expression") {
		returns = []syntax.Node{branch}
	}
	end := last(branch)
	if end.Is("expression_statement") {
		end = end.NamedChild(0)
	}
	if len(returns) != 1 || returns[0] != end || o.exits(branch) || !o.ok(end.NamedChild(0)) {
		return answer{}
	}
	return answer{success, end.NamedChild(0)}
}

// falls is what the caller gets from what follows a statement.
func (o *outcomes) falls(n syntax.Node) answer {
	for {
		for !n.Parent().Is("block") {
			n = n.Parent()
			switch n.Kind() {
			case "expression_statement", "if_expression", "else_clause", "match_arm", "match_block", "match_expression", "unsafe_block", "parenthesized_expression":
			default:
				return answer{}
			}
		}
		names := map[string]syntax.Node{}
		end, known := o.lasts[n.Parent()]
		if !known {
			end = lastOf(n.Parent())
			o.lasts[n.Parent()] = end
		}
		for s := n.Next(); s.Valid(); s = s.Next() {
			if !o.looks.Spend() {
				return answer{}
			}
			if !s.Named() || s.IsComment() {
				continue
			}
			e := s
			if s.Is("expression_statement") {
				e = s.NamedChild(0)
			}
			tail := s == end && (!s.Is("expression_statement") || !strings.HasSuffix(s.Text(), ";"))
			switch {
			case e.Is("return_expression"):
				if v := o.named(e.NamedChild(0), names); o.ok(v) || o.always(v) {
					return answer{success, v}
				}
				return answer{}
			case tail && !s.Is("let_declaration"):
				if v := o.named(e, names); o.ok(v) || o.always(v) {
					return o.from(e, okCode, v)
				}
				return answer{}
			case e.Is("assignment_expression") && e.Field("left").Is("identifier"):
				names[e.Field("left").Text()] = e.Field("right")
			case s.Is("let_declaration") && s.Field("pattern").Is("identifier"):
				names[s.Field("pattern").Text()] = s.Field("value")
			default:
				for _, id := range s.Find("identifier") {
					if !o.looks.Spend() {
						return answer{}
					}
					delete(names, id.Text())
				}
			}
			if o.leaves(s) {
				return answer{}
			}
		}
		n = n.Parent()
		if n.Parent().Is("function_item", "closure_expression", "token_tree", "macro_rule") {
			return answer{}
		}
	}
}

// named is the value that a name was given in what was passed, else the expression.
func (o *outcomes) named(n syntax.Node, names map[string]syntax.Node) syntax.Node {
	if v := names[n.Text()]; n.Is("identifier") && v.Valid() {
		return v
	}
	return n
}

// always reports whether a name holds the code of success wherever it is set.
func (o *outcomes) always(id syntax.Node) bool {
	if !id.Is("identifier") {
		return false
	}
	let := o.letOf(id)
	if !let.Valid() {
		return false
	}
	always, known := o.zero[let]
	if !known {
		always = o.unchanged(let, id)
		o.zero[let] = always
	}
	return always
}

// unchanged reports whether a name that a let gives holds the code of success from there
// on.
func (o *outcomes) unchanged(let, id syntax.Node) bool {
	if !o.ok(let.Field("value")) {
		return false
	}
	block := let.Parent()
	if slices.ContainsFunc(block.Find("reference_expression", "compound_assignment_expr", "closure_expression"), func(n syntax.Node) bool {
		return slices.ContainsFunc(n.Find("identifier"), func(x syntax.Node) bool { return x.Text() == id.Text() })
	}) || o.given(block, id.Text()) {
		return false
	}
	return !slices.ContainsFunc(block.Find("assignment_expression"), func(a syntax.Node) bool {
		return a.Field("left").Text() == id.Text() && !o.ok(a.Field("right"))
	})
}

// letOf is the declaration of a name before it in the same function.
func (o *outcomes) letOf(id syntax.Node) syntax.Node {
	for at := id; at.Valid() && !at.Is("function_item", "closure_expression"); at = at.Parent() {
		var let syntax.Node
		for s := at.Parent().ChildOf("let_declaration"); s.Valid() && s.Span().Start < at.Span().Start; s = s.Next() {
			if !o.looks.Spend() {
				return syntax.Node{}
			}
			pattern := s.Field("pattern")
			if pattern.Is("mut_pattern") {
				pattern = pattern.ChildOf("identifier")
			}
			if s.Is("let_declaration") && pattern.Text() == id.Text() {
				let = s
			}
		}
		if let.Valid() {
			return let
		}
	}
	return syntax.Node{}
}

// writes are macros that write a message and do nothing else.
var writes = map[string]bool{
	"println": true, "print": true, "eprintln": true, "eprint": true,
	"error": true, "warn": true, "info": true, "debug": true, "trace": true, "log": true,
}

// makes are macros that make a value and do nothing else.
var makes = map[string]bool{"dbg": true, "format": true}

// harmless are functions and methods that make a value or drop one.
var harmless = map[string]bool{"drop": true, "Some": true, "from": true, "into": true, "to_string": true, "clone": true, "as_str": true}

// leaves reports whether code may end the function, or do more than go on.
func (o *outcomes) leaves(n syntax.Node) bool {
	if !n.Valid() {
		return false
	}
	ends, known := o.ends[n]
	if !known {
		ends = n.Is("return_expression") || len(n.Find("return_expression")) > 0 || o.exits(n)
		o.ends[n] = ends
	}
	return ends
}

// exits is leaves without return.
func (o *outcomes) exits(n syntax.Node) bool {
	found := n.Is("try_expression", "break_expression", "continue_expression")
	n.Inspect(func(c syntax.Node) bool {
		switch c.Kind() {
		case "try_expression", "break_expression", "continue_expression", "loop_expression", "while_expression":
			found = true
		case "macro_definition", "const_item", "function_item":
			return false
		case "macro_invocation":
			name := syntax.LastSegment(c.Field("macro"))
			found = found || !writes[name] && !makes[name]
		case "call_expression":
			call, ok := dsl.AsCall(c)
			// A function may not come back, and another one may do the work.
			found = found || !ok || !harmless[call.Name]
		}
		return !found
	})
	return found
}

// unit reports whether a value is none: that of a statement, of an empty block or of
// a macro that writes a message.
func unit(n syntax.Node) bool {
	switch n.Kind() {
	case "":
		return true
	case "block", "unit_expression", "let_declaration":
		return true
	case "expression_statement":
		return strings.HasSuffix(n.Text(), ";")
	case "macro_invocation":
		return writes[syntax.LastSegment(n.Field("macro"))]
	}
	return false
}

// ok reports whether an expression is the code of success.
func (o *outcomes) ok(n syntax.Node) bool {
	for range 4 {
		n = dsl.Unparen(n)
		switch text := n.Squeeze(); n.Kind() {
		case "integer_literal":
			return strings.TrimLeft(strings.TrimSuffix(text, "i32"), "0_") == ""
		case "binary_expression":
			op, l, r := n.Field("operator").Text(), dsl.Unparen(n.Field("left")), dsl.Unparen(n.Field("right"))
			return (op == "&" || op == "*") && (!l.Is("binary_expression") && o.ok(l) || !r.Is("binary_expression") && o.ok(r))
		case "scoped_identifier":
			return text == "rc::OK" || strings.HasSuffix(text, "::rc::OK")
		case "identifier":
			if uses := o.uses[text]; uses == "rc::OK" || strings.HasSuffix(uses, "::rc::OK") {
				return true
			}
			n = o.consts[text]
		default:
			return false
		}
	}
	return false
}
