package records

import (
	"bytes"
	"math"
	"slices"
	"strconv"
)

// quickBenchmark reads a benchmark record in the form that the harness writes,
// without building its tree. Whatever differs from that form in any way is left
// to the general reader, which also finds the words for what is wrong: ok is
// false and nothing is said about the record.
func quickBenchmark(src []byte, names *interner) (all []Measurement, ok bool) {
	q := quick{src: src, names: names, ok: len(src) <= MaxLiteralBytes}
	all = []Measurement{}
	var seen [8][]byte
	q.dict(func(n int, backend []byte) {
		if n == len(seen) || contains(seen[:n], backend) {
			q.ok = false
			return
		}
		seen[n] = backend
		name := CanonicalBackend(names.of(backend))
		directions := 0
		q.dict(func(_ int, key []byte) {
			direction, bit := "", 0
			switch string(key) {
			case "forward":
				direction, bit = "forward", 1
			case "backward":
				direction, bit = "backward", 2
			}
			if bit == 0 || directions&bit != 0 {
				q.ok = false
				return
			}
			directions |= bit
			m := q.figures()
			m.Backend, m.Direction = name, direction
			all = append(all, m)
		})
	})
	return all, q.ok && q.pos == len(src)
}

func contains(list [][]byte, s []byte) bool {
	for _, l := range list {
		if bytes.Equal(l, s) {
			return true
		}
	}
	return false
}

// quick is a position in a record. Once ok is false nothing is read any more.
type quick struct {
	src   []byte
	pos   int
	ok    bool
	names *interner
}

// fields is the set of the fields that a dict has had.
type fields struct {
	known int // bits
	other [8][]byte
	n     int
}

// unknown notes a field that is ignored and reports whether it is a new one.
func (f *fields) unknown(key []byte) bool {
	if f.n == len(f.other) || contains(f.other[:f.n], key) {
		return false
	}
	f.other[f.n] = key
	f.n++
	return true
}

// figures reads the dict of one direction.
func (q *quick) figures() Measurement {
	nan := math.NaN()
	m := Measurement{Median: nan, Mean: nan, RelStd: nan, Min: nan, Max: nan}
	var seen fields
	q.dict(func(_ int, key []byte) {
		field, bit := (*float64)(nil), 0
		switch string(key) {
		case "median":
			field, bit = &m.Median, 1
		case "mean":
			field, bit = &m.Mean, 2
		case "rel_std":
			field, bit = &m.RelStd, 4
		case "min":
			field, bit = &m.Min, 8
		case "max":
			field, bit = &m.Max, 16
		case "nrep":
			bit = 32
		case "kernel_times":
			bit = 64
		default:
			q.ok = q.ok && seen.unknown(key)
			q.scalar()
			return
		}
		if seen.known&bit != 0 {
			q.ok = false
			return
		}
		seen.known |= bit
		switch bit {
		case 32:
			n := q.number()
			q.ok = q.ok && !(n < 1) // which the careful reader words
			m.NRep = count(n)
		case 64:
			m.Kernels = q.kernels()
		default:
			*field = q.number()
		}
	})
	m.RelStd = spread(m.RelStd)
	return m
}

// kernels reads the profile.
func (q *quick) kernels() []Kernel {
	var few [32]Kernel
	list := few[:0]
	q.sequence('[', ']', func(int) {
		k := Kernel{SelfUS: math.NaN()}
		var seen fields
		q.dict(func(_ int, key []byte) {
			bit := 0
			switch string(key) {
			case "name":
				bit = 1
				k.Name = q.names.of(q.str())
			case "self_time_us":
				bit = 2
				k.SelfUS = q.number()
			case "count":
				bit = 4
				k.Count = count(q.number())
			default:
				q.ok = q.ok && seen.unknown(key)
				q.scalar()
				return
			}
			q.ok = q.ok && seen.known&bit == 0
			seen.known |= bit
		})
		q.ok = q.ok && seen.known&1 != 0 && k.Count >= 1
		list = append(list, k)
	})
	return slices.Clone(list)
}

// dict reads a dict with string keys; entry reads the n-th value.
func (q *quick) dict(entry func(n int, key []byte)) {
	q.sequence('{', '}', func(n int) {
		key := q.str()
		q.byte(':')
		q.space()
		if q.ok {
			entry(n, key)
		}
	})
}

// sequence reads items between brackets.
func (q *quick) sequence(open, closing byte, item func(n int)) {
	q.byte(open)
	if q.peek() == closing {
		q.pos++
		return
	}
	for n := 0; q.ok; n++ {
		item(n)
		if q.peek() == closing {
			q.pos++
			return
		}
		q.byte(',')
		q.space()
	}
}

func (q *quick) peek() byte {
	if q.pos < len(q.src) {
		return q.src[q.pos]
	}
	return 0
}

func (q *quick) space() {
	if q.peek() == ' ' {
		q.pos++
	}
}

func (q *quick) byte(c byte) {
	q.ok = q.ok && q.peek() == c
	if q.ok {
		q.pos++
	}
}

// str reads a string without escapes.
func (q *quick) str() []byte {
	quote := q.peek()
	if quote != '\'' && quote != '"' {
		q.ok = false
		return nil
	}
	rest := q.src[q.pos+1:]
	n := bytes.IndexByte(rest, quote)
	if n < 0 {
		q.ok = false
		return nil
	}
	for _, c := range rest[:n] {
		if c == '\\' || c == '\n' || c == '\r' {
			q.ok = false
			return nil
		}
	}
	q.pos += n + 2
	return rest[:n]
}

// number reads a number as repr writes it, None, nan or inf.
func (q *quick) number() float64 {
	start := q.pos
	for q.pos < len(q.src) && (q.src[q.pos]|0x20 >= 'a' && q.src[q.pos]|0x20 <= 'z' || q.src[q.pos] >= '+' && q.src[q.pos] <= '9' && q.src[q.pos] != ',') {
		q.pos++
	}
	word := q.src[start:q.pos]
	switch string(word) {
	case "None", "nan":
		return math.NaN()
	case "inf":
		return math.Inf(1)
	case "-inf":
		return math.Inf(-1)
	}
	if !isNumber(word) {
		q.ok = false
		return 0
	}
	f, _ := strconv.ParseFloat(string(word), 64) // out of range is an infinity, as in Python
	return f
}

// isNumber accepts digits with a fraction and an exponent, or without.
func isNumber(w []byte) bool {
	digits := func() int {
		n := 0
		for n < len(w) && w[n] >= '0' && w[n] <= '9' {
			n++
		}
		w = w[n:]
		return n
	}
	if len(w) > 0 && w[0] == '-' {
		w = w[1:]
	}
	if len(w) > 1 && w[0] == '0' && w[1] >= '0' && w[1] <= '9' || digits() == 0 {
		return false
	}
	if len(w) > 0 && w[0] == '.' {
		w = w[1:]
		if digits() == 0 {
			return false
		}
	}
	if len(w) > 0 && w[0]|0x20 == 'e' {
		w = w[1:]
		if len(w) > 0 && (w[0] == '-' || w[0] == '+') {
			w = w[1:]
		}
		if digits() == 0 {
			return false
		}
	}
	return len(w) == 0
}

// scalar skips a string, a number, None, True or False.
func (q *quick) scalar() {
	switch c := q.peek(); c {
	case '\'', '"':
		q.str()
	case 'T', 'F':
		rest := q.src[q.pos:]
		switch {
		case bytes.HasPrefix(rest, []byte("True")):
			q.pos += len("True")
		case bytes.HasPrefix(rest, []byte("False")):
			q.pos += len("False")
		default:
			q.ok = false
		}
	default:
		q.number()
	}
}
