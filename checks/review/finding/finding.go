// Package finding holds the vocabulary that rules and reports share: severities.
// It exists so that neither has to import the other.
package finding

// Severity is how much a finding weighs.
type Severity string

// The severities from heavy to light. An error blocks the merge and needs
// certainty; a warning is visible and does not block; a note is one line in
// the summary.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// Rank orders severities: 3 error, 2 warning, 1 note, 0 anything else.
func (s Severity) Rank() int {
	switch s {
	case Error:
		return 3
	case Warning:
		return 2
	case Note:
		return 1
	}
	return 0
}
