package ir

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"github.com/tilegate/tilegate/checks/untrusted"
)

// Place is where a difference stands in one of the texts. File is empty when the
// text has no name; Entry is empty outside of one.
type Place struct {
	File  untrusted.Text `json:"file"`
	Line  int            `json:"line"` // from 1
	Entry untrusted.Text `json:"entry"`
}

func (p *Place) String() string {
	if p == nil {
		return ""
	}
	at := fmt.Sprintf(" line %d", p.Line)
	if p.File != "" {
		at = fmt.Sprintf(" %s:%d", p.File.Line(), p.Line)
	}
	if p.Entry != "" {
		at += " @" + p.Entry.Line()
	}
	return at
}

// Name gives the texts their names, so that each place tells its file.
func (d *Diff) Name(reference, generated string) {
	for i := range d.Differences {
		x := &d.Differences[i]
		if x.ReferenceAt != nil {
			x.ReferenceAt.File = untrusted.Text(reference)
		}
		if x.GeneratedAt != nil {
			x.GeneratedAt.File = untrusted.Text(generated)
		}
	}
}

// in is the place of a line of a module.
func (m Module) in(line int) *Place {
	if line == 0 {
		return nil
	}
	p := &Place{Line: line}
	for _, e := range m.Entries {
		if e.Line <= line {
			p.Entry = untrusted.Text(e.Name)
		}
	}
	return p
}

// head is the place of the first entry; nil when there is none.
func (m Module) head() *Place {
	if len(m.Entries) == 0 {
		return nil
	}
	return m.in(m.Entries[0].Line)
}

// found counts what is found in operations, and remembers where.
type found struct {
	bag
	at []find // in the order of the operations
}

type find struct {
	op   int
	what string
}

func (f *found) add(op int, what string) {
	if f.bag == nil {
		f.bag = bag{}
	}
	f.bag[what]++
	f.at = append(f.at, find{op, what})
}

// only keeps some of what was found.
func (f found) only(what ...string) found {
	out := found{bag: bag{}}
	for _, x := range f.at {
		if slices.Contains(what, x.what) {
			out.add(x.op, x.what)
		}
	}
	return out
}

// join adds what was found elsewhere in the same entry.
func (f found) join(o found) found {
	out := found{bag: bag{}}
	for _, x := range slices.Concat(f.at, o.at) {
		out.add(x.op, x.what)
	}
	slices.SortStableFunc(out.at, func(a, b find) int { return cmp.Compare(a.op, b.op) })
	return out
}

// more is the first operation with something that the other side lacks or has
// fewer of, rather one whose partner is without it; -1 when there is none.
func (f found) more(o found, partner []int) int {
	others := map[find]bool{}
	for _, x := range o.at {
		others[x] = true
	}
	best, op := 0, -1
	for _, x := range f.at {
		score := 0
		switch {
		case o.bag[x.what] == 0:
			score = 4
		case f.bag[x.what] > o.bag[x.what]:
			score = 2
		default:
			continue
		}
		if j := partner[x.op]; j < 0 || !others[find{j, x.what}] {
			score++
		}
		if score > best {
			best, op = score, x.op
		}
	}
	return op
}

// pair is two entries that are compared.
type pair struct {
	ref, gen *side
	// partners of the operations on the other side, -1 for none; made when the
	// first place is looked for.
	ofRef, ofGen []int
}

// where gives the last difference its places: those of the operations on which
// the two sides differ. What a side lacks would stand at the partner of the
// other's operation, or behind the partner of the one before it.
func (d *Diff) where(ref, gen found) {
	p := d.pair
	p.match()
	i, j := ref.more(gen, p.ofRef), gen.more(ref, p.ofGen)
	switch {
	case i < 0 && j >= 0:
		i = beside(j, p.ofGen)
	case j < 0 && i >= 0:
		j = beside(i, p.ofRef)
	}
	d.ops(i, j)
}

// ops gives the last difference the places of two operations, -1 for none.
func (d *Diff) ops(ref, gen int) {
	x := &d.Differences[len(d.Differences)-1]
	if ref >= 0 {
		x.ReferenceAt.Line = d.pair.ref.Ops[ref].Line
	}
	if gen >= 0 {
		x.GeneratedAt.Line = d.pair.gen.Ops[gen].Line
	}
}

func beside(op int, partner []int) int {
	for ; op >= 0; op-- {
		if partner[op] >= 0 {
			return partner[op]
		}
	}
	return -1
}

// maxCells bounds the table of a match: two entries of 4000 operations each.
const maxCells = 16 << 20

var names = regexp.MustCompile(`%[\w#:.$-]+`)

// match pairs the operations of both sides in their order: as many as can be
// of one name, rather those with the same text. Of entries that are too large for
// it, only the common beginning and end are paired.
func (p *pair) match() {
	if p.ofRef != nil {
		return
	}
	type shape struct{ name, text string }
	ids := map[shape]int{}
	shapes := func(s *side) (kind, text []int, partner []int) {
		id := func(k shape) int {
			n, ok := ids[k]
			if !ok {
				n = len(ids)
				ids[k] = n
			}
			return n
		}
		for _, op := range s.Ops {
			name := canonical(op.Name)
			kind = append(kind, id(shape{name: name}))
			text = append(text, id(shape{name, "=" + names.ReplaceAllString(op.Text, "%")}))
			partner = append(partner, -1)
		}
		return kind, text, partner
	}
	ka, ta, ofA := shapes(p.ref)
	kb, tb, ofB := shapes(p.gen)
	p.ofRef, p.ofGen = ofA, ofB
	pairUp := func(i, j int) { ofA[i], ofB[j] = j, i }
	from, n, m := 0, len(ka), len(kb)
	for ; from < min(n, m) && ta[from] == tb[from]; from++ {
		pairUp(from, from)
	}
	for ; n > from && m > from && ta[n-1] == tb[m-1]; n, m = n-1, m-1 {
		pairUp(n-1, m-1)
	}
	rows, cols := n-from, m-from
	if rows == 0 || cols == 0 || (rows+1)*(cols+1) > maxCells {
		return
	}
	weight := func(i, j int) uint16 {
		switch {
		case ta[from+i] == tb[from+j]:
			return 3
		case ka[from+i] == kb[from+j]:
			return 2
		}
		return 0
	}
	// best[i][j] is the weight of the best match of what follows.
	best := make([]uint16, (rows+1)*(cols+1))
	w := cols + 1
	for i := rows - 1; i >= 0; i-- {
		for j := cols - 1; j >= 0; j-- {
			b := max(best[(i+1)*w+j], best[i*w+j+1])
			if x := weight(i, j); x > 0 {
				b = max(b, best[(i+1)*w+j+1]+x)
			}
			best[i*w+j] = b
		}
	}
	for i, j := 0, 0; i < rows && j < cols; {
		x := weight(i, j)
		switch {
		case x > 0 && best[i*w+j] == best[(i+1)*w+j+1]+x:
			pairUp(from+i, from+j)
			i, j = i+1, j+1
		case best[i*w+j] == best[(i+1)*w+j]:
			i++
		default:
			j++
		}
	}
}
