package records

import (
	"slices"
	"strings"
	"unicode"
)

// KnownBackends are the backend names that occur in TileGym's test ids. A name
// that a caller asks for is known too, wherever it comes from.
var KnownBackends = []string{"cutile-rs", "cutile", "triton", "tilecpp", "pytorch", "torch"}

// TestID is a test case's identity. Two cases are the same configuration of two
// backends when their Key is equal.
type TestID struct {
	Class   string   // dotted module path and class, as in JUnit's classname
	Test    string   // function name
	Kernel  string   // last module name without test_, e.g. rms_norm
	Params  []string // parameters in id order, without the backend
	Backend string   // canonical backend name; "" when the id names none
	spelled string   // the backend as the id spells it
	at      int      // index of the backend among the parameters
}

// IDParser splits test ids. It knows KnownBackends and the names that it was made
// with.
type IDParser struct{ backends []string }

// NewIDParser returns a parser that knows some more backends.
func NewIDParser(backends ...string) IDParser {
	var p IDParser
	for _, n := range slices.Concat(backends, KnownBackends) {
		if n = CanonicalBackend(n); n != "" && !slices.Contains(p.backends, n) {
			p.backends = append(p.backends, n)
		}
	}
	// Longer names first, so that cutile-rs wins over cutile.
	slices.SortStableFunc(p.backends, func(a, b string) int { return len(b) - len(a) })
	return p
}

// Parse splits class and name of a JUnit case. Backends are found among the
// parameters by name, wherever they stand. TileGym's parametrisation writes
// cutile_rs, explicit ids write cutile-rs, where the dash also separates
// parameters: both are the backend cutile-rs, never cutile with a parameter rs.
func (p IDParser) Parse(class, name string) TestID {
	id := TestID{Class: class, at: -1}
	id.Test, id.Params = splitName(name)
	module := class
	for part := range strings.SplitSeq(class, ".") {
		if strings.HasPrefix(part, "test_") {
			module = part
		}
	}
	id.Kernel = strings.TrimPrefix(module, "test_")
	id.takeBackend(p.backends)
	return id
}

// ParseID splits a JUnit case's class and name once, see IDParser.
func ParseID(class, name string, backends ...string) TestID {
	return NewIDParser(backends...).Parse(class, name)
}

// ParseNodeID splits a pytest node id, path::Class::test[params]. A text without
// a path is a test of an unknown class.
func ParseNodeID(node string, backends ...string) TestID {
	class, name := SplitNodeID(node)
	return ParseID(class, name, backends...)
}

// SplitNodeID turns a pytest node id into the class and name of a JUnit case.
func SplitNodeID(node string) (class, name string) {
	head, params := strings.TrimSpace(node), ""
	if i := strings.IndexByte(head, '['); i >= 0 {
		head, params = head[:i], head[i:]
	}
	parts := strings.Split(head, "::")
	last := len(parts) - 1
	if last > 0 {
		parts[0] = strings.TrimSuffix(strings.TrimPrefix(parts[0], "./"), ".py")
		parts[0] = strings.ReplaceAll(parts[0], "/", ".")
	}
	return strings.Join(parts[:last], "."), parts[last] + params
}

func splitName(name string) (test string, params []string) {
	open := strings.IndexByte(name, '[')
	if open < 0 || !strings.HasSuffix(name, "]") {
		return name, nil
	}
	return name[:open], strings.Split(name[open+1:len(name)-1], "-")
}

// takeBackend moves the first parameter that is a backend's name out of Params.
func (id *TestID) takeBackend(names []string) {
	for i := range id.Params {
		for _, n := range names {
			if width, ok := matchBackend(id.Params[i:], n); ok {
				id.Backend, id.at = n, i
				id.spelled = strings.Join(id.Params[i:i+width], "-")
				id.Params = slices.Concat(id.Params[:i], id.Params[i+width:])
				return
			}
		}
	}
}

// matchBackend reports whether params begin with a backend's name and over how
// many of them it is spread. "framework=cutile" is the same as "cutile".
func matchBackend(params []string, name string) (width int, ok bool) {
	rest := name
	for w, p := range params {
		if w == 0 {
			if key, value, found := strings.Cut(p, "="); found && (key == "backend" || key == "framework") {
				p = value
			}
		}
		if !strings.HasPrefix(rest, CanonicalBackend(p)) || p == "" {
			return 0, false
		}
		rest = rest[len(p):]
		if rest == "" {
			return w + 1, true
		}
		if rest[0] != '-' {
			return 0, false
		}
		rest = rest[1:]
	}
	return 0, false
}

// CanonicalBackend spells a backend with dashes.
func CanonicalBackend(name string) string { return strings.ReplaceAll(name, "_", "-") }

// Key identifies the configuration: class, test and parameters without the
// backend.
func (id TestID) Key() string { return id.Class + "::" + id.Config() }

// Function identifies the test function: class and test.
func (id TestID) Function() string { return id.Class + "::" + id.Test }

// Config is the test and its parameters without the backend, e.g.
// test_perf[1024-torch.float16].
func (id TestID) Config() string {
	if len(id.Params) == 0 {
		return id.Test
	}
	return id.Test + "[" + strings.Join(id.Params, "-") + "]"
}

// For is the id, class included, of the same configuration for another backend,
// spelled as TileGym's parametrisation spells it.
func (id TestID) For(backend string) string {
	params := id.Params
	if id.at >= 0 {
		spelled := strings.ReplaceAll(backend, "-", "_")
		if backend == id.Backend {
			spelled = id.spelled
		}
		params = slices.Concat(params[:id.at], []string{spelled}, params[id.at:])
	}
	name := id.Test
	if len(params) > 0 {
		name += "[" + strings.Join(params, "-") + "]"
	}
	if id.Class == "" {
		return name
	}
	return id.Class + "::" + name
}

// Tokens are the parameters cut at dashes and underscores and sorted, without
// the prefix of torch's types: the form in which two spellings of one
// configuration are equal.
func Tokens(params string) []string {
	fields := strings.FieldsFunc(params, func(r rune) bool { return r == '-' || r == '_' || r == ' ' || r == ',' })
	for i, f := range fields {
		fields[i] = strings.TrimPrefix(f, "torch.")
	}
	slices.Sort(fields)
	return fields
}

// Backward reports whether the case tests a backward pass, by its names. One that
// says that there is none, as no_backward or backward=False do, does not.
func (id TestID) Backward() bool {
	before := "" // the word in front: pytest joins parameters by the dash that one may hold
	for i, s := range slices.Concat([]string{id.Test}, id.Params) {
		words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		for n, w := range words {
			off := n+1 < len(words) && words[n+1] == "false"
			if (strings.Contains(w, "backward") || strings.Contains(w, "bwd")) && !slices.Contains(denials, before) && !off {
				return true
			}
			before = w
		}
		if i == 0 {
			before = ""
		}
	}
	return false
}

var denials = []string{"no", "not", "non", "without", "skip"}

// Renamed is the same case under another name: test[params] without the backend,
// or only the test or only the parameters' text.
func (id TestID) Renamed(to string) TestID {
	if class, name, ok := cutLast(to, "::"); ok {
		id.Class, to = class, name
	}
	id.Test, id.Params = splitName(to)
	id.at = -1
	return id
}

func cutLast(s, sep string) (before, after string, ok bool) {
	head := s
	if i := strings.IndexByte(s, '['); i >= 0 {
		head = s[:i]
	}
	i := strings.LastIndex(head, sep)
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+len(sep):], true
}
