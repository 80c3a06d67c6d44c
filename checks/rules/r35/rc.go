package r35

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

// maxCallers bounds to how many callers a returned code is followed, and how
// often.
const maxCallers = 4

// maxStatements bounds how many statements after a call are looked at.
const maxStatements = 500

// returnCode checks that the code of a library call is looked at before the
// output is used.
func returnCode(p *rules.Pass, w *host.Wrapper, c *host.LibCall) {
	output := ""
	for _, a := range c.Args {
		if d, ok := w.DescOf(a); ok {
			if d.Tensor.Is("identifier") {
				output = d.Tensor.Text()
			}
			break
		}
	}
	follow(p, w, c, c.Node, output, maxCallers)
}

// follow walks from an expression that has the code to where it is checked.
func follow(p *rules.Pass, w *host.Wrapper, c *host.LibCall, n syntax.Node, output string, hops int) {
	if hops == 0 {
		p.Undecided("the return code is handed on too often")
		return
	}
	parent := n.Parent()
	for parent.Is("parenthesized_expression") {
		n, parent = parent, parent.Parent()
	}
	switch {
	case parent.Is("argument_list") && parent.Parent().Is("call"):
		switch syntax.PyName(parent.Parent().Field("function")) {
		case "check_rc":
			if parent.Parent().Parent().Is("expression_statement") {
				toothless(p, w, parent.Parent())
			}
			if at := swallowed(parent.Parent(), output); at.Valid() {
				ignored(p, c, at)
			}
		case "int":
			follow(p, w, c, parent.Parent(), output, hops-1)
		default:
			p.Undecided("the return code is handed to another function")
		}
	case parent.Is("expression_statement"):
		p.ReportFix(n, rules.Error, "rc", fixMissing(w, c, parent, "rc", true), "the return code of `%s` is dropped; expected `check_rc` right after the call", c.Symbol)
	case parent.Is("assignment") && parent.Field("right") == n && parent.Field("left").Is("identifier"):
		assigned(p, w, c, parent, output)
	case parent.Is("return_statement"):
		fn := host.Owner(n)
		callers := w.Callers(fn)
		if len(callers) == 0 || len(callers) > maxCallers {
			p.Undecided("the return code is returned to unknown or many callers")
			return
		}
		for _, call := range callers {
			follow(p, w, c, call, "", hops-1)
		}
	default:
		p.Undecided("the return code is used in a way that is not followed")
	}
}

// assigned looks for the check of a code that has a name, in the statements
// after the call and after the blocks around it.
func assigned(p *rules.Pass, w *host.Wrapper, c *host.LibCall, assignment syntax.Node, output string) {
	rc := assignment.Field("left").Text()
	stmt := assignment.Parent()
	if !stmt.Is("expression_statement") {
		p.Undecided("the return code is assigned inside an expression")
		return
	}
	var early, conditional syntax.Node
	private := map[string]bool{} // lists that no other file reads
	left := maxStatements
	for at := stmt; at.Valid(); {
		if left--; left == 0 {
			p.Undecided("too many statements after the call")
			return
		}
		next := at.Next()
		if !next.Is("else_clause", "elif_clause", "except_clause", "finally_clause") && next.Valid() {
			at = next
			switch verdict(at, rc) {
			case alters:
				p.Reportf(at, rules.Error, "rc altered", "`check_rc` does not get the return code of `%s` as it is; expected `check_rc(%s, ..)`", c.Symbol, rc)
				return
			case checks:
				if at.Is("expression_statement") {
					toothless(p, w, at.NamedChild(0))
				}
				if around := swallowed(at, output); around.Valid() {
					ignored(p, c, around)
					return
				}
				if early.Valid() {
					p.Reportf(early, rules.Error, "rc late", "the output of `%s` is used before its return code is checked; expected `check_rc` right after the call", c.Symbol)
				}
				if at.Is("assert_statement") {
					p.Reportf(at, rules.Warning, "rc assert", "the return code of `%s` is asserted: `python -O` drops that, and the autotuner skips a failing configuration for a RuntimeError only; expected `check_rc`", c.Symbol)
				}
				return
			case unclear:
				p.Undecided("the return code is used in a way that is not followed")
				return
			case sometimes:
				conditional = at
			case ignores:
				ignored(p, c, at)
				return
			}
			if list := appended(at, rc); list != "" && !private[list] {
				if readElsewhere(p, w, list) {
					p.Undecided("the return code is put into a list that another file may read")
					return
				}
				private[list] = true
			}
			if !early.Valid() && (at.Is("return_statement") || output != "" && !at.Is("delete_statement") && mentionsName(at, output)) {
				early = at
			}
			continue
		}
		at = at.Parent()
		for at.Valid() && !at.Is("if_statement", "with_statement", "try_statement", "for_statement", "while_statement", "function_definition", "module") {
			at = at.Parent()
		}
		if at.Is("function_definition", "module") {
			break
		}
	}
	if conditional.Valid() {
		p.Reportf(conditional, rules.Error, "rc late", "the return code of `%s` is checked on some paths only; expected `check_rc` right after the call", c.Symbol)
		return
	}
	p.ReportFix(assignment, rules.Error, "rc", fixMissing(w, c, stmt, rc, false), "the return code of `%s` is never checked; expected `check_rc` right after the call", c.Symbol)
}

// ignored reports a check whose error is caught and forgotten.
func ignored(p *rules.Pass, c *host.LibCall, at syntax.Node) {
	p.Reportf(at, rules.Error, "rc ignored", "the wrapper goes on after `%s` has failed: what it returns was never written; let `check_rc` raise", c.Symbol)
}

// mentionsName reports whether a statement names an identifier.
func mentionsName(n syntax.Node, name string) bool {
	for _, id := range n.Find("identifier") {
		if id.Text() == name {
			return true
		}
	}
	return false
}

// use is what a statement does with a return code.
type use uint8

const (
	nothing   use = iota
	checks        // looks at it on every path
	sometimes     // looks at it on some paths
	ignores       // looks at it and goes on
	alters        // checks something that it computes from it
	unclear       // uses it otherwise
)

func verdict(stmt syntax.Node, rc string) use {
	if !mentionsName(stmt, rc) {
		return nothing
	}
	switch stmt.Kind() {
	case "expression_statement":
		call := stmt.NamedChild(0)
		if call.Is("call") && syntax.PyName(call.Field("function")) == "check_rc" {
			if code := syntax.PyArg(call, "rc", 0); code.Is("binary_operator", "boolean_operator", "conditional_expression", "unary_operator") {
				return alters
			}
			return checks
		}
		if call.Is("assignment") && call.Field("left").Text() == rc {
			return unclear
		}
		if onlyTells(call, rc) {
			return nothing
		}
	case "if_statement", "assert_statement":
		if cond := stmt.Field("condition"); !cond.Valid() || mentionsName(cond, rc) {
			return condition(stmt, cond, rc)
		}
		// The branches do not depend on the code.
		result := sometimes
		all := true
		for c := range stmt.Children() {
			switch c.Kind() {
			case "block":
				all = all && blockVerdict(c, rc) == checks
			case "else_clause":
				all = all && blockVerdict(c.Field("body"), rc) == checks
			case "elif_clause":
				if mentionsName(c.Field("condition"), rc) {
					return unclear
				}
				all = all && blockVerdict(c.Field("consequence"), rc) == checks
			}
			if c.Is("block", "else_clause", "elif_clause") && mentionsName(c, rc) && !checksSomewhere(c, rc) {
				result = unclear
			}
		}
		if all && stmt.ChildOf("else_clause").Valid() {
			return checks
		}
		return result
	case "with_statement":
		if v := blockVerdict(stmt.Field("body"), rc); v != checks || !suppresses(stmt) {
			return v
		}
		return ignores
	case "try_statement":
		if v := blockVerdict(stmt.Field("body"), rc); v != checks || !swallows(stmt) {
			return v
		}
		return ignores
	case "for_statement", "while_statement":
		if checksSomewhere(stmt, rc) {
			return sometimes
		}
	}
	return unclear
}

// onlyTells reports whether an expression does nothing with a code but compare it and
// write it into a message or a list that nobody reads.
func onlyTells(n syntax.Node, rc string) bool {
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

// unread reports whether a list of the module is never looked at in the file.
func unread(list syntax.Node) bool {
	if !list.Is("identifier") {
		return false
	}
	for _, id := range list.File().Root().Find("identifier") {
		p := id.Parent()
		switch {
		case id.Text() != list.Text():
		case p.Is("assignment") && p.Field("left") == id && p.Field("right").Is("list"):
		case p.Is("attribute") && p.Field("object") == id && p.Field("attribute").Text() == "append":
		default:
			return false
		}
	}
	return true
}

// appended is the list of the module that a statement puts a code into, else empty.
func appended(stmt syntax.Node, rc string) string {
	for _, c := range stmt.Find("call") {
		if f := c.Field("function"); f.Is("attribute") && syntax.PyName(f) == "append" && mentionsName(c.Field("arguments"), rc) {
			return f.Field("object").Text()
		}
	}
	return ""
}

// readElsewhere reports whether another file may read a list of the module: one of the
// package that names both, and any where the name is not private.
func readElsewhere(p *rules.Pass, w *host.Wrapper, list string) bool {
	if !strings.HasPrefix(list, "_") {
		return true
	}
	module := strings.TrimSuffix(path.Base(w.File.Path), ".py")
	for _, name := range p.Tree.Files("src", func(f string) bool { return path.Ext(f) == ".py" }) {
		if name == w.File.Path {
			continue
		}
		if src := p.Tree.File(name).Src; bytes.Contains(src, []byte(list)) && bytes.Contains(src, []byte(module)) {
			return true
		}
	}
	return false
}

// condition is what an if statement on the code does with it.
func condition(stmt, cond syntax.Node, rc string) use {
	if stmt.Is("assert_statement") || !cond.Valid() {
		return checks
	}
	if stmt.ChildOf("else_clause", "elif_clause").Valid() {
		return checks
	}
	if parts := cond.NamedChildren(); cond.Is("comparison_operator") && len(parts) == 2 && parts[0].Text() == rc && cond.ChildOf("==").Valid() {
		if v := parts[1]; v.Is("unary_operator") || v.Is("integer") && strings.Trim(v.Text(), "0_") != "" {
			return sometimes // one code of several
		}
	}
	if someCodes(cond, rc) {
		return sometimes
	}
	if onlyLogs(stmt.Field("consequence")) {
		return ignores
	}
	return checks
}

// toothless reports a call of check_rc that is a function of the wrapper's own
// which lets failures pass.
func toothless(p *rules.Pass, w *host.Wrapper, call syntax.Node) {
	if fn := w.Function(call.Field("function")); call.Field("function").Is("identifier") && fn.Valid() && !raisesOnFailure(fn, newCallees(w.File)) {
		p.Reportf(call, rules.Error, "rc own check", "`check_rc` is the wrapper's own here and does not raise for every code but 0; expected that of `utils.py`")
	}
}

// first is a parameter's name.
func first(param syntax.Node) string {
	if name := param.Field("name"); name.Valid() {
		return name.Text()
	}
	if param.Is("typed_parameter") {
		return param.NamedChild(0).Text()
	}
	return param.Text()
}

// onlyLogs reports whether a block does nothing but write messages.
func onlyLogs(block syntax.Node) bool {
	for _, s := range block.NamedChildren() {
		call := s.NamedChild(0)
		switch {
		case s.Is("pass_statement"), s.IsComment():
		case s.Is("expression_statement") && call.Is("call"):
			if !logs[syntax.PyName(call.Field("function"))] {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// swallows reports whether a try statement goes on after check_rc has raised:
// a handler for what it raises neither raises nor leaves.
func swallows(try syntax.Node) bool {
	for c := range try.Children() {
		if c.Is("except_clause") && catches(c) {
			return onlyLogs(c.ChildOf("block"))
		}
	}
	return false
}

// catches reports whether a handler is for what check_rc raises.
func catches(handler syntax.Node) bool {
	names := []string{"BaseException"}
	for _, k := range handler.NamedChildren() {
		if k.Is("block") {
			break
		}
		names = nil
		for _, id := range k.Find("identifier") {
			names = append(names, id.Text())
		}
		if k.Is("identifier") {
			names = append(names, k.Text())
		}
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return name == "RuntimeError" || name == "Exception" || name == "BaseException"
	})
}

func blockVerdict(block syntax.Node, rc string) use {
	result := nothing
	for _, s := range block.NamedChildren() {
		switch v := verdict(s, rc); v {
		case checks, ignores, alters, unclear:
			return v
		case sometimes:
			result = sometimes
		}
	}
	return result
}

// checksSomewhere reports whether all uses of the code below a node are checks.
func checksSomewhere(n syntax.Node, rc string) bool {
	for _, id := range n.Find("identifier") {
		if id.Text() != rc {
			continue
		}
		call := id.Parent().Parent()
		if !call.Is("call") || syntax.PyName(call.Field("function")) != "check_rc" {
			return false
		}
	}
	return true
}

// fixMissing adds a check after the statement, and the import when the file
// lacks it.
func fixMissing(w *host.Wrapper, c *host.LibCall, stmt syntax.Node, rc string, name bool) *rules.Fix {
	label := `"` + c.Symbol + `"`
	for id, v := range w.Consts {
		if s, ok := w.String(v); ok && s == c.Symbol && (label[0] == '"' || id < label) {
			label = id
		}
	}
	f, last := stmt.File(), stmt.EndPos().Line
	if stmt.Next().Valid() && stmt.Next().Pos().Line == last {
		return nil // more statements on the line
	}
	fix := &rules.Fix{Description: "check the return code"}
	if name {
		fix.Edits = append(fix.Edits, rules.TextEdit{Span: syntax.Span{Start: stmt.Span().Start, End: stmt.Span().Start}, New: rc + " = "})
	}
	end := f.LineStart(last) + len(f.Line(last))
	fix.Edits = append(fix.Edits, rules.TextEdit{Span: syntax.Span{Start: end, End: end}, New: "\n" + host.Indent(stmt) + "check_rc(" + rc + ", " + label + ")"})
	if w.Imports["check_rc"] != "" {
		return fix
	}
	var from syntax.Node
	for _, imp := range f.Root().Find("import_from_statement") {
		if strings.HasSuffix(imp.Field("module_name").Text(), "cutile_rs.utils") && imp.Parent().Is("module") {
			from = imp
		}
	}
	if !from.Valid() {
		return nil
	}
	at := f.LineStart(from.EndPos().Line) + len(f.Line(from.EndPos().Line))
	fix.Edits = append(fix.Edits, rules.TextEdit{Span: syntax.Span{Start: at, End: at}, New: "\nfrom " + from.Field("module_name").Text() + " import check_rc"})
	return fix
}
