package integrity

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
)

// A term is a Python value as a test computes it, with names, temporaries and
// helpers resolved. Equal terms are one pointer, so that both revisions can be
// compared by identity.
type term struct {
	id   int
	op   string
	text string
	kids []*term
	// tolerant says that a call in here takes a tolerance, calls that there is a
	// call in here, functions that there is one whose names may get other values.
	tolerant, calls, functions bool
	// constant says that the value is known whole, itself that it surely equals
	// itself: a float that is no number does not, a tensor gives a tensor, and two
	// equal calls may have two results.
	constant, itself bool
	// whole is the tensor that it is a part or a view of, and one says whether that is one
	// object, once they were asked for.
	whole *term
	one   uint8
	// limits are those of a number, once they were asked for.
	limits *limits
}

// maxTerms bounds the distinct terms of one comparison of two files.
const maxTerms = 400_000

// tooLarge is what a comparison panics with when it exceeds its budget; it is
// recovered where the comparison starts.
type tooLarge struct{}

// universe makes the terms that both revisions of a file share.
type universe struct {
	*pool
	// orders are the pairs of this revision's dictionaries in the order in which
	// they were put in, nil where the same pairs were put in in several orders.
	// Dictionaries are equal in any order.
	orders map[*term][]*term
}

// pool is what both revisions of a file share.
type pool struct {
	index    map[string]*term
	key      []byte // of the term that is made: its parts, then what it is
	steps    int    // evaluation steps that are left
	nested   int    // functions that are being entered, each within the one before
	negated  map[*term]*term
	unknowns int
	yes      *term
	no       *term
	none     *term
}

func newUniverse(steps int) *universe {
	u := &universe{pool: &pool{index: map[string]*term{}, negated: map[*term]*term{}, steps: 3}, orders: map[*term][]*term{}}
	u.yes, u.no, u.none = u.raw("bool", "True"), u.raw("bool", "False"), u.raw("none", "")
	u.steps = steps
	return u
}

// side is the universe of one of the revisions.
func (u *universe) side() *universe { return &universe{pool: u.pool, orders: map[*term][]*term{}} }

// unknown is a value of which the bounds of evaluation leave nothing to compare: it
// equals no other, of either revision.
func (u *universe) unknown() *term {
	u.unknowns++
	return u.raw("unknown", strconv.Itoa(u.unknowns))
}

const (
	// maxText bounds the texts that are written out; longer ones stay as what they
	// are made of.
	maxText = 64 << 10
	// bytesPerStep is how much text costs a step.
	bytesPerStep = 16
)

// maxNested bounds how many functions are entered within each other, in whatever way
// one leads to the next: by calls (see maxInline), and by the defaults of parameters,
// which are evaluated where the function stands.
const maxNested = 100

// nest enters one function more, until unnest, and reports whether it may.
func (u *universe) nest() bool {
	if u.nested >= maxNested {
		return false
	}
	u.nested++
	return true
}

func (u *universe) unnest() { u.nested-- }

// spend takes n steps from the budget.
func (u *universe) spend(n int) {
	if u.steps -= n; u.steps < 0 {
		panic(tooLarge{})
	}
}

// bytesRead are the bytes of code that are read for one step.
const bytesRead = 64

// read takes the steps for reading all of some code, which may be more than is executed.
func (u *universe) read(n syntax.Node) {
	span := n.Span()
	u.spend((span.End - span.Start) / bytesRead)
}

// raw makes a term as it is, without simplifying.
func (u *universe) raw(op, text string, kids ...*term) *term {
	u.spend(1 + len(kids)/4 + len(text)/bytesPerStep)
	key := binary.NativeEndian.AppendUint32(u.key[:0], uint32(len(kids)))
	for _, k := range kids {
		key = binary.NativeEndian.AppendUint32(key, uint32(k.id))
	}
	key = append(append(append(key, op...), 0), text...)
	u.key = key
	if t := u.index[string(key)]; t != nil {
		return t
	}
	if len(u.index) >= maxTerms {
		panic(tooLarge{})
	}
	t := &term{id: len(u.index), op: op, text: text, kids: kids, calls: op == "call", functions: op == "fn"}
	hold := t.holds()
	for _, k := range kids {
		t.tolerant = t.tolerant || k.tolerant || hold && k.tolerance()
		t.calls = t.calls || k.calls
		t.functions = t.functions || k.functions && op != "call"
	}
	t.constant, t.itself = t.isConstant(), t.equalsItself()
	u.index[string(key)] = t
	return t
}

func (t *term) is(ops ...string) bool { return slices.Contains(ops, t.op) }

// last is the last segment of a dotted name or attribute.
func (t *term) last() string {
	switch t.op {
	case "sym", "attr":
		return t.text[strings.LastIndexByte(t.text, '.')+1:]
	}
	return ""
}

func (u *universe) str(s string) *term { return u.raw("str", s) }

// text is a text that may have become too long to be written out: then nil.
func (u *universe) text(parts ...string) *term {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	if n > maxText {
		return nil
	}
	return u.str(strings.Join(parts, ""))
}

func (u *universe) int(v int64) *term { return u.raw("int", strconv.FormatInt(v, 10)) }

func (u *universe) float(v float64) *term {
	return u.raw("float", strconv.FormatFloat(v, 'g', -1, 64))
}

func (u *universe) bool(b bool) *term {
	if b {
		return u.yes
	}
	return u.no
}

// maxExact bounds the whole numbers that are computed with: a float holds each of
// them.
const maxExact = 1 << 52

// number is the value of a number that a float holds exactly.
func (t *term) number() (float64, bool) {
	if t.is("int") {
		v, ok := t.integer()
		return float64(v), ok && -maxExact <= v && v <= maxExact
	}
	if !t.is("float") {
		return 0, false
	}
	v, err := strconv.ParseFloat(t.text, 64)
	return v, err == nil
}

func (t *term) integer() (int64, bool) {
	if !t.is("int") {
		return 0, false
	}
	v, err := strconv.ParseInt(t.text, 10, 64)
	return v, err == nil
}

// dtypes are the names of torch that denote element types.
var dtypes = map[string]bool{
	"float16": true, "half": true, "bfloat16": true, "float32": true, "float": true, "float64": true, "double": true,
	"float8_e4m3fn": true, "float8_e5m2": true, "float8_e8m0fnu": true, "float4_e2m1fn_x2": true,
	"int8": true, "int16": true, "int32": true, "int": true, "int64": true, "long": true, "uint8": true, "bool": true,
	"complex32": true, "complex64": true, "complex128": true,
}

// isConstant tells the term's constant.
func (t *term) isConstant() bool {
	switch t.op {
	case "int", "float", "str", "bool", "none":
		return true
	case "sym":
		rest, ok := strings.CutPrefix(t.text, "torch.")
		return ok && dtypes[rest]
	case "tuple":
		return !slices.ContainsFunc(t.kids, func(k *term) bool { return !k.constant })
	}
	return false
}

// differ reports whether two terms surely are different values: constants whose
// difference is not one of spelling, as that of 1, 1.0 and True is.
func differ(a, b *term) bool {
	if a == b || !a.constant || !b.constant {
		return false
	}
	if a.is("int", "float", "bool") && b.is("int", "float", "bool") {
		x, okA := quantity(a)
		y, okB := quantity(b)
		return okA && okB && x != y
	}
	if a.is("tuple") && b.is("tuple") && len(a.kids) == len(b.kids) {
		for i := range a.kids {
			if differ(a.kids[i], b.kids[i]) {
				return true
			}
		}
		return false
	}
	return true
}

// quantity is the value of a number or a truth value, which counts as one.
func quantity(t *term) (float64, bool) {
	if t.is("bool") {
		return map[bool]float64{true: 1}[t.text == "True"], true
	}
	return t.number()
}

// equalsItself tells the term's itself.
func (t *term) equalsItself() bool {
	switch t.op {
	case "int", "float":
		x, ok := t.number()
		return ok && x == x
	case "sym":
		return !strings.EqualFold(t.last(), "nan")
	case "str", "text", "bytes", "bool", "none", "ellipsis", "fn", "class":
		return true
	case "attr":
		return factsOfTensors[t.text]
	case "list", "tuple", "set", "dict", "pair", "slice":
		return !slices.ContainsFunc(t.kids, func(k *term) bool { return !k.itself })
	}
	return false
}

// factsOfTensors are attributes that describe a tensor and hold none of its
// values.
var factsOfTensors = map[string]bool{"dtype": true, "shape": true, "device": true, "ndim": true}

// truth is the truth value of a term; known is false when it depends.
func (t *term) truth() (value, known bool) {
	switch t.op {
	case "bool":
		return t.text == "True", true
	case "none":
		return false, true
	case "int", "float":
		v, ok := t.number()
		return v != 0, ok
	case "str":
		return t.text != "", true
	case "list", "tuple", "set", "dict":
		if len(t.kids) == 0 {
			return false, true
		}
		return true, t.concrete()
	case "fn":
		return true, true
	case "sym":
		return true, t.constant
	}
	return false, false
}

// has reports whether one of the term's parts is of the kind.
func (t *term) has(op string) bool {
	return slices.ContainsFunc(t.kids, func(k *term) bool { return k.is(op) })
}

// concrete reports whether a sequence or dictionary has just these elements.
func (t *term) concrete() bool {
	return t.is("list", "tuple", "set", "dict") && !slices.ContainsFunc(t.kids, func(k *term) bool { return k.is("opt", "star", "dstar") })
}

func (u *universe) not(a *term) *term {
	if v, ok := a.truth(); ok {
		return u.bool(!v)
	}
	switch a.op {
	case "not":
		return a.kids[0]
	case "and", "or":
		if known := u.negated[a]; known != nil {
			return known
		}
		kids := make([]*term, len(a.kids))
		for i, k := range a.kids {
			kids[i] = u.not(k)
		}
		out := (*term)(nil)
		if a.op == "and" {
			out = u.or(kids...)
		} else {
			out = u.and(kids...)
		}
		u.negated[a] = out
		return out
	}
	return u.raw("not", "", a)
}

// and is a condition that holds when all of them do.
func (u *universe) and(list ...*term) *term { return u.junction("and", list) }

// or is a condition that holds when one of them does.
func (u *universe) or(list ...*term) *term { return u.junction("or", list) }

// condition is a value where only its truth counts.
func (u *universe) condition(t *term) *term {
	u.spend(1)
	if !t.is("ite") {
		return t
	}
	a, b := u.condition(t.kids[1]), u.condition(t.kids[2])
	return u.or(u.and(t.kids[0], a), u.and(u.not(t.kids[0]), b))
}

func (u *universe) junction(op string, list []*term) *term {
	u.spend(1)
	neutral := op == "and"
	var kids []*term
	for _, k := range list {
		if v, ok := k.truth(); ok {
			if v != neutral {
				return u.bool(!neutral)
			}
			continue
		}
		if k.op == op {
			kids = append(kids, k.kids...)
		} else {
			kids = append(kids, k)
		}
	}
	slices.SortFunc(kids, func(a, b *term) int { return a.id - b.id })
	kids = slices.Compact(kids)
	u.spend(len(kids) * len(kids) / 8)
	for _, k := range kids {
		if slices.Contains(kids, u.not(k)) {
			return u.bool(!neutral)
		}
	}
	switch len(kids) {
	case 0:
		return u.bool(neutral)
	case 1:
		return kids[0]
	}
	return u.raw(op, "", kids...)
}

// maxMembers bounds what `x in (...)` is written out for.
const maxMembers = 16

func (u *universe) cmp(op string, a, b *term) *term {
	switch op {
	case "!=", "<>":
		return u.not(u.cmp("==", a, b))
	case "is not":
		return u.not(u.cmp("is", a, b))
	case "not in":
		return u.not(u.cmp("in", a, b))
	case ">":
		return u.cmp("<", b, a)
	case ">=":
		return u.cmp("<=", b, a)
	}
	switch op {
	case "==", "is":
		if x, ok := a.number(); ok {
			if y, ok := b.number(); ok {
				return u.bool(x == y && (op == "==" || a.op == b.op))
			}
		}
		if a == b && (a.itself || op == "is" && !a.calls) {
			return u.yes
		}
		if differ(a, b) {
			return u.no
		}
		if a.is("none") && b.is("fn", "list", "tuple", "dict") || b.is("none") && a.is("fn", "list", "tuple", "dict") {
			return u.no
		}
		if a.id > b.id {
			a, b = b, a
		}
	case "<", "<=":
		if x, ok := a.number(); ok {
			if y, ok := b.number(); ok {
				return u.bool(x < y || op == "<=" && x == y)
			}
		}
	case "in":
		if b.is("list", "tuple", "set") && len(b.kids) <= maxMembers && !b.has("star") {
			parts := make([]*term, len(b.kids))
			for i, k := range b.kids {
				if k.is("opt") {
					parts[i] = u.and(k.kids[0], u.cmp("==", a, k.kids[1]))
					continue
				}
				parts[i] = u.cmp("==", a, k)
			}
			return u.or(parts...)
		}
		if a.is("str") && b.is("str") {
			return u.bool(strings.Contains(b.text, a.text))
		}
		if b.is("dict") && b.concrete() {
			parts := make([]*term, len(b.kids))
			for i, k := range b.kids {
				parts[i] = u.cmp("==", a, k.kids[0])
			}
			return u.or(parts...)
		}
	}
	return u.raw("cmp", op, a, b)
}

// ite is a where c holds, else b.
func (u *universe) ite(c, a, b *term) *term {
	if v, ok := c.truth(); ok {
		if v {
			return a
		}
		return b
	}
	if c.is("not") {
		return u.ite(c.kids[0], b, a)
	}
	if a.is("ite") && a.kids[0] == c {
		a = a.kids[1]
	}
	if b.is("ite") && b.kids[0] == c {
		b = b.kids[2]
	}
	if a == b {
		return a
	}
	if a.op == b.op && (a.is("list", "set") || a.is("tuple") && longer(a.kids, b.kids)) {
		return u.merge(c, a, b)
	}
	return u.raw("ite", "", c, a, b)
}

// longer reports whether one of two lists of texts is the other and more.
func longer(a, b []*term) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	texts := func(t *term) bool { return t.is("str") || t.is("opt") && t.kids[1].is("str") }
	return len(a) < len(b) && slices.Equal(a, b[:len(a)]) && !slices.ContainsFunc(b, func(t *term) bool { return !texts(t) })
}

// merge makes one list of two of which the condition chooses: common elements
// and, for the others, when they are there.
func (u *universe) merge(c, a, b *term) *term {
	var kids []*term
	n := 0
	for n < len(a.kids) && n < len(b.kids) && a.kids[n] == b.kids[n] {
		kids = append(kids, a.kids[n])
		n++
	}
	x, y := a.kids[n:], b.kids[n:]
	for len(x) > 0 || len(y) > 0 {
		u.spend(len(x)/8 + 1)
		switch {
		case len(x) > 0 && len(y) > 0 && x[0] == y[0]:
			kids = append(kids, x[0])
			x, y = x[1:], y[1:]
		case len(x) > 0 && (len(y) == 0 || slices.Contains(x, y[0]) || !slices.Contains(y, x[0])):
			kids = append(kids, u.opt(c, x[0]))
			x = x[1:]
		default:
			kids = append(kids, u.opt(u.not(c), y[0]))
			y = y[1:]
		}
	}
	if a.is("set") {
		return u.set(kids)
	}
	return u.raw(a.op, "", kids...)
}

// set makes a set: in no order, and a value once.
func (u *universe) set(kids []*term) *term {
	kids = slices.Clone(kids)
	slices.SortFunc(kids, func(a, b *term) int { return a.id - b.id })
	kids = slices.CompactFunc(kids, func(a, b *term) bool { return a == b && !a.calls })
	return u.raw("set", "", kids...)
}

// size is how many elements a sequence, set or dictionary has.
func (t *term) size() (int, bool) {
	if !t.concrete() {
		return 0, false
	}
	if t.is("list", "tuple") || len(t.kids) < 2 {
		return len(t.kids), true
	}
	keys := t.kids
	if t.is("dict") {
		keys = mapTerms(keys, func(p *term) *term { return p.kids[0] })
	}
	return len(keys), allDiffer(keys)
}

// allDiffer reports whether no two of some values can be equal.
func allDiffer(list []*term) bool {
	seen := map[any]bool{}
	for _, t := range list {
		var key any = t
		if v, ok := quantity(t); ok {
			key = v
		} else if !t.is("str", "none", "sym") || !t.constant {
			return false
		}
		if seen[key] {
			return false
		}
		seen[key] = true
	}
	return true
}

// ordered are the elements of a sequence in order. A set has none, nor has a
// dictionary whose pairs were put in in several orders.
func (u *universe) ordered(t *term) ([]*term, bool) {
	switch {
	case t.is("list", "tuple"), t.is("set") && len(t.kids) < 2:
		return t.kids, true
	case t.is("dict"):
		pairs := u.orders[t]
		if !t.concrete() || len(pairs) != len(t.kids) {
			return nil, false
		}
		return mapTerms(pairs, func(p *term) *term { return p.kids[0] }), true
	}
	return nil, false
}

// keyed is a dictionary as the list of its keys, as a loop sees it, and any other
// term as it is. Keys in an order that is not known are an unknown value.
func (u *universe) keyed(t *term) *term {
	if !t.is("dict") || !t.concrete() {
		return t
	}
	if keys, ok := u.ordered(t); ok {
		return u.raw("list", "", keys...)
	}
	return u.unknown()
}

// opt is an element that is there only where the condition holds.
func (u *universe) opt(c, elem *term) *term {
	if v, ok := c.truth(); ok && v {
		return elem
	}
	if elem.is("opt") {
		return u.opt(u.and(c, elem.kids[0]), elem.kids[1])
	}
	return u.raw("opt", "", c, elem)
}

// maxElements bounds the lists that are written out.
const maxElements = 20_000

func (u *universe) bin(op string, a, b *term) *term {
	if x, ok := a.number(); ok {
		if y, ok := b.number(); ok {
			if t := u.arithmetic(op, a, b, x, y); t != nil {
				return t
			}
		}
	}
	switch {
	case op == "+" && a.is("str") && b.is("str"):
		if t := u.text(a.text, b.text); t != nil {
			return t
		}
	case op == "+" && a.op == b.op && a.is("list", "tuple") && len(a.kids)+len(b.kids) <= maxElements:
		return u.raw(a.op, "", slices.Concat(a.kids, b.kids)...)
	case op == "*" && a.is("list", "tuple"):
		if n, ok := b.integer(); ok && n >= 0 && n <= maxElements/int64(max(1, len(a.kids))) {
			return u.raw(a.op, "", slices.Repeat(a.kids, int(n))...)
		}
		if isTruth(b) {
			return u.ite(b, a, u.raw(a.op, ""))
		}
	case op == "*" && b.is("list", "tuple"):
		return u.bin(op, b, a)
	case op == "-" && a.is("set") && b.is("set") && b.concrete() && texts(a) && texts(b):
		u.spend(len(a.kids) * len(b.kids) / 8)
		return u.set(slices.DeleteFunc(slices.Clone(a.kids), func(k *term) bool { return slices.Contains(b.kids, present(k)) }))
	case op == "|" && a.is("dict") && b.is("dict"):
		return u.dict(append(slices.Clone(a.kids), b.kids...))
	}
	if op == "*" && a.id > b.id {
		a, b = b, a
	}
	return u.raw("bin", op, a, b)
}

// texts reports whether all elements of a set are texts.
func texts(set *term) bool {
	return !slices.ContainsFunc(set.kids, func(k *term) bool { return !present(k).is("str") })
}

// isTruth reports whether a term surely is True or False.
func isTruth(t *term) bool {
	return t.is("bool", "not") || t.is("cmp") || t.is("call") && t.kids[0].last() == "is_backend_available"
}

func (u *universe) arithmetic(op string, a, b *term, x, y float64) *term {
	i, okA := a.integer()
	j, okB := b.integer()
	if okA && okB {
		switch op {
		case "+":
			return u.int(i + j)
		case "-":
			return u.int(i - j)
		case "*":
			if math.Abs(x*y) <= maxExact {
				return u.int(i * j)
			}
		case "//":
			if j != 0 {
				return u.int(int64(math.Floor(x / y)))
			}
		case "%":
			if j != 0 {
				return u.int(i - j*int64(math.Floor(x/y)))
			}
		case "**":
			if v, ok := power(i, j); ok {
				return u.int(v)
			}
			if j >= 0 {
				return nil
			}
		case "<<":
			if j >= 0 && j < 48 && i >= 0 && i < 1<<16 {
				return u.int(i << j)
			}
		case ">>":
			if j >= 0 && j < 63 {
				return u.int(i >> j)
			}
		}
	}
	switch op {
	case "/":
		if y != 0 {
			return u.float(x / y)
		}
	case "**":
		// A complex number, or an exception.
		if v := math.Pow(x, y); !math.IsNaN(v) && !math.IsInf(v, 0) {
			return u.float(v)
		}
		return nil
	}
	if okA && okB {
		return nil
	}
	switch op {
	case "+":
		return u.float(x + y)
	case "-":
		return u.float(x - y)
	case "*":
		return u.float(x * y)
	}
	return nil
}

// power is a whole power that is small enough to be computed with.
func power(base, exponent int64) (int64, bool) {
	if exponent < 0 {
		return 0, false
	}
	if base >= -1 && base <= 1 {
		exponent = min(exponent, 2+exponent%2)
	}
	out := int64(1)
	for range exponent {
		if math.Abs(float64(out)*float64(base)) > maxExact {
			return 0, false
		}
		out *= base
	}
	return out, true
}

// dict makes a dictionary of pairs; later pairs replace earlier ones and
// spread dictionaries are written out.
func (u *universe) dict(kids []*term) *term {
	var out []*term
	mixed := false
	place := map[any]int{} // of a pair in out, by its key
	var add func(k *term)
	add = func(k *term) {
		if k.is("dstar") && k.kids[0].is("dict") {
			pairs := u.orders[k.kids[0]]
			if len(pairs) != len(k.kids[0].kids) {
				pairs, mixed = k.kids[0].kids, true
			}
			for _, p := range pairs {
				add(p)
			}
			return
		}
		if k.is("pair") {
			var key any = k.kids[0]
			if v, ok := quantity(k.kids[0]); ok {
				key = v
			}
			if i, ok := place[key]; ok {
				if first := out[i].kids[0]; first != k.kids[0] {
					k = u.raw("pair", "", first, k.kids[1])
				}
				out[i] = k
				return
			}
			place[key] = len(out)
		}
		out = append(out, k)
	}
	for _, k := range kids {
		add(k)
	}
	order := slices.Clone(out)
	if !slices.ContainsFunc(out, func(k *term) bool { return k.is("dstar") }) {
		slices.SortStableFunc(out, func(a, b *term) int { return a.kids[0].id - b.kids[0].id })
	}
	t := u.raw("dict", "", out...)
	if known, ok := u.orders[t]; mixed || ok && !slices.Equal(known, order) {
		order = nil
	}
	u.orders[t] = order
	return t
}

// entry is what a dictionary has for a key. A key that may equal several of the
// dictionary's has none that is known.
func (u *universe) entry(d, key *term) *term {
	if !d.concrete() {
		return nil
	}
	var found *term
	for _, p := range d.kids {
		switch k := p.kids[0]; {
		case k == key:
			found = p.kids[1]
		case !differ(k, key):
			if x, ok := quantity(k); ok {
				if y, ok := quantity(key); ok && x == y {
					return p.kids[1]
				}
			}
			if pairs := u.orders[d]; len(pairs) == 0 || pairs[len(pairs)-1].kids[0] != key {
				return nil
			}
		}
	}
	return found
}

// pairs lists a dictionary's string keys with their values.
func (t *term) pairs() map[string]*term {
	out := map[string]*term{}
	if t.is("dict") {
		for _, k := range t.kids {
			if k.is("pair") && k.kids[0].is("str") {
				out[k.kids[0].text] = k.kids[1]
			}
		}
	}
	return out
}

// canonical is a dotted name without the ways in which it can be imported.
func canonical(name string) string {
	name = strings.TrimLeft(name, ".")
	name = strings.TrimPrefix(name, "tests.")
	if rest, ok := strings.CutPrefix(name, "tilegym.backend."); ok && !strings.Contains(rest, ".") {
		return "tilegym." + rest
	}
	if full := aliases[name]; full != "" {
		return full
	}
	return name
}

// aliases are second names of the same value.
var aliases = map[string]string{
	"torch.half": "torch.float16", "torch.float": "torch.float32", "torch.double": "torch.float64",
	"torch.int": "torch.int32", "torch.long": "torch.int64", "torch.cuda.OutOfMemoryError": "torch.OutOfMemoryError",
}

// sym is what a full name holds: itself, or a number.
func (u *universe) sym(name string) *term {
	switch name {
	case "math.inf", "torch.inf", "numpy.inf":
		return u.float(math.Inf(1))
	}
	return u.raw("sym", name)
}

func (u *universe) attr(obj *term, name string) *term {
	switch obj.op {
	case "sym":
		return u.sym(canonical(obj.text + "." + name))
	case "store":
		if obj.text == "."+name {
			return obj.kids[1]
		}
		if strings.HasPrefix(obj.text, ".") {
			return u.attr(obj.kids[0], name)
		}
	case "ite":
		if obj.kids[1].is("store") || obj.kids[2].is("store") {
			u.spend(1)
			return u.ite(obj.kids[0], u.attr(obj.kids[1], name), u.attr(obj.kids[2], name))
		}
	}
	return u.raw("attr", name, obj)
}

func (u *universe) subscript(obj, at *term) *term {
	switch obj.op {
	case "list", "tuple":
		if i, ok := at.integer(); ok && obj.concrete() {
			if i < 0 {
				i += int64(len(obj.kids))
			}
			if i >= 0 && i < int64(len(obj.kids)) {
				return obj.kids[i]
			}
		}
		if at.is("slice") && obj.concrete() {
			if part, ok := cut(obj.kids, at.kids); ok {
				return u.raw(obj.op, "", part...)
			}
		}
	case "dict":
		if v := u.entry(obj, at); v != nil {
			return v
		}
	case "store":
		if obj.text == "[]" {
			if obj.kids[1] == at {
				return obj.kids[2]
			}
			if differ(obj.kids[1], at) {
				u.spend(1)
				return u.subscript(obj.kids[0], at)
			}
		}
	}
	return u.raw("index", "", obj, at)
}

// cut is a list's slice with constant bounds.
func cut(list, bounds []*term) ([]*term, bool) {
	n := int64(len(list))
	at := [3]int64{0, n, 1}
	for i, b := range bounds {
		if b.is("none") {
			continue
		}
		v, ok := b.integer()
		if !ok {
			return nil, false
		}
		if v < 0 && i < 2 {
			v += n
		}
		at[i] = v
	}
	if at[2] != 1 {
		return nil, false
	}
	lo := min(max(at[0], 0), n)
	hi := min(max(at[1], lo), n)
	return list[lo:hi], true
}

// contains reports whether part occurs in t; visited terms are not entered
// twice. A term is made after its parts, so that older ones do not hold it.
func (u *universe) contains(t, part *term) bool {
	seen := map[*term]bool{}
	var in func(*term) bool
	in = func(n *term) bool {
		if n == part {
			return true
		}
		if n.id < part.id || seen[n] {
			return false
		}
		seen[n] = true
		u.spend(1)
		return slices.ContainsFunc(n.kids, in)
	}
	return in(t)
}

// find lists the terms below t that match, each once.
func (t *term) find(match func(*term) bool) []*term {
	seen := map[*term]bool{}
	var out []*term
	var in func(*term)
	in = func(n *term) {
		if seen[n] {
			return
		}
		seen[n] = true
		if match(n) {
			out = append(out, n)
		}
		for _, k := range n.kids {
			in(k)
		}
	}
	in(t)
	return out
}
