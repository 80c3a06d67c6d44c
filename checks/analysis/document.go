package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/check"
	"github.com/tilegate/tilegate/checks/untrusted"
)

// The rules of the analysis document. A number is never used again for another
// rule; A14 is that a named IR file is CUDA Tile IR of the kernel.
const (
	ruleParse      = "A1"
	ruleRequired   = "A2"
	ruleFile       = "A3"
	ruleBackend    = "A4"
	ruleShapes     = "A5"
	ruleVariant    = "A6"
	ruleMapping    = "A7"
	ruleReference  = "A8"
	ruleTolerance  = "A9"
	ruleAutotune   = "A10"
	ruleSelection  = "A11"
	ruleSupplement = "A12"
	ruleName       = "A13"
	ruleWinner     = "A15"
	ruleAlias      = "A16"
)

// Titles names the rules of the analysis document and of the kernel's files.
var Titles = map[string]string{
	"A1":  "analysis.json is one JSON object without duplicate keys",
	"A2":  "The required fields are there and of the right type",
	"A3":  "A file that analysis.json names exists",
	"A4":  "The reference backend is cutile or triton",
	"A5":  "test_perf_configs has at least one shape",
	"A6":  "Each variant names itself, its kernel function and its reference IR",
	"A7":  "config_to_variant assigns the configs to variants that exist",
	"A8":  "The correctness reference names a function",
	"A9":  "Each data type has atol and rtol",
	"A10": "A tuned kernel lists its configurations",
	"A11": "The choice of the reference backend is recorded with its times",
	"A12": "Supplementary IR stays below reference/supplements and is no variant",
	"A13": "The kernel's name is the directory's",
	"A14": "An IR file is CUDA Tile IR with an entry of the kernel",
	"A15": "The reference backend is the one with the lower recorded time",
	"A16": "A renamed reference IR is the original but for the entry's name",
	"S1":  "The device source is there",
	"S2":  "The reference IR is there, one file for each variant",
	"S3":  "The generated IR is there",
	"S4":  "The reports of the stages that ran are there",
	"S5":  "The correctness report begins with its verdict and its log comes from pytest",
	"S6":  "The performance report begins with its verdict and has one geomean",
	"S7":  "The analysis is there",
	"S10": "A verdict agrees with the validator output and the blocked marker",
	"S11": "A performance investigation begins with its verdict",
	"S12": "The IR comparison report has its parts and one verdict",
	"S13": "A performance log has records and no failed test",
}

// Document is what an analysis.json says, as far as it could be read. An empty
// or nil field is unknown.
type Document struct {
	KernelName       string
	LaunchPath       string // direct or autotune
	OpsUsed          []string
	ReferenceBackend string // cutile or triton
	Variants         []Variant
	ConfigToVariant  map[string]string
	// unclear says that there are variants of which the IR is not known.
	unclear  bool
	nameLine int
	// AliasUsed says that the reference IR was dumped under another name.
	AliasUsed bool
	aliasLine int
	// NamesCTAs says that num_ctas or num_cta_in_cga occurs anywhere as a key.
	NamesCTAs bool
}

// Variant is one structural variant of a kernel.
type Variant struct {
	Name             string
	KernelFunction   string
	ReferenceIR      string // relative to the kernel's directory
	ReferenceBackend string
	Supplements      []string // relative to the kernel's directory
	field            string
	line             int // of ReferenceIR
	supplementLines  []int
}

// validator collects problems.
type validator struct{ problems []check.Problem }

func (v *validator) add(s check.Severity, rule, field string, line int, format string, args ...any) {
	v.problems = append(v.problems, check.Problem{
		Severity: s, Rule: rule, Field: untrusted.Text(field), Line: line, Message: untrusted.Text(fmt.Sprintf(format, args...)),
	})
}

func (v *validator) fail(rule, field string, line int, format string, args ...any) {
	v.add(check.Error, rule, field, line, format, args...)
}

func (v *validator) warn(rule, field string, line int, format string, args ...any) {
	v.add(check.Warning, rule, field, line, format, args...)
}

// Parse reads an analysis.json and lists its problems. A document that is not
// JSON has one problem of rule A1 and nothing else.
func Parse(data []byte) (Document, []check.Problem) {
	var v validator
	root, err := parse(data)
	if err != nil {
		line := 1
		if s, ok := err.(*syntaxError); ok {
			line = s.line
		}
		v.fail(ruleParse, "", line, "expected a JSON object: %v", err)
		return Document{}, v.problems
	}
	if root.kind != object {
		v.fail(ruleParse, "", root.line, "expected a JSON object, found %s", root.kind)
		return Document{}, v.problems
	}
	d := Document{NamesCTAs: hasKey(root, "num_ctas", "num_cta_in_cga")}
	d.KernelName = v.str(root, "kernel_name", ruleRequired)
	if name, ok := root.get("kernel_name"); ok {
		d.nameLine = name.line
	}
	v.str(root, "source", ruleRequired)
	d.LaunchPath = v.str(root, "launch_path", ruleRequired)
	if l, ok := root.get("launch_path"); ok && l.kind == text && l.text != "direct" && l.text != "autotune" {
		v.fail(ruleRequired, "launch_path", l.line, "expected direct or autotune, found %q", l.text)
	}
	v.str(root, "pattern", ruleRequired)
	v.opsUsed(root, &d)
	v.shapes(root)
	d.ReferenceBackend = v.backend(root, "reference_backend")
	v.variants(root, &d)
	v.selection(root, d)
	v.winner(root, d)
	if policy, ok := root.get("entry_symbol_policy"); ok {
		if used, ok := policy.get("alias_used"); ok && used.truth {
			d.AliasUsed, d.aliasLine = true, used.line
		}
	}
	v.mapping(root, &d)
	v.reference(root)
	v.tolerance(root)
	v.autotune(root, d)
	v.spelling(root)
	return d, v.problems
}

func hasKey(v value, keys ...string) bool {
	for _, m := range v.members {
		if slices.Contains(keys, m.key) || hasKey(m.value, keys...) {
			return true
		}
	}
	return slices.ContainsFunc(v.items, func(i value) bool { return hasKey(i, keys...) })
}

// str is a required string that is not empty.
func (v *validator) str(parent value, field, rule string) string {
	f, ok := parent.get(field)
	switch {
	case !ok:
		v.fail(rule, field, parent.line, "expected this field, found none")
	case f.kind != text:
		v.fail(rule, field, f.line, "expected a string, found %s", f.kind)
	case strings.TrimSpace(f.text) == "":
		v.fail(rule, field, f.line, "expected a value, found an empty string")
	}
	return f.text
}

func (v *validator) opsUsed(root value, d *Document) {
	ops, ok := root.get("ops_used")
	switch {
	case !ok:
		v.fail(ruleRequired, "ops_used", root.line, "expected a list of the operations of the source, found none")
	case ops.kind != array:
		v.fail(ruleRequired, "ops_used", ops.line, "expected a list of strings, found %s", ops.kind)
	}
	for i, op := range ops.items {
		if op.kind != text {
			v.fail(ruleRequired, fmt.Sprintf("ops_used[%d]", i), op.line, "expected a string, found %s", op.kind)
			continue
		}
		d.OpsUsed = append(d.OpsUsed, op.text)
	}
}

// shapes counts test_perf_configs: an object has configs with shapes, a list
// has items with param_list.
func (v *validator) shapes(root value) {
	const field = "test_perf_configs"
	c, ok := root.get(field)
	if !ok {
		v.fail(ruleRequired, field, root.line, "expected the perf test's configurations, found none")
		return
	}
	n := 0
	count := func(path string, item value, list string) {
		if item.kind != object {
			v.fail(ruleShapes, path, item.line, "expected an object with %s, found %s", list, item.kind)
			return
		}
		l, ok := item.get(list)
		if ok && l.kind != array {
			v.fail(ruleShapes, path+"."+list, l.line, "expected a list, found %s", l.kind)
		}
		n += len(l.items)
	}
	before := len(v.problems)
	switch c.kind {
	case object:
		for _, m := range c.members {
			count(field+"."+m.key, m.value, "shapes")
		}
	case array:
		for i, item := range c.items {
			count(fmt.Sprintf("%s[%d]", field, i), item, "param_list")
		}
	default:
		v.fail(ruleShapes, field, c.line, "expected an object or a list, found %s", c.kind)
	}
	if n == 0 && len(v.problems) == before {
		v.fail(ruleShapes, field, c.line, "expected at least one shape (shapes of an object's entries, param_list of a list's), found 0")
	}
}

// backend is an optional reference backend of the document or a variant.
func (v *validator) backend(parent value, path string) string {
	b, ok := parent.get("reference_backend")
	switch {
	case !ok:
		v.warn(ruleBackend, path, parent.line, "expected cutile or triton, found none")
	case b.kind != text || b.text != "cutile" && b.text != "triton":
		v.fail(ruleBackend, path, b.line, "expected cutile or triton, found %s", found(b))
	default:
		return b.text
	}
	return ""
}

// found names a value that is not what was expected.
func found(v value) string {
	switch v.kind {
	case text:
		return fmt.Sprintf("%q", v.text)
	case number:
		return v.text
	}
	return v.kind.String()
}

func (v *validator) variants(root value, d *Document) {
	const field = "kernel_variants"
	list, ok := root.get(field)
	switch {
	case !ok:
		v.warn(ruleVariant, field, root.line, "expected a list with at least one variant, found none")
		return
	case list.kind != array:
		v.fail(ruleVariant, field, list.line, "expected a list, found %s", list.kind)
		d.unclear = true
		return
	case len(list.items) == 0:
		v.warn(ruleVariant, field, list.line, "expected at least one variant, found an empty list")
	}
	names := map[string]bool{}
	for i, item := range list.items {
		path := fmt.Sprintf("%s[%d]", field, i)
		if item.kind != object {
			v.fail(ruleVariant, path, item.line, "expected an object, found %s", item.kind)
			d.unclear = true
			continue
		}
		variant := Variant{field: path}
		for _, need := range []struct {
			key string
			to  *string
		}{{"variant_name", &variant.Name}, {"kernel_function", &variant.KernelFunction}, {"reference_ir", &variant.ReferenceIR}} {
			f, ok := item.get(need.key)
			if !ok || f.kind != text || f.text == "" {
				what := "none"
				if ok {
					what = found(f)
				}
				v.fail(ruleVariant, path+"."+need.key, f.line, "expected a name, found %s", what)
				continue
			}
			*need.to, variant.line = f.text, f.line // reference_ir is the last
		}
		if variant.Name != "" && names[variant.Name] {
			v.fail(ruleVariant, path+".variant_name", item.line, "the variant %q is there twice", variant.Name)
		}
		names[variant.Name] = true
		if _, ok := item.get("dispatch_condition"); !ok {
			v.warn(ruleVariant, path+".dispatch_condition", item.line, "expected the condition under which this variant runs, found none")
		}
		variant.ReferenceBackend = v.backend(item, path+".reference_backend")
		v.supplements(item, &variant)
		d.unclear = d.unclear || variant.ReferenceIR == ""
		d.Variants = append(d.Variants, variant)
	}
}

// supplements are extra IR files, under any key that contains "supplement".
func (v *validator) supplements(item value, variant *Variant) {
	for _, m := range item.members {
		if !strings.Contains(m.key, "supplement") || m.value.kind == null {
			continue
		}
		files := []value{m.value}
		if m.value.kind == array {
			files = m.value.items
		}
		for _, f := range files {
			path := variant.field + "." + m.key
			if f.kind != text {
				v.fail(ruleSupplement, path, f.line, "expected a file name or null, found %s", f.kind)
				continue
			}
			if !strings.HasPrefix(f.text, "reference/supplements/") {
				v.fail(ruleSupplement, path, f.line, "expected a file below reference/supplements/, found %q", f.text)
			}
			variant.Supplements = append(variant.Supplements, f.text)
			variant.supplementLines = append(variant.supplementLines, f.line)
		}
	}
}

func (v *validator) selection(root value, d Document) {
	const field = "reference_backend_selection"
	s, ok := root.get(field)
	if !ok {
		v.warn(ruleSelection, field, root.line, "expected how the reference backend was chosen, found none")
		return
	}
	if s.kind != object {
		v.fail(ruleSelection, field, s.line, "expected an object, found %s", s.kind)
		return
	}
	if _, ok := s.get("winner"); !ok {
		v.warn(ruleSelection, field+".winner", s.line, "expected the backend that won, found none")
	}
	perVariant, has := s.get("per_variant")
	v.measured(field, s)
	for _, m := range perVariant.members {
		v.measured(field+".per_variant."+m.key, m.value)
	}
	if !has && !slices.ContainsFunc(s.members, func(m member) bool { return isTime(m) && m.value.kind != null }) {
		v.warn(ruleSelection, field, s.line, "expected times (cutile_geo_mean_ms or per_variant), found none")
	}
	if has && perVariant.kind == object {
		for _, variant := range d.Variants {
			if _, ok := perVariant.get(variant.Name); !ok && variant.Name != "" {
				v.warn(ruleSelection, field+".per_variant", perVariant.line, "expected an entry for %q, found none", variant.Name)
			}
		}
	}
}

// isTime reports whether a member is a recorded time.
func isTime(m member) bool {
	return strings.Contains(m.key, "geo_mean_ms") || strings.Contains(m.key, "geomean_ms")
}

// measured checks that the recorded times are times: positive numbers, or null for
// a backend that was not measured. What a list or an object of times means is not known.
func (v *validator) measured(field string, s value) {
	for _, m := range s.members {
		if !isTime(m) || m.value.kind == null || m.value.kind == object || m.value.kind == array {
			continue
		}
		if ms, ok := m.value.float(); !ok || ms <= 0 || math.IsInf(ms, 0) {
			v.warn(ruleSelection, field+"."+m.key, m.value.line, "expected a time in milliseconds as a number above 0, found %s", found(m.value))
		}
	}
}

// winner compares the chosen reference backends with the times that are
// recorded beside them.
func (v *validator) winner(root value, d Document) {
	const field = "reference_backend_selection"
	s, ok := root.get(field)
	if !ok || s.kind != object {
		return
	}
	v.lower(s, field, d.ReferenceBackend)
	perVariant, _ := s.get("per_variant")
	for _, m := range perVariant.members {
		chosen := ""
		for _, variant := range d.Variants {
			if variant.Name == m.key {
				chosen = variant.ReferenceBackend
			}
		}
		v.lower(m.value, field+".per_variant."+m.key, chosen)
	}
}

// lower checks one choice: the winner has the lower time, and is the chosen one.
func (v *validator) lower(s value, field, chosen string) {
	times := map[string]float64{}
	winner, line := "", s.line
	for _, m := range s.members {
		if m.key == "winner" && m.value.kind == text {
			winner, line = backendOf(m.value.text), m.line
		}
		if !isTime(m) {
			continue
		}
		if ms, ok := m.value.float(); ok && ms > 0 {
			times[backendOf(m.key)] = ms
		}
	}
	cutile, triton := times["cutile"], times["triton"]
	if cutile > 0 && triton > 0 && cutile != triton {
		best := "cutile"
		if triton < cutile {
			best = "triton"
		}
		if winner == "" {
			winner = chosen
		}
		if winner != "" && winner != best {
			v.warn(ruleWinner, field+".winner", line, "expected %q, which has the lower recorded time (cutile %v ms, triton %v ms), found %q", best, cutile, triton, winner)
			return
		}
	}
	if winner != "" && chosen != "" && winner != chosen {
		v.warn(ruleWinner, field+".winner", line, "the winner is %q, but reference_backend says %q", winner, chosen)
	}
}

// backendOf is the backend that a name begins with: triton for triton_tileir.
func backendOf(name string) string {
	for _, b := range []string{"cutile", "triton"} {
		if strings.HasPrefix(name, b) {
			return b
		}
	}
	return ""
}

func (v *validator) mapping(root value, d *Document) {
	const field = "config_to_variant"
	m, ok := root.get(field)
	if !ok || m.kind == object && len(m.members) == 0 {
		if len(d.Variants) > 0 {
			v.warn(ruleMapping, field, m.line, "expected a variant for each perf configuration, found none")
		}
		return
	}
	if m.kind != object {
		v.fail(ruleMapping, field, m.line, "expected an object, found %s", m.kind)
		return
	}
	d.ConfigToVariant = map[string]string{}
	for _, e := range m.members {
		path := field + "." + e.key
		if e.value.kind != text {
			v.fail(ruleMapping, path, e.line, "expected a variant's name, found %s", e.value.kind)
			continue
		}
		d.ConfigToVariant[e.key] = e.value.text
		if slices.ContainsFunc(d.Variants, func(x Variant) bool { return x.Name == e.value.text }) {
			continue
		}
		if len(d.Variants) == 0 {
			v.warn(ruleMapping, path, e.line, "the variant %q is not in kernel_variants", e.value.text)
			continue
		}
		v.fail(ruleMapping, path, e.line, "expected one of the variants in kernel_variants, found %q", e.value.text)
	}
}

func (v *validator) reference(root value) {
	const field = "correctness_reference"
	r, ok := root.get(field)
	switch {
	case !ok:
		v.fail(ruleReference, field, root.line, "expected the test's reference, found none")
		return
	case r.kind != object:
		v.fail(ruleReference, field, r.line, "expected an object with function and source, found %s", r.kind)
		return
	}
	if f, ok := r.get("function"); !ok || f.kind != text || strings.TrimSpace(f.text) == "" {
		v.fail(ruleReference, field+".function", f.line, "expected the reference function, found none")
	}
	if _, ok := r.get("source"); !ok {
		v.warn(ruleReference, field+".source", r.line, "expected where the function stands, found none")
	}
}

func (v *validator) tolerance(root value) {
	const field = "correctness_tolerance"
	t, ok := root.get(field)
	switch {
	case !ok:
		v.fail(ruleTolerance, field, root.line, "expected atol and rtol for each data type, found none")
		return
	case t.kind != object:
		v.fail(ruleTolerance, field, t.line, "expected an object, found %s", t.kind)
		return
	}
	n := 0
	for _, m := range t.members {
		if m.key == "source" || m.key == "notes" {
			continue
		}
		n++
		path := field + "." + m.key
		if m.value.kind != object {
			v.fail(ruleTolerance, path, m.line, "expected atol and rtol, found %s: every key but source and notes is a data type", m.value.kind)
			continue
		}
		for _, key := range []string{"atol", "rtol"} {
			x, ok := m.value.get(key)
			f, isNumber := x.float()
			switch {
			case !ok:
				v.fail(ruleTolerance, path+"."+key, m.line, "expected a number, found none")
			case !isNumber || f < 0 || math.IsInf(f, 0):
				v.fail(ruleTolerance, path+"."+key, x.line, "expected a number that is not negative, found %s", found(x))
			}
		}
	}
	if n == 0 {
		v.fail(ruleTolerance, field, t.line, "expected at least one data type, found none")
	}
	if _, ok := t.get("source"); !ok {
		v.warn(ruleTolerance, field+".source", t.line, "expected where the tolerances stand, found none")
	}
}

func (v *validator) autotune(root value, d Document) {
	backends, hasBackends := root.get("autotune_backends")
	if hasBackends && backends.kind != array {
		v.fail(ruleAutotune, "autotune_backends", backends.line, "expected a list, found %s: write [] for none", backends.kind)
	}
	configs := 0
	check := func(path string, list value) {
		switch list.kind {
		case null:
			return
		case array:
		default:
			v.fail(ruleAutotune, path, list.line, "expected a list or null, found %s", list.kind)
			return
		}
		for i, c := range list.items {
			item := fmt.Sprintf("%s[%d]", path, i)
			if c.kind != object {
				v.fail(ruleAutotune, item, c.line, "expected an object, found %s", c.kind)
				continue
			}
			configs++
			if !slices.ContainsFunc(c.members, func(m member) bool {
				return strings.HasPrefix(m.key, "BLOCK_") || strings.HasPrefix(m.key, "TILE_")
			}) {
				v.warn(ruleAutotune, item, c.line, "expected a BLOCK_ or TILE_ size, found none")
			}
		}
	}
	if c, ok := root.get("autotune_configs"); ok {
		check("autotune_configs", c)
	}
	if list, ok := root.get("kernel_variants"); ok && list.kind == array {
		for i, item := range list.items {
			if c, ok := item.get("autotune_configs"); ok {
				check(fmt.Sprintf("kernel_variants[%d].autotune_configs", i), c)
			}
		}
	}
	if d.LaunchPath != "autotune" && len(backends.items) == 0 {
		return
	}
	if configs == 0 {
		v.fail(ruleAutotune, "autotune_configs", root.line, "the kernel is tuned: expected its configurations here or in a variant, found none")
	}
	if len(backends.items) == 0 {
		v.warn(ruleAutotune, "autotune_backends", backends.line, "expected the backends that tune, found none")
	}
	if key, ok := root.get("autotune_key"); !ok || len(key.items) == 0 {
		v.warn(ruleAutotune, "autotune_key", key.line, "expected the dimensions that select a tuned configuration, found none")
	}
}
