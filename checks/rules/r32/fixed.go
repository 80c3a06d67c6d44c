package r32

import (
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

// fixed reports a device or stream of the caller that is replaced by a number,
// in the macro that opens them or by a new variable of the parameter's name.
func fixed(p *rules.Pass, e *host.Export) {
	what := func(param string) string {
		switch lower := strings.ToLower(param); {
		case strings.Contains(lower, "stream"):
			return "stream"
		case strings.Contains(lower, "device"):
			return "device"
		}
		return ""
	}
	e.Body.Inspect(func(n syntax.Node) bool {
		switch n.Kind() {
		case "macro_invocation":
			args := host.TokenArgs(n)
			if syntax.LastSegment(n.Field("macro")) != "setup_device_stream" || len(args) != 4 {
				return true
			}
			for i, name := range []string{2: "device", 3: "stream"} {
				if list := args[i].Nodes; name != "" && len(list) == 1 && list[0].Is("integer_literal") {
					p.Reportf(list[0], rules.Error, "fixed "+name, "the %s is `%s` whatever the caller passes; the tensors may be on another one, expected the parameter", name, list[0].Text())
				}
			}
		case "let_declaration":
			name := n.Field("pattern").Text()
			for _, param := range e.Params {
				if param.Name == name && what(name) != "" && dsl.Unparen(n.Field("value")).Is("integer_literal") {
					p.Reportf(n, rules.Error, "fixed "+what(name), "`%s` replaces the %s that the caller passes by a number; the tensors may be on another one", rules.Short(n), what(name))
				}
			}
		}
		return true
	})
}

// dropped reports an export that does not return what a dispatch by dtype gives: the
// code of a failed launch among it.
func dropped(p *rules.Pass, e *host.Export, o *outcomes) {
	macros := map[string]bool{"dispatch_by_dtype": true}
	for _, m := range e.Body.Find("macro_definition") {
		macros[m.Field("name").Text()] = slices.ContainsFunc(dsl.Calls(m), func(c dsl.Call) bool { return c.Method() && (c.Name == "sync_on" || c.Name == "sync") })
	}
	seen := map[syntax.Node]bool{}
	e.Body.Inspect(func(n syntax.Node) bool {
		switch n.Kind() {
		case "macro_invocation":
			if !macros[syntax.LastSegment(n.Field("macro"))] {
				return true
			}
			tell(p, o.of(n, code), seen, "nobody looks at the code of the launch; expected that the export returns it")
		case "call_expression":
			if c, ok := dsl.AsCall(n); ok && c.Method() && (c.Name == "max" || c.Name == "abs") && returned(n) && (c.Name == "abs" || len(c.Args) == 1 && o.ok(c.Args[0])) {
				p.Reportf(n, rules.Error, "failure", "`%s` turns the code of a failed launch into another, which the caller takes for a result; expected the code itself", rules.Short(n))
			}
		}
		return true
	})
}
