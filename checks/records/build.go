package records

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// maxDiagnostics bounds the compile errors that are kept; the others are counted.
const maxDiagnostics = 100

// maxSymbols bounds the symbols that are kept of a list.
const maxSymbols = 1 << 16

// Cargo is what the console output of a cargo build says.
type Cargo struct {
	Finished bool         // cargo said that the build finished
	Errors   []Diagnostic // compile errors in their order, at most 100
	Count    int          // of compile errors
	Crates   []string     // that could not be compiled
	Damage   error        // why reading stopped before the end; else nil
}

// Diagnostic is one error of the compiler, as rustc or cargo prints it.
type Diagnostic struct {
	Code    string // such as E0308; empty where the error has none
	Message string
	Path    string // empty where the error names no place
	Line    int    // from 1
	Column  int    // from 1
}

// String is the error on one line.
func (d Diagnostic) String() string {
	s := "error"
	if d.Code != "" {
		s += "[" + d.Code + "]"
	}
	s += ": " + d.Message
	if d.Path != "" {
		s += fmt.Sprintf(" (%s:%d)", d.Path, d.Line)
	}
	return s
}

// ReadCargo reads the output that cargo writes for people. What is no line of
// cargo or rustc is skipped: build scripts write there too.
func ReadCargo(r io.Reader) Cargo {
	var c Cargo
	in := bufio.NewReaderSize(r, 64<<10)
	placed := true // the newest error has its place, or can have none
	for {
		line, err := readLine(in)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				c.Damage = err
			}
			return c
		}
		line = cleanLine(line)
		if rest, ok := strings.CutPrefix(line, "--> "); ok && !placed {
			c.Errors[len(c.Errors)-1].at(rest)
			placed = true
			continue
		}
		if word, _, _ := strings.Cut(line, " "); word == "Finished" {
			c.Finished = true
			continue
		}
		rest, ok := strings.CutPrefix(line, "error")
		if !ok {
			continue
		}
		var d Diagnostic
		if code, after, found := strings.Cut(rest, "]"); found && strings.HasPrefix(code, "[") {
			d.Code, rest = code[1:], after
		}
		if d.Message, ok = strings.CutPrefix(rest, ": "); !ok {
			continue
		}
		d.Message = string(cut([]byte(d.Message), maxSaid))
		if name, ok := strings.CutPrefix(d.Message, "could not compile `"); ok {
			if name, _, ok = strings.Cut(name, "`"); ok && !slices.Contains(c.Crates, name) && len(c.Crates) < maxDiagnostics {
				c.Crates = append(c.Crates, name)
			}
			placed = true
			continue
		}
		c.Count++
		if placed = len(c.Errors) == maxDiagnostics; !placed {
			c.Errors = append(c.Errors, d)
		}
	}
}

// at takes the place of an arrow line, path:line:column.
func (d *Diagnostic) at(place string) {
	rest, column, ok := cutLast(place, ":")
	path, line, ok2 := cutLast(rest, ":")
	if !ok || !ok2 {
		return
	}
	n, err := strconv.Atoi(line)
	k, err2 := strconv.Atoi(column)
	if err == nil && err2 == nil && n > 0 && k > 0 {
		d.Path, d.Line, d.Column = path, n, k
	}
}

// Symbols are the functions of a library.
type Symbols struct {
	Defined   []string // exported functions, sorted, without a version
	Undefined []string // wanted from elsewhere, likewise
	Damage    error    // why reading stopped before the end; else nil
}

// Exports reports whether a function is defined.
func (s Symbols) Exports(name string) bool {
	_, ok := slices.BinarySearch(s.Defined, name)
	return ok
}

// ReadSymbols reads a list of a library's symbols: the output of nm -D in its
// usual or its POSIX form (-P), or bare names, one a line, as the runner lists
// exported functions. Data, weak and local symbols are left out; a line of another
// shape is skipped.
func ReadSymbols(r io.Reader) Symbols {
	var s Symbols
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := readLine(in)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				s.Damage = err
			}
			break
		}
		name, kind := symbol(strings.Fields(cleanLine(line)))
		name, _, _ = strings.Cut(name, "@")
		switch {
		case name == "":
		case len(s.Defined)+len(s.Undefined) == maxSymbols:
			s.Damage = fmt.Errorf("expected at most %d symbols", maxSymbols)
		case kind == "T":
			s.Defined = append(s.Defined, name)
		case kind == "U":
			s.Undefined = append(s.Undefined, name)
		}
		if s.Damage != nil {
			break
		}
	}
	for _, list := range []*[]string{&s.Defined, &s.Undefined} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return s
}

// symbol tells name and kind of a line: "ADDRESS KIND NAME", "KIND NAME",
// "NAME KIND ..." or "NAME".
func symbol(fields []string) (name, kind string) {
	isKind := func(s string) bool {
		return len(s) == 1 && (s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z' || s[0] == '?')
	}
	switch {
	case len(fields) == 1 && isName(fields[0]):
		return fields[0], "T"
	case len(fields) == 2 && isKind(fields[0]):
		return fields[1], fields[0]
	case len(fields) == 3 && isKind(fields[1]) && isHex(fields[0]):
		return fields[2], fields[1]
	case len(fields) >= 2 && isKind(fields[1]):
		return fields[0], fields[1]
	}
	return "", ""
}

func isHex(s string) bool {
	_, err := strconv.ParseUint(s, 16, 64)
	return err == nil
}

// isName keeps headings such as "library.so:" out of a list of bare names.
func isName(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isNameStart(c) && (i == 0 || c < '0' || c > '9') && c != '.' && c != '$' && c != '@' {
			return false
		}
	}
	return s != ""
}
