package tree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tilegate/tilegate/checks/syntax"
)

// The places of upstream's layout, relative to the checkout's root.
const (
	OpsRoot       = "src/tilegym/ops/cutile_rs"
	BackendRoot   = "src/tilegym/backend/cutile_rs"
	SuitesRoot    = "src/tilegym/suites"
	ReferenceRoot = "src/tilegym/ops/cutile"
	TestsRoot     = "tests/ops"
	SuiteTests    = "tests/suites"
	kernelSuffix  = "_kernel"
	suiteDir      = "cutile_rs"
)

// ErrNoKernels says that a tree has no cutile-rs backend: another layout.
var ErrNoKernels = errors.New("no cutile-rs kernels: expected " + OpsRoot + " or a suite's " + suiteDir + " folder")

// Tree is one revision of a checkout. It is safe for concurrent use.
type Tree struct {
	FS      fs.FS     // remembers what it said about folders and files
	Kernels []*Kernel // by suite, then name
	Crates  []*Crate

	reuse  *Tree
	mu     sync.Mutex
	files  map[string]*entry
	python map[string]map[string]string // folder -> names of files below it -> paths
	memory atomic.Int64                 // bytes that the files take
	parsed atomic.Int64
}

// Crate is one Rust crate that builds one shared library.
type Crate struct {
	Suite    string // empty for the crate of ops/cutile_rs
	Root     string // folder with the wrappers and kernel folders
	Dir      string // folder of Cargo.toml
	Manifest string // Cargo.toml
	Lib      string // src/lib.rs
	FFIUtil  string // shared ffi_util.rs
}

// Kernel is one op of the cutile-rs backend. A path is empty when the file
// does not exist.
type Kernel struct {
	Name      string // folder stem, such as bmm
	Suite     string // empty for ops/cutile_rs
	Crate     *Crate
	Dir       string // <root>/<name>_kernel
	KernelRS  string // device source
	FFI       string // host export
	Wrapper   string // Python wrapper
	Test      string
	Reference string // reference op of the cuTile-Python backend
}

// ID names the kernel uniquely in its tree: the name, with the suite before it.
func (k *Kernel) ID() string {
	if k.Suite == "" {
		return k.Name
	}
	return k.Suite + "/" + k.Name
}

type entry struct {
	once, pinned sync.Once
	pin          string // see Pin
	file         *syntax.File
	src          []byte
	err          error
	partly       string // see Partly
}

// Load finds the kernels of a checkout. With reuse, files that are equal there
// are not parsed again. It returns ErrNoKernels for another layout and fails
// when the file system does.
func Load(fsys fs.FS, reuse *Tree) (*Tree, error) {
	t := &Tree{FS: newListing(fsys), reuse: reuse, files: map[string]*entry{}, python: map[string]map[string]string{}}
	if err := t.addRoot(OpsRoot, ""); err != nil {
		return nil, err
	}
	suites, err := fs.ReadDir(fsys, SuitesRoot)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list %s: %w", SuitesRoot, err)
	}
	for _, s := range suites {
		if t.isDir(SuitesRoot, s) {
			if err := t.addRoot(path.Join(SuitesRoot, s.Name(), suiteDir), s.Name()); err != nil {
				return nil, err
			}
		}
	}
	if len(t.Crates) == 0 {
		return t, ErrNoKernels
	}
	slices.SortFunc(t.Kernels, func(a, b *Kernel) int { return strings.Compare(a.ID(), b.ID()) })
	return t, nil
}

// MaxPython bounds the Python files of one folder that are read.
const MaxPython = 5000

// ErrPython says that a folder has more.
var ErrPython = fmt.Errorf("more than %d Python files, of which only the first were looked at", MaxPython)

// addRoot adds the crate and the kernels of one cutile_rs folder.
func (t *Tree) addRoot(root, suite string) error {
	list, err := fs.ReadDir(t.FS, root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list %s: %w", root, err)
	}
	c := &Crate{Suite: suite, Root: root, FFIUtil: path.Join(root, "ffi_util.rs")}
	var names []string
	folders := map[string]bool{}
	read := 0
	for _, e := range list {
		folders[e.Name()] = t.isDir(root, e)
	}
	for _, e := range list {
		switch name := e.Name(); {
		case folders[name] && strings.HasSuffix(name, kernelSuffix):
			names = append(names, strings.TrimSuffix(name, kernelSuffix))
		case folders[name] && t.Exists(path.Join(root, name, "Cargo.toml")):
			c.Dir = path.Join(root, name)
		case strings.HasSuffix(name, ".py"):
			// A wrapper without a folder has to be read to be known as one.
			op := strings.TrimSuffix(name, ".py")
			if folders[op+kernelSuffix] {
				continue
			}
			if read++; read > MaxPython {
				t.Unread(root, ErrPython.Error())
				continue
			}
			if t.registers(path.Join(root, name)) {
				names = append(names, op)
			}
		}
	}
	if c.Dir == "" && t.Exists(path.Join(root, "Cargo.toml")) {
		c.Dir = root
	}
	if c.Dir != "" {
		c.Manifest = path.Join(c.Dir, "Cargo.toml")
		c.Lib = path.Join(c.Dir, "src/lib.rs")
	}
	if !t.Exists(c.FFIUtil) {
		c.FFIUtil = path.Join(OpsRoot, "ffi_util.rs")
	}
	c.Lib, c.FFIUtil = t.ifExists(c.Lib), t.ifExists(c.FFIUtil)
	t.Crates = append(t.Crates, c)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		dir := path.Join(root, name+kernelSuffix)
		k := &Kernel{
			Name: name, Suite: suite, Crate: c, Dir: dir,
			KernelRS: t.ifExists(path.Join(dir, "kernel.rs")),
			FFI:      t.ifExists(path.Join(dir, "ffi.rs")),
			Wrapper:  t.ifExists(path.Join(root, name+".py")),
		}
		k.Test, k.Reference = t.TestOf(suite, name), t.ReferenceOf(suite, name)
		t.Kernels = append(t.Kernels, k)
	}
	return nil
}

var noSeparators = strings.NewReplacer("-", "", "_", "", " ", "")

// MeansBackend reports whether a name of a backend is cutile-rs or stands for it in
// another spelling, such as the one of its Python package. The dispatcher knows the
// first alone.
func MeansBackend(name string) bool {
	return noSeparators.Replace(strings.ToLower(name)) == "cutilers"
}

// registers reports whether a Python file decorates a function with
// register_impl(..., backend="cutile-rs"), well spelled or not.
func (t *Tree) registers(p string) bool {
	for _, d := range t.File(p).Root().Find("decorator") {
		call := d.NamedChild(0)
		if call.Is("call") && syntax.PyName(call.Field("function")) == "register_impl" &&
			MeansBackend(syntax.PyString(syntax.PyArg(call, "backend", 1))) {
			return true
		}
	}
	return false
}

// JobName names the kernel uniquely where a name may hold no slash, as in
// requests and the names of jobs: the name, and when another kernel of the tree
// has it too, the suite and a dot before it.
func (t *Tree) JobName(k *Kernel) string {
	if k.Suite != "" && slices.ContainsFunc(t.Kernels, func(o *Kernel) bool { return o != k && o.Name == k.Name }) {
		return k.Suite + "." + k.Name
	}
	return k.Name
}

// Kernel finds a kernel by its ID or job name, or by its name when that is
// unique.
func (t *Tree) Kernel(id string) *Kernel {
	var found *Kernel
	named := 0
	for _, k := range t.Kernels {
		if k.ID() == id || k.Suite != "" && k.Suite+"."+k.Name == id {
			return k
		}
		if k.Name == id {
			found = k
			named++
		}
	}
	if named > 1 {
		return nil
	}
	return found
}

// Exists reports whether a file has that name, or something that is no folder: a
// link to nothing too. What cannot be read is not absent, and File says why.
func (t *Tree) Exists(p string) bool {
	if p == "" {
		return false
	}
	info, err := fs.Stat(t.FS, p)
	return err == nil && !info.IsDir() || errors.Is(err, fs.ErrPermission) || err != nil && t.isLink(p)
}

// isLink reports whether a name that leads nowhere is a link.
func (t *Tree) isLink(p string) bool {
	_, err := fs.Lstat(t.FS, p)
	return err == nil
}

// isDir reports whether an entry is a folder, or a link to one. A link that leads
// nowhere is unread: a folder may be meant.
func (t *Tree) isDir(parent string, e fs.DirEntry) bool {
	if e.IsDir() || e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	p := path.Join(parent, e.Name())
	info, err := fs.Stat(t.FS, p)
	if err != nil {
		t.load(p)
		return false
	}
	return info.IsDir()
}

// Unread records why a folder or file is not looked at as a whole, so that the
// tree is not called clean.
func (t *Tree) Unread(p, why string) {
	e := &entry{file: syntax.Lines(nil), err: errors.New(why)}
	e.file.Path, e.file.Unread = p, why
	e.once.Do(func() {})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.files[p] = e
}

// Partly records why a file that is read is not understood as a whole, so that the
// tree is not called clean. Rules get the file nevertheless.
func (t *Tree) Partly(p, why string) {
	e := t.load(p)
	t.mu.Lock()
	defer t.mu.Unlock()
	if e.partly == "" || why < e.partly { // whichever rule comes first
		e.partly = why
	}
}

// ifExists is the path of a file of a kernel; a folder of that name is unread.
func (t *Tree) ifExists(p string) string {
	if _, err := fs.Stat(t.FS, p); t.Exists(p) || p != "" && err == nil {
		return p
	}
	return ""
}

// File parses a Rust or Python file, once. It never returns nil: a file that
// cannot be read has Unread set and no tree, and so has an empty path.
func (t *Tree) File(p string) *syntax.File {
	e := t.load(p)
	return e.file
}

// Parsed is how many files were parsed so far, those of the tree that is reused
// left out.
func (t *Tree) Parsed() int { return int(t.parsed.Load()) }

// Bytes returns the content of any file, or nil and why it cannot be had.
func (t *Tree) Bytes(p string) ([]byte, error) {
	e := t.load(p)
	return e.src, e.err
}

func (t *Tree) load(p string) *entry {
	t.mu.Lock()
	e := t.files[p]
	if e == nil {
		e = &entry{}
		t.files[p] = e
	}
	t.mu.Unlock()
	e.once.Do(func() {
		e.src, e.err = t.read(p)
		if e.err != nil {
			e.file = syntax.Lines(nil)
			e.file.Path, e.file.Unread = p, unreadable(e.err)
			return
		}
		if t.reuse != nil {
			if old := t.reuse.load(p); old.err == nil && bytes.Equal(old.src, e.src) {
				e.file = old.file
				return
			}
		}
		if t.memory.Load() > maxMemory {
			e.file = syntax.Lines(nil)
			e.file.Path, e.file.Unread = p, ErrTooLarge.Error()
			return
		}
		switch path.Ext(p) {
		case ".rs":
			e.file = syntax.Parse(p, syntax.Rust, e.src)
			t.parsed.Add(1)
		case ".py":
			e.file = syntax.Parse(p, syntax.Python, e.src)
			t.parsed.Add(1)
		case ".toml":
			e.file = syntax.Plain(p, e.src)
			if e.file.Unread == "" {
				e.file.Unread = unreadTOML(e.src)
			}
		default:
			e.file = syntax.Plain(p, e.src)
		}
		if ext := path.Ext(p); (ext == ".rs" || ext == ".py") && e.file.Unread == "" {
			if why, at := misread(e.file, e.src); why != "" {
				e.file = syntax.Lines(nil)
				e.file.Path, e.file.Unread, e.file.UnreadAt = p, why, at
			}
		}
		t.memory.Add(int64(e.file.Memory()))
	})
	return e
}

// Bounds of a TOML file. Its reader recurses into values and keys, and compares
// each key with all others of its table.
const (
	maxNesting = 200    // of brackets, and dots of a line
	maxKeys    = 10_000 // equals signs, and brackets that open
)

// unreadTOML says why a TOML file is not given to its reader, or is empty. What it
// counts may stand in strings and comments too.
func unreadTOML(src []byte) string {
	nesting := syntax.BracketDepth(src)
	for line := range bytes.Lines(src) {
		if len(line) > nesting {
			nesting = max(nesting, bytes.Count(line, []byte(".")))
		}
	}
	switch {
	case nesting > maxNesting:
		return fmt.Sprintf("keys or values nested deeper than %d levels", maxNesting)
	case bytes.Count(src, []byte("="))+bytes.Count(src, []byte("[")) > maxKeys:
		return fmt.Sprintf("more than %d keys and tables", maxKeys)
	}
	return ""
}

// maxMemory bounds the memory of all files of a tree, in bytes; upstream's take
// about a fortieth. Each file is bounded by the parser.
const maxMemory = 1 << 30

// ErrTooLarge says that a tree's files together are more than can be reviewed.
var ErrTooLarge = fmt.Errorf("the files of this checkout take more than %d MiB when they are parsed: review some of its kernels at a time", maxMemory>>20)

// Err is ErrTooLarge when files were left out for want of memory.
func (t *Tree) Err() error {
	if t.memory.Load() > maxMemory {
		return ErrTooLarge
	}
	return nil
}

func (t *Tree) read(p string) ([]byte, error) {
	if p == "" {
		return nil, fs.ErrNotExist
	}
	data, err := ReadFile(t.FS, p, syntax.MaxSize)
	if errors.Is(err, fs.ErrNotExist) && t.isLink(p) {
		err = errDangling
	}
	return data, err
}

var (
	errDangling = errors.New("a link to something that does not exist")
	errChanged  = errors.New("it changed while it was read")
)

// ReadFile returns the content of a regular file of at most limit bytes. It does
// not open what is no regular file: a pipe would make it wait.
func ReadFile(fsys fs.FS, p string, limit int64) ([]byte, error) {
	info, err := fs.Stat(fsys, p)
	if err != nil {
		return nil, err
	}
	if err := readable(info, limit); err != nil {
		return nil, err
	}
	f, err := fsys.Open(p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if err := readable(info, limit); err != nil {
		return nil, err
	}
	out := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	if _, err = out.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, err
	}
	after, err := f.Stat()
	if err == nil && (int64(out.Len()) != info.Size() || !after.ModTime().Equal(info.ModTime())) {
		err = errChanged
	}
	return out.Bytes(), err
}

func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return m.Type().String()
}

func unreadable(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// Read lists the files that have been asked for and exist, by path.
func (t *Tree) Read() []*syntax.File {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []*syntax.File
	for p, e := range t.files {
		if p != "" && e.file != nil && !errors.Is(e.err, fs.ErrNotExist) {
			f := e.file
			if e.partly != "" && f.Unread == "" {
				file := *f
				f, file.Unread = &file, e.partly
			}
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b *syntax.File) int { return strings.Compare(a.Path, b.Path) })
	return out
}
