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
	follow(p, w, c, c.Node, asCode, output, maxCallers)
}

// follow walks from an expression that has the code, or tells whether the call has
// failed, to where it is checked.
func follow(p *rules.Pass, w *host.Wrapper, c *host.LibCall, n syntax.Node, is form, output string, hops int) {
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
			follow(p, w, c, parent.Parent(), is, output, hops-1)
		default:
			if call := parent.Parent(); call.Parent().Is("expression_statement") && is == asCode && newTracked(w, "").handed(call, n) == tells {
				lets(p, call)
				return
			}
			p.Undecided("the return code is handed to another function")
		}
	case parent.Is("expression_statement"):
		var fix *rules.Fix
		if is == asCode {
			fix = fixMissing(w, c, parent, "rc", true)
		}
		dropped(p, c, n, fix)
	case parent.Is("assignment") && parent.Field("right") == n && parent.Field("left").Is("identifier"):
		assigned(p, w, c, parent, parent.Field("left").Text(), is, output, hops)
	case parent.Is("return_statement"):
		returnedCode(p, w, c, host.Owner(n), -1, 0, is, hops)
	default:
		if stmt := n.Ancestor("if_statement"); n.Inside(stmt.Field("condition")) {
			r := newTracked(w, output)
			r.at, r.atIs = n, is
			if u := r.condition(stmt, stmt.Field("condition")); u == tells || u == ignores {
				ignored(p, c, stmt)
				return
			}
		}
		p.Undecided("the return code is used in a way that is not followed")
	}
}

// dropped reports a call after which nobody has the code.
func dropped(p *rules.Pass, c *host.LibCall, call syntax.Node, fix *rules.Fix) {
	p.ReportFix(call, rules.Error, "rc", fix, "the return code of `%s` is dropped; expected `check_rc` right after the call", c.Symbol)
}

// returnedCode follows a code that a function returns to its callers, alone or as one
// of several parts.
func returnedCode(p *rules.Pass, w *host.Wrapper, c *host.LibCall, fn syntax.Node, part, parts int, is form, hops int) {
	if !w.AsWritten(fn) {
		p.Undecided("the function that returns the return code is replaced by another")
		return
	}
	callers := w.Callers(fn)
	if len(callers) == 0 || len(callers) > maxCallers {
		p.Undecided("the return code is returned to unknown or many callers")
		return
	}
	for _, call := range callers {
		parent := call.Parent()
		if part < 0 {
			follow(p, w, c, call, is, "", hops-1)
			continue
		}
		if parent.Is("expression_statement") {
			dropped(p, c, call, nil) // with other parts, so that no statement checks it alone
			continue
		}
		targets := parent.Field("left").NamedChildren()
		if !parent.Is("assignment") || parent.Field("right") != call || !parent.Field("left").Is("pattern_list", "tuple_pattern") || len(targets) != parts || !targets[part].Is("identifier") || hops == 1 {
			p.Undecided("the return code is returned as a part of something that is not taken apart")
			continue
		}
		assigned(p, w, c, parent, targets[part].Text(), is, "", hops-1)
	}
}

// assigned looks for the check of a code that has a name, in the statements
// after the call and after the blocks around it.
func assigned(p *rules.Pass, w *host.Wrapper, c *host.LibCall, assignment syntax.Node, name string, is form, output string, hops int) {
	rc := newTracked(w, output)
	rc.is[name] = is
	stmt := assignment.Parent()
	if !stmt.Is("expression_statement") {
		p.Undecided("the return code is assigned inside an expression")
		return
	}
	var early, conditional, told syntax.Node
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
			use := rc.verdict(at)
			switch use {
			case alters:
				p.Reportf(at, rules.Error, "rc altered", "`check_rc` does not get the return code of `%s` as it is; expected `check_rc(%s, ..)`", c.Symbol, name)
				return
			case returns:
				part, parts, returned := rc.returned(at)
				returnedCode(p, w, c, host.Owner(at), part, parts, returned, hops)
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
			case tells:
				if !told.Valid() {
					told = at
				}
			case ignores:
				ignored(p, c, at)
				return
			}
			if list := rc.appended(at); list != "" && !private[list] {
				if readElsewhere(p, w, list) {
					p.Undecided("the return code is put into a list that another file may read")
					return
				}
				private[list] = true
			}
			if use != tells && !early.Valid() && (at.Is("return_statement") || output != "" && !at.Is("delete_statement") && mentionsName(at, output)) {
				early = at
			}
			continue
		}
		part := at
		at = at.Parent()
		for at.Valid() && !at.Is("if_statement", "with_statement", "try_statement", "for_statement", "while_statement", "function_definition", "module") {
			at = at.Parent()
		}
		if at.Is("function_definition", "module") {
			break
		}
		switch rc.around(at, part) {
		case checks:
			return
		case unclear:
			p.Undecided("the return code is used in a way that is not followed")
			return
		}
	}
	switch {
	case told.Is("expression_statement"):
		lets(p, told.NamedChild(0))
		return
	case told.Valid():
		ignored(p, c, told)
		return
	case conditional.Valid():
		p.Reportf(conditional, rules.Error, "rc late", "the return code of `%s` is checked on some paths only; expected `check_rc` right after the call", c.Symbol)
		return
	}
	var fix *rules.Fix
	if is == asCode && name != "_" {
		fix = fixMissing(w, c, stmt, name, false)
	}
	p.ReportFix(assignment, rules.Error, "rc", fix, "the return code of `%s` is never checked; expected `check_rc` right after the call", c.Symbol)
}

// lets reports a function of the wrapper's own that gets the code and lets failures pass.
func lets(p *rules.Pass, call syntax.Node) {
	p.Reportf(call, rules.Error, "rc own check", "`%s` is the wrapper's own here and does not raise for every code but 0; expected `check_rc` of `utils.py`", call.Field("function").Text())
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
func (r *tracked) appended(stmt syntax.Node) string {
	for _, c := range stmt.Find("call") {
		if f := c.Field("function"); f.Is("attribute") && syntax.PyName(f) == "append" && r.mentions(c.Field("arguments")) {
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

// toothless reports a call of check_rc that is a function of the wrapper's own
// which lets failures pass.
func toothless(p *rules.Pass, w *host.Wrapper, call syntax.Node) {
	if fn := w.Function(call.Field("function")); call.Field("function").Is("identifier") && fn.Valid() && w.AsWritten(fn) && !raisesOnFailure(fn, 0, newCallees(w.File)) {
		lets(p, call)
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
		case s.Is("pass_statement", "import_statement", "import_from_statement"), s.IsComment():
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
// a handler for what it raises neither raises nor leaves, or what runs at the end
// returns, which drops the error.
func swallows(try syntax.Node) bool {
	for _, s := range try.ChildOf("finally_clause").ChildOf("block").NamedChildren() {
		if s.Is("return_statement") {
			return true
		}
	}
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
