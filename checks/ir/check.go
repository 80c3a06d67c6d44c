package ir

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tilegate/tilegate/checks/check"
	"github.com/tilegate/tilegate/checks/untrusted"
)

// Rule is the rule that a text breaks which is not CUDA Tile IR of its kernel.
const Rule = "A14"

// known are operations of which any real kernel has at least one.
var known = []string{"load_ptr_tko", "store_ptr_tko", "load_view_tko", "store_view_tko", "mmaf", "mmai", "reduce", "scan", "make_partition_view", "atomic_rmw", "atomic_cas", "atomic_rmw_tko", "atomic_cas_tko"}

// Check lists what is wrong with a text that should be the IR of a kernel: no
// module, no entry whose symbol contains the kernel's name, the Python-level
// IR, or an end inside of a block.
func Check(data []byte, kernel string) []check.Problem {
	if empty(data) {
		return unusable(data, Module{})
	}
	m := Read(data)
	all := unusable(data, m)
	add := func(s check.Severity, line int, format string, args ...any) {
		all = append(all, problem(s, line, format, args...))
	}
	var names []string
	matches := 0
	for _, e := range m.Entries {
		names = append(names, "@"+e.Name)
		if kernel == "" || !strings.Contains(e.Name, kernel) {
			continue
		}
		matches++
		if !e.HasHints {
			add(check.Warning, e.Line, "entry @%s has no optimization_hints", e.Name)
		}
		found := 0
		for _, op := range known {
			found += e.Count(op)
		}
		if found == 0 {
			add(check.Warning, e.Line, "entry @%s has no load, store, product or reduction", e.Name)
		}
	}
	if matches == 0 {
		list := "none"
		if len(names) > 0 {
			list = strings.Join(names[:min(len(names), 8)], ", ")
		}
		add(check.Error, 0, "expected an entry whose symbol contains %q, found %s", kernel, list)
	}
	return all
}

func problem(s check.Severity, line int, format string, args ...any) check.Problem {
	return check.Problem{Severity: s, Rule: Rule, Line: line, Message: untrusted.Text(fmt.Sprintf(format, args...))}
}

func empty(data []byte) bool { return len(bytes.TrimSpace(data)) == 0 }

// unusable lists why a text is no whole module of CUDA Tile IR, whichever kernel's.
func unusable(data []byte, m Module) (all []check.Problem) {
	if empty(data) {
		return []check.Problem{problem(check.Error, 0, "expected CUDA Tile IR, found an empty file")}
	}
	if m.PythonLevel != "" {
		all = append(all, problem(check.Error, m.PythonLine, "expected CUDA Tile IR, found the Python-level IR (%q): translate the bytecode dump to MLIR", m.PythonLevel))
	}
	if !m.HasModule {
		all = append(all, problem(check.Error, 0, "expected a cuda_tile.module, found none"))
	}
	if m.HasModule && !m.Closed {
		all = append(all, problem(check.Error, m.BrokenLine, "the text is not a whole dump: %s", m.Broken))
	}
	return all
}
