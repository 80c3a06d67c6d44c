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
// another one than the backend answered, else "".
func Fallback(text, backend string) string {
	for rest := text; ; {
		i := nextSign(rest)
		if i < 0 {
			return ""
		}
		rest = rest[i:]
		line, _, _ := strings.Cut(rest, "\n")
		name, ok := fellBack(line)
		if ok && name == CanonicalBackend(backend) || strings.HasPrefix(line, defaultBegins) && strings.Contains(line, defaultAnswered) {
			return string(cut([]byte(strings.TrimSpace(line)), maxSaid))
		}
		rest = rest[1:]
	}
}

// nextSign is where a line of the dispatcher may begin.
func nextSign(text string) int {
	first := strings.Index(text, fallbackBegins)
	if i := strings.Index(text, defaultBegins); i >= 0 && (first < 0 || i < first) {
		return i
	}
	return first
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
