package githubsim

import (
	"bytes"
	"fmt"
	"sort"
	"strings"

	"github.com/tilegate/tilegate/checks/linediff"
)

// change is one file of a diff between two trees.
type change struct {
	path, previous string
	status         string // added, removed, modified, renamed, changed
	from, to       entry
	additions      int
	deletions      int
	binary         bool
	hunks          []linediff.Hunk
}

// patch is what the API's patch field holds: the hunks without file header.
func (c *change) patch() string {
	parts := make([]string, len(c.hunks))
	for i, h := range c.hunks {
		parts[i] = h.Text(-1)
	}
	return strings.Join(parts, "\n")
}

// find locates a line of one side in the hunks.
func (c *change) find(side string, line int) (hunkIndex, opIndex int, ok bool) {
	for i, h := range c.hunks {
		for k, o := range h.Ops {
			if side == "LEFT" && o.Old == line && o.Kind != '+' || side == "RIGHT" && o.New == line && o.Kind != '-' {
				return i, k, true
			}
		}
	}
	return 0, 0, false
}

// position is GitHub's old way to name a line: lines below the first hunk header.
func (c *change) position(hunkIndex, opIndex int) int {
	n := opIndex + 1
	for _, h := range c.hunks[:hunkIndex] {
		n += len(h.Ops) + 1
	}
	return n
}

func isBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0
}

// diffTrees compares two trees path by path, with renames, sorted by path.
func (st *store) diffTrees(from, to map[string]entry) []*change {
	var out, removed, added []*change
	for p, e := range to {
		old, existed := from[p]
		switch {
		case !existed:
			added = append(added, &change{path: p, status: "added", to: e})
		case old != e:
			status := "modified"
			if old.id == e.id {
				status = "changed" // only the mode differs
			}
			out = append(out, &change{path: p, status: status, from: old, to: e})
		}
	}
	for p, e := range from {
		if _, still := to[p]; !still {
			removed = append(removed, &change{path: p, status: "removed", from: e})
		}
	}
	byPath := func(c []*change) { sort.Slice(c, func(i, j int) bool { return c[i].path < c[j].path }) }
	byPath(removed)
	byPath(added)
	out = append(out, st.pairRenames(removed, added)...)
	byPath(out)
	for _, c := range out {
		st.fill(c)
	}
	return out
}

// renameLimit is git's bound on inexact rename detection.
const renameLimit = 1000

// pairRenames joins removed and added files of equal or at least half equal content.
func (st *store) pairRenames(removed, added []*change) []*change {
	type pair struct {
		score    float64
		from, to int
	}
	var pairs []pair
	if len(removed)*len(added) <= renameLimit*renameLimit {
		for i, r := range removed {
			for j, a := range added {
				if r.from.mode == ModeSubmodule || a.to.mode == ModeSubmodule {
					continue
				}
				if s := st.similarity(r.from.id, a.to.id); s >= 0.5 {
					pairs = append(pairs, pair{s, i, j})
				}
			}
		}
	}
	sort.SliceStable(pairs, func(i, j int) bool { return pairs[i].score > pairs[j].score })
	var out []*change
	usedFrom, usedTo := map[int]bool{}, map[int]bool{}
	for _, p := range pairs {
		if usedFrom[p.from] || usedTo[p.to] {
			continue
		}
		usedFrom[p.from], usedTo[p.to] = true, true
		r, a := removed[p.from], added[p.to]
		out = append(out, &change{path: a.path, previous: r.path, status: "renamed", from: r.from, to: a.to})
	}
	for i, r := range removed {
		if !usedFrom[i] {
			out = append(out, r)
		}
	}
	for j, a := range added {
		if !usedTo[j] {
			out = append(out, a)
		}
	}
	return out
}

// similarity is the share of bytes in common lines, 0 to 1.
func (st *store) similarity(a, b string) float64 {
	if a == b {
		return 1
	}
	x, y := st.blob(a), st.blob(b)
	if len(x) == 0 || len(y) == 0 || 2*min(len(x), len(y)) < max(len(x), len(y)) {
		return 0
	}
	count := map[string]int{}
	for _, l := range linediff.Split(x) {
		count[l]++
	}
	common := 0
	for _, l := range linediff.Split(y) {
		if count[l] > 0 {
			count[l]--
			common += len(l)
		}
	}
	return float64(common) / float64(max(len(x), len(y)))
}

// fill computes hunks and counts of a change.
func (st *store) fill(c *change) {
	side := func(e entry) []byte {
		switch e.mode {
		case 0:
			return nil
		case ModeSubmodule:
			return []byte("Subproject commit " + e.id + "\n")
		}
		return st.blob(e.id)
	}
	a, b := side(c.from), side(c.to)
	if isBinary(a) || isBinary(b) {
		c.binary = true
		return
	}
	if c.from.id == c.to.id {
		return
	}
	ops := linediff.Lines(a, b)
	for _, o := range ops {
		switch o.Kind {
		case '+':
			c.additions++
		case '-':
			c.deletions++
		}
	}
	c.hunks = linediff.Hunks(ops)
}

// unified is the change as `git diff` prints it.
func (c *change) unified() string {
	var b strings.Builder
	from := c.path
	if c.previous != "" {
		from = c.previous
	}
	short := func(e entry) string {
		if e.id == "" {
			return "0000000"
		}
		return e.id[:7]
	}
	fmt.Fprintf(&b, "diff --git a/%s b/%s\n", from, c.path)
	switch {
	case c.status == "added":
		fmt.Fprintf(&b, "new file mode %o\n", uint32(c.to.mode))
	case c.status == "removed":
		fmt.Fprintf(&b, "deleted file mode %o\n", uint32(c.from.mode))
	case c.from.mode != c.to.mode:
		fmt.Fprintf(&b, "old mode %o\nnew mode %o\n", uint32(c.from.mode), uint32(c.to.mode))
	}
	if c.previous != "" {
		fmt.Fprintf(&b, "rename from %s\nrename to %s\n", c.previous, c.path)
	}
	if c.from.id != c.to.id {
		fmt.Fprintf(&b, "index %s..%s", short(c.from), short(c.to))
		if c.from.mode == c.to.mode {
			fmt.Fprintf(&b, " %o", uint32(c.to.mode))
		}
		b.WriteByte('\n')
	}
	left, right := "a/"+from, "b/"+c.path
	if c.status == "added" {
		left = "/dev/null"
	}
	if c.status == "removed" {
		right = "/dev/null"
	}
	if c.binary {
		fmt.Fprintf(&b, "Binary files %s and %s differ\n", left, right)
		return b.String()
	}
	if len(c.hunks) > 0 {
		fmt.Fprintf(&b, "--- %s\n+++ %s\n%s\n", linediff.FileName(left), linediff.FileName(right), c.patch())
	}
	return b.String()
}
