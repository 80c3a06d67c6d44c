// Package r02 is rule R2: plain decimal literals in values that the kernel
// compiler sees.
package r02

import (
	_ "embed"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R2.
var Rule = &rules.Rule{
	ID: "R2", Title: "Plain decimal literals in kernel values",
	Category: "syntax", Owner: "kernel", Severity: rules.Error, DecidedBy: "syntax", Fix: "safe",
	Signatures: []string{"S-J04", "S-J05", "S-J06"},
	Why:        "The kernel compiler reads values itself: a constant behind a longer path is no value to it, and the rulebook allows only plain decimals.",
	Triage: []string{
		"Write the value as a decimal literal with its type suffix.",
		"For a value of your own, use a `const` of the module with a decimal literal.",
		"For a runtime value, use `broadcast_scalar`.",
	},
	First: map[string]int{"exponent": 0, "path": 1, "two segments": 0, "unknown": 0},
	Doc:   doc, Pin: "0.2.0", Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules}, Run: run,
}

var (
	roots = []string{"std", "core", "f32", "f64", "f16", "bf16"}
	// dense are the two-segment constants that constant(..) takes, with ZERO and
	// ONE, which no rule is against.
	dense    = []string{"NEG_INFINITY", "INFINITY", "E"}
	constant = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)
)

func run(p *rules.Pass) {
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Funcs {
			fn.Body.Inspect(func(n syntax.Node) bool {
				switch n.Kind() {
				case "const_item", "static_item", "type_arguments":
					return false
				case "float_literal":
					exponent(p, n)
				case "scoped_identifier":
					path(p, fn, n)
					return false
				}
				return true
			})
		}
	}
}

func exponent(p *rules.Pass, n syntax.Node) {
	if !strings.ContainsAny(n.Text(), "eE") {
		return
	}
	var fix *rules.Fix
	if plain, ok := Decimal(n.Text()); ok {
		fix = rules.Replace(n, plain, "write the value without an exponent")
	}
	p.ReportFix(n, rules.Warning, "exponent", fix, "`%s` has an exponent; the rulebook asks for a plain decimal literal (cutile 0.2.0 compiles it)", n.Text())
}

// path reports a constant behind a path. Two segments are legal as the first
// argument of constant(..); elsewhere they are rule R14's.
func path(p *rules.Pass, fn *dsl.Func, n syntax.Node) {
	segments := strings.Split(n.Squeeze(), "::")
	name := segments[len(segments)-1]
	if !constant.MatchString(name) {
		return
	}
	inConsts := len(segments) > 1 && segments[len(segments)-2] == "consts"
	switch {
	case len(segments) >= 3 && slices.Contains(roots, segments[0]) || inConsts && (len(segments) == 2 || segments[0] != "cutile"):
		var fix *rules.Fix
		if lit, ok := literal(segments); ok {
			fix = rules.Replace(n, lit, "write the value of the constant")
		}
		p.ReportFix(n, rules.Error, "path", fix, "`%s` is a constant behind a path; the kernel compiler takes a decimal literal, or a path of two segments in `constant(..)`", n.Squeeze())
	case len(segments) != 2 || !slices.Contains(roots[2:], segments[0]) || name == "ZERO" || name == "ONE" || !inConstant(fn, n):
	case !slices.Contains(dense, name):
		p.Reportf(n, rules.Error, "unknown", "`%s` is no constant that the kernel compiler knows; expected a decimal literal (in `constant(..)` it also takes %s)", n.Squeeze(), "`"+strings.Join(dense, "`, `")+"`")
	default:
		p.Reportf(n, rules.Note, "two segments", "`%s` compiles in `constant(..)` with cutile 0.2.0, but the rulebook asks for a decimal literal", n.Squeeze())
	}
}

// inConstant reports whether the node is the first argument of constant(..).
func inConstant(fn *dsl.Func, n syntax.Node) bool {
	c, ok := dsl.AsCall(n.Parent().Parent())
	return ok && fn.Op(c) == "constant" && len(c.Args) > 0 && c.Args[0] == n
}

var values = map[string]float64{
	"PI": math.Pi, "TAU": 2 * math.Pi, "E": math.E, "LN_2": math.Ln2, "LN_10": math.Ln10,
	"LOG2_E": math.Log2E, "LOG10_E": math.Log10E, "SQRT_2": math.Sqrt2,
	"FRAC_1_SQRT_2": math.Sqrt2 / 2, "FRAC_PI_2": math.Pi / 2, "FRAC_PI_4": math.Pi / 4,
	"FRAC_1_PI": 1 / math.Pi, "FRAC_2_PI": 2 / math.Pi, "FRAC_2_SQRT_PI": 2 / math.SqrtPi,
}

// literal is the decimal literal of a mathematical constant such as
// core::f32::consts::LN_2: the shortest that reads back as the f64 value, which
// is also nearest in f32.
func literal(segments []string) (string, bool) {
	if len(segments) < 3 || segments[len(segments)-2] != "consts" {
		return "", false
	}
	v, ok := values[segments[len(segments)-1]]
	typ := segments[len(segments)-3]
	if !ok || typ != "f32" && typ != "f64" {
		return "", false
	}
	return strconv.FormatFloat(v, 'f', -1, 64) + typ, true
}

var parts = regexp.MustCompile(`^([0-9_]+)(?:\.([0-9_]*))?[eE]_*([+-]?)_*([0-9][0-9_]*)((?:f16|bf16|f32|f64)?)$`)

// Decimal writes a float literal with an exponent as the same number without
// one, suffix kept; ok is false when it would be unreasonably long.
func Decimal(lit string) (string, bool) {
	m := parts.FindStringSubmatch(lit)
	if m == nil {
		return "", false
	}
	digits := func(s string) string { return strings.ReplaceAll(s, "_", "") }
	whole, frac := digits(m[1]), digits(m[2])
	exp, err := strconv.Atoi(m[3] + digits(m[4]))
	if err != nil || exp < -60 || exp > 60 {
		return "", false
	}
	all := whole + frac
	point := len(whole) + exp
	if point <= 0 {
		all = strings.Repeat("0", 1-point) + all
		point = 1
	}
	if point >= len(all) {
		all += strings.Repeat("0", point-len(all)+1)
	}
	left := strings.TrimLeft(all[:point], "0")
	right := strings.TrimRight(all[point:], "0")
	if left == "" {
		left = "0"
	}
	if right == "" {
		right = "0"
	}
	return left + "." + right + m[5], true
}
