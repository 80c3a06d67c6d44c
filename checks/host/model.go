package host

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// Facts is the fact that holds the model of a whole checkout. Rules ask for it
// with Of.
var Facts = rules.NewFact("host model", func(t *tree.Tree, _ rules.Unit) *Model { return newModel(t) })

// Tests is the test file of a kernel, nil where it has none or the file is unread.
var Tests = rules.NewFact("test file", func(t *tree.Tree, u rules.Unit) *Wrapper {
	if u.Kernel == nil || u.Kernel.Test == "" {
		return nil
	}
	if f := t.File(u.Kernel.Test); f.Unread == "" {
		return ParseWrapper(f)
	}
	return nil
})

// Of is the model of the pass's checkout. The rule must require Facts.
func Of(p *rules.Pass) *Model { return Facts.At(p, rules.Unit{}) }

// Model is the host side of a checkout.
type Model struct {
	Tree    *tree.Tree
	Kernels []*Kernel
	Crates  []*Crate
	// Dispatched holds the op names of all @dispatch functions beside the folders
	// of the backends. It is meaningful only with DispatchKnown.
	Dispatched    map[string]bool
	DispatchKnown bool
	// Interfaces are the functions of @dispatch, by their ops. An op that several
	// dispatch has none.
	Interfaces map[string]syntax.Node
	Utils      *Utils // backend/cutile_rs/utils.py; nil when absent
}

// Kernel is the host side of one kernel.
type Kernel struct {
	*tree.Kernel
	Crate   *Crate
	FFI     *FFI     // nil without a readable ffi.rs
	Wrapper *Wrapper // nil without a readable wrapper
	// Entries are the entry points of kernel.rs by name.
	Entries map[string]*dsl.Func
}

// Crate is a Rust crate with all Python files of its folder.
type Crate struct {
	*tree.Crate
	Lib      *Lib      // nil without a readable lib.rs
	Manifest *Manifest // nil without a manifest
	FFIUtil  *FFIUtil  // nil without a readable ffi_util.rs
	Init     *Init     // nil without a readable __init__.py
	// Python are the readable Python files of the crate's folder, Wrappers those
	// that bind a library. PythonRead says that there are no others.
	Python, Wrappers []*Wrapper
	PythonRead       bool
	Kernels          []*Kernel
	exports          map[string]*Export // by symbol, the first of each
}

// Kernel finds the host side of a kernel.
func (m *Model) Kernel(k *tree.Kernel) *Kernel {
	for _, h := range m.Kernels {
		if h.Kernel == k {
			return h
		}
	}
	return nil
}

// Crate finds the host side of a crate.
func (m *Model) Crate(c *tree.Crate) *Crate {
	for _, h := range m.Crates {
		if h.Crate == c {
			return h
		}
	}
	return nil
}

// Export finds an exported symbol among all kernels of the crate.
func (c *Crate) Export(symbol string) *Export { return c.exports[symbol] }

// AllFFIRead reports whether the ffi.rs of every kernel of the crate is read,
// so that a symbol that is not found is not exported.
func (c *Crate) AllFFIRead() bool {
	for _, k := range c.Kernels {
		if k.Kernel.FFI != "" && k.FFI == nil {
			return false
		}
	}
	return true
}

// Sources lists the Python files that the model reads besides those of the
// kernels, so that they can be parsed in parallel before it is made.
func Sources(t *tree.Tree) []string {
	out := dispatchers(t)
	for _, c := range t.Crates {
		out = append(out, path.Join(c.Root, "__init__.py"))
		python, _ := pythonFiles(t, c.Root)
		out = append(out, python...)
	}
	return append(out, tree.BackendRoot+"/utils.py")
}

func newModel(t *tree.Tree) *Model {
	m := &Model{Tree: t}
	for _, tc := range t.Crates {
		c := &Crate{Crate: tc, exports: map[string]*Export{}}
		if f := read(t, tc.Lib); f != nil {
			c.Lib = parseLib(f)
		}
		if tc.Manifest != "" {
			c.Manifest = parseManifest(t, tc.Manifest)
		}
		if f := read(t, tc.FFIUtil); f != nil {
			c.FFIUtil = parseFFIUtil(f)
		}
		if f := read(t, path.Join(tc.Root, "__init__.py")); f != nil {
			c.Init = parseInit(f)
		}
		wrappers := map[string]*Wrapper{}
		var python []string
		python, c.PythonRead = pythonFiles(t, tc.Root)
		for _, p := range python {
			f := read(t, p)
			var w *Wrapper
			if f != nil {
				w = ParseWrapper(f)
			}
			if w != nil && w.large() {
				t.Partly(p, errLarge)
			}
			if w == nil || w.large() {
				c.PythonRead = false
			} else {
				wrappers[p] = w
				c.Python = append(c.Python, w)
				if len(w.Binds) > 0 {
					c.Wrappers = append(c.Wrappers, w)
				}
			}
		}
		for _, tk := range t.Kernels {
			if tk.Crate != tc {
				continue
			}
			k := &Kernel{Kernel: tk, Crate: c, Wrapper: wrappers[tk.Wrapper], Entries: map[string]*dsl.Func{}}
			if f := read(t, tk.FFI); f != nil {
				if k.FFI = parseFFI(f); k.FFI == nil {
					t.Partly(tk.FFI, errManyExports)
				}
			}
			if tk.KernelRS != "" {
				for _, mod := range dsl.Parse(t.File(tk.KernelRS)) {
					for _, e := range mod.Entries() {
						k.Entries[e.Name] = e
					}
				}
			}
			if k.FFI != nil {
				for _, e := range k.FFI.Exports {
					if !e.findLaunches(k.Entries) {
						t.Partly(tk.FFI, errManyLaunches)
					}
					if c.exports[e.Name] == nil {
						c.exports[e.Name] = e
					}
				}
			}
			c.Kernels = append(c.Kernels, k)
			m.Kernels = append(m.Kernels, k)
		}
		m.Crates = append(m.Crates, c)
	}
	if f := read(t, tree.BackendRoot+"/utils.py"); f != nil {
		m.Utils = parseUtils(f)
	}
	m.findDispatched()
	return m
}

// What is said of files with more of something than is modelled.
var (
	errLarge        = fmt.Sprintf("more than %d library calls, bindings or registrations, or a declaration of more than %d pieces: nothing in it was compared with the export", maxItems, maxPieces)
	errManyExports  = fmt.Sprintf("more than %d exports, or parameters of one: nothing in it was compared with the wrapper", maxItems)
	errManyLaunches = fmt.Sprintf("an export with more than %d launches, or generics of one, of which only the first were looked at", maxLaunches)
)

// read parses a file and returns it only when all of it could be read: half a
// file proves nothing about what it lacks.
func read(t *tree.Tree, p string) *syntax.File {
	if p == "" || !t.Exists(p) {
		return nil
	}
	if f := t.File(p); f.Unread == "" {
		return f
	}
	return nil
}

// pythonFiles lists the Python files in a folder, __init__.py left out; whole is
// false when there are others.
func pythonFiles(t *tree.Tree, dir string) (out []string, whole bool) {
	list, err := fs.ReadDir(t.FS, dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Unread(dir, err.Error())
		}
		return nil, errors.Is(err, fs.ErrNotExist)
	}
	for _, e := range list {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".py") || e.Name() == "__init__.py" {
			continue
		}
		if len(out) == tree.MaxPython {
			t.Unread(dir, tree.ErrPython.Error())
			return out, false
		}
		out = append(out, path.Join(dir, e.Name()))
	}
	return out, true
}

// dispatchers lists the Python files in ops and in each suite's folder; the
// folders of the backends lie deeper.
func dispatchers(t *tree.Tree) []string {
	out, _ := pythonFiles(t, path.Dir(tree.OpsRoot))
	if suites, err := fs.ReadDir(t.FS, tree.SuitesRoot); err == nil {
		for _, s := range suites {
			if s.IsDir() {
				more, _ := pythonFiles(t, path.Join(tree.SuitesRoot, s.Name()))
				out = append(out, more...)
			}
		}
	}
	return out
}

// findDispatched reads the op names that are dispatched.
func (m *Model) findDispatched() {
	m.Dispatched, m.DispatchKnown, m.Interfaces = map[string]bool{}, true, map[string]syntax.Node{}
	for _, p := range dispatchers(m.Tree) {
		f := read(m.Tree, p)
		if f == nil {
			m.DispatchKnown = false
			continue
		}
		var w *Wrapper // most of these files dispatch nothing
		for _, d := range f.Root().Find("decorator") {
			call := d.NamedChild(0)
			if !call.Is("call") || syntax.PyName(call.Field("function")) != "dispatch" {
				continue
			}
			if w == nil {
				w = ParseWrapper(f)
			}
			if s, ok := w.String(syntax.PyArg(call, "name", 0)); ok {
				if fn := d.Parent().Field("definition"); m.Dispatched[s] {
					delete(m.Interfaces, s)
				} else if fn.Is("function_definition") {
					m.Interfaces[s] = fn
				}
				m.Dispatched[s] = true
			} else {
				m.DispatchKnown = false
			}
		}
	}
}
