package triage

import (
	"slices"
	"strings"
)

// abi compares the two declarations of an exported function that a log shows: the C
// one of the wrapper and the one in Rust.
type abi struct {
	open  bool // a declaration has begun and not ended
	rust  bool
	name  string
	at    line
	lines int
	text  strings.Builder
	seen  [2]map[string][]parameter // by name; of C and of Rust
}

// parameter is one parameter of a declaration.
type parameter struct{ name, kind string }

const (
	maxDeclaration = 24 // lines of one declaration
	maxDeclared    = 32 // functions that are remembered
	declaration    = "S-I21"
)

// afterDeclaration are the signatures that two different declarations explain.
var afterDeclaration = append([]string{failedCase, "S-R02", "S-R06", "S-R08", "S-R09", "S-R10", "S-R11", "S-R12", "S-R24"}, mismatches...)

// prototype takes the beginning of a declaration apart: the word before the name,
// the name, what follows its parenthesis. It is no regular expression: nearly every
// line of a test's log names a backend that begins like a function.
func prototype(text string) (word, name, rest string, ok bool) {
	for i := 1; ; i += len("cutile_") {
		at := strings.Index(text[i:], "cutile_")
		if at < 0 {
			return "", "", "", false
		}
		i += at
		if c := text[i-1]; c != ' ' && c != '*' {
			continue
		}
		end := i
		for end < len(text) && (text[end] == '_' || text[end] >= '0' && text[end] <= '9' || text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z') {
			end++
		}
		if end == len(text) || text[end] != '(' {
			continue
		}
		word = strings.TrimRight(text[:i], " *")
		word = word[strings.LastIndexAny(word, " \"';:")+1:]
		if word == "fn" || word == "void" || kinds[word] == "32" || kinds[word] == "64" {
			return word, text[i:end], text[end+1:], true
		}
	}
}

func (a *abi) line(sc *logScan, l line) {
	// Of a change, what it comes to counts.
	text := strings.TrimPrefix(l.text, "+")
	if strings.HasPrefix(text, "-") {
		return
	}
	if !a.open {
		if l.quote || strings.IndexByte(text, '(') < 0 {
			return
		}
		word, name, rest, ok := prototype(text)
		if !ok {
			return
		}
		a.open, a.rust, a.name, a.at, a.lines = true, word == "fn", strings.Clone(name), l, 0
		a.text.Reset()
		text = rest
	}
	if a.lines++; a.lines > maxDeclaration || a.text.Len()+len(text) > maxLine || beginsStep(text) {
		a.open = false
		return
	}
	text, _, _ = strings.Cut(text, "//")
	inner, _, closed := strings.Cut(text, ")")
	a.text.WriteString(inner)
	a.text.WriteByte(' ')
	if closed {
		a.open = false
		a.declared(sc)
	}
}

// declared takes a whole declaration.
func (a *abi) declared(sc *logScan) {
	var all []parameter
	for p := range strings.SplitSeq(a.text.String(), ",") {
		if p = strings.TrimSpace(p); p != "" && p != "void" {
			all = append(all, parseParameter(p, a.rust))
		}
	}
	side, other := 0, 1
	if a.rust {
		side, other = 1, 0
	}
	if a.seen[side] == nil {
		a.seen[side] = map[string][]parameter{}
	}
	if len(a.seen[side]) >= maxDeclared {
		return
	}
	a.seen[side][a.name] = all
	theirs, ok := a.seen[other][a.name]
	if !ok || agree(all, theirs) {
		return
	}
	sc.explains(declaration, afterDeclaration, a.at)
}

// parseParameter takes "name: type" of Rust or "type name" of C.
func parseParameter(p string, rust bool) parameter {
	name, kind := "", p
	if rust {
		name, kind, _ = strings.Cut(p, ":")
	} else if i := strings.LastIndexAny(p, " *"); i >= 0 {
		kind, name = p[:i+1], p[i+1:]
	}
	fields := strings.Fields(strings.ReplaceAll(kind, "*", " * "))
	out := parameter{name: strings.Trim(name, " _")}
	for _, f := range fields {
		if k := kinds[f]; k != "" && out.kind != "pointer" {
			out.kind = k
		}
	}
	return out
}

// kinds are the types that a foreign function has, by what they look like to it.
var kinds = map[string]string{
	"*": "pointer", "float": "f32", "f32": "f32", "double": "f64", "f64": "f64", "bool": "8", "_Bool": "8", "int8_t": "8", "uint8_t": "8", "i8": "8", "u8": "8",
	"int": "32", "int32_t": "32", "uint32_t": "32", "i32": "32", "u32": "32", "c_int": "32",
	"int64_t": "64", "uint64_t": "64", "i64": "64", "u64": "64", "size_t": "64", "usize": "64", "isize": "64",
}

// agree reports whether two declarations of one function are the same to a caller:
// another name alone is no difference, a name at another place is one.
func agree(a, b []parameter) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].kind != b[i].kind && a[i].kind != "" && b[i].kind != "" {
			return false
		}
		elsewhere := slices.IndexFunc(b, func(p parameter) bool { return p.name == a[i].name })
		if a[i].name != "" && elsewhere >= 0 && elsewhere != i {
			return false
		}
	}
	return true
}
