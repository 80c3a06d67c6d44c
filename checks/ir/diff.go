package ir

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/check"
	"github.com/tilegate/tilegate/checks/untrusted"
	"github.com/tilegate/tilegate/checks/words"
)

// Schema is the identifier of the JSON form of a Diff.
const Schema = "tilegate.irdiff/v1"

// Verdict says what the differences mean together.
type Verdict string

// The verdicts. Noise alone is a pass.
const (
	Pass          Verdict = "PASS"
	PassWithNotes Verdict = "PASS_WITH_NOTES"
	FailFixable   Verdict = "FAIL_FIXABLE"
	Blocked       Verdict = "BLOCKED" // one of the texts cannot be read
)

// Kind says how much a difference weighs.
type Kind string

// The kinds of differences.
const (
	Critical   Kind = "critical"   // wrong values or a large loss of speed
	Warning    Kind = "warning"    // may cost speed
	Equivalent Kind = "equivalent" // another way to say the same
	Noise      Kind = "noise"      // without effect
	KnownGap   Kind = "known-gap"  // cutile-rs cannot express it
)

// kinds are the kinds from heavy to light.
var kinds = []Kind{Critical, Warning, KnownGap, Equivalent, Noise}

// Diff lists the differences of two modules. Its JSON form is a fixed contract.
type Diff struct {
	Schema      string       `json:"schema"`
	Verdict     Verdict      `json:"verdict"`
	Differences []Difference `json:"differences"`

	pair *pair // the entries that are being compared
}

// Difference is one item that is not alike. Reference and Generated quote the
// texts, ReferenceAt and GeneratedAt say where; a side without a place is nil.
type Difference struct {
	Kind      Kind           `json:"kind"`
	Item      untrusted.Text `json:"item"`
	Reference untrusted.Text `json:"reference"`
	Generated untrusted.Text `json:"generated"`
	Rules     []string       `json:"rules"`
	Note      untrusted.Text `json:"note"`

	ReferenceAt *Place `json:"reference_at,omitempty"`
	GeneratedAt *Place `json:"generated_at,omitempty"`

	line *Line
}

// Compare compares a generated module with its reference, item by item of Lines.
// A text without a readable module and entry gives Blocked.
func Compare(reference, generated []byte) Diff {
	d := Diff{Schema: Schema, Differences: []Difference{}}
	ref, gen := Read(reference), Read(generated)
	for _, side := range []struct {
		name string
		data []byte
		m    Module
	}{{"reference", reference, ref}, {"generated", generated, gen}} {
		why := unusable(side.data, side.m)
		if len(why) == 0 && len(side.m.Entries) == 0 {
			why = []check.Problem{{Message: "expected an entry, found none"}}
		}
		if len(why) > 0 {
			d.Verdict = Blocked
			d.add(lineUnreadable, "", "", "")
			d.note("the " + side.name + " text cannot be compared: " + string(why[0].Message))
			at := side.m.in(max(why[0].Line, 1)) // what is nowhere in a text is told of its beginning
			if side.name == "reference" {
				d.places(at, nil)
			} else {
				d.places(nil, at)
			}
		}
	}
	if why := ambiguous(ref, gen); why != "" && d.Verdict != Blocked {
		d.Verdict = Blocked
		d.add(lineUnreadable, "", "", "")
		d.note("the texts cannot be compared: " + why)
	}
	if d.Verdict == Blocked {
		return d
	}
	d.entries(ref, gen)
	d.labels(reference, generated, ref, gen)
	switch {
	case ref.Debug && !gen.Debug:
		d.add(lineLocated, "", yesNo(true), yesNo(false))
		d.places(&Place{Line: ref.DebugLine}, gen.head())
	case gen.Debug && !ref.Debug:
		d.add(lineDebug, "", yesNo(false), yesNo(true))
		d.places(ref.head(), &Place{Line: gen.DebugLine})
	}
	d.Verdict = Pass
	for _, x := range d.Differences {
		switch x.Kind {
		case Critical:
			d.Verdict = FailFixable
		case Warning, Equivalent, KnownGap:
			if d.Verdict == Pass {
				d.Verdict = PassWithNotes
			}
		}
	}
	slices.SortStableFunc(d.Differences, func(a, b Difference) int {
		return slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind)
	})
	return d
}

// ambiguous says of an entry that a text holds several times that its counterpart
// cannot be told, else "".
func ambiguous(ref, gen Module) string {
	count := map[string][2]int{}
	for side, m := range []Module{ref, gen} {
		for _, e := range m.Entries {
			n := count[e.Name]
			n[side]++
			count[e.Name] = n
		}
	}
	for _, name := range slices.Sorted(maps.Keys(count)) {
		if n := count[name]; n[0] != n[1] && max(n[0], n[1]) > 1 {
			return fmt.Sprintf("the reference holds the entry @%s %s and the generated text %s, so which of them belong together is not known", name, words.Count(n[0], "time"), words.Count(n[1], "time"))
		}
	}
	return ""
}

// add adds a difference of a line; of names the operation or hint that it is about.
func (d *Diff) add(l *Line, of, ref, gen string) {
	item := strings.TrimSpace(of + " " + l.Item)
	d.Differences = append(d.Differences, Difference{
		Kind: l.Kind, Item: untrusted.Text(item), Reference: untrusted.Text(ref).Cut(2000), Generated: untrusted.Text(gen).Cut(2000),
		Rules: append([]string{}, l.Rules...), Note: untrusted.Text(l.Note), line: l,
	})
	if p := d.pair; p != nil {
		d.places(&Place{Line: p.ref.Line, Entry: untrusted.Text(p.ref.Name)}, &Place{Line: p.gen.Line, Entry: untrusted.Text(p.gen.Name)})
	}
}

// places says where the last difference stands.
func (d *Diff) places(ref, gen *Place) {
	x := &d.Differences[len(d.Differences)-1]
	x.ReferenceAt, x.GeneratedAt = ref, gen
}

// note says more of the last difference than its line does.
func (d *Diff) note(s string) { d.Differences[len(d.Differences)-1].Note = untrusted.Text(s) }

// entries pairs the entries: the only ones with each other, else by name, where
// a name may be the other's behind "__", as in an alias.
func (d *Diff) entries(ref, gen Module) {
	if len(ref.Entries) == 1 && len(gen.Entries) == 1 {
		d.entry(ref.Entries[0], gen.Entries[0])
		return
	}
	left := map[string][]int{} // entries without a partner, by name and by what follows "__"
	used := make([]bool, len(gen.Entries))
	for i, g := range gen.Entries {
		left[g.Name] = append(left[g.Name], i)
		if _, real, ok := strings.Cut(g.Name, "__"); ok {
			left[real] = append(left[real], i)
		}
	}
	take := func(name string) int {
		for len(left[name]) > 0 {
			i := left[name][0]
			left[name] = left[name][1:]
			if !used[i] {
				used[i] = true
				return i
			}
		}
		return -1
	}
	for _, r := range ref.Entries {
		i := take(r.Name)
		if _, real, ok := strings.Cut(r.Name, "__"); i < 0 && ok {
			i = take(real)
		}
		if i < 0 {
			d.add(lineEntryGone, "", "@"+r.Name, "missing")
			d.places(ref.in(r.Line), nil)
			continue
		}
		d.entry(r, gen.Entries[i])
	}
	for i, g := range gen.Entries {
		if !used[i] {
			d.add(lineEntryMore, "", "missing", "@"+g.Name)
			d.places(nil, gen.in(g.Line))
		}
	}
}

// labels tells when the entries are called differently, and whether that is all:
// the proof that a dump under another name is the same kernel.
func (d *Diff) labels(reference, generated []byte, ref, gen Module) {
	a, b := entryNames(ref), entryNames(gen)
	if a == b {
		return
	}
	alone := len(d.Differences) == 0 && Unlabelled(reference) == Unlabelled(generated)
	d.add(lineLabel, "", a, b)
	d.places(ref.head(), gen.head())
	if alone {
		d.note("the texts are the same but for the names of the entries")
	}
}

func entryNames(m Module) string {
	var out []string
	for _, e := range m.Entries {
		out = append(out, "@"+e.Name)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// side is one entry with what the comparison looks at.
type side struct {
	Entry
	heads []head
	ops   bag
	exprs *exprs
	loops []bounds // of the counted loops, in their order
}

// bag counts things by name.
type bag map[string]int

func (b bag) total() int {
	n := 0
	for _, v := range b {
		n += v
	}
	return n
}

// kinds forgets how often each thing is there.
func (b bag) kinds() bag {
	k := bag{}
	for v := range b {
		k[v] = 1
	}
	return k
}

// sameKinds reports whether two bags hold the same things, however often.
func (b bag) sameKinds(o bag) bool { return maps.Equal(b.kinds(), o.kinds()) }

func (b bag) String() string {
	if len(b) == 0 {
		return "none"
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(b)) {
		parts = append(parts, fmt.Sprintf("%s x%d", k, b[k]))
	}
	return strings.Join(parts, ", ")
}

func look(e Entry) *side {
	s := &side{Entry: e, ops: bag{}, heads: make([]head, len(e.Ops))}
	for i, op := range e.Ops {
		s.heads[i] = parse(op.Text)
		s.ops[canonical(op.Name)]++
	}
	s.exprs = evaluate(s)
	for i, op := range e.Ops {
		if op.Name == "for" {
			s.loops = append(s.loops, s.exprs.loop(i))
		}
	}
	return s
}

// canonical is one name for operations that were renamed.
func canonical(name string) string {
	switch {
	case name == "mma":
		return "mmaf"
	case strings.HasPrefix(name, "store_view_tko"):
		return "store_view_tko"
	case name == "atomic_rmw" || name == "atomic_cas":
		return name + "_tko"
	case name == "print":
		return "print_tko"
	}
	return name
}

// collect counts what f finds in the operations of these names.
func (s *side) collect(f func(i int, h *head) []string, names ...string) found {
	b := found{bag: bag{}}
	for i, op := range s.Ops {
		if len(names) > 0 && !slices.Contains(names, canonical(op.Name)) {
			continue
		}
		for _, v := range f(i, &s.heads[i]) {
			if v != "" {
				b.add(i, v)
			}
		}
	}
	return b
}

// named finds the operations of a name.
func (s *side) named(name string) found {
	return s.collect(func(int, *head) []string { return []string{name} }, name)
}

func yesNo(b bool) string { return pick(b, "present", "absent") }

func (d *Diff) entry(r, g Entry) {
	ref, gen := look(r), look(g)
	d.pair = &pair{ref: ref, gen: gen}
	defer func() { d.pair = nil }()
	d.operations(ref, gen)
	d.hints(ref, gen)
	d.tma(ref, gen)
	d.views(ref, gen)
	d.pointers(ref, gen)
	d.types(ref, gen)
	d.reductions(ref, gen)
	d.control(ref, gen)
	d.idioms(ref, gen)
	d.modes(ref, gen)
	d.assumptions(ref, gen)
}

// counted are the lines of operations whose number is compared.
var counted = []struct {
	line  *Line
	names []string
}{
	{lineMemory, []string{"load_ptr_tko", "store_ptr_tko", "load_view_tko", "store_view_tko", "atomic_rmw_tko", "atomic_cas_tko", "atomic_red_view_tko"}},
	{lineProducts, []string{"mmaf", "mmai", "mmaf_scaled"}},
	{lineReductions, []string{"reduce", "scan"}},
	{lineFunctions, []string{"exp", "exp2", "rsqrt", "fma", "log", "log2", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "atan2", "pow", "remf", "ceil", "floor", "absf"}},
	{lineLoops, []string{"for"}},
	{lineEndless, []string{"loop"}},
	{lineDimMap, []string{"permute"}},
	{lineStrided, []string{"make_strided_view"}},
	{lineChecks, []string{"assert", "print_tko"}},
	{lineOthers, []string{"bitcast", "cat", "extract", "pack", "unpack", "get_global", "alloca", "make_gather_scatter_view"}},
	{lineIndices, []string{"select", "iota", "cmpi", "cmpf", "ftof", "itof", "ftoi", "exti", "trunci", "addi", "subi", "muli", "mulhii", "divi", "remi", "mini", "maxi", "absi", "negi", "andi", "ori", "xori", "shli", "shri", "if", "get_index_space_shape", "get_tensor_shape", "offset", "int_to_ptr", "ptr_to_int", "ptr_to_ptr"}},
	{lineNoise, []string{"constant", "join_tokens", "yield", "continue", "break", "return", "reshape", "broadcast", "make_tensor_view", "make_partition_view", "get_tile_block_id", "get_num_tile_blocks"}},
}

// elsewhere are operations that other lines compare.
var elsewhere = []string{"addf", "subf", "mulf", "divf", "maxf", "minf", "negf", "assume", "make_token"}

// arithmetic are the operations of which a workaround may need one or two more.
var arithmetic = elsewhere[:7]

var classes = func() map[string]*Line {
	m := map[string]*Line{}
	for _, c := range counted {
		for _, n := range c.names {
			m[n] = c.line
		}
	}
	for _, n := range elsewhere {
		m[n] = nil
	}
	return m
}()

func (d *Diff) operations(ref, gen *side) {
	all := maps.Clone(ref.ops)
	maps.Copy(all, gen.ops)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		a, b := ref.ops[name], gen.ops[name]
		if a == b {
			continue
		}
		l, known := classes[name]
		switch {
		case slices.Contains(arithmetic, name) && max(a-b, b-a) <= 2:
			l = lineFew
		case slices.Contains(arithmetic, name):
			l = lineMany
		case !known:
			l = lineUnknown
		}
		if l != nil {
			of := name
			if l == lineStrided {
				of = "" // the line has its name
			}
			d.add(l, of, strconv.Itoa(a), strconv.Itoa(b))
			d.where(ref.named(name), gen.named(name))
			if name == "permute" {
				d.note("tiles are transposed elsewhere than in the reference: exactly one side transposes")
			}
		}
	}
	if a, b := family(ref), family(gen); a != b && a != "" && b != "" {
		d.add(linePattern, "", a, b)
		d.where(ref.families(), gen.families())
	}
	if a, b := ref.ops["make_token"], gen.ops["make_token"]; a != b {
		d.add(lineTokens, "", strconv.Itoa(a), strconv.Itoa(b))
		d.where(ref.named("make_token"), gen.named("make_token"))
	}
}

// family is what an entry accesses memory by.
func family(s *side) string {
	views := s.ops["load_view_tko"]+s.ops["store_view_tko"] > 0
	pointers := s.ops["load_ptr_tko"]+s.ops["store_ptr_tko"] > 0
	switch {
	case views && pointers:
		return "views and pointers"
	case views:
		return "views"
	case pointers:
		return "pointers"
	}
	return ""
}

// families finds the accesses, each by what it goes through.
func (s *side) families() found {
	return s.collect(func(i int, _ *head) []string {
		return []string{pick(strings.Contains(s.Ops[i].Name, "_view_"), "views", "pointers")}
	}, accesses...)
}

// unsettable are the hints that cutile-rs has no way to give.
var unsettable = []string{"simt_num_warps_in_cta", "tensor_dim_factor"}

func (d *Diff) hints(ref, gen *side) {
	a, b := common(ref.Hints, gen.Hints)
	all := maps.Clone(a)
	maps.Copy(all, b)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		x, y := a[key], b[key]
		switch {
		case x == y:
		case y == "" && slices.Contains(unsettable, key):
			d.add(lineGapHint, key, x, "missing")
		case y == "":
			d.add(lineHintMissing, key, x, "missing")
		case x == "":
			d.add(lineHintExtra, key, "missing", y)
		default:
			d.add(lineHintConflict, key, x, y)
		}
	}
}

// common are the hints of the architectures that both sides name, of all when
// they have none in common.
func common(a, b Hints) (x, y map[string]string) {
	var both []string
	for arch := range a {
		if b[arch] != nil {
			both = append(both, arch)
		}
	}
	return a.flat(both), b.flat(both)
}

// flat joins the hints of architectures, of all when none is named; different
// values are joined by '/'.
func (h Hints) flat(only []string) map[string]string {
	out := map[string]string{}
	for _, arch := range slices.Sorted(maps.Keys(h)) {
		if len(only) > 0 && !slices.Contains(only, arch) {
			continue
		}
		for k, v := range h[arch] {
			if old, ok := out[k]; ok && old != v {
				v = old + "/" + v
			}
			out[k] = v
		}
	}
	return out
}

// accesses are the operations that load and store.
var accesses = []string{"load_ptr_tko", "store_ptr_tko", "load_view_tko", "store_view_tko"}

func (s *side) accessHint(key string) found {
	return s.collect(func(_ int, h *head) []string {
		return []string{hintsIn(h.attrs["optimization_hints"]).flat(nil)[key]}
	}, accesses...)
}

func (d *Diff) tma(ref, gen *side) {
	a, b := ref.accessHint("allow_tma"), gen.accessHint("allow_tma")
	show := func(x found) string {
		return fmt.Sprintf("allowed %d, refused %d", x.bag["true"], x.bag["false"])
	}
	switch {
	case a.bag["true"] > b.bag["true"] || b.bag["false"] > a.bag["false"]:
		d.add(lineTMA, "", show(a), show(b))
		d.where(a, b)
	case b.bag["true"] > a.bag["true"] || b.bag["false"] < a.bag["false"]:
		d.add(lineTMAMore, "", show(a), show(b))
		d.where(a, b)
	}
	a, b = ref.accessHint("latency"), gen.accessHint("latency")
	if maps.Equal(a.bag, b.bag) {
		return
	}
	l := lineLatency
	for i, op := range gen.Ops {
		if op.Loop > 0 && slices.Contains(accesses, canonical(op.Name)) && hintsIn(gen.heads[i].attrs["optimization_hints"]).flat(nil)["latency"] != "" {
			l = lineLatencyIn
		}
	}
	d.add(l, "", a.String(), b.String())
	d.where(a, b)
	switch {
	case a.total() > b.total():
		d.note("latency hints of the reference are missing")
	case a.total() < b.total():
		d.note("the reference has fewer latency hints")
	}
}

// viewTypes are the views that an operation names.
func viewTypes(h *head) []typ {
	var out []typ
	for _, s := range append(slices.Clone(h.in), h.out...) {
		if strings.Contains(s, "view<") {
			out = append(out, parseType(s))
		}
	}
	return out
}

func (d *Diff) views(ref, gen *side) {
	strides := func(_ int, h *head) (out []string) {
		for _, t := range viewTypes(h) {
			if t.name == "tensor_view" {
				out = append(out, t.attrs["strides"])
			}
		}
		return out
	}
	a, b := ref.collect(strides, "make_tensor_view"), gen.collect(strides, "make_tensor_view")
	if !a.sameKinds(b.bag) {
		l := lineStrides
		if loose(b.bag) > 0 && loose(a.bag) == 0 {
			l = lineStrideInner
		}
		d.add(l, "", a.String(), b.String())
		d.where(a, b)
	}
	attr := func(key string) func(int, *head) []string {
		return func(_ int, h *head) (out []string) {
			for _, t := range viewTypes(h) {
				if t.of != nil || t.attrs["tile"] != "" {
					out = append(out, t.attrs[key])
				}
			}
			return out
		}
	}
	strided := ref.ops["make_strided_view"] > 0
	tiles := func(s *side) found {
		x := s.collect(attr("tile"), "load_view_tko", "store_view_tko", "atomic_red_view_tko")
		return x.join(s.collect(func(_ int, h *head) []string {
			if len(h.in) == 0 {
				return nil
			}
			if dims, _ := dimensions(strings.TrimPrefix(h.in[0], "tile<")); len(dims) > 0 {
				return []string{"(" + strings.Join(dims, "x") + ")"}
			}
			return nil
		}, "load_ptr_tko", "store_ptr_tko"))
	}
	if a, b := tiles(ref), tiles(gen); !a.sameKinds(b.bag) {
		d.add(pickLine(strided, lineTilesStrided, lineTiles), "", a.String(), b.String())
		d.where(a, b)
	}
	axes := func(_ int, h *head) (out []string) {
		for _, t := range viewTypes(h) {
			if m := t.attrs["dim_map"]; m != "" && !identityMap(m) {
				out = append(out, m)
			}
		}
		return out
	}
	if a, b := ref.collect(axes, accesses...), gen.collect(axes, accesses...); !a.sameKinds(b.bag) {
		d.add(lineDimMap, "", a.String(), b.String())
		d.where(a, b)
	}
	// Stores are never padded by cutile-rs, so only what loads see is compared.
	padding := func(_ int, h *head) (out []string) {
		for _, v := range append(attr("padding_value")(0, h), "none")[:1] {
			out = append(out, pick(v == "", "none", v))
		}
		return out
	}
	if a, b := ref.collect(padding, "load_view_tko"), gen.collect(padding, "load_view_tko"); len(a.bag) > 0 && len(b.bag) > 0 && !a.sameKinds(b.bag) {
		d.add(pickLine(onlyPadded(a.bag, b.bag), linePadded, linePadding), "", a.String(), b.String())
		d.where(a, b)
	}
}

// onlyPadded reports whether all that differs is that loads without a padding
// have one.
func onlyPadded(ref, gen bag) bool {
	for v := range ref {
		if v != "none" && gen[v] == 0 {
			return false
		}
	}
	return ref["none"] > 0
}

func pickLine(b bool, yes, no *Line) *Line {
	if b {
		return yes
	}
	return no
}

// identityMap reports whether a map of axes changes nothing: [0,1,2].
func identityMap(m string) bool {
	for i, axis := range split(strings.Trim(m, "[]")) {
		if axis != strconv.Itoa(i) {
			return false
		}
	}
	return true
}

// loose counts the strides whose last one is not the constant 1.
func loose(strides bag) int {
	n := 0
	for s, times := range strides {
		parts := split(strings.Trim(s, "[]"))
		if len(parts) > 0 && parts[len(parts)-1] != "1" {
			n += times
		}
	}
	return n
}

// pointers compares masks and padding of the operations on pointers.
func (d *Diff) pointers(ref, gen *side) {
	if ref.ops["load_ptr_tko"] != gen.ops["load_ptr_tko"] || ref.ops["store_ptr_tko"] != gen.ops["store_ptr_tko"] {
		return // told already
	}
	if a, b := ref.masked(), gen.masked(); a.total() > b.total() {
		d.add(lineMask, "", strconv.Itoa(a.total()), strconv.Itoa(b.total()))
		d.where(a, b)
	}
	x, y := ref.padded(), gen.padded()
	a, b := x.total(), y.total()
	if a <= b {
		return
	}
	d.add(pickLine(gen.selected() >= a-b, linePadSelect, linePadOperand), "", strconv.Itoa(a), strconv.Itoa(b))
	d.where(x, y)
}

// masked finds the operations on pointers that have a mask: a tile of i1 among
// the types of their operands.
func (s *side) masked() found {
	return s.collect(func(_ int, h *head) []string {
		for _, t := range h.in {
			if strings.HasSuffix(t, "xi1>") || t == "tile<i1>" {
				return []string{"mask"}
			}
		}
		return nil
	}, "load_ptr_tko", "store_ptr_tko")
}

// padded finds the loads from pointers with a third operand, the padding.
func (s *side) padded() found {
	return s.collect(func(i int, _ *head) []string {
		if len(s.Ops[i].operands) > 2 {
			return []string{"padding"}
		}
		return nil
	}, "load_ptr_tko")
}

// selected counts the loads from pointers whose tile goes into a select.
func (s *side) selected() int {
	from := map[int]bool{} // loads, and conversions of what they loaded
	used := map[int]bool{}
	for i, op := range s.Ops {
		switch op.Name {
		case "load_ptr_tko":
			from[i] = true
		case "ftof", "itof", "reshape":
			if len(op.operands) > 0 && op.operands[0].from == result && from[op.operands[0].op] {
				from[i] = true
			}
		case "select":
			for _, v := range op.operands {
				if v.from == result && from[v.op] {
					used[v.op] = true
				}
			}
		}
	}
	return len(used)
}

// types compares the types of products, of what is stored and of what is read.
func (d *Diff) types(ref, gen *side) {
	products := []string{"mmaf", "mmai", "mmaf_scaled"}
	acc := func(_ int, h *head) []string {
		if len(h.in) > 2 {
			return h.in[2:3]
		}
		return nil
	}
	factors := func(_ int, h *head) []string {
		if len(h.in) > 1 {
			return []string{h.in[0] + " by " + h.in[1]}
		}
		return nil
	}
	if a, b := ref.collect(acc, products...), gen.collect(acc, products...); len(a.bag) > 0 && len(b.bag) > 0 && !a.sameKinds(b.bag) {
		d.add(lineAccumulator, "", a.String(), b.String())
		d.where(a, b)
	}
	if a, b := ref.collect(factors, products...), gen.collect(factors, products...); len(a.bag) > 0 && len(b.bag) > 0 && !a.sameKinds(b.bag) {
		d.add(lineFactors, "", a.String(), b.String())
		d.where(a, b)
	}
	if a, b := ref.collect(ref.stored, "store_view_tko", "store_ptr_tko"), gen.collect(gen.stored, "store_view_tko", "store_ptr_tko"); len(a.bag) > 0 && len(b.bag) > 0 && !a.sameKinds(b.bag) {
		narrowed := false
		for v := range a.bag {
			narrowed = narrowed || strings.Contains(v, " from ") && b.bag[v] == 0
		}
		d.add(pickLine(narrowed, lineNarrowed, lineConverted), "", a.String(), b.String())
		d.where(a, b)
	}
	elements := func(_ int, h *head) (out []string) {
		for _, s := range append(slices.Clone(h.in), h.out...) {
			t := parseType(s)
			if t.of != nil {
				t = *t.of
			}
			if e := strings.TrimSuffix(strings.TrimPrefix(t.elem, "ptr<"), ">"); e != "" && e != "i1" && !strings.HasPrefix(e, "i32") {
				out = append(out, e)
			}
		}
		return out
	}
	if a, b := ref.collect(elements, accesses...), gen.collect(elements, accesses...); len(a.bag) > 0 && len(b.bag) > 0 && !a.sameKinds(b.bag) {
		d.add(lineElements, "", keys(a.bag), keys(b.bag))
		d.where(a, b)
	}
}

func keys(b bag) string { return strings.Join(slices.Sorted(maps.Keys(b)), ", ") }

// stored is the type of what a store writes and, when it was converted for that,
// the type that it was computed in.
func (s *side) stored(i int, h *head) []string {
	op := s.Ops[i]
	at := pickInt(canonical(op.Name) == "store_ptr_tko", 1, 0)
	if len(op.operands) <= at || len(h.in) <= at {
		return nil
	}
	elem := parseType(h.in[at]).elem
	for v, hops := op.operands[at], 0; v.from == result && hops < 8; hops++ {
		from := s.Ops[v.op]
		if len(from.operands) == 0 {
			break
		}
		switch from.Name {
		case "ftof", "itof", "ftoi":
			if in := s.heads[v.op].in; len(in) > 0 {
				return []string{elem + " from " + parseType(in[0]).elem}
			}
			return []string{elem}
		case "reshape", "broadcast", "permute":
			v = from.operands[0]
		default:
			return []string{elem}
		}
	}
	return []string{elem}
}

func pickInt(b bool, yes, no int) int {
	if b {
		return yes
	}
	return no
}

// reductions compares axes, operations and identities.
func (d *Diff) reductions(ref, gen *side) {
	identity := func(_ int, h *head) []string {
		var out []string
		for _, v := range split(strings.Trim(h.attrs["identities"], "[]")) {
			out = append(out, float(v))
		}
		return out
	}
	names := []string{"reduce", "scan"}
	if a, b := ref.collect(identity, names...), gen.collect(identity, names...); !a.sameKinds(b.bag) {
		d.add(lineIdentity, "", a.String(), b.String())
		d.where(a, b)
	}
	if ref.ops["reduce"] != gen.ops["reduce"] || ref.ops["scan"] != gen.ops["scan"] {
		return // told already
	}
	if a, b := ref.reduced(), gen.reduced(); !maps.Equal(a.bag, b.bag) {
		d.add(lineReduced, "", a.String(), b.String())
		d.where(a, b)
	}
}

// reduced finds the reductions by axis and by the operations inside.
func (s *side) reduced() found {
	inside := map[int][]string{}
	for _, op := range s.Ops {
		if op.parent >= 0 && op.Name != "yield" {
			if n := s.Ops[op.parent].Name; n == "reduce" || n == "scan" {
				inside[op.parent] = append(inside[op.parent], op.Name)
			}
		}
	}
	b := found{bag: bag{}}
	for i, op := range s.Ops {
		if op.Name == "reduce" || op.Name == "scan" {
			slices.Sort(inside[i])
			dim, _, _ := strings.Cut(s.heads[i].attrs["dim"], ":")
			b.add(i, fmt.Sprintf("%s of axis %s by %s", op.Name, dim, strings.Join(inside[i], "+")))
		}
	}
	return b
}

// float writes a number in one way: 0.000000e+00 : f32, 0.0 : f32 and 0 are 0, and
// 0xFF800000 : f32 is -Inf. Printers give infinities and NaN by their bits.
func float(s string) string {
	v, kind, _ := strings.Cut(s, ":")
	if bits, err := strconv.ParseUint(strings.TrimPrefix(v, "0x"), 16, 64); err == nil && strings.HasPrefix(v, "0x") {
		switch kind {
		case "f64":
			return decimal(math.Float64frombits(bits))
		case "f32", "tf32":
			return decimal(float64(math.Float32frombits(uint32(bits))))
		case "bf16":
			return decimal(float64(math.Float32frombits(uint32(bits) << 16)))
		case "f16":
			switch bits {
			case 0x7C00:
				return decimal(math.Inf(1))
			case 0xFC00:
				return decimal(math.Inf(-1))
			}
		}
		return v
	}
	f, err := strconv.ParseFloat(v, 64)
	if err != nil {
		return v
	}
	return decimal(f)
}

func decimal(f float64) string { return strconv.FormatFloat(f+0, 'g', -1, 64) }

// control compares the loops.
func (d *Diff) control(ref, gen *side) {
	if a, b := ref.persistent(), gen.persistent(); a.total() != b.total() {
		d.add(pickLine(a.total() > b.total(), linePersistent, lineGrid), "", strconv.Itoa(a.total()), strconv.Itoa(b.total()))
		d.where(a, b)
	}
	if len(ref.loops) != len(gen.loops) {
		return // told already
	}
	steps := func(s *side) found {
		b := found{bag: bag{}}
		for _, l := range s.loops {
			b.add(l.op, show(l.step))
		}
		return b
	}
	a, b := steps(ref), steps(gen)
	if !maps.Equal(a.bag, b.bag) {
		d.add(lineStep, "", a.String(), b.String())
		d.where(a, b)
	} else if x, y := ref.assumedSteps(), gen.assumedSteps(); x.total() != y.total() {
		d.add(lineAssumed, "", fmt.Sprintf("%d assumed", x.total()), fmt.Sprintf("%d assumed", y.total()))
		d.where(x, y)
	}
	told := map[*Line]bool{}
	for i, r := range ref.loops {
		l := bound(r, gen.loops[i])
		if l != nil && !told[l] {
			told[l] = true
			d.add(l, "", span(r), span(gen.loops[i]))
			d.ops(r.op, gen.loops[i].op)
		}
	}
}

// persistent finds the loops over blocks that the grid does not have.
func (s *side) persistent() found {
	n := found{bag: bag{}}
	for _, l := range s.loops {
		if l.persistent() {
			n.add(l.op, "persistent")
		}
	}
	return n
}

// assumedSteps finds the loops whose step is an assumed value.
func (s *side) assumedSteps() found {
	return s.collect(func(i int, _ *head) []string {
		if op := s.Ops[i]; len(op.operands) > 2 {
			if v := op.operands[2]; v.from == result && s.Ops[v.op].Name == "assume" {
				return []string{"assumed"}
			}
		}
		return nil
	}, "for")
}

// bound tells how the bounds of two loops differ; nil when they do not.
func bound(r, g bounds) *Line {
	if r.upper == nil || g.upper == nil {
		return nil
	}
	a, b := r.upper, g.upper
	switch {
	case a.op == "const" && b.op == "const" && r.lower.op == "const" && g.lower.op == "const":
		if a.k-r.lower.k != b.k-g.lower.k {
			return lineTrips
		}
	case a.op == "const" && b.op != "const":
		return lineRuntime
	case a.op != "const" && b.op == "const":
		return lineBaked
	case a.facts&hasCeil != 0 && b.facts&hasCeil == 0 && b.facts&hasFloor != 0:
		return lineFloor
	}
	return nil
}

func span(b bounds) string { return fmt.Sprintf("%s to %s", show(b.lower), show(b.upper)) }

// show prints an expression, cut where it is deep. A damaged loop has none.
func show(e *expr) string {
	if e == nil {
		return "?"
	}
	return showTo(e, 4)
}

func showTo(e *expr, depth int) string {
	switch e.op {
	case "const":
		return strconv.FormatInt(e.k, 10)
	case "block", "grid", "size":
		return e.op + "." + string("xyzwv"[min(max(e.k, 0), 4)])
	case "argument", "counter":
		return e.op
	case "unknown", "cmp":
		return "?"
	}
	if depth == 0 {
		return "..."
	}
	var parts []string
	for _, a := range e.args {
		parts = append(parts, showTo(a, depth-1))
	}
	return e.op + "(" + strings.Join(parts, ", ") + ")"
}

// idioms compares computations that can be written in several ways.
func (d *Diff) idioms(ref, gen *side) {
	for _, c := range []struct {
		line  *Line
		forms []string
	}{
		{lineCeil, []string{ceilRounded, ceilIndex, ceilByHand}},
		{lineMinimum, []string{"min by " + minOp, "min by " + minBranch}},
		{lineMinimum, []string{"max by " + minOp, "max by " + minBranch}},
	} {
		a, b := ref.exprs.forms.only(c.forms...), gen.exprs.forms.only(c.forms...)
		if len(a.bag) > 0 && len(b.bag) > 0 && !a.sameKinds(b.bag) {
			d.add(c.line, "", a.String(), b.String())
			d.where(a, b)
		}
	}
	a, b := ref.exprs, gen.exprs
	x, y := a.forms.only(modFloor), b.forms.only(modFloor)
	if ref.ops["remi"] > 0 && gen.ops["remi"] > 0 && (x.total() == 0) != (y.total() == 0) {
		d.add(pickLine(a.floorMod && !b.floorMod, lineNegative, lineRemainder), "", fmt.Sprintf("%d corrected", x.total()), fmt.Sprintf("%d corrected", y.total()))
		d.where(x, y)
	}
	if m, n := len(a.swizzle.at) > 0, len(b.swizzle.at) > 0; m != n {
		d.add(pickLine(m, lineSwizzle, lineSwizzled), "", pick(m, "in groups", "row by row"), pick(n, "in groups", "row by row"))
		d.where(a.swizzle, b.swizzle)
	}
}

// modes compares flush-to-zero, rounding and what happens to NaN, for each operation.
func (d *Diff) modes(ref, gen *side) {
	for _, name := range []string{"addf", "subf", "mulf", "divf", "fma", "exp", "exp2", "rsqrt", "sqrt", "tanh", "maxf", "minf"} {
		has := func(s *side, word string) found {
			return s.collect(func(_ int, h *head) []string {
				if _, unit := h.attrs[word]; unit || h.has(word) {
					return []string{word}
				}
				return nil
			}, name)
		}
		for _, c := range []struct {
			word        string
			fewer, more *Line
		}{{"flush_to_zero", lineFlush, lineFlushMore}, {"propagate_nan", lineNaN, lineNaNMore}} {
			x, y := has(ref, c.word), has(gen, c.word)
			if a, b := x.total(), y.total(); a != b {
				d.add(pickLine(a > b, c.fewer, c.more), name, strconv.Itoa(a), strconv.Itoa(b))
				d.where(x, y)
			}
		}
		a, b := ref.rounding(name), gen.rounding(name)
		if maps.Equal(a.bag, b.bag) {
			continue
		}
		l := lineRounding
		switch {
		case a.bag["approx"] > b.bag["approx"]:
			l = lineApprox
		case name == "maxf" || name == "minf":
			l = lineExact
		}
		d.add(l, name, a.String(), b.String())
		d.where(a, b)
	}
	ordering := func(_ int, h *head) []string {
		return []string{pick(h.has("unordered") || strings.Contains(h.attrs["comparison_ordering"], "unordered"), "unordered", "ordered")}
	}
	if a, b := ref.collect(ordering, "cmpf"), gen.collect(ordering, "cmpf"); len(a.bag) > 0 && len(b.bag) > 0 && !a.sameKinds(b.bag) {
		d.add(lineOrdered, "", a.String(), b.String())
		d.where(a, b)
	}
}

// rounding finds the rounding modes of an operation that are not its default.
// Printers leave the default out or spell it.
func (s *side) rounding(name string) found {
	exact := name == "maxf" || name == "minf"
	return s.collect(func(_ int, h *head) []string {
		mode := strings.TrimSuffix(strings.TrimPrefix(h.first("rounding", "rounding_mode"), "rounding<"), ">")
		if mode == "0" {
			mode = "nearest_even" // as cutile-rs prints what it has no words for
		}
		if !exact && (mode == "nearest_even" || mode == "full" && name != "divf") {
			return nil
		}
		return []string{mode}
	}, name)
}

// assumptions compares what the compiler is promised. A divisor of a pointer may
// be asked for; of a size it is false for ragged shapes.
func (d *Diff) assumptions(ref, gen *side) {
	find := func(s *side, key string, keep func(t string) bool) found {
		return s.collect(func(_ int, h *head) []string {
			v, ok := h.attrs[key]
			if !ok || len(h.in) == 0 || !keep(h.in[0]) {
				return nil
			}
			return []string{key + "<" + v + ">"}
		}, "assume")
	}
	pointer := func(t string) bool { return strings.Contains(t, "ptr<") }
	if a, b := find(ref, "div_by", pointer), find(gen, "div_by", pointer); a.total() > b.total() {
		d.add(pickLine(gen.ops["load_ptr_tko"]+gen.ops["store_ptr_tko"] > 0, linePointers, lineViews), "", a.String(), b.String())
		d.where(a, b)
	}
	size := func(t string) bool { return strings.HasPrefix(t, "tile<") && !pointer(t) }
	if a, b := find(ref, "div_by", size), find(gen, "div_by", size); b.total() > a.total() {
		d.add(lineScalars, "", a.String(), b.String())
		d.where(a, b)
	}
	any := func(string) bool { return true }
	if a, b := find(ref, "bounded", any), find(gen, "bounded", any); a.total() != b.total() {
		d.add(lineBounded, "", a.String(), b.String())
		d.where(a, b)
	}
}

// WriteText prints the differences for people. Operations that are only counted
// share a line.
func (d Diff) WriteText(w io.Writer) error {
	var b strings.Builder
	for i := 0; i < len(d.Differences); i++ {
		x := d.Differences[i]
		if x.line == lineIndices || x.line == lineNoise {
			var counts []string
			for ; i < len(d.Differences) && d.Differences[i].line == x.line; i++ {
				y := d.Differences[i]
				at := ""
				if y.ReferenceAt != nil && y.GeneratedAt != nil {
					at = fmt.Sprintf(" (lines %d and %d)", y.ReferenceAt.Line, y.GeneratedAt.Line)
				}
				counts = append(counts, fmt.Sprintf("%s %s against %s%s", y.Item.Line(), y.Reference.Line(), y.Generated.Line(), at))
			}
			i--
			fmt.Fprintf(&b, "%s: %s: %s\n", x.Kind, strings.Join(counts, ", "), x.Note.Line())
			continue
		}
		fmt.Fprintf(&b, "%s: %s: %s", x.Kind, x.Item.Line(), x.Note.Line())
		if len(x.Rules) > 0 {
			fmt.Fprintf(&b, " [%s]", strings.Join(x.Rules, ", "))
		}
		b.WriteString("\n")
		for _, side := range []struct {
			name string
			text untrusted.Text
			at   *Place
		}{{"reference", x.Reference, x.ReferenceAt}, {"generated", x.Generated, x.GeneratedAt}} {
			switch {
			case side.text != "":
				fmt.Fprintf(&b, "  %s%s: %s\n", side.name, side.at, side.text.Line())
			case side.at != nil:
				fmt.Fprintf(&b, "  %s%s\n", side.name, side.at)
			}
		}
	}
	fmt.Fprintf(&b, "%s\n", d.Verdict)
	var explained []string
	for _, x := range d.Differences {
		for _, rule := range x.Rules {
			if !slices.Contains(explained, rule) {
				explained = append(explained, rule)
			}
		}
	}
	switch len(explained) {
	case 0:
	case 1:
		fmt.Fprintf(&b, "`tilegate rules %s` explains the rule.\n", explained[0])
	default:
		b.WriteString("`tilegate rules ID` explains a rule.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
