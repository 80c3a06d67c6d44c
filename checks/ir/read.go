package ir

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Module is what a printed module holds.
type Module struct {
	HasModule bool    // a cuda_tile.module is there
	Entries   []Entry // in their order
	Closed    bool    // the module is whole: every bracket that was opened is closed
	// Broken says why it is not whole, BrokenLine where; empty when it is.
	Broken     string
	BrokenLine int
	// PythonLevel is a mark of the Python-level IR, which is another language, and
	// PythonLine its line; empty when there is none.
	PythonLevel string
	PythonLine  int
	Debug       bool // source locations are printed
	DebugLine   int  // where the first one is, 0 for none
}

// Entry is one kernel of a module.
type Entry struct {
	Name     string
	Line     int // from 1
	HasHints bool
	Hints    Hints
	Ops      []Op // of the whole body, in their order
}

// Op is one operation. Text is what stands between its name and its first
// region, on one line, without comments and location.
type Op struct {
	Name string
	Line int
	Text string
	Loop int // number of loops around it

	generic  bool    // printed as "name"(...)
	parent   int     // index of the operation whose region holds it, -1 for none
	region   int     // which region of the parent holds it, from 0
	operands []Value // in their order, without the token
	results  int     // how many names it gives
}

// Value says where an operand comes from.
type Value struct {
	from origin
	op   int // index of the operation that defines it
	n    int // which result, argument or carried value
}

type origin uint8

const (
	unknown   origin = iota
	argument         // of the entry
	result           // of an operation
	induction        // the counter of a loop
	carried          // a value that a loop carries
	inner            // another argument of a region
)

const (
	// maxOps bounds what is kept of a text; real dumps have a few thousand.
	maxOps = 200_000
	// maxNames bounds the operands and results that are kept of one operation.
	maxNames = 1 << 16
)

// continuing are words that never begin an operation, though they may begin a line.
var continuing = map[string]bool{
	"attributes": true, "dim": true, "else": true, "fast_acc": true, "flush_to_zero": true, "identities": true, "in": true,
	"iter_values": true, "loc": true, "optimization_hints": true, "overflow": true, "propagate_nan": true, "reverse": true,
	"rounding": true, "shape": true, "signed": true, "step": true, "strides": true, "to": true, "token": true, "unsigned": true,
	"weak": true, "relaxed": true, "release": true, "acquire": true, "acq_rel": true, "device": true, "sys": true, "tl_blk": true,
}

// ending are the operations that may follow another one on its line.
var ending = map[string]bool{"yield": true, "continue": true, "break": true, "return": true}

// Read reads a printed module in one pass. It never fails: what is not
// understood is left out, and Broken says what is damaged.
func Read(data []byte) Module {
	src := string(bytes.ToValidUTF8(data, []byte("\ufffd")))
	r := reader{lexer: lex(src)}
	r.m.PythonLevel, r.m.PythonLine = pythonLevel(src)
	r.read()
	switch i := noText(data); {
	case i >= 0:
		r.fail(1+bytes.Count(data[:i], []byte("\n")), "a byte that no text has")
	case r.lexer.open > 0:
		r.fail(r.lexer.open, "a string does not end on its line")
	case len(r.stack) > 0:
		r.fail(r.stack[len(r.stack)-1].line, "what opens here is not closed")
	}
	r.m.Closed = r.m.HasModule && r.m.Broken == ""
	return r.m
}

// noText is the offset of the first NUL byte, or byte that is no UTF-8, or -1.
func noText(data []byte) int {
	for i := 0; i < len(data); {
		c, size := utf8.DecodeRune(data[i:])
		if c == 0 || c == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// pythonLevel finds the first mark of the Python-level IR outside of comments.
func pythonLevel(src string) (string, int) {
	found, at := "", len(src)
	for _, mark := range []string{"Tile[PointerTy", "typed_const", "assume_bounded(x="} {
		for from := 0; from < at; {
			i := strings.Index(src[from:at], mark)
			if i < 0 {
				break
			}
			i += from
			if line := src[strings.LastIndexByte(src[:i], '\n')+1 : i]; !strings.Contains(line, "//") {
				found, at = mark, i
				break
			}
			next := strings.IndexByte(src[i:], '\n')
			if next < 0 {
				break
			}
			from = i + next
		}
	}
	if found == "" {
		return "", 0
	}
	return found, strings.Count(src[:at], "\n") + 1
}

// frame is a bracket that is open, or a region.
type frame struct {
	close  string
	line   int
	region bool
	owner  *open // the operation that a region belongs to
	loops  int   // loops around the region's operations
	entry  bool  // the region is the body of an entry
}

// open is an operation that is being read.
type open struct {
	name    string
	raw     string // as it is written
	from    int    // where its text starts
	to      int    // where its text ends so far
	line    int
	index   int // in the entry, -1 outside of one
	regions int
	done    bool // its text is complete
	results []string
	isEntry bool
	inits   int // initial values of a loop
}

type reader struct {
	lexer lexer
	m     Module
	stack []frame
	brace int // open braces and regions
	cur   *open
	entry *Entry
	names map[string]Value
	ops   int // of all entries
	prev  token
	// assigned is the name of an attribute whose value comes next.
	assigned string
}

func (r *reader) read() {
	for {
		t := r.lexer.next()
		if t.kind == end {
			break
		}
		if r.between() {
			if r.starts(t) {
				continue
			}
			if t.kind == word && t.text == "loc" && r.location() {
				continue
			}
		}
		if r.ops > maxOps {
			r.fail(t.line, "more than %d operations", maxOps)
			return
		}
		r.token(t)
		r.prev = t
	}
	r.finish()
}

func (r *reader) fail(line int, format string, args ...any) {
	if r.m.Broken == "" {
		r.m.Broken, r.m.BrokenLine = fmt.Sprintf(format, args...), line
	}
}

// between reports whether no bracket is open but regions.
func (r *reader) between() bool {
	return len(r.stack) == 0 || r.stack[len(r.stack)-1].region
}

// starts begins an operation when one starts here.
func (r *reader) starts(t token) bool {
	idle := r.cur == nil
	after := !idle && (r.prev.is(",") || r.prev.is(":") || r.prev.is("->") || r.prev.is("="))
	switch {
	case t.kind == value && !(r.prev.is(",") && !idle):
		ahead := r.lexer
		names := []string{t.text}
		for n := ahead.next(); ; n = ahead.next() {
			if n.is(",") {
				if n = ahead.next(); n.kind != value {
					return r.other(t, idle)
				}
				if len(names) < maxNames {
					names = append(names, n.text)
				}
				continue
			}
			if !n.is("=") {
				return r.other(t, idle)
			}
			break
		}
		n := ahead.next()
		if n.kind != word && n.kind != text {
			return r.other(t, idle)
		}
		r.lexer = ahead
		r.begin(n, names)
		return true
	case t.kind == word && (idle || (t.first && !continuing[t.text] && !after) || ending[t.text] && !after):
		if idle && t.text == "loc" {
			return false
		}
		if r.cur != nil && r.cur.done && t.text == "else" {
			return false
		}
		r.begin(t, nil)
		return true
	case t.kind == text && (idle || t.first && !after):
		ahead := r.lexer
		if ahead.next().is("(") {
			r.begin(t, nil)
			return true
		}
	case t.kind == label && (idle || t.first):
		r.finish()
	case t.kind == alias && (idle || t.first && !after):
		// "#name = ..." is a name for an attribute or a type.
		ahead := r.lexer
		if ahead.next().is("=") {
			if strings.HasPrefix(t.text, "#loc") {
				r.located(t.line)
			}
			r.begin(t, nil)
			return true
		}
	}
	return false
}

// other takes what is no operation for one without a name, so that the values
// after it are not looked at again. It always returns false.
func (r *reader) other(t token, idle bool) bool {
	if idle {
		r.cur = &open{from: t.to, to: t.to, line: t.line, index: -1}
	}
	return false
}

// begin starts an operation of this name.
func (r *reader) begin(t token, results []string) {
	r.finish()
	raw := t.text
	if t.kind == text {
		raw = strings.Trim(raw, `"`)
	}
	o := &open{name: strings.TrimPrefix(raw, "cuda_tile."), raw: raw, from: t.to, to: t.to, line: t.line, index: -1, results: results}
	r.cur, r.prev, r.assigned = o, t, ""
	switch {
	case raw == "cuda_tile.module":
		r.m.HasModule = true
	case o.name == "entry" && r.entry == nil && t.kind != alias:
		o.isEntry = true
		r.m.Entries = append(r.m.Entries, Entry{Line: t.line, Hints: Hints{}})
		r.entry = &r.m.Entries[len(r.m.Entries)-1]
		r.names = map[string]Value{}
	case r.entry != nil && t.kind != alias:
		r.ops++
		o.index = len(r.entry.Ops)
		op := Op{Name: o.name, Line: t.line, generic: t.kind == text, parent: -1, results: len(results)}
		if n := len(r.stack); n > 0 {
			f := r.stack[n-1]
			op.Loop = f.loops
			if f.owner != nil && f.owner.index >= 0 {
				op.parent, op.region = f.owner.index, f.owner.regions-1
			}
		}
		r.entry.Ops = append(r.entry.Ops, op)
	}
}

// head ends the text of the operation that is being read.
func (r *reader) head() {
	o := r.cur
	if o == nil || o.done {
		return
	}
	o.done = true
	body := squeeze(r.lexer.src[o.from:max(o.from, o.to)])
	switch {
	case o.isEntry:
		r.entry.Name = entryName(body)
		r.entry.HasHints = strings.Contains(body, "optimization_hints")
		r.entry.Hints = hints(body)
	case o.index >= 0:
		r.entry.Ops[o.index].Text = body
	}
}

// finish ends the operation that is being read; its results are known from here.
func (r *reader) finish() {
	r.head()
	if o := r.cur; o != nil && o.index >= 0 && r.names != nil {
		for i, name := range o.results {
			name, _, _ = strings.Cut(name, ":")
			r.names[name] = Value{result, o.index, i}
		}
	}
	if r.cur != nil && r.cur.isEntry && r.cur.regions == 0 {
		r.entry, r.names = nil, nil
	}
	r.cur = nil
}

// location passes "loc(...)" after an operation.
func (r *reader) location() bool {
	ahead := r.lexer
	t := ahead.next()
	if !t.is("(") {
		return false
	}
	r.located(t.line)
	r.head()
	return true
}

func (r *reader) located(line int) {
	if !r.m.Debug {
		r.m.Debug, r.m.DebugLine = true, line
	}
}

// token takes a token into the operation that is being read.
func (r *reader) token(t token) {
	switch {
	case t.is("="):
		r.assigned = r.prev.text
	case t.kind == punct:
		r.bracket(t)
	case t.kind == value:
		r.use(t)
	}
	if r.cur != nil && !r.cur.done {
		r.cur.to = t.to
	}
}

func (r *reader) bracket(t token) {
	switch t.text {
	case "(":
		r.push(frame{close: ")", line: t.line})
	case "[":
		r.push(frame{close: "]", line: t.line})
	case "<":
		r.push(frame{close: ">", line: t.line})
	case "{":
		r.brace++
		if r.opensRegion() {
			r.region(t)
			return
		}
		r.push(frame{close: "}", line: t.line})
	case "}":
		r.shut(t)
	case ")", "]", ">":
		n := len(r.stack)
		if n == 0 || r.stack[n-1].close != t.text {
			r.fail(t.line, "%q closes nothing", t.text)
			return
		}
		r.stack = r.stack[:n-1]
	}
}

func (r *reader) push(f frame) { r.stack = append(r.stack, f) }

// shut closes the innermost brace. Brackets that are open within it are damage.
func (r *reader) shut(t token) {
	if r.brace == 0 {
		r.fail(t.line, "%q closes nothing", "}")
		return
	}
	r.brace--
	for {
		n := len(r.stack) - 1
		f := r.stack[n]
		if f.close != "}" {
			r.fail(f.line, "what opens here is not closed")
			r.stack = r.stack[:n]
			continue
		}
		if !f.region {
			r.stack = r.stack[:n]
			return
		}
		r.finish()
		r.stack = r.stack[:n]
		r.cur = f.owner
		if f.entry {
			r.entry, r.names, r.cur = nil, nil, nil
		}
		return
	}
}

// opensRegion tells a region's brace from that of a list of attributes.
func (r *reader) opensRegion() bool {
	if !r.between() {
		// A printed region of the generic form stands in parentheses.
		n := len(r.stack)
		return r.stack[n-1].close == ")" && (r.prev.is("(") || r.prev.is(",")) && r.cur != nil && (r.cur.done || r.prev.is("("))
	}
	if r.cur == nil {
		return true
	}
	ahead := r.lexer
	a := ahead.next()
	b := ahead.next()
	switch {
	case a.is("}"):
		return !r.cur.done || r.prev.kind == word
	case a.kind == word || a.kind == text:
		if b.is("=") || b.is(",") {
			return false
		}
		return !b.is("}") || ending[bare(a.text)] || a.kind == text
	}
	return true
}

// region opens a region of the operation that is being read.
func (r *reader) region(t token) {
	r.head()
	f := frame{close: "}", line: t.line, region: true, owner: r.cur}
	if n := len(r.stack); n > 0 {
		for i := n - 1; i >= 0 && i >= n-2; i-- {
			if r.stack[i].region {
				f.loops = r.stack[i].loops
				break
			}
		}
	}
	if o := r.cur; o != nil {
		o.regions++
		f.entry = o.isEntry
		if o.index >= 0 && (o.name == "for" || o.name == "loop") {
			f.loops++
		}
	}
	r.push(f)
	r.cur = nil
}

// use takes in a value: a name that is given to an argument, or an operand.
func (r *reader) use(t token) {
	if r.names == nil {
		return
	}
	o := r.cur
	ahead := r.lexer
	n := ahead.next()
	paren := len(r.stack) > 0 && r.stack[len(r.stack)-1].close == ")"
	switch {
	case o == nil:
		if paren && n.is(":") {
			r.names[t.text] = Value{from: inner, op: -1}
		}
		return
	case o.isEntry:
		if paren && n.is(":") {
			r.names[t.text] = Value{argument, -1, len(r.names)}
		}
		return
	case o.index < 0:
		return
	case paren && n.is(":"):
		r.names[t.text] = Value{inner, o.index, 0}
		return
	case paren && n.is("="):
		r.names[t.text] = Value{carried, o.index, o.inits}
		o.inits++
		return
	case n.kind == word && n.text == "in" && o.name == "for":
		r.names[t.text] = Value{induction, o.index, 0}
		return
	}
	op := &r.entry.Ops[o.index]
	if r.prev.is("=") && r.assigned == "token" || o.done || len(op.operands) >= maxNames {
		return
	}
	name, n1 := t.text, 0
	if i := strings.IndexAny(name, "#:"); i > 0 {
		n1 = small(name[i+1:])
		name = name[:i]
	}
	v := r.names[name]
	if v.from == result && n1 > 0 {
		v.n = n1
	}
	op.operands = append(op.operands, v)
}

// small reads a short number; 0 when it is none.
func small(s string) int {
	n := 0
	for i := 0; i < len(s) && i < 6 && digit(s[i]); i++ {
		n = n*10 + int(s[i]-'0')
	}
	return n
}

// entryName is the symbol in an entry's head.
func entryName(head string) string {
	l := lex(head)
	for t := l.next(); t.kind != end; t = l.next() {
		if t.kind == symbol {
			return strings.Trim(t.text[1:], `"`)
		}
		if t.is("(") && !strings.HasPrefix(strings.TrimSpace(head), "(") {
			break
		}
	}
	// The generic form names it in an attribute.
	return strings.Trim(attributes(head)["sym_name"], `"`)
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
