package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/words"
)

// The fields that this package or upstream's scripts read, by the object that
// holds them. A document may have further ones.
var (
	rootFields = []string{
		"kernel_name", "source", "launch_path", "pattern", "ops_used", "test_perf_configs", "reference_backend", "reference_backend_selection",
		"kernel_variants", "config_to_variant", "correctness_reference", "correctness_tolerance", "autotune_backends", "autotune_key",
		"autotune_configs", "entry_symbol_policy", "known_gaps",
	}
	variantFields   = []string{"variant_name", "kernel_function", "reference_ir", "dispatch_condition", "reference_backend", "autotune_configs"}
	selectionFields = []string{"winner", "per_variant"}
	timeFields      = []string{"cutile_geomean_ms", "triton_geomean_ms", "triton_tileir_geomean_ms"}
)

// spelling tells of fields that are one of the known ones but for a slip of the
// pen: nothing reads them. A field that is like none may be anything, and so may
// one beside the field that it is like.
func (v *validator) spelling(root value) {
	v.fields("", root, rootFields)
	get := func(name string) value {
		x, _ := root.get(name)
		return x
	}
	for i, item := range get("kernel_variants").items {
		path := fmt.Sprintf("kernel_variants[%d].", i)
		v.fields(path, item, variantFields)
		for _, m := range item.members {
			// The name of a supplement holds the data type.
			if at := strings.LastIndexByte(m.key, '_') + 1; strings.HasPrefix(m.key, "reference_ir_") && !strings.Contains(m.key, "supplement") && distance(m.key[at:], "supplement") <= forgiven("supplement") {
				v.misspelt(path, m, m.key[:at]+"supplement")
			}
		}
	}
	const selection = "reference_backend_selection"
	s := get(selection)
	v.fields(selection+".", s, selectionFields)
	v.times(selection+".", s)
	perVariant, _ := s.get("per_variant")
	for _, m := range perVariant.members {
		path := selection + ".per_variant." + m.key + "."
		v.fields(path, m.value, selectionFields[:1])
		v.times(path, m.value)
	}
	v.fields("correctness_reference.", get("correctness_reference"), []string{"function", "source"})
	for _, m := range get("correctness_tolerance").members {
		v.fields("correctness_tolerance."+m.key+".", m.value, []string{"atol", "rtol"})
	}
	v.fields("entry_symbol_policy.", get("entry_symbol_policy"), []string{"alias_used"})
	configs := get("test_perf_configs")
	for _, m := range configs.members {
		v.fields("test_perf_configs."+m.key+".", m.value, []string{"shapes"})
	}
	for i, item := range configs.items {
		v.fields(fmt.Sprintf("test_perf_configs[%d].", i), item, []string{"param_list"})
	}
}

// times looks at the fields with recorded times. Only one letter may differ: the
// names of other measures are too much like them.
func (v *validator) times(path string, object value) {
	for _, m := range object.members {
		if strings.Contains(m.key, "geo_mean_ms") || strings.Contains(m.key, "geomean_ms") || !strings.HasSuffix(m.key, "_ms") {
			continue
		}
		for _, name := range timeFields {
			if _, there := object.get(name); !there && distance(m.key, name) <= 1 {
				v.misspelt(path, m, name)
				break
			}
		}
	}
}

func (v *validator) fields(path string, object value, known []string) {
	there := map[string]bool{}
	for _, m := range object.members {
		there[m.key] = true
	}
	for _, m := range object.members {
		if slices.Contains(known, m.key) {
			continue
		}
		best, least := "", 3
		for _, name := range known {
			if there[name] {
				continue
			}
			if n := distance(m.key, name); n < least && n <= forgiven(name) {
				best, least = name, n
			}
		}
		if best == "" {
			best = meant(m.key, known, there)
		}
		if best != "" {
			v.misspelt(path, m, best)
		}
	}
}

// asked are the fields whose absence is a problem; no two end in the same word.
var asked = []string{"kernel_name", "ops_used", "test_perf_configs", "kernel_variants", "correctness_reference", "correctness_tolerance", "variant_name", "kernel_function"}

// meant is the known field that is not there and that a key ends like: variants is
// kernel_variants, tolerances correctness_tolerance, kernel_fn kernel_function.
func meant(key string, known []string, there map[string]bool) string {
	last := func(name string) string { return name[strings.LastIndexByte(name, '_')+1:] }
	word := strings.ToLower(last(key))
	for _, name := range asked {
		if there[name] || !slices.Contains(known, name) {
			continue
		}
		end := last(name)
		if word == end || word == end+"s" || word+"s" == end || end == "function" && (word == "fn" || word == "func") {
			return name
		}
	}
	return ""
}

func (v *validator) misspelt(path string, m member, name string) {
	v.warn(ruleRequired, path+m.key, m.line, "unknown field, which nothing reads: did you mean %q?", name)
}

// forgiven is how many slips a name may have and still be meant.
func forgiven(name string) int {
	if len(name) < 8 {
		return 1
	}
	return 2
}

// longest is the length of the longest name that is compared, and more.
const longest = 40

// letters is a name without what styles of writing names differ in; empty when
// it is longer than any field's.
func letters(name string) string {
	if len(name) > longest {
		return ""
	}
	out := make([]byte, 0, longest)
	for i := range len(name) {
		switch c := name[i]; {
		case c == '_' || c == '-' || c == ' ':
		case c >= 'A' && c <= 'Z':
			out = append(out, c-'A'+'a')
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// distance counts the slips between two names, but for what styles of writing names
// differ in; longest when their lengths tell enough.
func distance(a, b string) int {
	a, b = letters(a), letters(b)
	if len(a) > len(b)+2 || len(b) > len(a)+2 {
		return longest
	}
	return words.Distance(a, b)
}
