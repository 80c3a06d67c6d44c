package r35

import (
	"slices"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

// wrapped reports a decorator of the file around what launches that catches the error
// of a failed launch and goes on as if there had been none.
func wrapped(p *rules.Pass, w *host.Wrapper) {
	launches := w.Launches()
	for _, fn := range w.File.Root().Find("function_definition") {
		if _, ok := launches[fn]; !ok {
			continue
		}
		for _, d := range syntax.PyDecorators(fn) {
			by := d
			if d.Is("call") {
				by = d.Field("function")
			}
			if def := w.Function(by); by.Is("identifier") && def.Is("function_definition") && hides(def) {
				p.Reportf(d, rules.Error, "rc ignored", "`@%s` catches what `check_rc` raises in `%s` and goes on: what it returns then was never written; let the error through", rules.Short(d), fn.Field("name").Text())
			}
		}
	}
}

// hides reports whether a decorator calls what it decorates in a try statement that
// goes on after an error without making a result in another way.
func hides(def syntax.Node) bool {
	given := map[string]bool{}
	for _, f := range append(def.Find("function_definition"), def) {
		for _, q := range f.Field("parameters").Find("identifier") {
			given[q.Text()] = true
		}
	}
	return slices.ContainsFunc(def.Find("try_statement"), func(try syntax.Node) bool {
		calls := slices.ContainsFunc(try.Field("body").Find("call"), func(c syntax.Node) bool {
			return c.Field("function").Is("identifier") && given[c.Field("function").Text()]
		})
		return calls && (swallows(try) && !try.Next().Valid() || returnsGiven(try, given))
	})
}

// returnsGiven reports whether a handler for the error returns one of the arguments, or
// nothing, and does no more than write a message.
func returnsGiven(try syntax.Node, given map[string]bool) bool {
	for c := range try.Children() {
		if !c.Is("except_clause") || !catches(c) {
			continue
		}
		body := c.ChildOf("block").NamedChildren()
		if len(body) == 0 {
			return false
		}
		end := body[len(body)-1]
		value := end.NamedChild(0)
		for value.Is("subscript", "parenthesized_expression") {
			value = value.NamedChild(0)
		}
		known := !value.Valid() || value.Is("none") || value.Is("identifier") && given[value.Text()]
		for id := range c.ChildOf("block").Children() {
			if id != end && id.Named() && !id.IsComment() && !id.Is("expression_statement", "pass_statement") {
				return false
			}
		}
		return end.Is("return_statement") && known && !slices.ContainsFunc(c.ChildOf("block").Find("call"), func(call syntax.Node) bool {
			return !logs[syntax.PyName(call.Field("function"))]
		}) && len(c.ChildOf("block").Find("assignment", "augmented_assignment")) == 0
	}
	return false
}
