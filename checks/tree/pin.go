package tree

import (
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Pin is the version requirement of the cutile crate in a crate's manifest as
// written, such as "=0.2.0"; where the version is that of another place, the
// place: "git", "path" or "workspace". It is empty when the crate does not ask
// for cutile or the manifest cannot be read.
func (t *Tree) Pin(c *Crate) string {
	if c == nil || c.Manifest == "" {
		return ""
	}
	e := t.load(c.Manifest)
	e.pinned.Do(func() {
		if e.file.Unread == "" {
			e.pin = pinOf(e.src)
		}
	})
	return e.pin
}

func pinOf(src []byte) string {
	var m struct {
		Dependencies map[string]any `toml:"dependencies"`
	}
	if toml.Unmarshal(src, &m) != nil {
		return ""
	}
	switch v := m.Dependencies["cutile"].(type) {
	case string:
		return strings.TrimSpace(v)
	case map[string]any:
		if s, _ := v["version"].(string); s != "" {
			return strings.TrimSpace(s)
		}
		for _, place := range []string{"git", "path", "workspace"} {
			if v[place] != nil {
				return place
			}
		}
	}
	return ""
}
