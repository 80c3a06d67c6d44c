package ir

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/untrusted"
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

// Diff lists the differences of two modules. Its JSON form is a fixed contract.
type Diff struct {
	Schema      string       `json:"schema"`
	Verdict     Verdict      `json:"verdict"`
	Differences []Difference `json:"differences"`
}

// Difference is one item that is not alike. Reference and Generated quote the
// texts.
type Difference struct {
	Kind      Kind           `json:"kind"`
	Item      untrusted.Text `json:"item"`
	Reference untrusted.Text `json:"reference"`
	Generated untrusted.Text `json:"generated"`
	Rules     []string       `json:"rules"`
	Note      untrusted.Text `json:"note"`
}

// Compare compares a generated module with its reference. A text without a
// readable module and entry gives Blocked.
func Compare(reference, generated []byte) Diff {
	d := Diff{Schema: Schema, Differences: []Difference{}}
	ref, gen := Read(reference), Read(generated)
	for _, side := range []struct {
		name string
		m    Module
	}{{"reference", ref}, {"generated", gen}} {
		why := ""
		switch {
		case side.m.PythonLevel != "":
			why = "it is the Python-level IR"
		case !side.m.HasModule:
			why = "it has no cuda_tile.module"
		case !side.m.Closed:
			why = "it is not a whole module"
		case len(side.m.Entries) == 0:
			why = "it has no entry"
		}
		if why != "" {
			d.Verdict = Blocked
			d.add(Critical, "module", "", "", []string{Rule}, "the "+side.name+" text cannot be compared: "+why)
		}
	}
	if d.Verdict == Blocked {
		return d
	}
	d.entries(ref, gen)
	if ref.Debug != gen.Debug {
		d.add(Noise, "source locations", yesNo(ref.Debug), yesNo(gen.Debug), nil, "debug information has no effect")
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
	order := []Kind{Critical, Warning, KnownGap, Equivalent, Noise}
	slices.SortStableFunc(d.Differences, func(a, b Difference) int {
		return slices.Index(order, a.Kind) - slices.Index(order, b.Kind)
	})
	return d
}

func (d *Diff) add(k Kind, item, ref, gen string, rules []string, note string) {
	d.Differences = append(d.Differences, Difference{
		Kind: k, Item: untrusted.Text(item), Reference: untrusted.Text(ref).Cut(2000), Generated: untrusted.Text(gen).Cut(2000),
		Rules: append([]string{}, rules...), Note: untrusted.Text(note),
	})
}

// entries pairs the entries: the only ones with each other, else by name.
func (d *Diff) entries(ref, gen Module) {
	if len(ref.Entries) == 1 && len(gen.Entries) == 1 {
		d.entry(ref.Entries[0], gen.Entries[0])
		return
	}
	used := map[int]bool{} // by line
	for _, r := range ref.Entries {
		i := slices.IndexFunc(gen.Entries, func(g Entry) bool { return g.Name == r.Name && !used[g.Line] })
		if i < 0 {
			d.add(Critical, "entry", "@"+r.Name, "missing", []string{"R35"}, "no generated entry has this name")
			continue
		}
		used[gen.Entries[i].Line] = true
		d.entry(r, gen.Entries[i])
	}
	for _, g := range gen.Entries {
		if !used[g.Line] {
			d.add(Warning, "entry", "missing", "@"+g.Name, []string{"R35"}, "no reference entry has this name")
		}
	}
}

// side is one entry with the totals that the comparison looks at.
type side struct {
	Entry
	ops map[string]int
}

func totals(e Entry) side {
	s := side{Entry: e, ops: map[string]int{}}
	for _, op := range e.Ops {
		name := op.Name
		if name == "mma" {
			name = "mmaf"
		}
		if strings.HasPrefix(name, "store_view_tko") {
			name = "store_view_tko"
		}
		s.ops[name]++
	}
	return s
}

// where lists the distinct values that a pattern finds in the operations that
// keep accepts, with the number of times each is found.
func (s side) where(p *regexp.Regexp, keep func(Op) bool) map[string]int {
	found := map[string]int{}
	for _, op := range s.Ops {
		if keep != nil && !keep(op) {
			continue
		}
		for _, m := range p.FindAllStringSubmatch(op.Text, -1) {
			value := ssaName.ReplaceAllString(m[len(m)-1], "?") // an operand is a dynamic value, as in the type
			found[strings.Join(strings.Fields(value), "")]++
		}
	}
	return found
}

func named(names ...string) func(Op) bool {
	return func(op Op) bool { return slices.Contains(names, op.Name) }
}

func sum(m map[string]int) int {
	n := 0
	for _, v := range m {
		n += v
	}
	return n
}

func show(m map[string]int) string {
	if len(m) == 0 {
		return "none"
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s x%d", k, m[k]))
	}
	return strings.Join(parts, ", ")
}

func yesNo(b bool) string {
	if b {
		return "present"
	}
	return "absent"
}

// opClass is how a different number of an operation is judged.
type opClass struct {
	kind  Kind
	rules []string
	note  string
}

var (
	// The operations that must be alike: they decide values or the memory path.
	mustMatch = map[string]opClass{
		"load_ptr_tko":   {Critical, []string{"R28"}, "the memory path differs"},
		"store_ptr_tko":  {Critical, []string{"R28"}, "the memory path differs"},
		"load_view_tko":  {Critical, []string{"R28"}, "the memory path differs"},
		"store_view_tko": {Critical, []string{"R28"}, "the memory path differs"},
		"mmaf":           {Critical, []string{"R8"}, "the number of matrix products differs"},
		"mmai":           {Critical, []string{"R8"}, "the number of matrix products differs"},
		"reduce":         {Critical, []string{"R5"}, "the number of reductions differs"},
		"scan":           {Critical, []string{"R5"}, "the number of scans differs"},
		"exp":            {Critical, []string{"R26"}, "another exponential is used"},
		"exp2":           {Critical, []string{"R26"}, "another exponential is used"},
		"rsqrt":          {Critical, []string{"R26"}, "the number of reciprocal roots differs"},
		"fma":            {Critical, []string{"R26"}, "the number of fused operations differs"},
		"for":            {Critical, []string{"R13", "R24"}, "the number of counted loops differs"},
		"loop":           {Critical, []string{"R13"}, "a loop without bounds differs from a counted one"},
	}
	arithmetic = []string{"addf", "subf", "mulf", "divf", "maxf", "minf", "negf", "true_div"}
	informing  = []string{"select", "iota", "cmpi", "cmpf", "ftof", "itof", "ftoi", "exti", "trunci", "addi", "subi", "muli", "divi", "remi", "mini", "maxi", "if", "get_index_space_shape"}
	noisy      = []string{"constant", "make_token", "join_tokens", "assume", "yield", "continue", "reshape", "broadcast"}
)

var (
	tmaOn     = regexp.MustCompile(`allow_tma\s*=\s*(true)`)
	tmaOff    = regexp.MustCompile(`allow_tma\s*=\s*(false)`)
	latency   = regexp.MustCompile(`\blatency\s*=\s*(\d+)`)
	stridesIn = regexp.MustCompile(`strides\s*=\s*\[([^\]]*)\]`)
	tileIn    = regexp.MustCompile(`tile\s*=\s*\(([^)]*)\)`)
	dimMap    = regexp.MustCompile(`dim_map\s*=\s*\[([^\]]*)\]`)
	padding   = regexp.MustCompile(`padding_value\s*=\s*([\w-]+)`)
	identity  = regexp.MustCompile(`identities\s*=\s*\[([^\]]*)\]`)
	ftz       = regexp.MustCompile(`\b(flush_to_zero)\b`)
	rounding  = regexp.MustCompile(`rounding(?:_mode)?\s*(?:<|=\s*)\s*([a-z_]+)`)
	lastType  = regexp.MustCompile(`tile<([^<>]*)>\s*$`)
	divBy     = regexp.MustCompile(`^(div_by<[^>]*>)`)
	ssaName   = regexp.MustCompile(`%[\w$.#-]+`)
)

func (d *Diff) entry(r, g Entry) {
	ref, gen := totals(r), totals(g)
	d.operations(ref, gen)
	d.hints(ref, gen)
	d.memory(ref, gen)
	d.views(ref, gen)
	d.accumulators(ref, gen)
	d.modes(ref, gen)
	d.assumptions(ref, gen)
}

func (d *Diff) operations(ref, gen side) {
	strided := ref.ops["make_strided_view"]
	if strided != gen.ops["make_strided_view"] {
		d.add(KnownGap, "make_strided_view", fmt.Sprint(strided), fmt.Sprint(gen.ops["make_strided_view"]), nil,
			"cutile-rs has partition views only: check that the tile indices address the same elements")
	}
	for _, name := range slices.Sorted(maps.Keys(mustMatch)) {
		c := mustMatch[name]
		if a, b := ref.ops[name], gen.ops[name]; a != b {
			d.add(c.kind, name, fmt.Sprint(a), fmt.Sprint(b), c.rules, c.note)
		}
	}
	for _, name := range arithmetic {
		a, b := ref.ops[name], gen.ops[name]
		switch {
		case a == b:
		case max(a-b, b-a) <= 2:
			d.add(Warning, name, fmt.Sprint(a), fmt.Sprint(b), []string{"R48"}, "up to two more or fewer are usual for a workaround: check the expression around it")
		default:
			d.add(Critical, name, fmt.Sprint(a), fmt.Sprint(b), []string{"R48"}, "more than a workaround explains")
		}
	}
	for _, name := range informing {
		if a, b := ref.ops[name], gen.ops[name]; a != b {
			d.add(Equivalent, name, fmt.Sprint(a), fmt.Sprint(b), nil, "index and mask arithmetic can be written in several ways")
		}
	}
	for _, name := range noisy {
		if a, b := ref.ops[name], gen.ops[name]; a != b {
			d.add(Noise, name, fmt.Sprint(a), fmt.Sprint(b), nil, "the compiler adds or removes these")
		}
	}
}

func (d *Diff) hints(ref, gen side) {
	for _, key := range []string{"occupancy", "num_cta_in_cga", "max_divisibility"} {
		a, b := ref.Hints[key], gen.Hints[key]
		switch {
		case a == b:
		case b == "":
			d.add(Warning, key, a, "missing", []string{"R20"}, "the reference gives this hint")
		case a == "":
			d.add(Warning, key, "missing", b, []string{"R20"}, "the reference does not give this hint")
		default:
			d.add(Critical, key, a, b, []string{"R20"}, "the hints contradict each other")
		}
	}
	for _, key := range []string{"simt_num_warps_in_cta", "tensor_dim_factor"} {
		if a, b := ref.Hints[key], gen.Hints[key]; a != b {
			d.add(KnownGap, key, orNone(a), orNone(b), nil, "cutile-rs cannot set it")
		}
	}
}

func orNone(s string) string {
	if s == "" {
		return "missing"
	}
	return s
}

func (d *Diff) memory(ref, gen side) {
	on := func(s side) int { return sum(s.where(tmaOn, nil)) }
	off := func(s side) int { return sum(s.where(tmaOff, nil)) }
	if a, b := on(ref), on(gen); a > b || off(gen) > off(ref) {
		d.add(Critical, "tma", fmt.Sprintf("allowed %d, refused %d", a, off(ref)), fmt.Sprintf("allowed %d, refused %d", b, off(gen)), []string{"R28"},
			"loads or stores lost TMA: correct layout and strides instead of switching it off")
	} else if b > a || off(gen) < off(ref) {
		d.add(Warning, "tma", fmt.Sprintf("allowed %d, refused %d", a, off(ref)), fmt.Sprintf("allowed %d, refused %d", b, off(gen)), []string{"R28"}, "TMA is allowed in more places than in the reference")
	}
	a, b := ref.where(latency, nil), gen.where(latency, nil)
	if !maps.Equal(a, b) {
		note := "the latency hints differ"
		switch {
		case sum(a) > sum(b):
			note = "latency hints of the reference are missing"
		case sum(a) < sum(b):
			note = "the reference has fewer latency hints"
		}
		rules := []string{"R20"}
		for _, op := range gen.Ops {
			if op.Loop > 0 && latency.MatchString(op.Text) {
				rules = []string{"R20", "R29"}
			}
		}
		d.add(Warning, "latency", show(a), show(b), rules, note)
	}
}

// loads are the operations whose view type says how a tile is read.
func loads(op Op) bool { return op.Name == "load_view_tko" }

func (d *Diff) views(ref, gen side) {
	if a, b := ref.where(stridesIn, nil), gen.where(stridesIn, nil); !maps.Equal(keys(a), keys(b)) {
		if inner(gen) > 0 && inner(ref) == 0 {
			d.add(Critical, "strides", show(a), show(b), []string{"R11"}, "the innermost stride must be the constant 1")
		} else {
			d.add(Warning, "strides", show(a), show(b), []string{"R11"}, "the strides of the tensor views differ")
		}
	}
	strided := ref.ops["make_strided_view"] > 0
	if a, b := ref.where(tileIn, nil), gen.where(tileIn, nil); !maps.Equal(keys(a), keys(b)) {
		k, note := Critical, "tiles of another shape address other elements"
		if strided {
			k, note = Warning, "the reference uses strided views: check that the same elements are addressed"
		}
		d.add(k, "tile shapes", show(a), show(b), []string{"R48"}, note)
	}
	if a, b := ref.where(dimMap, nil), gen.where(dimMap, nil); !maps.Equal(keys(a), keys(b)) {
		d.add(Warning, "dim_map", show(a), show(b), []string{"R27", "R34"}, "the axes are mapped differently: exactly one side transposes")
	}
	// Stores are never padded by cutile-rs, so only what loads see is compared.
	if a, b := ref.where(padding, loads), gen.where(padding, loads); !maps.Equal(keys(a), keys(b)) {
		d.add(Critical, "padding", show(a), show(b), []string{"R28", "R45"}, "elements outside of the tensor are read as another value")
	}
	if a, b := ref.where(identity, nil), gen.where(identity, nil); !maps.Equal(keys(a), keys(b)) {
		d.add(Critical, "reduce identities", show(a), show(b), []string{"R48"}, "the reduction starts from another value")
	}
}

// inner counts the views whose last stride is not the constant 1.
func inner(s side) int {
	n := 0
	for strides, times := range s.where(stridesIn, nil) {
		parts := strings.Split(strides, ",")
		if last := strings.TrimSpace(parts[len(parts)-1]); last != "1" && last != "" {
			n += times
		}
	}
	return n
}

// keys forgets how often each value was found.
func keys(m map[string]int) map[string]int {
	k := map[string]int{}
	for v := range m {
		k[v] = 1
	}
	return k
}

func (d *Diff) accumulators(ref, gen side) {
	mma := named("mmaf", "mma", "mmai")
	a, b := ref.where(lastType, mma), gen.where(lastType, mma)
	if len(a) > 0 && len(b) > 0 && !maps.Equal(keys(a), keys(b)) {
		d.add(Critical, "accumulator", show(a), show(b), []string{"R8", "R31"}, "the product is accumulated in another type or shape")
	}
}

// modes compares flush-to-zero and rounding for each operation.
func (d *Diff) modes(ref, gen side) {
	for _, name := range []string{"addf", "subf", "mulf", "divf", "fma", "exp", "exp2", "rsqrt", "sqrt", "negf", "maxf", "minf"} {
		op := named(name)
		if a, b := sum(ref.where(ftz, op)), sum(gen.where(ftz, op)); a != b {
			k, note := Critical, "flush-to-zero of the reference is missing"
			if a < b {
				k, note = Warning, "the reference flushes fewer operations to zero"
			}
			d.add(k, name+" flush_to_zero", fmt.Sprint(a), fmt.Sprint(b), []string{"R26"}, note)
		}
		a, b := ref.where(rounding, op), gen.where(rounding, op)
		if maps.Equal(a, b) {
			continue
		}
		k, note := Warning, "the rounding modes differ"
		switch {
		case a["approx"] > b["approx"]:
			k, note = Critical, "the reference uses the approximate form"
		case name == "maxf" || name == "minf":
			note = "an exact operation needs no rounding mode"
		}
		d.add(k, name+" rounding", show(a), show(b), []string{"R19", "R26"}, note)
	}
}

// assumptions compares the divisibility that the compiler is promised. On
// pointers it may be asked for; on sizes it is false for ragged shapes.
func (d *Diff) assumptions(ref, gen side) {
	pointer := func(op Op) bool { return op.Name == "assume" && strings.Contains(op.Text, "ptr<") }
	scalar := func(op Op) bool { return op.Name == "assume" && !strings.Contains(op.Text, "ptr<") }
	if a, b := ref.where(divBy, pointer), gen.where(divBy, pointer); sum(a) > sum(b) {
		k, note := Warning, "harmless for views unless a measurement says otherwise"
		if gen.ops["load_ptr_tko"]+gen.ops["store_ptr_tko"] > 0 {
			k, note = Critical, "raw pointers lost their alignment"
		}
		d.add(k, "assume div_by on pointers", show(a), show(b), []string{"R21"}, note)
	}
	if b := gen.where(divBy, scalar); sum(b) > 0 {
		a := ref.where(divBy, scalar)
		d.add(Critical, "assume div_by on sizes", show(a), show(b), []string{"R21"}, "the promise is false for ragged shapes and corrupts masks")
	}
}

// WriteText prints the differences for people.
func (d Diff) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, x := range d.Differences {
		fmt.Fprintf(&b, "%s: %s: %s", x.Kind, x.Item.Line(), x.Note.Line())
		if len(x.Rules) > 0 {
			fmt.Fprintf(&b, " [%s]", strings.Join(x.Rules, ", "))
		}
		b.WriteString("\n")
		if x.Reference != "" || x.Generated != "" {
			fmt.Fprintf(&b, "  reference: %s\n  generated: %s\n", x.Reference.Line(), x.Generated.Line())
		}
	}
	fmt.Fprintf(&b, "%s\n", d.Verdict)
	_, err := io.WriteString(w, b.String())
	return err
}
