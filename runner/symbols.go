package runner

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sharedLibrary finds the one library that a crate's build made.
func sharedLibrary(crate string) (string, error) {
	found, err := filepath.Glob(filepath.Join(crate, "target", "release", "lib*.so"))
	if err != nil {
		return "", err
	}
	if len(found) != 1 {
		return "", fmt.Errorf("expected one lib*.so in %s, found %d", filepath.Join(crate, "target", "release"), len(found))
	}
	return found[0], nil
}

// exportedSymbols lists the cutile_* functions that a library defines, sorted.
func exportedSymbols(library string) ([]string, error) {
	f, err := elf.Open(library)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", library, err)
	}
	defer f.Close()
	dynamic, err := f.DynamicSymbols()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", library, err)
	}
	var names []string
	for _, s := range dynamic {
		if s.Section != elf.SHN_UNDEF && elf.ST_TYPE(s.Info) == elf.STT_FUNC && strings.HasPrefix(s.Name, "cutile_") {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// writeSymbols lists what is exported and what of the expected is not, and
// returns whether everything expected is there.
func writeSymbols(path string, exported, expected []string) (bool, error) {
	var b strings.Builder
	complete := true
	for _, s := range exported {
		fmt.Fprintln(&b, s)
	}
	for _, s := range expected {
		if !slices.Contains(exported, s) {
			complete = false
			fmt.Fprintf(&b, "missing: %s\n", s)
		}
	}
	return complete, os.WriteFile(path, []byte(b.String()), 0o644)
}
