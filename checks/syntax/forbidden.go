package syntax

import "fmt"

// The grammars accept more than the languages: they are made for text that is being
// written. What a compiler's parser refuses beyond them is looked for in one pass
// over the nodes of a file, so that source that does not compile is unread and never
// reported clean. The pass may miss something; it never refuses what a compiler takes.

// fault is what a language forbids at a byte offset.
type fault struct {
	at  int
	why string
}

// faults keeps the first fault of a file.
type faults struct{ first *fault }

func (s *faults) add(at int, format string, args ...any) {
	if s.first == nil || at < s.first.at {
		s.first = &fault{at, fmt.Sprintf(format, args...)}
	}
}

// forbid sets Unread from the first thing that the language forbids and the grammar
// does not.
func (b builder) forbid() {
	f := b.f
	if f.Unread != "" || len(f.nodes) == 0 {
		return
	}
	var found faults
	switch f.Lang {
	case Python:
		forbidPython(f, &found)
	case Rust:
		forbidRust(f, &found)
	default:
		return
	}
	if found.first == nil {
		return
	}
	f.UnreadAt = f.Position(found.first.at)
	f.Unread = fmt.Sprintf("syntax error at line %d, column %d: %s", f.UnreadAt.Line, f.UnreadAt.Column, found.first.why)
}

// around is the way from the root of a file to the node at hand, with what C says of
// each node on it. It takes constant time for each node, however deep they nest.
type around[C any] struct {
	nodes []int32
	of    []C
}

// enter leaves the nodes that do not hold node i and returns what is known around it.
func (a *around[C]) enter(parent int32) *C {
	last := len(a.nodes) - 1
	for last > 0 && a.nodes[last] != parent {
		last--
	}
	a.nodes, a.of = a.nodes[:last+1], a.of[:last+1]
	return &a.of[last]
}

func (a *around[C]) push(i int32, c C) {
	a.nodes, a.of = append(a.nodes, i), append(a.of, c)
}
