package r35

import (
	"maps"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// contract compares the tables of utils.py with those of each ffi_util.rs.
func contract(p *rules.Pass, m *host.Model) {
	if m.Utils == nil {
		p.Undecided("no readable utils.py")
		return
	}
	calls := newCallees(m.Utils.File)
	for _, fn := range m.Utils.File.Root().Find("function_definition") {
		if fn.Field("name").Text() == "check_rc" && !raisesOnFailure(fn, 0, calls) {
			p.Reportf(fn.Field("name"), rules.Error, "rc own check", "`check_rc` does not raise for every code but 0, so a failed launch looks like a result")
		}
	}
	packer(p, m.Utils)
	seen := map[string]bool{}
	for _, c := range m.Crates {
		if c.FFIUtil != nil && !seen[c.FFIUtil.File.Path] {
			seen[c.FFIUtil.File.Path] = true
			dims(p, m.Utils, c.FFIUtil)
			fields(p, m.Utils, c.FFIUtil)
			codes(p, m.Utils, c.FFIUtil)
			messages(p, m.Utils, c.FFIUtil)
		}
	}
}

// dims compares the largest rank in its three places.
func dims(p *rules.Pass, u *host.Utils, f *host.FFIUtil) {
	if !f.MaxDims.Node.Valid() {
		return
	}
	want := f.MaxDims.Value
	if u.MaxDims.Node.Valid() && u.MaxDims.Value != want {
		p.Reportf(u.MaxDims.Node, rules.Error, "dims", "`_TENSORDESC_MAX_DIMS` is %d, `MAX_DIMS` in `%s` is %d", u.MaxDims.Value, f.File.Path, want)
	}
	for _, fd := range u.Fields {
		if fd.Len.Node.Valid() && fd.Len.Value > 0 && fd.Len.Value != want {
			p.Reportf(fd.Node, rules.Error, "dims", "`%s` has %d entries in the C struct, `MAX_DIMS` in `%s` is %d: all fields after it are read from the wrong place", fd.Name, fd.Len.Value, f.File.Path, want)
		}
	}
}

// fields compares the descriptor's fields in order, name and type.
func fields(p *rules.Pass, u *host.Utils, f *host.FFIUtil) {
	if len(u.Fields) == 0 || len(f.Fields) == 0 {
		return
	}
	if len(u.Fields) != len(f.Fields) {
		p.Reportf(u.Fields[0].Node, rules.Error, "fields", "the C struct has %d fields, `TensorDesc` in `%s` has %d", len(u.Fields), f.File.Path, len(f.Fields))
		return
	}
	for i, c := range u.Fields {
		r := f.Fields[i]
		switch {
		case c.Name != r.Name:
			p.Reportf(c.Node, rules.Error, "fields", "field %d is `%s` in C and `%s` in `%s`", i+1, c.Name, r.Name, f.File.Path)
		case c.Type != "" && r.Type != "" && c.Type != r.Type:
			p.Reportf(c.Node, rules.Error, "fields", "field `%s` is `%s` in C and `%s` in `%s`", c.Name, c.Type, r.Type, f.File.Path)
		case c.Len.Node.Valid() != r.Len.Node.Valid():
			p.Reportf(c.Node, rules.Error, "fields", "field `%s` is an array on one side only", c.Name)
		}
	}
}

// codes compares the dtype codes.
func codes(p *rules.Pass, u *host.Utils, f *host.FFIUtil) {
	if len(u.DtypeCode) == 0 || len(f.DtypeStr) == 0 {
		return
	}
	used := map[int]bool{}
	for _, torch := range slices.Sorted(maps.Keys(u.DtypeCode)) {
		code := u.DtypeCode[torch]
		used[code.Value] = true
		rust, ok := f.DtypeStr[code.Value]
		types := host.RustTypes(torch)
		size, sized := f.ElemSize[code.Value]
		switch {
		case !ok:
			p.Reportf(code.Node, rules.Error, "codes", "`torch.%s` has code %d, which `dtype_str` in `%s` does not know", torch, code.Value, f.File.Path)
		case len(types) > 0 && !slices.Contains(types, rust.Name):
			p.Reportf(code.Node, rules.Error, "codes", "`torch.%s` has code %d, which `dtype_str` in `%s` calls `%s`", torch, code.Value, f.File.Path, rust.Name)
		case len(f.ElemSize) > 0 && (!sized || size.Value == 0):
			p.Reportf(code.Node, rules.Error, "codes", "`torch.%s` has code %d, for which `dtype_elem_size` in `%s` has no size", torch, code.Value, f.File.Path)
		}
		if sized && size.Value > 0 && host.ElemSize(rust.Name) > 0 && size.Value != host.ElemSize(rust.Name) {
			p.Reportf(size.Node, rules.Error, "sizes", "`dtype_elem_size` gives code %d (`%s`) %d bytes; an element has %d", code.Value, rust.Name, size.Value, host.ElemSize(rust.Name))
		}
	}
	for _, code := range slices.Sorted(maps.Keys(f.DtypeStr)) {
		if !used[code] {
			p.Reportf(f.DtypeStr[code].Node, rules.Error, "codes", "code %d (`%s`) is in no entry of `_DTYPE_CODE`", code, f.DtypeStr[code].Name)
		}
	}
}

// messages compares the return codes with their texts.
func messages(p *rules.Pass, u *host.Utils, f *host.FFIUtil) {
	if len(u.Messages) == 0 || len(f.RC) == 0 {
		return
	}
	values := map[int]bool{0: true}
	for _, name := range slices.Sorted(maps.Keys(f.RC)) {
		v := f.RC[name]
		values[v.Value] = true
		if _, ok := u.Messages[v.Value]; !ok && v.Value != 0 {
			p.Reportf(u.MessagesAt, rules.Error, "messages "+name, "`_RC_MESSAGES` has no text for `rc::%s` (%d)", name, v.Value)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(u.Messages)) {
		if !values[code] {
			p.Reportf(u.Messages[code], rules.Error, "messages", "`_RC_MESSAGES` has a text for %d, which is no code of `ffi_util::rc`", code)
		}
	}
}

// dtypes compares the dtypes that a wrapper lets through with the element
// types that its export dispatches on.
func dtypes(p *rules.Pass, k *host.Kernel, w *host.Wrapper) {
	if k.FFI == nil || len(k.FFI.Exports) != 1 || !k.FFI.Exports[0].ArmsKnown {
		return
	}
	arms := map[string]syntax.Node{}
	for _, a := range k.FFI.Exports[0].Arms {
		arms[a.Type] = a.Node
	}
	tables := map[syntax.Node][]syntax.Node{}
	for _, c := range w.File.Root().Find("comparison_operator") {
		parts := c.NamedChildren()
		if len(parts) != 2 || syntax.PyName(parts[0]) != "dtype" || !c.ChildOf("in", "not in").Valid() {
			continue
		}
		if t := w.Const(parts[1]); t.Is("tuple", "list", "set") {
			tables[t] = t.NamedChildren()
		}
	}
	if len(tables) != 1 {
		p.Undecided("not one table of dtypes")
		return
	}
	for _, members := range tables {
		allowed := map[string]bool{}
		var lost []syntax.Node
		for _, n := range members {
			types := host.RustTypes(strings.TrimPrefix(syntax.PyDotted(n), "torch."))
			if len(types) == 0 {
				return
			}
			found := false
			for _, t := range types {
				allowed[t] = true
				found = found || arms[t].Valid()
			}
			// The arm for all others runs it, as another type.
			if !found && !k.FFI.Exports[0].Rest.Node.Valid() {
				lost = append(lost, n)
			}
		}
		if len(lost) == len(members) {
			p.Undecided("the dtypes are those of another tensor")
			return
		}
		for _, n := range lost {
			p.Reportf(n, rules.Error, "dtypes", "the wrapper lets `%s` through, but `%s` does not dispatch on it", n.Text(), k.FFI.Exports[0].Name)
		}
		for _, t := range slices.Sorted(maps.Keys(arms)) {
			if !allowed[t] {
				p.Reportf(arms[t], rules.Note, "arms", "`%s` dispatches on `%s`, which the wrapper never lets through", k.FFI.Exports[0].Name, t)
			}
		}
	}
}

// keys checks that no two wrappers share the name of a handle, and that a
// suite's wrapper names its whole library.
func keys(p *rules.Pass, m *host.Model) {
	type owner struct {
		path string
		cdef syntax.Node
	}
	first := map[string]owner{}
	for _, c := range m.Crates {
		for _, w := range c.Wrappers {
			for _, b := range w.Binds {
				suiteArguments(p, c, b)
				if b.Key == "" || b.CDef == nil {
					continue
				}
				o, ok := first[b.Key]
				switch {
				case !ok:
					first[b.Key] = owner{w.File.Path, b.CDef.At}
				case o.path != w.File.Path:
					p.Reportf(b.Node, rules.Error, "key "+b.Key, "`%s` is also the handle of `%s`; handles are cached by this name alone, so the second wrapper gets the first one's library", b.Key, o.path)
				case o.cdef != b.CDef.At:
					p.Reportf(b.Node, rules.Error, "key "+b.Key, "`%s` is bound twice with different declarations; handles are cached by this name alone, so the second declaration is never read", b.Key)
				}
			}
		}
	}
}

func suiteArguments(p *rules.Pass, c *host.Crate, b *host.Bind) {
	if b.Splat || c.Suite == "" {
		return
	}
	var has, lacks []string
	for _, a := range []struct {
		name string
		node syntax.Node
	}{{"crate_dir", b.CrateDir}, {"src_roots", b.SrcRoots}, {"so_name", b.SoName}} {
		if a.node.Valid() {
			has = append(has, a.name)
		} else {
			lacks = append(lacks, a.name)
		}
	}
	switch {
	case len(lacks) == 0:
	case len(has) > 0:
		p.Reportf(b.Node, rules.Error, "suite", "the suite's wrapper passes %s without %s; the three name one library and belong together", list(has), list(lacks))
	case c.Crate.Manifest != "":
		p.Reportf(b.Node, rules.Error, "suite", "the suite has a crate of its own, but its wrapper loads the main library; expected `crate_dir`, `src_roots` and `so_name`")
	}
}

// tuner checks that the autotuner still recognises what check_rc raises.
func tuner(p *rules.Pass, m *host.Model) {
	const path = tree.BackendRoot + "/autotuner.py"
	if m.Utils == nil || !m.Utils.CheckRC.Valid() || !p.Tree.Exists(path) {
		p.Undecided("no autotuner or no check_rc")
		return
	}
	text, at := raised(m.Utils)
	if text == "" || !at.Valid() {
		p.Undecided("the text of check_rc is not visible")
		return
	}
	f := p.Tree.File(path)
	for _, handler := range f.Root().Find("except_clause") {
		var tested []string
		var last syntax.Node
		for _, c := range handler.Find("comparison_operator") {
			parts := c.NamedChildren()
			if s := syntax.PyString(parts[0]); len(parts) == 2 && s != "" && c.ChildOf("in").Valid() {
				tested, last = append(tested, s), c
			}
		}
		if len(tested) == 0 {
			continue
		}
		if slices.ContainsFunc(tested, func(s string) bool { return mayContain(strings.ToLower(text), strings.ToLower(s)) }) {
			return
		}
		for n := last.Parent(); n.Is("boolean_operator", "parenthesized_expression"); n = n.Parent() {
			last = n
		}
		p.Reportf(last, rules.Warning, "tuner", "the autotuner skips a failing configuration when its error contains %s, but `check_rc` raises `%s` (%s, line %d); one bad configuration now ends the whole sweep",
			list(tested), strings.Join(strings.Fields(at.Squeeze()), " "), m.Utils.File.Path, at.Pos().Line)
		return
	}
}

// What stands in a text for a value that is put in.
const (
	anyText = 0
	anyCode = 1
)

// placeholder is what stands for a value in the text of check_rc.
func placeholder(u *host.Utils, value syntax.Node) byte {
	if params := u.CheckRC.Field("parameters").NamedChildren(); len(params) > 0 && value.Text() == first(params[0]) {
		return anyCode
	}
	return anyText
}

// maxPart bounds the texts whose letters are compared one by one.
const maxPart = 200

// mayContain reports whether a text contains another one for some values of its
// placeholders. A value alone is no evidence: some fixed letter or digit belongs
// to it, or the text stands there as it is.
func mayContain(text, part string) bool {
	if strings.Contains(text, part) {
		return true
	}
	if len(part) > maxPart {
		return false
	}
	// The places in the text that are reached, and whether a fixed letter was met.
	type at struct{ reached, fixed bool }
	now := make([]at, len(text)+1)
	for i := range now {
		now[i].reached = true
	}
	for _, ch := range []byte(part) {
		next := make([]at, len(text)+1)
		set := func(i int, fixed bool) {
			next[i].reached = true
			next[i].fixed = next[i].fixed || fixed
		}
		for i := range len(text) {
			if !now[i].reached {
				continue
			}
			digit := ch >= '0' && ch <= '9'
			switch text[i] {
			case anyText, anyCode:
				if text[i] == anyText || digit || ch == '-' {
					set(i, now[i].fixed)
				}
				// The value may end here.
				now[i+1].reached = true
				now[i+1].fixed = now[i+1].fixed || now[i].fixed
			case ch:
				set(i+1, now[i].fixed || digit || ch >= 'a' && ch <= 'z')
			}
		}
		now = next
	}
	return slices.ContainsFunc(now, func(a at) bool { return a.fixed })
}

// raised is all fixed text that check_rc can raise, with the texts of the
// return codes, and the place of the error.
func raised(u *host.Utils) (string, syntax.Node) {
	var b strings.Builder
	var at syntax.Node
	for _, r := range u.CheckRC.Find("raise_statement") {
		call := r.NamedChild(0)
		if !call.Is("call") || slices.ContainsFunc(syntax.PyArgs(call), unseen) {
			return "", at
		}
		for _, s := range call.Find("string") {
			if !at.Valid() {
				at = s
			}
			// A placeholder stands where a value is put in.
			for c := range s.Children() {
				switch c.Kind() {
				case "string_content":
					b.WriteString(c.Text())
				case "interpolation":
					b.WriteByte(placeholder(u, c.NamedChild(0)))
				}
			}
			b.WriteByte('\n')
		}
		if !at.Valid() {
			return "", at
		}
	}
	for _, m := range u.Messages {
		b.WriteString(syntax.PyString(m.Field("value")) + "\n")
	}
	return b.String(), at
}

// unseen reports whether a text is put together where it is not seen.
func unseen(arg syntax.Node) bool {
	return arg.Is("call") && syntax.PyName(arg.Field("function")) != "format"
}
