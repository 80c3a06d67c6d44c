package integrity

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tilegate/tilegate/checks/syntax"
)

// The backend that is reviewed, and the one that it is compared with.
const (
	candidate = "cutile-rs"
	reference = "cutile"
)

// backends are the known names of backends in a test's parameters.
var backends = map[string]bool{candidate: true, reference: true, "tilecpp": true, "pytorch": true, "torch": true, "triton": true}

// isCheck reports whether a function of this name compares.
func isCheck(name string) bool {
	return strings.HasPrefix(name, "assert") || strings.HasPrefix(name, "compare_") || strings.HasPrefix(name, "check_close") || name == "gradcheck"
}

// isMeasure reports whether a function of this name measures or records a
// measurement.
func isMeasure(name string) bool {
	return strings.HasPrefix(name, "benchmark") || name == "record_property" || name == "record_testsuite_property" || name == "do_bench"
}

// isSeed reports whether a call sets the state of a random generator.
func isSeed(name string) bool {
	switch name {
	case "manual_seed", "manual_seed_all", "seed", "seed_all", "setUp", "set_rng_state", "use_deterministic_algorithms":
		return true
	}
	return false
}

// isNumeric reports whether a call changes how PyTorch computes.
func isNumeric(name string) bool {
	switch name {
	case "set_float32_matmul_precision", "set_default_dtype", "set_grad_enabled", "set_default_device", "set_default_tensor_type", "autocast", "flags":
		return true
	}
	return false
}

// isPatch reports whether a call replaces something of another module.
func isPatch(name string) bool {
	switch name {
	case "setattr", "delattr", "setitem", "delitem", "setenv", "delenv", "patch", "putenv", "unsetenv", "exec", "eval":
		return true
	}
	return false
}

// isSetup reports whether a call counts even where its result is used.
func isSetup(name string) bool {
	return isSeed(name) || isNumeric(name) || isPatch(name) || name == "set_backend"
}

// isRandom reports whether two equal calls have different results.
func isRandom(name string) bool {
	name = strings.TrimSuffix(strings.TrimSuffix(name, "_"), "_like")
	switch name {
	case "rand", "randn", "randint", "randperm", "normal", "uniform", "bernoulli", "exponential", "multinomial", "choice", "random", "sample", "shuffle", "random_sample":
		return true
	}
	return false
}

// signature is how a comparing function of the harness takes its arguments.
type signature struct {
	params   []string
	defaults map[string]string // literal, as squeezed source
}

func sig(params string) *signature {
	s := &signature{defaults: map[string]string{}}
	for _, p := range strings.Fields(params) {
		name, def, ok := strings.Cut(p, "=")
		s.params = append(s.params, name)
		if ok {
			s.defaults[name] = def
		}
	}
	return s
}

// signatures are those of the harness and of the libraries, for where the
// harness does not say otherwise.
var signatures = map[string]*signature{
	"assertCorrectness":   sig("test_fn ref_fn kwargs extra_test_kwargs=None extra_ref_kwargs=None gradient=None rtol=None atol=None equal_nan=False check_stride=True multiple_outputs=False test_index=None ref_index=None output_processor=None comparison_chunk_size=None"),
	"assertAllClose":      sig("input reference rtol=None atol=None equal_nan=False check_stride=True"),
	"assertDiffsClose":    sig("input reference_fp16 reference_fp32 tolerance"),
	"compare_tensors":     sig("test reference rtol=None atol=None equal_nan=False check_stride=True msg_prefix chunk_size=None"),
	"allclose":            sig("input other rtol=1e-05 atol=1e-08 equal_nan=False"),
	"isclose":             sig("input other rtol=1e-05 atol=1e-08 equal_nan=False"),
	"assert_close":        sig("actual expected allow_subclasses=True rtol=None atol=None equal_nan=False check_device=True check_dtype=True check_layout=True check_stride=False msg=None"),
	"assert_allclose":     sig("actual desired rtol=1e-07 atol=0 equal_nan=True err_msg verbose=True"),
	"assert_array_equal":  sig("actual desired"),
	"assertEqual":         sig("first second msg=None"),
	"approx":              sig("expected rel=None abs=None nan_ok=False"),
	"benchmark_framework": sig("framework_name framework_fn"),
	"manual_seed":         sig("seed"),
	"requires_grad_":      sig("requires_grad=True"),
	"backward":            sig("gradient=None retain_graph=None create_graph=False"),
	"full":                sig("size fill_value"),
}

// readSignatures adds the functions and methods of the harness that compare or
// measure.
func readSignatures(into map[string]*signature, f *syntax.File) {
	addSignatures(into, f, func(name string) bool { return isCheck(name) || isMeasure(name) })
}

func addSignatures(into map[string]*signature, f *syntax.File, want func(string) bool) {
	for _, def := range f.Root().Find("function_definition") {
		if !host(def) {
			continue
		}
		s := &signature{defaults: map[string]string{}}
		ok := true
		for i, p := range def.Field("parameters").NamedChildren() {
			name, value := parameter(p)
			if i == 0 && (name == "self" || name == "cls") {
				continue
			}
			if name == "" {
				// Arguments by name alone keep their order.
				ok = ok && splat(p).Is("keyword_separator", "dictionary_splat_pattern")
				continue
			}
			s.params = append(s.params, name)
			if value.Valid() {
				s.defaults[name] = value.Squeeze()
			}
		}
		if name := def.Field("name").Text(); ok && want(name) {
			into[name] = s
		}
	}
}

// normalArgs names a call's arguments and leaves those out that equal the
// default.
func (s *side) normalArgs(callee *term, kids []*term) []*term {
	sg := s.signatureOf(callee)
	if slices.ContainsFunc(kids, func(k *term) bool { return k.is("star", "dstar") }) {
		return kids
	}
	named := map[string]*term{}
	var out []*term
	for i, k := range kids {
		switch {
		case k.is("kw"):
			named[k.text] = k.kids[0]
		case sg != nil && i < len(sg.params):
			named[sg.params[i]] = k
		default:
			out = append(out, k)
		}
	}
	for _, key := range sortedKeys(named) {
		if sg != nil && sg.defaults[key] != "" && s.defaultTerm(sg.defaults[key]) == named[key] {
			continue
		}
		out = append(out, s.u.raw("kw", key, named[key]))
	}
	return out
}

// signatureOf is how a function takes its arguments, or nil.
func (s *side) signatureOf(callee *term) *signature {
	if callee.is("sym") && s.known[callee.text] != nil {
		return s.known[callee.text]
	}
	return s.signature(callee.last())
}

// takesSizes are the functions of PyTorch that take a shape as one tuple or as
// an argument for each size.
var takesSizes = map[string]bool{"randn": true, "rand": true, "empty": true, "zeros": true, "ones": true}

// sizeMethods are the methods of tensors that do.
var sizeMethods = map[string]bool{"view": true, "reshape": true, "permute": true, "expand": true, "new_empty": true, "new_zeros": true, "new_ones": true}

// makesTensors are the functions of PyTorch that make tensors with the options of
// absentOptions.
var makesTensors = map[string]bool{"randn": true, "rand": true, "empty": true, "zeros": true, "ones": true, "full": true, "tensor": true, "arange": true, "linspace": true, "randint": true, "randperm": true, "eye": true}

// absentOptions are the options of these functions with the values that say nothing.
func (u *universe) absentOption(k *term) bool {
	if !k.is("kw") {
		return false
	}
	switch k.text {
	case "requires_grad", "pin_memory":
		return k.kids[0] == u.no
	case "dtype", "generator", "out", "device", "layout":
		return k.kids[0] == u.none
	}
	return false
}

// asMethods are the functions of PyTorch that do what the method of their first argument
// does.
var asMethods = map[string]bool{
	"transpose": true, "permute": true, "reshape": true, "flatten": true, "squeeze": true, "unsqueeze": true, "narrow": true, "movedim": true,
	"swapaxes": true, "chunk": true, "split": true, "unbind": true, "matmul": true, "bmm": true, "mm": true, "add": true, "sub": true, "mul": true,
	"div": true, "abs": true, "exp": true, "log": true, "sqrt": true, "rsqrt": true, "sigmoid": true, "tanh": true, "relu": true, "sum": true,
	"mean": true, "cumsum": true, "clamp": true, "square": true, "masked_fill": true,
}

// asMethod writes a call of a function of PyTorch as that of a method.
func asMethod(u *universe, callee *term, kids []*term) (*term, []*term) {
	name, ok := strings.CutPrefix(callee.text, "torch.")
	if !ok || !callee.is("sym") || !asMethods[name] || len(kids) == 0 || kids[0].is("kw", "star", "dstar") {
		return callee, kids
	}
	return u.attr(kids[0], name), kids[1:]
}

// defaultDtype is the name under which the known names of a side have an entry where the
// harness sets the type that tensors have of which none is given.
const defaultDtype = "torch.set_default_dtype"

// setsDefaultDtype reports whether a file sets that type.
func setsDefaultDtype(f *syntax.File) bool {
	return slices.ContainsFunc(f.Root().Find("identifier"), func(n syntax.Node) bool {
		return n.Text() == "set_default_dtype" || n.Text() == "set_default_tensor_type"
	})
}

// single32 reports whether tensors of which no type is given are float32.
func (s *side) single32() bool {
	if s.floats == 0 {
		s.floats = 1
		if s.known[defaultDtype] != nil || setsDefaultDtype(s.file) || setsDefaultDtype(s.tested) {
			s.floats = 2
		}
	}
	return s.floats == 1
}

// torchArgs are the arguments of a call of PyTorch in one of the ways to write
// them: a shape as a tuple, a device as its name, no option that says nothing, and the
// type of a tensor.
func (s *side) torchArgs(callee *term, kids []*term) []*term {
	u := s.u
	function := callee.is("sym") && (strings.HasPrefix(callee.text, "torch.") || strings.Contains(callee.text, ".torch."))
	if !function && !callee.is("attr") {
		return kids
	}
	kids = mapTerms(kids, func(k *term) *term {
		if k.is("kw") && k.text == "device" {
			return u.raw("kw", k.text, deviceName(k.kids[0]))
		}
		return deviceName(k)
	})
	if name, ok := strings.CutPrefix(callee.text, "torch."); ok && callee.is("sym") && makesTensors[name] && !slices.ContainsFunc(kids, func(k *term) bool { return k.is("star", "dstar") }) {
		kids = slices.DeleteFunc(slices.Clone(kids), u.absentOption)
		i := slices.IndexFunc(kids, func(k *term) bool { return k.is("kw") && k.text == "dtype" })
		asked := i >= 0 && kids[i].kids[0].is("call") && kids[i].kids[0].kids[0].is("sym") && kids[i].kids[0].kids[0].text == "torch.get_default_dtype"
		if single := u.raw("kw", "dtype", u.raw("sym", "torch.float32")); s.single32() && asked {
			kids[i] = single
		} else if s.single32() && i < 0 && takesSizes[name] {
			kids = append(kids, single)
		}
	}
	if !(function && takesSizes[callee.last()] || callee.is("attr") && sizeMethods[callee.text]) {
		return kids
	}
	n := 0
	for n < len(kids) && !kids[n].is("kw", "dstar") {
		n++
	}
	if i := slices.IndexFunc(kids, func(k *term) bool { return k.is("kw") && k.text == "size" }); n == 0 && i >= 0 {
		kids = slices.Concat([]*term{kids[i].kids[0]}, kids[:i], kids[i+1:])
		n = 1
	}
	sizes, rest := kids[:n], kids[n:]
	switch {
	case n == 1 && sizes[0].is("star"):
		return slices.Concat(sizes[0].kids, rest)
	case n == 1 && sizes[0].is("list"):
		return slices.Concat([]*term{u.raw("tuple", "", sizes[0].kids...)}, rest)
	case n > 1 && !slices.ContainsFunc(sizes, func(k *term) bool { return k.is("star", "tuple", "list") }), n == 1 && sizes[0].is("int"):
		return slices.Concat([]*term{u.raw("tuple", "", sizes...)}, rest)
	}
	return kids
}

// deviceName is the name of a device that is made from it, else the term.
func deviceName(t *term) *term {
	if t.is("call") && len(t.kids) == 2 && t.kids[1].is("str") && t.kids[0].is("sym") &&
		(t.kids[0].text == "torch.device" || strings.HasSuffix(t.kids[0].text, ".torch.device")) {
		return t.kids[1]
	}
	return t
}

// defaultTerm is a default that is a literal.
func (s *side) defaultTerm(text string) *term {
	switch text {
	case "None":
		return s.u.none
	case "True":
		return s.u.yes
	case "False":
		return s.u.no
	}
	return s.u.raw("default", text)
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// builtin is the value of a call of a Python function that only moves values,
// or nil.
func builtin(u *universe, callee *term, args []*term) *term {
	if callee.is("attr") {
		return method(u, callee.kids[0], callee.text, args)
	}
	if !callee.is("sym") {
		return nil
	}
	if i := len(args) - 1; callee.text == "zip" && i > 0 && args[i].is("kw") && args[i].text == "strict" {
		args = args[:i]
		if args[i-1].is("list", "tuple") && slices.ContainsFunc(args, func(a *term) bool { return len(a.kids) != len(args[i-1].kids) }) {
			return nil // which may be an error
		}
	}
	var seqs [][]*term
	for _, a := range args {
		if a.is("list", "tuple", "set") && !slices.ContainsFunc(a.kids, func(k *term) bool { return k.is("star") }) {
			seqs = append(seqs, a.kids)
		}
	}
	all := len(seqs) == len(args) && len(args) > 0
	concrete := all && !slices.ContainsFunc(args, func(a *term) bool { return !a.concrete() })
	one := len(args) == 1
	if iterating[callee.text] == inOrder && slices.ContainsFunc(args, func(a *term) bool { return a.is("set") && len(a.kids) > 1 }) {
		return nil
	}
	switch callee.text {
	case "range":
		return listRange(u, args)
	case "list", "tuple", "set", "iter", "frozenset":
		op := map[string]string{"iter": "list", "frozenset": "set"}[callee.text]
		if op == "" {
			op = callee.text
		}
		if len(args) == 0 {
			return u.raw(op, "")
		}
		if one && all && op == "set" {
			return u.set(seqs[0])
		}
		if one && all {
			return u.raw(op, "", seqs[0]...)
		}
	case "reversed":
		if one && all {
			r := slices.Clone(seqs[0])
			slices.Reverse(r)
			return u.raw("list", "", r...)
		}
	case "sorted":
		if one && all {
			return sorted(u, seqs[0])
		}
	case "dict":
		var kids []*term
		for _, a := range args {
			switch {
			case a.is("kw"):
				kids = append(kids, u.raw("pair", "", u.str(a.text), a.kids[0]))
			case a.is("dict"):
				kids = append(kids, a.kids...)
			case a.is("dstar"):
				kids = append(kids, a)
			default:
				return nil
			}
		}
		return u.dict(kids)
	case "__import__", "importlib.import_module":
		if one && args[0].is("str") && !strings.HasPrefix(args[0].text, ".") {
			return u.raw("sym", canonical(args[0].text))
		}
	case "getattr":
		if len(args) >= 2 && args[0].is("sym") && args[1].is("str") {
			return u.attr(args[0], args[1].text)
		}
	case "len":
		if one {
			if n, ok := args[0].size(); ok {
				return u.int(int64(n))
			}
		}
	case "zip":
		if concrete {
			n := len(seqs[0])
			for _, s := range seqs {
				n = min(n, len(s))
			}
			var out []*term
			for i := range n {
				out = append(out, u.raw("tuple", "", mapTerms(args, func(a *term) *term { return a.kids[i] })...))
			}
			return u.raw("list", "", out...)
		}
	case "enumerate":
		if one && concrete {
			var out []*term
			for i, k := range seqs[0] {
				out = append(out, u.raw("tuple", "", u.int(int64(i)), k))
			}
			return u.raw("list", "", out...)
		}
	case "itertools.product", "product":
		return product(u, args)
	case "itertools.chain", "chain":
		n := 0
		for _, s := range seqs {
			n += len(s)
		}
		if all && n <= maxElements {
			return u.raw("list", "", slices.Concat(seqs...)...)
		}
	case "staticmethod":
		if one {
			return args[0]
		}
	case "torch.Size":
		if one && all && !args[0].is("set") {
			return u.raw("tuple", "", seqs[0]...)
		}
	case "int", "float", "str", "bool", "abs":
		if one {
			return convert(u, callee.text, args[0])
		}
	case "any", "all":
		if one && concrete {
			if callee.text == "any" {
				return u.or(seqs[0]...)
			}
			return u.and(seqs[0]...)
		}
	case "min", "max":
		list := args
		if one && concrete {
			list = seqs[0]
		}
		return extreme(list, callee.text == "max")
	}
	return nil
}

// use is what a function makes of the elements that it goes through.
type use uint8

const (
	inOrder use = iota + 1 // the order in which they come counts
	inAny                  // it does not
)

// iterating are the functions that go through elements; of a dictionary those are
// its keys.
var iterating = map[string]use{
	"list": inOrder, "tuple": inOrder, "iter": inOrder, "reversed": inOrder, "enumerate": inOrder, "zip": inOrder, "map": inOrder, "filter": inOrder,
	"itertools.product": inOrder, "product": inOrder, "itertools.chain": inOrder, "chain": inOrder,
	"sorted": inAny, "set": inAny, "frozenset": inAny, "min": inAny, "max": inAny, "any": inAny, "all": inAny, "sum": inAny,
}

// iterated are the arguments of a call as what it calls goes through them.
func iterated(u *universe, callee *term, args []*term) []*term {
	if callee.is("sym") && iterating[callee.text] != 0 {
		return mapTerms(args, u.keyed)
	}
	return args
}

// sorted are numbers or texts in their order, whichever of them are there; others have
// none that is known.
func sorted(u *universe, list []*term) *term {
	list = slices.Clone(list)
	for _, k := range list {
		v, isNumber := present(k).number()
		if first := present(list[0]); present(k).is("str") && first.is("str") || isNumber && v == v && !first.is("str") {
			continue
		}
		return nil
	}
	slices.SortStableFunc(list, func(a, b *term) int {
		a, b = present(a), present(b)
		if a.is("str") {
			return strings.Compare(a.text, b.text)
		}
		x, _ := a.number()
		y, _ := b.number()
		return cmp.Compare(x, y)
	})
	return u.raw("list", "", list...)
}

// present is an element of a list where it is there.
func present(t *term) *term {
	if t.is("opt") {
		return t.kids[1]
	}
	return t
}

func listRange(u *universe, args []*term) *term {
	at := [3]int64{0, 0, 1}
	for i, a := range args {
		v, ok := a.integer()
		if !ok || i > 2 || v > maxExact || v < -maxExact {
			return nil
		}
		at[i] = v
	}
	if len(args) == 1 {
		at[0], at[1] = 0, at[0]
	}
	if len(args) == 0 || at[2] == 0 || (at[1]-at[0])/at[2] > maxElements {
		return nil
	}
	var out []*term
	for v := at[0]; at[2] > 0 && v < at[1] || at[2] < 0 && v > at[1]; v += at[2] {
		out = append(out, u.int(v))
	}
	return u.raw("list", "", out...)
}

func product(u *universe, args []*term) *term {
	repeat := int64(1)
	var seqs [][]*term
	size := 1
	for _, a := range args {
		switch {
		case a.is("kw") && a.text == "repeat":
			v, ok := a.kids[0].integer()
			if !ok || v < 1 || v > 8 {
				return nil
			}
			repeat = v
		case a.is("list", "tuple", "set") && !a.has("star"):
			seqs = append(seqs, a.kids)
		default:
			return nil
		}
	}
	seqs = slices.Repeat(seqs, int(repeat))
	for _, s := range seqs {
		if size *= len(s); size > maxElements {
			return nil
		}
	}
	out := []*term{}
	var pick func(i int, chosen []*term, there *term)
	pick = func(i int, chosen []*term, there *term) {
		if i == len(seqs) {
			out = append(out, u.opt(there, u.raw("tuple", "", chosen...)))
			return
		}
		for _, k := range seqs[i] {
			if k.is("opt") {
				pick(i+1, append(slices.Clip(chosen), k.kids[1]), u.and(there, k.kids[0]))
				continue
			}
			pick(i+1, append(slices.Clip(chosen), k), there)
		}
	}
	pick(0, nil, u.yes)
	return u.raw("list", "", out...)
}

func convert(u *universe, to string, a *term) *term {
	x, isNumber := a.number()
	switch to {
	case "int":
		if isNumber && a.is("int") {
			return a
		}
		if isNumber && math.Abs(x) <= maxExact {
			return u.int(int64(x))
		}
	case "float":
		if isNumber {
			return u.float(x)
		}
		if a.is("str") && !strings.ContainsAny(a.text, "xXpP_") {
			if v, err := strconv.ParseFloat(strings.TrimSpace(a.text), 64); err == nil && v == v {
				return u.float(v)
			}
		}
	case "str":
		if a.is("int", "str", "bool") {
			return u.str(a.text)
		}
		if a.is("float") {
			return u.str(pyFloat(x))
		}
		if a.is("sym") && a.constant {
			return u.str(a.text)
		}
	case "bool":
		if v, known := a.truth(); known {
			return u.bool(v)
		}
		if a.is("cmp", "not", "and", "or") {
			return a
		}
	case "abs":
		if i, ok := a.integer(); ok {
			return u.int(max(i, -i))
		}
		if isNumber {
			return u.float(max(x, -x))
		}
	}
	return nil
}

// pyFloat is how Python writes a float.
func pyFloat(v float64) string {
	if a := math.Abs(v); a != 0 && (a < 1e-4 || a >= 1e16) || math.IsInf(v, 0) || v != v {
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(v, 'e', -1, 64), "+"))
	}
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// extreme is the least or greatest of numbers.
func extreme(list []*term, greatest bool) *term {
	var best *term
	var at float64
	for _, k := range list {
		v, ok := k.number()
		if !ok {
			return nil
		}
		if best == nil || greatest && v > at || !greatest && v < at {
			best, at = k, v
		}
	}
	return best
}

// method is the value of a method call on a known string or dictionary.
func method(u *universe, obj *term, name string, args []*term) *term {
	switch {
	case obj.is("dict") && obj.concrete():
		switch name {
		case "get":
			if len(args) == 0 || len(args) > 2 || args[0].is("kw", "star") {
				return nil
			}
			missing := u.none
			if len(args) == 2 {
				missing = args[1]
			}
			if v := u.entry(obj, args[0]); v != nil {
				return v
			}
			if !slices.ContainsFunc(obj.kids, func(p *term) bool { return !differ(p.kids[0], args[0]) }) {
				return missing
			}
		case "keys", "values", "items":
			if _, ok := u.ordered(obj); !ok {
				return u.unknown()
			}
			return u.raw("list", "", mapTerms(u.orders[obj], func(p *term) *term {
				switch name {
				case "keys":
					return p.kids[0]
				case "values":
					return p.kids[1]
				}
				return u.raw("tuple", "", p.kids...)
			})...)
		case "copy":
			return obj
		}
	case obj.is("list") && name == "copy" && len(args) == 0:
		return obj
	case obj.is("str") && len(args) == 0 && plainText(obj.text):
		switch name {
		case "lower":
			return u.str(strings.ToLower(obj.text))
		case "upper":
			return u.str(strings.ToUpper(obj.text))
		case "strip":
			return u.str(strings.TrimSpace(obj.text))
		}
	case obj.is("str") && len(args) == 2 && name == "replace" && args[0].is("str") && args[1].is("str"):
		old, with := args[0].text, args[1].text
		if n := strings.Count(obj.text, old); len(obj.text)+n*len(with) <= maxText {
			return u.str(strings.ReplaceAll(obj.text, old, with))
		}
	case obj.is("str") && len(args) == 1 && args[0].is("str"):
		switch name {
		case "startswith":
			return u.bool(strings.HasPrefix(obj.text, args[0].text))
		case "endswith":
			return u.bool(strings.HasSuffix(obj.text, args[0].text))
		}
	}
	return nil
}

// plainText reports whether Python and Go agree on what of a text is a blank or a
// capital.
func plainText(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf || r < ' ' && r != '\t' && r != '\n' && r != '\r' })
}

// isOption reports whether a call defines an option of the tests.
func isOption(name string) bool { return name == "add_argument" || name == "addoption" }
