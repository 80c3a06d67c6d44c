package ir

import (
	"bytes"
	"regexp"
	"strings"
)

// Module is what a printed module holds.
type Module struct {
	HasModule bool    // a cuda_tile.module is there
	Entries   []Entry // in their order
	Closed    bool    // every block that was opened is closed
	// PythonLevel is a mark of the Python-level IR, which is another language, and
	// PythonLine its line; empty when there is none.
	PythonLevel string
	PythonLine  int
	Debug       bool // source locations are printed
}

// Entry is one kernel of a module.
type Entry struct {
	Name     string
	Line     int // from 1
	HasHints bool
	Hints    map[string]string // by name; different values on several architectures are joined by '/'
	Ops      []Op              // of the whole body, in their order
}

// Op is one operation. Text is its line without results, name, comment and
// location.
type Op struct {
	Name string
	Line int
	Text string
	Loop int // number of loops around it
}

var (
	entryHead = regexp.MustCompile(`^(?:cuda_tile\.)?entry @"?([^\s("]+)"?`)
	opHead    = regexp.MustCompile(`^(?:%[\w$.#:-]+(?:\s*,\s*%[\w$.#:-]+)*\s*=\s*)?"?(?:cuda_tile\.)?([a-z][a-z0-9_]*)"?(?:\s|\(|$)`)
	hintPair  = regexp.MustCompile(`\b(occupancy|num_cta_in_cga|num_ctas|simt_num_warps_in_cta|max_divisibility|tensor_dim_factor)\s*=\s*([\w.]+)`)
	location  = regexp.MustCompile(`\sloc\((?:#\w+|"[^"]*"(?::\d+)*|\S*)\)$`)
	pyMarks   = []string{"Tile[PointerTy", "typed_const", "assume_bounded(x="}
)

// Read reads a printed module. It never fails: what is not understood is left
// out, and Check says what is missing.
func Read(data []byte) Module {
	var m Module
	depth, entryDepth := 0, -1
	var loops []int // depths at which the loops around the line were opened
	var moduleOpened bool
	n := 0
	for len(data) > 0 {
		n++
		raw := data
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			raw, data = data[:i], data[i+1:]
		} else {
			data = nil
		}
		line := strings.TrimSpace(stripComment(string(bytes.ToValidUTF8(raw, []byte("\ufffd")))))
		if line == "" {
			continue
		}
		if m.PythonLevel == "" {
			for _, mark := range pyMarks {
				if strings.Contains(line, mark) {
					m.PythonLevel, m.PythonLine = mark, n
					break
				}
			}
		}
		if strings.HasPrefix(line, "#loc") || location.MatchString(line) {
			m.Debug = true
			line = location.ReplaceAllString(line, "")
		}
		open, shut := braces(line)
		if strings.HasPrefix(line, "cuda_tile.module") {
			m.HasModule, moduleOpened = true, true
		}
		switch head := entryHead.FindStringSubmatch(line); {
		case head != nil:
			m.Entries = append(m.Entries, Entry{Name: head[1], Line: n, HasHints: strings.Contains(line, "optimization_hints"), Hints: hints(line)})
			entryDepth, loops = depth, nil
		case entryDepth >= 0 && len(m.Entries) > 0:
			e := &m.Entries[len(m.Entries)-1]
			if op := opHead.FindStringSubmatch(line); op != nil && op[1] != "else" {
				text := strings.TrimSpace(line[strings.Index(line, op[1])+len(op[1]):])
				e.Ops = append(e.Ops, Op{Name: op[1], Line: n, Text: text, Loop: len(loops)})
				if (op[1] == "for" || op[1] == "loop") && open > shut {
					loops = append(loops, depth)
				}
			}
		}
		depth += open - shut
		for len(loops) > 0 && depth <= loops[len(loops)-1] {
			loops = loops[:len(loops)-1]
		}
		if entryDepth >= 0 && depth <= entryDepth && open+shut > 0 {
			entryDepth = -1
		}
	}
	m.Closed = moduleOpened && depth == 0
	return m
}

// stripComment removes a // comment outside of strings.
func stripComment(line string) string {
	in := false
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && in:
			i++
		case line[i] == '"':
			in = !in
		case !in && strings.HasPrefix(line[i:], "//"):
			return line[:i]
		}
	}
	return line
}

// braces counts the braces outside of strings.
func braces(line string) (open, shut int) {
	in := false
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && in:
			i++
		case line[i] == '"':
			in = !in
		case in:
		case line[i] == '{':
			open++
		case line[i] == '}':
			shut++
		}
	}
	return open, shut
}

// hints are the optimisation hints of an entry's head, over all architectures.
func hints(head string) map[string]string {
	h := map[string]string{}
	i := strings.Index(head, "optimization_hints")
	if i < 0 {
		return h
	}
	for _, m := range hintPair.FindAllStringSubmatch(head[i:], -1) {
		key := m[1]
		if key == "num_ctas" {
			key = "num_cta_in_cga"
		}
		if old, ok := h[key]; ok && old != m[2] {
			h[key] = old + "/" + m[2]
			continue
		}
		h[key] = m[2]
	}
	return h
}

// Count is the number of operations of a name.
func (e Entry) Count(name string) int {
	n := 0
	for _, op := range e.Ops {
		if op.Name == name {
			n++
		}
	}
	return n
}

// Unlabelled is a printed module with the names of its entries left out: two
// dumps of one kernel under different names are then the same text. Indentation,
// empty lines, comments and source locations are left out too.
func Unlabelled(data []byte) string {
	var names []string
	for _, e := range Read(data).Entries {
		names = append(names, "@"+e.Name)
	}
	var b strings.Builder
	for line := range strings.SplitSeq(string(bytes.ToValidUTF8(data, []byte("\ufffd"))), "\n") {
		line = strings.TrimSpace(stripComment(line))
		if line == "" || strings.HasPrefix(line, "#loc") {
			continue
		}
		line = location.ReplaceAllString(line, "")
		if entryHead.MatchString(line) {
			for _, n := range names {
				line = strings.Replace(line, n, "@", 1)
			}
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.String()
}
