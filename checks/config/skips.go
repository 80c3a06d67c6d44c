package config

import (
	"fmt"
	"regexp"
	"strings"
)

// Patterns of the default: a text that names the candidate and says that
// something is not supported or not implemented is a declared gap, unless what
// it says is that the backend itself is not there.
var (
	unsupported = regexp.MustCompile(`(?i)(not|n't|never|no) (yet )?(currently )?support|unsupported|not (yet )?implemented|unimplemented|only supports`)
	unavailable = regexp.MustCompile(`(?i)not available|unavailable|unknown (backend|framework)|(backend|framework) (\S+ )?(is )?not supported|failed to set backend|no implementation|out of memory|\boom\b`)
)

// SkipMatcher says whether a skip text declares a gap.
type SkipMatcher func(text string) bool

// SkipMatcher is the configured allow-list for a candidate. In a pattern,
// {candidate} stands for the candidate's name in either spelling. Without a list
// the default applies, see DeclaredGap; an empty list allows nothing.
func (c Config) SkipMatcher(candidate string) SkipMatcher {
	if c.AllowedSkips == nil {
		return func(text string) bool { return DeclaredGap(candidate, text) }
	}
	m, err := CompileSkips(c.AllowedSkips, candidate)
	if err != nil {
		// Parse has compiled every pattern.
		panic(err)
	}
	return m
}

// CompileSkips makes a matcher of regular expressions (RE2, unanchored). Without
// any it matches nothing.
func CompileSkips(patterns []string, candidate string) (SkipMatcher, error) {
	var all []*regexp.Regexp
	for _, p := range patterns {
		re, err := compileSkip(p, candidate)
		if err != nil {
			return nil, fmt.Errorf("expected a regular expression (RE2), found %q: %w", p, err)
		}
		all = append(all, re)
	}
	return func(text string) bool {
		for _, re := range all {
			if re.MatchString(text) {
				return true
			}
		}
		return false
	}, nil
}

func compileSkip(pattern, candidate string) (*regexp.Regexp, error) {
	return regexp.Compile(strings.ReplaceAll(pattern, "{candidate}", namePattern(candidate)))
}

// namePattern matches a backend's name with dashes or underscores.
func namePattern(backend string) string {
	parts := strings.FieldsFunc(backend, func(r rune) bool { return r == '-' || r == '_' })
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return strings.Join(parts, "[-_]")
}

// DeclaredGap reports whether a skip text names the candidate and says that
// something is not supported or not implemented. A text that says that the
// backend itself is missing declares nothing.
func DeclaredGap(candidate, text string) bool {
	named, err := regexp.MatchString(`(?i)(^|[^a-z0-9_-])`+namePattern(candidate)+`($|[^a-z0-9_-])`, text)
	return err == nil && named && unsupported.MatchString(text) && !unavailable.MatchString(text)
}
