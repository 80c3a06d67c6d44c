// Package r26 is rule R26: math calls carry their static modes.
package r26

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R26.
var Rule = &rules.Rule{
	ID: "R26", Title: "Math calls carry their static modes",
	Category: "syntax", Owner: "kernel", Severity: rules.Error, DecidedBy: "cross-file", Fix: "suggest",
	Signatures: []string{"S-B11", "S-J09", "S-J17"},
	Why:        "Rounding, flush-to-zero, NaN and overflow behaviour are arguments of the named functions; a call without them does not build, and one with other modes than the reference computes something else.",
	Triage: []string{
		"Count the arguments: values first, then the modes in the order that the message gives.",
		"Take the modes from the reference; plain operators have default modes.",
	},
	First: map[string]int{"mode": 1, "flush": 1, "count": 0, "position": 0},
	Doc:   doc, Pin: "0.2.0", Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules}, Run: run,
}

func run(p *rules.Pass) {
	reference := referenceFlush(p.Tree.File(p.Kernel.Reference))
	for _, m := range dsl.Modules.Of(p) {
		seen := map[string][]syntax.Node{}
		for _, fn := range m.Funcs {
			for _, c := range fn.Calls() {
				if op, ok := dsl.Ops[fn.Op(c)]; ok {
					check(p, c, op)
					if len(c.Args) == op.Args {
						if module, mode, ok := dsl.Mode(c.Args[op.Args-1]); ok && module == "ftz" {
							seen[op.Name+" "+mode] = append(seen[op.Name+" "+mode], c.Args[op.Args-1])
						}
					}
				}
			}
		}
		for name, want := range reference {
			have, other := "Disabled", "Enabled"
			if !want.flushes {
				have, other = other, have
			}
			// Only when all calls of the function differ from all of the reference's,
			// or when there are as many: then none is there for another reason.
			if n := len(seen[name+" "+other]); n == 0 || n+len(seen[name+" "+have]) == want.calls {
				for _, n := range seen[name+" "+have] {
					p.Reportf(n, rules.Warning, "flush "+name, "`%s` runs with `ftz::%s`, but every `ct.%s` of the reference has flush_to_zero=%s", name, have, name, python(want.flushes))
				}
			}
		}
	}
}

func check(p *rules.Pass, c dsl.Call, op dsl.Op) {
	if len(c.Args) != op.Args {
		p.Reportf(c.Node, rules.Error, "count", "`%s` takes %s, found %d", op.Name, signature(op), len(c.Args))
		return
	}
	for i, a := range c.Args {
		want := op.Modes[i]
		module, mode, isMode := dsl.Mode(a)
		switch {
		case want == "" && isMode:
			p.Reportf(a, rules.Error, "position", "`%s` stands where `%s` takes a value; it takes %s", a.Squeeze(), op.Name, signature(op))
		case want == "":
		case a.Is("string_literal", "boolean_literal", "integer_literal", "float_literal"):
			p.Reportf(a, rules.Error, "position", "argument %d of `%s` is a mode, `%s::..`, found `%s`", i+1, op.Name, want, a.Squeeze())
		case isMode && module != want:
			p.Reportf(a, rules.Error, "position", "argument %d of `%s` is a mode of `%s`, found `%s`", i+1, op.Name, want, a.Squeeze())
		case isMode && dsl.Modes[want] != nil && !slices.Contains(dsl.Modes[want], mode):
			if op.Name == "trunci" && mode == "Wrap" {
				continue // rule R7 says so
			}
			p.Reportf(a, rules.Error, "mode", "there is no `%s`; `%s` has %s", a.Squeeze(), want, strings.Join(dsl.Modes[want], ", "))
		}
	}
}

// signature describes a function's arguments, such as "4 arguments (value,
// value, rounding, ftz)".
func signature(op dsl.Op) string {
	kinds := make([]string, op.Args)
	for i := range kinds {
		kinds[i] = "value"
		if m := op.Modes[i]; m != "" {
			kinds[i] = m + "::.."
		}
	}
	if op.Args == 1 {
		return "1 argument (" + kinds[0] + ")"
	}
	return fmt.Sprintf("%d arguments (%s)", op.Args, strings.Join(kinds, ", "))
}

// referenceFlush says for functions of one name in both languages whether the
// reference flushes to zero in all its calls; functions that it calls in both
// ways are absent.
func referenceFlush(f *syntax.File) map[string]flush {
	calls := map[string][]bool{}
	for _, c := range f.Root().Find("call") {
		name := syntax.PyDotted(c.Field("function"))
		switch name {
		case "ct.exp2", "ct.rsqrt", "ct.sqrt":
			v := syntax.PyArg(c, "flush_to_zero", -1)
			name = strings.TrimPrefix(name, "ct.")
			if v.Valid() && !v.Is("true", "false") {
				calls[name] = append(calls[name], true, false)
				continue
			}
			calls[name] = append(calls[name], v.Is("true"))
		}
	}
	out := map[string]flush{}
	for name, all := range calls {
		if !slices.Contains(all, !all[0]) {
			out[name] = flush{all[0], len(all)}
		}
	}
	return out
}

// flush is what all calls of a function in the reference have in common.
type flush struct {
	flushes bool
	calls   int
}

func python(b bool) string {
	if b {
		return "True"
	}
	return "False"
}
