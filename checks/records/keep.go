package records

import (
	"bytes"
	"slices"
	"strings"
	"unsafe"
)

// Bounds of what is kept of one case, in bytes.
const (
	maxMessage = 8 << 10
	maxDetail  = 64 << 10
)

// What parts of a report take in memory, in bytes.
const (
	caseSize        = int(unsafe.Sizeof(Case{}))
	measurementSize = int(unsafe.Sizeof(Measurement{}))
	kernelSize      = int(unsafe.Sizeof(Kernel{}))
)

// measuredSize leaves the names out: they are shared.
func measuredSize(ms []Measurement) int {
	n := 0
	for _, m := range ms {
		n += measurementSize + kernelSize*cap(m.Kernels)
	}
	return n
}

// cutMark stands where the middle of a text was left out.
const cutMark = "\n[...]\n"

// excerpt collects a text of any length and keeps its head, its tail and the
// lines on the way that say that a backend lacks an op.
type excerpt struct {
	limit int // bytes that are kept
	text  []byte
	cut   bool // bytes behind the first half of the limit were dropped
	said  []byte
	// lacking are the backends of which said has a line.
	lacking []string
}

func (e *excerpt) reset(limit int) {
	e.limit, e.text, e.cut, e.said, e.lacking = limit, e.text[:0], false, e.said[:0], e.lacking[:0]
}

// shrink drops the middle of what has become twice too long.
func (e *excerpt) shrink() {
	if len(e.text) > 2*e.limit {
		e.drop()
	}
}

func (e *excerpt) drop() {
	half := e.limit / 2
	end := len(e.text) - half
	// A line may lie across the edges.
	e.note(e.text[max(0, half-maxSaid):min(len(e.text), end+maxSaid)])
	e.text = append(e.text[:half], e.text[end:]...)
	e.cut = true
}

const (
	maxSaid     = 400 // of a line that is kept wherever it stands, in bytes
	maxBackends = 16  // of which lines are kept; TileGym has fewer
)

// note keeps the lines that say that another one than the backend answered: of each
// backend the first, which is what Fallback looks for, and the first of the default
// implementation. Lines by which nobody answered are not among them.
func (e *excerpt) note(text []byte) {
	for _, begins := range []string{fallbackBegins, defaultBegins} {
		for rest := text; len(e.said) <= maxBackends*maxSaid; {
			i := bytes.Index(rest, []byte(begins))
			if i < 0 {
				break
			}
			rest = rest[i:]
			line, _, _ := bytes.Cut(rest[:min(len(rest), maxSaid)], []byte{'\n'})
			if who, ok := answeredFor(string(line)); ok && !slices.Contains(e.lacking, who) {
				e.lacking = append(e.lacking, who)
				e.said = append(append(e.said, line...), '\n')
			}
			rest = rest[len(begins):]
		}
	}
}

func (e *excerpt) String() string {
	if !e.cut && len(e.text) <= e.limit {
		return string(e.text)
	}
	if len(e.text) > e.limit {
		e.drop()
	}
	half := e.limit / 2
	return strings.ToValidUTF8(string(e.text[:half])+cutMark+string(e.said)+string(e.text[half:]), "")
}

// cut keeps the head and the tail of a text within limit bytes.
func cut(b []byte, limit int) []byte {
	if len(b) <= limit {
		return b
	}
	half := limit / 2
	return bytes.ToValidUTF8(bytes.Join([][]byte{b[:half], b[len(b)-half:]}, []byte(cutMark)), nil)
}

// Bounds of the texts that are worth sharing, in bytes.
const (
	longestShared = 512
	maxShared     = 4 << 20 // of all of them
)

// interner shares equal short texts: classes, kernel names and messages repeat in
// most cases of a file.
type interner struct {
	known  map[string]string
	shared int
	made   int // bytes of all texts that were made, shared or not
}

func (t *interner) of(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if s, ok := t.known[string(b)]; ok {
		return s
	}
	s := string(b)
	t.made += len(s)
	if len(s) > longestShared || t.shared+len(s) > maxShared {
		return s
	}
	if t.known == nil {
		t.known = map[string]string{}
	}
	t.known[s] = s
	t.shared += len(s)
	return s
}
