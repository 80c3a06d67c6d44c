package r32

import (
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

// unlaunched reports success that an export returns without a launch: for a dtype that
// it does not know, for what could not be had, for a null descriptor or for what is too
// large. An output of no elements needs no launch, so that a size of 0 is left alone.
func unlaunched(p *rules.Pass, e *host.Export, o *outcomes) {
	launches := launching(e)
	if len(launches) == 0 {
		return
	}
	report := func(n syntax.Node, what string) {
		if !slices.ContainsFunc(launches, func(l syntax.Node) bool { return !o.looks.Spend() || precedes(l, n) }) {
			p.Reportf(n, rules.Error, "nothing", "%s is answered with `%s`, although nothing was launched: the caller takes an output that was never written; expected a code of `ffi_util::rc`", what, rules.Short(n))
		}
	}
	dtypes := map[syntax.Node]bool{}
	e.Body.Inspect(func(n syntax.Node) bool {
		switch n.Kind() {
		case "function_item", "closure_expression":
			return false
		case "match_arm":
			v := last(n.Field("value"))
			if v.Is("return_expression") {
				v = v.NamedChild(0)
			} else if b := n.Field("value"); b.Is("block") && leavesWith(b).Valid() {
				v = leavesWith(b)
			}
			if !o.ok(v) || !returned(v) && !v.Parent().Is("return_expression") {
				return true
			}
			of := n.Ancestor("match_expression").Field("value")
			switch pattern := variant(n.Field("pattern").Squeeze()); {
			case otherDtype(n, dtypes):
				report(v, "a dtype without an arm")
			case (pattern == "None" || strings.HasPrefix(pattern, "Err(")) && needed(of):
				report(v, "a failure of `"+rules.Short(of)+"`")
			}
		case "let_declaration":
			if of := n.Field("value"); needed(of) && o.ok(leavesWith(n.Field("alternative"))) {
				report(leavesWith(n.Field("alternative")), "a failure of `"+rules.Short(of)+"`")
			}
		case "if_expression":
			v := leavesWith(n.Field("consequence"))
			if !o.ok(v) {
				return true
			}
			switch cond := n.Field("condition"); {
			case anyNull(cond):
				report(v, "a null descriptor")
			case tooLarge(cond):
				report(v, "`"+rules.Short(cond)+"`")
			}
		}
		return true
	})
}

// launching lists what launches in an export: calls, and macros that do.
func launching(e *host.Export) []syntax.Node {
	var out []syntax.Node
	macros := map[string]bool{"dispatch_by_dtype": true}
	for _, m := range e.Body.Find("macro_definition") {
		macros[m.Field("name").Text()] = true
	}
	e.Body.Inspect(func(n syntax.Node) bool {
		switch n.Kind() {
		case "macro_invocation":
			if macros[syntax.LastSegment(n.Field("macro"))] {
				out = append(out, n)
			}
		case "call_expression":
			if c, ok := dsl.AsCall(n); ok && c.Method() && slices.Contains([]string{"sync_on", "sync", "async_on", "enqueue", "launch"}, c.Name) {
				out = append(out, n)
			}
		}
		return true
	})
	return out
}

// precedes reports whether a launch may have run where control reaches a node.
func precedes(launch, n syntax.Node) bool {
	if launch.Span().Start > n.Span().Start || launch.Ancestor("macro_definition") != n.Ancestor("macro_definition") {
		return false
	}
	for p, from := n.Parent(), n; p.Valid(); p, from = p.Parent(), p {
		if !launch.Inside(p) {
			continue
		}
		return !p.Is("match_block") && !(p.Is("if_expression") && from == p.Field("alternative") && launch.Inside(p.Field("consequence")))
	}
	return false
}

// otherDtype reports whether an arm takes the dtypes that the others leave. dtypes says of
// blocks of arms whether some arm names a dtype, and is filled.
func otherDtype(arm syntax.Node, dtypes map[syntax.Node]bool) bool {
	pattern := arm.Field("pattern")
	if text := pattern.Squeeze(); pattern.Field("condition").Valid() || !every(text) {
		return false
	}
	arms := arm.Parent()
	named, known := dtypes[arms]
	if !known {
		named = slices.ContainsFunc(arms.NamedChildren(), func(a syntax.Node) bool {
			return slices.ContainsFunc(a.Field("pattern").Find("string_literal"), func(s syntax.Node) bool {
				return host.ElementType(strings.Trim(s.Text(), `"`))
			})
		})
		dtypes[arms] = named
	}
	return named
}

// needed reports whether an expression gives what each launch needs: the name of a
// dtype, a device or a descriptor.
func needed(n syntax.Node) bool {
	for n = dsl.Unparen(n); n.Is("unsafe_block", "block"); {
		n = dsl.Unparen(last(n.ChildOf("block")))
	}
	c, ok := dsl.AsCall(n)
	return ok && (c.Name == "dtype_str" || c.Method() && c.Name == "as_ref" || isDevice(c))
}

// leavesWith is what a block returns that does no more than write messages; invalid
// for another.
func leavesWith(block syntax.Node) syntax.Node {
	if block.Is("else_clause") {
		block = block.NamedChild(0)
	}
	for _, s := range block.NamedChildren() {
		x := s
		if s.Is("expression_statement") {
			x = s.NamedChild(0)
		}
		switch {
		case x.IsComment(), x.Is("macro_invocation") && writes[syntax.LastSegment(x.Field("macro"))]:
		case x.Is("return_expression"):
			return x.NamedChild(0)
		default:
			return syntax.Node{}
		}
	}
	return syntax.Node{}
}

// anyNull reports whether a condition holds as soon as a pointer is null.
func anyNull(cond syntax.Node) bool {
	cond = dsl.Unparen(cond)
	if l, r, ok := dsl.Binary(cond, "||"); ok {
		return anyNull(l) || anyNull(r)
	}
	c, ok := dsl.AsCall(cond)
	return ok && c.Method() && c.Name == "is_null"
}

// tooLarge reports whether a condition holds for sizes over a number.
func tooLarge(cond syntax.Node) bool {
	cond = dsl.Unparen(cond)
	if l, r, ok := dsl.Binary(cond, "||"); ok {
		return tooLarge(l) || tooLarge(r)
	}
	for _, op := range []string{">", ">="} {
		if _, r, ok := dsl.Binary(cond, op); ok {
			v, known := dsl.Integer(r)
			return known && v > 1
		}
	}
	return false
}
