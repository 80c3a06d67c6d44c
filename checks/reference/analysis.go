package reference

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/tree"
)

// Evidence is the fact that holds the analysis.json beside a kernel; nil when
// there is none or when it is no JSON object.
var Evidence = rules.NewFact("analysis.json", func(t *tree.Tree, u rules.Unit) *Analysis {
	if u.Kernel == nil {
		return nil
	}
	for _, p := range []string{path.Join(u.Kernel.Dir, "reference/analysis.json"), path.Join(u.Kernel.Dir, "analysis.json")} {
		if !t.Exists(p) {
			continue
		}
		data, err := t.Bytes(p)
		if err != nil {
			return nil
		}
		return ParseAnalysis(p, data)
	}
	return nil
})

// Analysis is what an analysis.json says. What it does not say is unknown.
type Analysis struct {
	Path string
	analysis.Document
	root map[string]any
}

// ParseAnalysis reads an analysis.json; nil when it is no JSON object.
func ParseAnalysis(path string, data []byte) *Analysis {
	a := &Analysis{Path: path}
	if json.Unmarshal(data, &a.root) != nil || a.root == nil {
		return nil
	}
	a.Document, _ = analysis.Parse(data)
	return a
}

// Values lists the values of all keys that match, at any depth, in no order.
// Keys come in lower case.
func (a *Analysis) Values(match func(key string) bool) []any {
	var out []any
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, e := range v {
				if match(strings.ToLower(k)) {
					out = append(out, e)
				}
				walk(e)
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(a.root)
	return out
}

// Says reports whether a key of one of these names, in lower case, has a value
// that is not null, at any depth.
func (a *Analysis) Says(keys ...string) bool {
	for _, v := range a.Values(func(k string) bool {
		for _, want := range keys {
			if k == want {
				return true
			}
		}
		return false
	}) {
		if v != nil {
			return true
		}
	}
	return false
}
