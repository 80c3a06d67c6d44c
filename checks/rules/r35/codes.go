package r35

import (
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/syntax"
)

// form is what a name says of the call of the library.
type form uint8

const (
	none       form = iota
	asCode          // the return code
	forSuccess      // true where the call succeeded
	forFailure      // true where it failed
)

// tracked knows what tells of one call of the library in the function that it reads.
type tracked struct {
	w      *host.Wrapper
	is     map[string]form
	at     syntax.Node // an expression without a name that tells of the call, too
	atIs   form
	output string // the tensor that the call writes, where it is known
	calls  *callees
}

func newTracked(w *host.Wrapper, output string) *tracked {
	return &tracked{w: w, is: map[string]form{}, output: output, calls: newCallees(w.File)}
}

// use is what a statement does with a return code.
type use uint8

const (
	nothing   use = iota
	checks        // looks at it on every path
	sometimes     // looks at it on some paths
	tells         // looks at it, writes a message at most, and goes on
	ignores       // looks at it and ends without an error
	alters        // checks something that it computes from it
	returns       // gives it to the caller
	unclear       // uses it otherwise
)

// mentions reports whether a node names what tells of the call.
func (r *tracked) mentions(n syntax.Node) bool {
	found := false
	n.Inspect(func(id syntax.Node) bool {
		found = found || id.Is("identifier") && r.is[id.Text()] != none
		return !found
	})
	return found
}

// ask evaluates a condition for one code.
func (r *tracked) ask(cond syntax.Node, code int) held {
	c := &checked{code: code, is: map[string]bool{}, tells: map[string]form{}, at: r.at, atIs: r.atIs, calls: r.calls}
	for name, is := range r.is {
		if is == asCode {
			c.is[name] = true
		} else {
			c.tells[name] = is
		}
	}
	return c.holds(cond)
}

// failing is the answer of a condition for all failures; unknown where they differ.
func (r *tracked) failing(cond syntax.Node) held {
	all := r.ask(cond, failureCodes[0])
	for _, code := range failureCodes[1:] {
		if r.ask(cond, code) != all {
			return unknown
		}
	}
	return all
}

// form is what an expression says of the call; none where that is not known.
func (r *tracked) form(n syntax.Node) form {
	c := &checked{is: map[string]bool{}}
	for name, is := range r.is {
		c.is[name] = is == asCode
	}
	if c.isCode(n) {
		return asCode
	}
	switch success, failure := r.ask(n, 0), r.failing(n); {
	case success == holds && failure == fails:
		return forSuccess
	case success == fails && failure == holds:
		return forFailure
	}
	return none
}

// someCodes reports whether a condition is met by some failures only. One that
// success meets asks for success.
func (r *tracked) someCodes(cond syntax.Node) bool {
	if r.ask(cond, 0) == holds {
		return false
	}
	return slices.ContainsFunc(failureCodes, func(code int) bool {
		a := r.ask(cond, code)
		return a == fails || a == either
	})
}

// returned is what a return statement gives the caller, and where in a tuple.
func (r *tracked) returned(stmt syntax.Node) (part, parts int, is form) {
	v := stmt.NamedChild(0)
	if !v.Is("expression_list", "tuple") {
		return -1, 0, r.form(v)
	}
	list := v.NamedChildren()
	for i, e := range list {
		if f := r.form(e); f != none && is == none {
			part, is = i, f
		} else if r.mentions(e) {
			return 0, 0, none
		}
	}
	return part, len(list), is
}

func (r *tracked) verdict(stmt syntax.Node) use {
	if !r.mentions(stmt) {
		return nothing
	}
	switch stmt.Kind() {
	case "expression_statement":
		return r.expression(stmt.NamedChild(0))
	case "return_statement":
		if _, _, is := r.returned(stmt); is != none {
			return returns
		}
	case "if_statement", "assert_statement":
		if cond := stmt.Field("condition"); !cond.Valid() || r.mentions(cond) {
			return r.condition(stmt, cond)
		}
		// The branches do not depend on the code.
		result := sometimes
		all := true
		for c := range stmt.Children() {
			switch c.Kind() {
			case "block":
				all = all && r.block(c) == checks
			case "else_clause":
				all = all && r.block(c.Field("body")) == checks
			case "elif_clause":
				if r.mentions(c.Field("condition")) {
					return unclear
				}
				all = all && r.block(c.Field("consequence")) == checks
			}
			if c.Is("block", "else_clause", "elif_clause") && r.mentions(c) && !r.onlyChecked(c) {
				result = unclear
			}
		}
		if all && stmt.ChildOf("else_clause").Valid() {
			return checks
		}
		return result
	case "with_statement":
		if r.mentions(stmt.ChildOf("with_clause")) {
			return unclear
		}
		if v := r.block(stmt.Field("body")); v != checks || !suppresses(stmt) {
			return v
		}
		return ignores
	case "try_statement":
		body := stmt.Field("body")
		v := r.block(body)
		switch v {
		case checks:
			if swallows(stmt) {
				return ignores
			}
		case nothing, sometimes, tells:
			if later := r.around(stmt, body); later != nothing {
				return later
			}
		}
		return v
	case "for_statement", "while_statement":
		if r.onlyChecked(stmt) {
			return sometimes
		}
	}
	return unclear
}

// around is what a statement does with a code after a part of it has run: in the branch
// of a try statement or a loop that follows the part, at the end, or to go on looping.
// Where it is used otherwise than to write a message, it may be checked.
func (r *tracked) around(stmt, part syntax.Node) use {
	if stmt.Is("while_statement") && r.mentions(stmt.Field("condition")) {
		return unclear
	}
	if !stmt.Is("try_statement", "for_statement", "while_statement") {
		return nothing
	}
	inBody := part.Inside(stmt.Field("body"))
	for c := range stmt.Children() {
		handler := c.Is("except_clause", "except_group_clause")
		if !handler && !c.Is("else_clause", "finally_clause") || !inBody && !c.Is("finally_clause") || part.Inside(c) || !r.mentions(c) {
			continue
		}
		body := c.Field("body")
		if !body.Valid() {
			body = c.ChildOf("block")
		}
		switch v := r.block(body); {
		case v == checks && !handler:
			return checks
		case v != nothing && v != sometimes && v != tells:
			return unclear
		}
	}
	return nothing
}

// expression is verdict for an expression that stands alone.
func (r *tracked) expression(n syntax.Node) use {
	if n.Is("call") && syntax.PyName(n.Field("function")) == "check_rc" {
		code := syntax.PyArg(n, "rc", 0)
		if code.Is("binary_operator", "boolean_operator", "conditional_expression", "unary_operator") || r.form(code) == forSuccess || atLeastZero(code) {
			return alters
		}
		return checks
	}
	if left := n.Field("left"); n.Is("assignment") && left.Is("identifier") {
		name := left.Text()
		switch is := r.form(n.Field("right")); {
		case is != none:
			r.is[name] = is
			return nothing
		case r.is[name] == asCode && n.Field("right").Is("integer"):
			return alters
		}
		return unclear
	}
	if n.Is("assignment") && r.form(n.Field("right")) != none && r.forgotten(n.Field("left")) {
		return nothing
	}
	if onlyTells(n) {
		return nothing
	}
	if n.Is("call") {
		for _, a := range n.Field("arguments").NamedChildren() {
			if r.form(a) == asCode {
				return r.handed(n, a)
			}
		}
	}
	return unclear
}

// atLeastZero reports whether an expression makes 0 of the codes of failures.
func atLeastZero(n syntax.Node) bool {
	return n.Is("call") && n.Field("function").Text() == "max" && slices.ContainsFunc(syntax.PyArgs(n), func(a syntax.Node) bool {
		return a.Is("integer")
	})
}

// forgotten reports whether an assignment's target is an attribute of a private class of
// the file that nobody in it reads.
func (r *tracked) forgotten(target syntax.Node) bool {
	if !target.Is("attribute") || !target.Field("object").Is("identifier") || !strings.HasPrefix(target.Field("object").Text(), "_") {
		return false
	}
	class := false
	for _, d := range r.w.File.Root().Find("class_definition") {
		class = class || d.Field("name").Text() == target.Field("object").Text()
	}
	return class && !slices.ContainsFunc(r.w.File.Root().Find("attribute"), func(a syntax.Node) bool {
		set := a.Parent().Is("assignment") && a.Parent().Field("left") == a
		return !set && a.Field("attribute").Text() == target.Field("attribute").Text()
	})
}

// handed is what a function of the file does with a code that it gets in a statement
// of its own.
func (r *tracked) handed(call, code syntax.Node) use {
	fn := r.w.Function(call.Field("function"))
	if !call.Field("function").Is("identifier") || !fn.Is("function_definition") || !r.w.AsWritten(fn) {
		return unclear
	}
	for i, a := range call.Field("arguments").NamedChildren() {
		if a == code && !raisesOnFailure(fn, i, r.calls) && !keeps(fn) {
			return tells
		}
	}
	return unclear
}

// keeps reports whether a function keeps something for later.
func keeps(fn syntax.Node) bool {
	if len(fn.Find("global_statement", "nonlocal_statement", "yield")) > 0 {
		return true
	}
	for _, a := range fn.Find("assignment", "augmented_assignment") {
		if !a.Field("left").Is("identifier") {
			return true
		}
	}
	for _, c := range fn.Find("call") {
		f := c.Field("function")
		if f.Is("attribute") && !logs[syntax.PyName(f)] && syntax.PyName(f) != "format" && syntax.PyName(f) != "get" {
			return true
		}
	}
	return false
}

// onlyTells reports whether an expression does nothing with a code but compare it and
// write it into a message or a list that nobody reads.
func onlyTells(n syntax.Node) bool {
	if !n.Is("call", "boolean_operator", "conditional_expression", "comparison_operator", "identifier", "not_operator", "parenthesized_expression") ||
		len(n.Find("named_expression", "await", "yield", "lambda", "subscript")) > 0 {
		return false
	}
	// A computation may raise for a failure, as a look-up does; % writes into a text.
	if slices.ContainsFunc(n.Find("binary_operator"), func(b syntax.Node) bool {
		return b.Field("operator").Text() != "%" || !b.Field("left").Is("string")
	}) {
		return false
	}
	for _, c := range append(n.Find("call"), n) {
		if !c.Is("call") {
			continue
		}
		switch f := c.Field("function"); {
		case f.Is("identifier"):
			if name := f.Text(); name != "print" && name != "str" && name != "repr" && name != "hex" && name != "int" {
				return false
			}
		case f.Is("attribute") && logs[syntax.PyName(f)]:
			// What is called a logger writes messages; another object may raise.
			if of := strings.ToLower(f.Field("object").Text()); !strings.Contains(of, "log") && of != "warnings" {
				return false
			}
		case f.Is("attribute") && syntax.PyName(f) == "append":
			if !unread(f.Field("object")) {
				return false
			}
		case f.Is("attribute") && syntax.PyName(f) == "format":
		default:
			return false
		}
	}
	return true
}

// condition is what an if statement on the code does with it.
func (r *tracked) condition(stmt, cond syntax.Node) use {
	if stmt.Is("assert_statement") || !cond.Valid() {
		return checks
	}
	if stmt.ChildOf("else_clause", "elif_clause").Valid() {
		for c := range stmt.Children() {
			body := c.Field("body")
			switch {
			case c.Is("block"):
				body = c
			case c.Is("elif_clause"):
				body = c.Field("consequence")
			}
			if body.Valid() && !onlyLogs(body) {
				return checks
			}
		}
		return tells
	}
	if parts := cond.NamedChildren(); cond.Is("comparison_operator") && len(parts) == 2 && r.is[parts[0].Text()] == asCode && cond.ChildOf("==").Valid() {
		if v := parts[1]; v.Is("unary_operator") || v.Is("integer") && strings.Trim(v.Text(), "0_") != "" {
			return sometimes // one code of several
		}
	}
	if r.someCodes(cond) {
		return sometimes
	}
	body := stmt.Field("consequence")
	if onlyLogs(body) {
		return tells
	}
	if r.failing(cond) == holds && r.goesOn(body) {
		return ignores
	}
	return checks
}

// goesOn reports whether a branch for a failure writes messages at most and then
// returns the output that was never written, or makes a success of the code.
func (r *tracked) goesOn(body syntax.Node) bool {
	list := body.NamedChildren()
	for len(list) > 0 && list[len(list)-1].IsComment() {
		list = list[:len(list)-1]
	}
	for i, s := range list {
		e := s.NamedChild(0)
		switch {
		case s.Is("pass_statement", "import_statement", "import_from_statement"), s.IsComment():
		case s.Is("expression_statement") && e.Is("call") && logs[syntax.PyName(e.Field("function"))]:
		case s.Is("expression_statement") && e.Is("assignment") && r.is[e.Field("left").Text()] == asCode:
			if v, ok := host.PyInt(e.Field("right")); !ok || v != 0 {
				return false
			}
		case s.Is("return_statement"):
			return i == len(list)-1 && r.output != "" && e.Is("identifier") && e.Text() == r.output
		default:
			return false
		}
	}
	return true
}

// block is verdict for a list of statements.
func (r *tracked) block(block syntax.Node) use {
	result := nothing
	for _, s := range block.NamedChildren() {
		switch v := r.verdict(s); v {
		case checks, ignores, alters, unclear:
			return v
		case returns:
			return unclear
		case sometimes, tells:
			result = v
		}
	}
	return result
}

// onlyChecked reports whether all uses of the code below a node are checks.
func (r *tracked) onlyChecked(n syntax.Node) bool {
	for _, id := range n.Find("identifier") {
		if r.is[id.Text()] == none {
			continue
		}
		call := id.Parent().Parent()
		if !call.Is("call") || syntax.PyName(call.Field("function")) != "check_rc" {
			return false
		}
	}
	return true
}
