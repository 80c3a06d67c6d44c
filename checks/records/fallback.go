package records

import "strings"

// How TileGym's dispatcher says that another one than the chosen backend answers.
// The first form names the backend, the second stands in the output of whatever
// case called the op.
const (
	fallbackBegins  = "Current backend '"
	fallbackSays    = "has no implementation for"
	defaultBegins   = "No backend implementation found for '"
	defaultAnswered = "using default implementation"
	// An op that may not fall back is an error, and nothing answered.
	nobodyAnswered = "is disabled"
)

// Fallback is the first line of a case's output in which the dispatcher says that
// another one than the backend answered, else "". Of a long line it is the beginning.
func Fallback(text, backend string) string {
	first, said := len(text), ""
	for _, sign := range []string{fallbackBegins, defaultBegins} {
		for at := 0; ; at += len(sign) {
			i := strings.Index(text[at:first], sign)
			if i < 0 {
				break
			}
			at += i
			line, _, _ := strings.Cut(text[at:min(len(text), at+maxSaid)], "\n")
			if name, ok := answeredFor(line); ok && (name == "" || name == CanonicalBackend(backend)) {
				first, said = at, strings.ToValidUTF8(strings.TrimSpace(line), "")
				break
			}
		}
	}
	return said
}

// answeredFor is the backend that a line says another one answered for; empty where
// the default implementation answered, which may be for any.
func answeredFor(line string) (backend string, ok bool) {
	if strings.HasPrefix(line, defaultBegins) {
		return "", strings.Contains(line, defaultAnswered)
	}
	return fellBack(line)
}

// fellBack is the backend of which a line says that it lacks the op.
func fellBack(line string) (backend string, ok bool) {
	_, rest, ok := strings.Cut(line, fallbackBegins)
	if !ok {
		return "", false
	}
	name, said, _ := strings.Cut(rest, "'")
	return CanonicalBackend(name), strings.Contains(said, fallbackSays) && !strings.Contains(said, nobodyAnswered)
}
