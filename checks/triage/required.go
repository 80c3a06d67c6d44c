package triage

import (
	"regexp/syntax"
	"slices"
	"unicode"
)

// maxSpellings bounds the strings that stand for an expression: more make the index
// larger than what they save.
const maxSpellings = 16

// maxClass is the number of runes up to which a class is spelled out.
const maxClass = 4

// spellings are all strings that an expression matches, at least one; nil when they
// are more than maxSpellings. An assertion is the empty string.
func spellings(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return []string{""}
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return []string{string(re.Rune)}
		}
		return folded(re.Rune)
	case syntax.OpCharClass:
		return inClass(re.Rune)
	case syntax.OpCapture:
		return spellings(re.Sub[0])
	case syntax.OpQuest:
		if s := spellings(re.Sub[0]); s != nil && len(s) < maxSpellings {
			return append([]string{""}, s...)
		}
	case syntax.OpConcat:
		all := []string{""}
		for _, sub := range re.Sub {
			if all = joined(all, spellings(sub)); all == nil {
				return nil
			}
		}
		return all
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			s := spellings(sub)
			if s == nil || len(all)+len(s) > maxSpellings {
				return nil
			}
			all = append(all, s...)
		}
		return all
	}
	return nil
}

// bordered reports whether an expression asks for something beside its text: a border of
// a word, of a line.
func bordered(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	return slices.ContainsFunc(re.Sub, bordered)
}

// folded are the spellings of runes in either case, nil when they are too many.
func folded(runes []rune) []string {
	all := []string{""}
	for _, r := range runes {
		each := []string{string(r)}
		for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
			each = append(each, string(o))
		}
		if all = joined(all, each); all == nil {
			return nil
		}
	}
	return all
}

// inClass are the runes of a class of pairs, nil when they are too many.
func inClass(pairs []rune) []string {
	var all []string
	for i := 0; i < len(pairs); i += 2 {
		if int(pairs[i+1]-pairs[i]) >= maxClass-len(all) {
			return nil
		}
		for r := pairs[i]; r <= pairs[i+1]; r++ {
			all = append(all, string(r))
		}
	}
	return all
}

// joined is each string of a before each of b, nil when one is nil or they are too many.
func joined(a, b []string) []string {
	if a == nil || b == nil || len(a)*len(b) > maxSpellings {
		return nil
	}
	all := make([]string, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			all = append(all, x+y)
		}
	}
	return all
}

// required lists strings of which every match contains at least one, or nil
// when there is no such list.
func required(re *syntax.Regexp) []string {
	if s := spellings(re); s != nil {
		if shortest(s) == 0 {
			return nil
		}
		return s
	}
	switch re.Op {
	case syntax.OpLiteral: // in either case, and long: a part of it
		var best []string
		for i := 0; i+width <= len(re.Rune); i++ {
			best = better(best, folded(re.Rune[i:i+width]))
		}
		return best
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpConcat:
		// The longest part that can be spelled out, or what one of its members requires.
		var best []string
		part := []string{""}
		for _, sub := range re.Sub {
			s := spellings(sub)
			if longer := joined(part, s); longer != nil {
				part = longer
				continue
			}
			best = better(best, part)
			part = []string{""}
			if s != nil {
				part = s
			} else {
				best = better(best, required(sub))
			}
		}
		return better(best, part)
	case syntax.OpAlternate:
		var all []string
		for _, s := range re.Sub {
			l := required(s)
			if l == nil {
				return nil
			}
			all = append(all, l...)
		}
		return all
	}
	return nil
}

// enough is the length from which a longer literal tells no more.
const enough = 8

// better is the list that fewer lines contain something of: the one of longer strings,
// of equal ones the shorter list. A list with an empty string says nothing.
func better(a, b []string) []string {
	switch {
	case len(b) == 0 || shortest(b) == 0:
		return a
	case len(a) == 0:
		return b
	}
	la, lb := min(shortest(a), enough), min(shortest(b), enough)
	if lb > la || lb == la && len(b) < len(a) {
		return b
	}
	return a
}

func shortest(list []string) int {
	n := len(list[0])
	for _, s := range list {
		n = min(n, len(s))
	}
	return n
}
