package triage

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/words"
)

// Bounds of what is looked at to say what failing cases share: parameters of a case, and
// different values of one that a set is named of.
const (
	maxShared = 16
	maxNamed  = 3
)

// quantity is a value with a number at its end: mean100, 4096, p=0.1.
var quantity = regexp.MustCompile(`^([^\d.-]*|.*[=_])(\d+(?:\.\d+)?)$`)

// sharedBy says what those cases of a test that fail have in their parameters and those
// that pass have not: one value, a set or a range of one parameter, or that among the cases
// with one value of another. It is empty when nothing of that kind tells them apart.
func sharedBy(run Run) string {
	for _, f := range run.functions {
		var bad, good []Case
		for _, c := range f {
			if c.Failed {
				bad = append(bad, c)
			} else {
				good = append(good, c)
			}
		}
		if len(bad) == 0 || len(good) < 2 {
			continue
		}
		what := tellsApart(bad, good)
		for p := 0; what == "" && p < min(len(bad[0].params), maxShared); p++ {
			v := bad[0].params[p]
			has := func(c Case) bool { return p < len(c.params) && c.params[p] == v }
			if slices.ContainsFunc(bad, func(c Case) bool { return !has(c) }) {
				continue
			}
			among := slices.DeleteFunc(slices.Clone(good), func(c Case) bool { return !has(c) })
			if len(among) == 0 {
				continue
			}
			if what = tellsApart(bad, among); what != "" {
				what = "`" + v + "` together with " + what
			}
		}
		if what != "" {
			return fmt.Sprintf("of %s %d %s: those with %s, and no other", words.Count(len(f), "case"), len(bad), words.Form(len(bad), "fails", "fail"), what)
		}
	}
	return ""
}

// tellsApart names the first parameter whose values tell some cases from others.
func tellsApart(bad, good []Case) string {
	for p := range maxShared {
		is, ok := valuesAt(bad, p)
		not, all := valuesAt(good, p)
		if !ok || !all {
			return ""
		}
		if slices.ContainsFunc(is, func(v string) bool { return slices.Contains(not, v) }) {
			continue
		}
		if text := span(is, not); text != "" {
			return text
		}
		if len(is) <= maxNamed {
			return "`" + strings.Join(is, "` or `") + "`"
		}
	}
	return ""
}

// valuesAt are the different values of a parameter in order of appearance; ok is false
// when some case has no such parameter.
func valuesAt(cases []Case, p int) (values []string, ok bool) {
	seen := map[string]bool{}
	for _, c := range cases {
		if p >= len(c.params) {
			return nil, false
		}
		if v := c.params[p]; !seen[v] {
			seen[v] = true
			values = append(values, v)
		}
	}
	return values, true
}

// amount is a value with what stands before its number.
type amount struct {
	text, name string
	n          float64
}

// span names values of one quantity that all lie above, or all below, some others.
func span(is, not []string) string {
	ours, ok := amounts(is)
	theirs, too := amounts(not)
	if !ok || !too || len(is) < 2 || ours[0].name != theirs[0].name {
		return ""
	}
	switch first, last := ours[0], ours[len(ours)-1]; {
	case first.n > theirs[len(theirs)-1].n:
		return "`" + first.text + "` and more"
	case last.n < theirs[0].n:
		return "`" + last.text + "` and less"
	}
	return ""
}

// amounts are values in order, the least first; ok is false when they are not all of one
// quantity.
func amounts(values []string) (all []amount, ok bool) {
	for _, v := range values {
		m := quantity.FindStringSubmatch(v)
		if m == nil || len(all) > 0 && m[1] != all[0].name {
			return nil, false
		}
		n, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return nil, false
		}
		all = append(all, amount{v, m[1], n})
	}
	slices.SortFunc(all, func(a, b amount) int { return cmp.Compare(a.n, b.n) })
	return all, true
}
