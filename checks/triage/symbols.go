package triage

import (
	"regexp"
	"slices"
	"strings"
)

// Signatures that the symbols of a library decide.
const (
	noSymbol     = "S-I02"
	loadedBefore = "S-I60"
	otherBinding = "S-I61"
	mangledName  = "S-I62"
)

// symbols reads which symbol a library lacks, which ones a listing shows that it has, and
// which libraries were loaded: together they tell why the symbol is not found.
type symbols struct {
	lacks   string // the first symbol that was not found
	file    string // in which it was looked for
	at      line
	listed  string // base name of the library whose symbols are listed
	has     []symbol
	loads   map[string]int // by path
	rebuilt bool           // something was linked between two loads
	stale   line           // a library was loaded again at the path at which one was loaded before
	uniffi  [2]string      // versions of the generator of bindings and of the crate
}

// symbol is one that a listing shows.
type symbol struct {
	name string
	at   line
}

// maxSymbols bounds the symbols and the libraries that are kept.
const maxSymbols = 2048

var (
	missingIn   = probe(`(\S+\.so[\w.]*): undefined symbol: (\w+)`)
	loadOf      = probe(`\b(?:[Ll]oad(?:ing|ed|s)?|dlopen\w*|CDLL|[Oo]pen(?:ing|ed)?)\b\W{0,3}(?:\w+ ){0,3}\W{0,2}(/\S+\.so)\b`)
	anyLibrary  = regexp.MustCompile(`([^\s/'"]+\.so)\b`)
	nmSymbol    = probe(`\b[0-9a-f]{8,16} [TWt] (\w[\w.$]*)`)
	elfSymbol   = probe(`^\d+: [0-9a-f]{8,16} +\S+ (?:FUNC|OBJECT|IFUNC) +(?:GLOBAL|WEAK) +\S+ +\d+ (\w[\w.$]*)`)
	linkedAgain = probe(`\bFinished .*\bprofile\b|^== building |\bCompiling \S+ v\d|\b(?:re-?)?(?:built|linked|building|linking)\b`)
	checksum    = regexp.MustCompile(`^(?:[0-9a-f]{2,16}|h[0-9a-f]{16}|v\d+)$`)
	bindgenOf   = probe(`\buniffi[-_]bindgen(?:==|[ -]v?| +)(\d+\.\d+)`)
	crateOf     = probe(`\bCompiling uniffi(?:_core)? v(\d+\.\d+)`)
)

func (s *symbols) line(l line) {
	if len(l.text) > 2048 {
		return
	}
	if strings.Contains(l.text, "uniffi") {
		if m := bindgenOf.re.FindStringSubmatch(l.text); m != nil {
			s.uniffi[0] = strings.Clone(m[1])
		}
		if m := crateOf.re.FindStringSubmatch(l.text); m != nil {
			s.uniffi[1] = strings.Clone(m[1])
		}
	}
	if len(s.loads) > 0 && !s.rebuilt && l.is(linkedAgain) {
		s.rebuilt = true
	}
	if strings.Contains(l.text, ".so") {
		s.library(l)
	}
	s.lists(l)
}

// library takes a line that names a library.
func (s *symbols) library(l line) {
	if m := missingIn.re.FindStringSubmatch(l.text); m != nil {
		if s.lacks == "" {
			s.file, s.lacks, s.at = strings.Clone(m[1]), strings.Clone(m[2]), l
		}
		return
	}
	if strings.Contains(l.text, "nm ") || strings.Contains(l.text, "readelf") || strings.Contains(l.text, "objdump") {
		if m := anyLibrary.FindStringSubmatch(l.text); m != nil {
			s.listed = strings.Clone(m[1])
		}
		return
	}
	if s.lacks != "" || l.quote || !l.is(loadOf) {
		return
	}
	path := loadOf.re.FindStringSubmatch(l.text)[1]
	if s.loads == nil {
		s.loads = map[string]int{}
	}
	if s.loads[path] == 0 {
		s.rebuilt = false
	} else {
		s.stale = l
	}
	if len(s.loads) < maxSymbols {
		s.loads[strings.Clone(path)]++
	}
}

// lists takes a line of a listing of symbols.
func (s *symbols) lists(l line) {
	for _, m := range []*matcher{nmSymbol, elfSymbol} {
		if strings.IndexByte(l.text, ' ') < 0 || !l.is(m) {
			continue
		}
		f := m.re.FindStringSubmatch(l.text)
		if len(s.has) < maxSymbols {
			s.has = append(s.has, symbol{strings.Clone(f[1]), l})
		}
		return
	}
}

func (s *symbols) end(sc *logScan) {
	if s.lacks == "" {
		return
	}
	base := s.file[strings.LastIndexByte(s.file, '/')+1:]
	there := (s.listed == "" || s.listed == base) && slices.ContainsFunc(s.has, func(o symbol) bool { return o.name == s.lacks })
	if s.loads[s.file] > 1 && (there || s.rebuilt) {
		sc.causes(loadedBefore, []string{noSymbol, unnamedError}, s.stale, s.at.text)
		return
	}
	if there {
		return
	}
	for _, o := range s.has {
		switch {
		case sameButChecksum(s.lacks, o.name):
			sc.causes(otherBinding, []string{noSymbol, unnamedError}, s.at, o.at.text)
			return
		case mangles(o.name, s.lacks):
			sc.causes(mangledName, []string{noSymbol, unnamedError}, s.at, o.at.text)
			return
		}
	}
	if a, b := s.uniffi[0], s.uniffi[1]; a != "" && b != "" && a != b {
		sc.causes(otherBinding, []string{noSymbol, unnamedError}, s.at, "uniffi_bindgen "+a+", uniffi "+b)
	}
}

// sameButChecksum reports whether two names differ in nothing but one part that is a
// checksum or a version.
func sameButChecksum(a, b string) bool {
	x, y := strings.Split(a, "_"), strings.Split(b, "_")
	if len(x) != len(y) || len(x) < 3 {
		return false
	}
	differ := 0
	for i := range x {
		if x[i] == y[i] {
			continue
		}
		if !checksum.MatchString(x[i]) || !checksum.MatchString(y[i]) || !strings.ContainsAny(x[i]+y[i], "0123456789") {
			return false
		}
		differ++
	}
	return differ == 1
}

// mangles reports whether a symbol is the mangled form of a plain name: its length stands
// before it.
func mangles(symbol, name string) bool {
	if !strings.HasPrefix(symbol, "_Z") && !strings.HasPrefix(symbol, "_R") {
		return false
	}
	i := strings.Index(symbol, name)
	if i <= 0 {
		return false
	}
	digits := 0
	for n, unit := len(name), 1; n > 0 && i-1-digits >= 0; n, unit = n/10, unit*10 {
		if int(symbol[i-1-digits]-'0') != n%10 {
			return false
		}
		digits++
	}
	return digits > 0
}
