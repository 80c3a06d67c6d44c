package integrity

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// check is a comparison or measurement of a test in a form in which two
// spellings of the same are equal.
type check struct {
	event
	name string // "close" for all element-wise comparisons
	// strict orders comparisons by what else they look at: shape, type, stride.
	strict int
	callee string
	args   map[string]*term // without tolerances
	tols   []tolerance
	// spread says that some arguments come from a sequence or a dictionary that is
	// not known.
	spread bool
}

// tolerance is one limit of a check.
type tolerance struct {
	name string
	// t is the value, nil for the default.
	t *term
	// falls says that smaller values are looser.
	falls bool
}

// closeness ranks the element-wise comparisons by what else they compare.
var closeness = map[string]int{
	"allclose": 1, "isclose": 1, "assert_allclose": 1, "assert_close": 2, "compare_tensors": 3, "assertAllClose": 3,
}

// isTolerance reports whether an argument of this name limits a difference.
func isTolerance(name string) bool {
	switch name {
	case "rel", "abs", "eps", "delta", "places", "decimal", "nulp", "maxulp", "threshold", "significant":
		return true
	}
	return strings.Contains(name, "tol") || strings.HasPrefix(name, "max_err") || strings.HasPrefix(name, "max_diff")
}

func fallsLooser(name string) bool {
	return name == "places" || name == "decimal" || name == "significant"
}

// holders are calls below a check whose tolerances count as the check's.
func holder(name string) bool {
	return closeness[name] > 0 || name == "approx" || name == "TestParam"
}

// holds reports a call whose options may be tolerances.
func (t *term) holds() bool { return t.is("call") && holder(t.kids[0].last()) }

// tolerance reports an option that is one.
func (t *term) tolerance() bool { return t.is("kw") && isTolerance(t.text) }

// newCheck reads an event.
func (s *side) newCheck(e event) check {
	c := check{event: e, args: map[string]*term{}}
	t := e.t
	if t.is("fresh") {
		t = t.kids[0]
	}
	if t.is("assert") {
		body := t.kids[0]
		for _, wrapped := range []string{"all", "item"} { // assert torch.isclose(...).all()
			if body.is("call") && len(body.kids) == 1 && body.kids[0].is("attr") && body.kids[0].text == wrapped {
				body = body.kids[0].kids[0]
			}
		}
		if body.is("call") && closeness[body.kids[0].last()] > 0 {
			t = body
		} else {
			c.name, c.callee = "assert", "assert"
			c.args["condition"] = s.bound(body, &c)
			return c
		}
	}
	if !t.is("call") {
		c.name, c.args["value"] = t.op, t
		return c
	}
	c.callee = t.kids[0].last()
	c.name = c.callee
	if rank := closeness[c.name]; rank > 0 {
		c.name, c.strict = "close", rank
		c.args["callee"] = s.calleeOf(t.kids[0])
	} else if !t.kids[0].is("sym") || t.kids[0].text != c.name {
		c.args["callee"] = s.calleeOf(t.kids[0])
	}
	sg := s.signature(c.callee)
	for i, k := range t.kids[1:] {
		name, v := "#"+string(rune('0'+i%10)), k
		c.spread = c.spread || k.is("star", "dstar")
		if k.is("kw") {
			name, v = k.text, k.kids[0]
		}
		if sg != nil && c.name == "close" && len(sg.params) > 1 {
			switch name {
			case sg.params[0]:
				name = "actual"
			case sg.params[1]:
				name = "expected"
			}
		}
		switch {
		case isTolerance(name):
			c.tols = append(c.tols, tolerance{name, v, fallsLooser(name)})
		case name == "msg" || name == "err_msg" || name == "verbose" || name == "msg_prefix" || name == "comparison_chunk_size" || name == "chunk_size":
		default:
			c.args[name] = s.hole(v, &c)
		}
	}
	for _, name := range []string{"rtol", "atol"} {
		takes := sg != nil && slices.Contains(sg.params, name)
		if takes && !slices.ContainsFunc(c.tols, func(t tolerance) bool { return t.name == name }) {
			c.tols = append(c.tols, tolerance{name: name})
		}
	}
	return c
}

// calleeOf is what a comparison is called on, where that matters: the library's
// functions are equal, other objects are not.
func (s *side) calleeOf(t *term) *term {
	if t.is("sym") {
		switch root, _, _ := strings.Cut(t.text, "."); root {
		case "torch", "numpy", "np", "common", "self":
			return s.u.raw("sym", root+".…")
		}
	}
	return t
}

func (s *side) signature(name string) *signature {
	if sg := s.known[name]; sg != nil {
		return sg
	}
	return signatures[name]
}

// bound takes the limit out of an asserted comparison with a number.
func (s *side) bound(t *term, c *check) *term {
	u := s.u
	hole := u.raw("hole", "bound")
	inner, negated := t, false
	if t.is("not") {
		inner, negated = t.kids[0], true
	}
	if inner.is("cmp") && (inner.text == "<" || inner.text == "<=") {
		a, b := s.hole(inner.kids[0], c), s.hole(inner.kids[1], c)
		upperA, upperB := negated, !negated // whether the number limits from above
		switch {
		case numeric(inner.kids[1]):
			c.tols = append(c.tols, tolerance{"bound", inner.kids[1], !upperB})
			return u.raw("limit", map[bool]string{true: "above", false: "below"}[upperB], a, hole)
		case numeric(inner.kids[0]):
			c.tols = append(c.tols, tolerance{"bound", inner.kids[0], !upperA})
			return u.raw("limit", map[bool]string{true: "above", false: "below"}[upperA], b, hole)
		}
	}
	return s.hole(t, c)
}

// numeric reports whether a term is a number or a choice of numbers.
func numeric(t *term) bool {
	_, _, ok := interval(t)
	return ok
}

// limits are what a term lies between, where it is a number.
type limits struct {
	lo, hi float64
	ok     bool
}

// interval is the range of a numeric term.
func interval(t *term) (lo, hi float64, ok bool) {
	if t.limits == nil {
		lo, hi, ok = between(t)
		t.limits = &limits{lo, hi, ok && lo <= hi}
	}
	return t.limits.lo, t.limits.hi, t.limits.ok
}

// between is the range of a numeric term, which interval remembers.
func between(t *term) (lo, hi float64, ok bool) {
	if v, ok := t.number(); ok {
		return v, v, true
	}
	switch t.op {
	case "ite":
		lo, hi, ok = interval(t.kids[1])
		lo2, hi2, ok2 := interval(t.kids[2])
		return math.Min(lo, lo2), math.Max(hi, hi2), ok && ok2
	case "bin":
		a, b, okA := interval(t.kids[0])
		c, d, okB := interval(t.kids[1])
		if !okA || !okB {
			return 0, 0, false
		}
		switch t.text {
		case "+":
			return a + c, b + d, true
		case "*":
			p := []float64{a * c, a * d, b * c, b * d}
			return slices.Min(p), slices.Max(p), true
		}
	case "call":
		if name := t.kids[0].last(); name == "max" || name == "min" || name == "float" {
			for i, k := range t.kids[1:] {
				a, b, okK := interval(k)
				if !okK {
					return 0, 0, false
				}
				if i == 0 {
					lo, hi, ok = a, b, true
				} else if name == "max" {
					lo, hi = math.Max(lo, a), math.Max(hi, b)
				} else {
					lo, hi = math.Min(lo, a), math.Min(hi, b)
				}
			}
			return lo, hi, ok
		}
	}
	return 0, 0, false
}

// hole takes the tolerances out of the calls below a check.
func (s *side) hole(t *term, c *check) *term {
	memo := map[*term]*term{}
	var visit func(*term) *term
	visit = func(n *term) *term {
		if !n.tolerant {
			return n
		}
		if m := memo[n]; m != nil {
			return m
		}
		kids := make([]*term, len(n.kids))
		changed := false
		hold := n.holds()
		for i, k := range n.kids {
			if hold && k.tolerance() {
				c.tols = append(c.tols, tolerance{n.kids[0].last() + "." + k.text, k.kids[0], fallsLooser(k.text)})
				kids[i] = s.u.raw("kw", k.text, s.u.raw("hole", k.text))
			} else {
				kids[i] = visit(k)
			}
			changed = changed || kids[i] != k
		}
		out := n
		if changed {
			out = s.u.raw(n.op, n.text, kids...)
		}
		memo[n] = out
		return out
	}
	return visit(t)
}

// strictest are the values at which an option of a check asks for most.
func (u *universe) strictest(name string) *term {
	switch name {
	case "equal_nan", "multiple_outputs", "nan_ok", "allow_subclasses":
		return u.no
	case "check_stride", "check_dtype", "check_device", "check_layout":
		return u.yes
	case "output_processor", "test_index", "ref_index":
		return u.none
	}
	return nil
}

// option is the value of an option of a check, its default where it is absent.
func (s *side) option(c check, name string) *term {
	if v := c.args[name]; v != nil {
		return v
	}
	if sg := s.signature(c.callee); sg != nil && sg.defaults[name] != "" {
		return s.defaultTerm(sg.defaults[name])
	}
	return nil
}

// The tolerances that comparisons use when none is given, by element type.
var (
	harnessDefaults = map[string][2]float64{ // rtol, atol
		"torch.float64": {1e-12, 1e-15}, "torch.float32": {1e-5, 1e-8}, "torch.float16": {1e-2, 1e-2}, "torch.bfloat16": {1e-2, 2e-2},
		"torch.float8_e4m3fn": {1e-1, 1e-1}, "torch.float8_e5m2": {5e-1, 5e-1},
	}
	torchDefaults = map[string][2]float64{
		"torch.float64": {1e-7, 1e-7}, "torch.float32": {1.3e-6, 1e-5}, "torch.float16": {1e-3, 1e-5}, "torch.bfloat16": {1.6e-2, 1e-5},
	}
)

// limits is the range of a tolerance, the default's where none is given.
func (s *side) limits(c check, t tolerance, dtype string) (lo, hi float64, ok bool) {
	if t.t != nil && !t.t.is("none") {
		return interval(t.t)
	}
	i := 0
	if t.name == "atol" {
		i = 1
	}
	if sg := s.signature(c.callee); sg != nil {
		if v, err := strconv.ParseFloat(sg.defaults[t.name], 64); err == nil {
			return v, v, true
		}
	}
	table := harnessDefaults
	if c.callee == "assert_close" {
		table = torchDefaults
	}
	if v, known := table[dtype]; known {
		return v[i], v[i], true
	}
	lo, hi = math.Inf(1), 0
	for _, v := range table {
		lo, hi = math.Min(lo, v[i]), math.Max(hi, v[i])
	}
	return lo, hi, true
}

// dtypeOf is the only floating-point type that a case or a check names, or "".
func dtypeOf(c testCase, k check) string {
	found := ""
	add := func(t *term) bool {
		if !t.is("sym") || !t.constant || !strings.Contains(t.text, "float") {
			return true
		}
		if found != "" && found != t.text {
			return false
		}
		found = t.text
		return true
	}
	for _, name := range sortedKeys(c.values) {
		if !add(c.values[name]) {
			return ""
		}
	}
	if found != "" {
		return found
	}
	for _, name := range sortedKeys(k.args) {
		for _, t := range k.args[name].find(func(t *term) bool { return t.is("sym") }) {
			if !add(t) {
				return ""
			}
		}
	}
	return found
}
