package perf

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/records"
	"github.com/tilegate/tilegate/checks/words"
)

// DefaultVariant is the variant of a config that no analysis assigns.
const DefaultVariant = "default"

// Variants assigns configs to structural variants.
type Variants struct {
	Reference map[string]string // variant to its declared reference backend
	byTokens  map[string]string // sorted tokens of the parameters to variant
}

// ParseVariants reads config_to_variant and the variants' reference backends from
// an analysis.json. Other fields are not looked at.
func ParseVariants(data []byte) (*Variants, error) {
	var doc struct {
		KernelVariants []struct {
			Name      string `json:"variant_name"`
			Reference string `json:"reference_backend"`
		} `json:"kernel_variants"`
		ConfigToVariant map[string]json.RawMessage `json:"config_to_variant"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("analysis: expected a JSON object with config_to_variant: %s", words.JSON(err))
	}
	v := &Variants{Reference: map[string]string{}, byTokens: map[string]string{}}
	for _, kv := range doc.KernelVariants {
		if kv.Name != "" && kv.Reference != "" {
			v.Reference[kv.Name] = records.CanonicalBackend(kv.Reference)
		}
	}
	for _, key := range sortedKeys(doc.ConfigToVariant) {
		var name string
		if err := json.Unmarshal(doc.ConfigToVariant[key], &name); err != nil || name == "" {
			return nil, fmt.Errorf("analysis: config_to_variant[%q]: expected a variant's name, found %s", key, doc.ConfigToVariant[key])
		}
		tokens := paramTokens(key)
		if other, dup := v.byTokens[tokens]; dup && other != name {
			return nil, fmt.Errorf("analysis: config_to_variant[%q]: the same parameters belong to %q and %q", key, other, name)
		}
		v.byTokens[tokens] = name
	}
	return v, nil
}

// paramTokens is the form in which a key and the parameters of a test id are
// equal: dashes and underscores alike, order free, the backend left out. A whole
// test id is accepted as key.
func paramTokens(params string) string {
	if open := strings.IndexByte(params, '['); open >= 0 && strings.HasSuffix(params, "]") {
		params = params[open+1 : len(params)-1]
	}
	id := records.ParseID("", "t["+params+"]")
	return strings.Join(records.Tokens(strings.Join(id.Params, "-")), "-")
}

func (v *Variants) find(params string) (string, bool) {
	name, ok := v.byTokens[paramTokens(params)]
	return name, ok
}

// references are the backends that some variant is compared with.
func (v *Variants) references(main string) []string {
	all := []string{main}
	for _, name := range sortedKeys(v.Reference) {
		if r := v.Reference[name]; !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all
}
