package triage

import (
	"github.com/tilegate/tilegate/checks/untrusted"
)

// Schema is the identifier of the JSON form of a Result.
const Schema = "tilegate.triage/v1"

// Result lists the signatures that matched, the best one first: the cause, not
// the loudest consequence. Its JSON form is a fixed contract.
type Result struct {
	Schema  string  `json:"schema"`
	Matches []Match `json:"matches"` // at most MaxMatches
	Unknown bool    `json:"unknown"` // no signature matched
	// Damaged says of each file that could not be read whole what is wrong with it
	// and what was read.
	Damaged []untrusted.Text `json:"damaged,omitempty"`
	// Why says why nothing matched, where more is known than that no signature does.
	Why untrusted.Text `json:"-"`
}

// MaxMatches is the best match and three further ones.
const MaxMatches = 4

// Match is one signature in one log. Log, Excerpt are other people's text.
type Match struct {
	Signature string         `json:"signature"`
	Stage     Stage          `json:"stage"`
	Class     Class          `json:"class"`
	Also      Class          `json:"also"`
	Rules     []string       `json:"rules"`
	Log       untrusted.Text `json:"log"`
	Line      int            `json:"line"` // from 1; 0 when the whole file is meant
	Excerpt   untrusted.Text `json:"excerpt"`
	Title     string         `json:"title"`
	Steps     []string       `json:"steps"`
	// Case is the test that the match is of, where the log or the records tell.
	Case untrusted.Text `json:"case,omitempty"`
	// Shared says of the leading match what the cases of its test that fail have in
	// their parameters and those that pass have not, where something tells them apart.
	Shared untrusted.Text `json:"shared,omitempty"`

	// Alone is the class when other tests of the same run pass, "" for the same.
	Alone Class `json:"-"`
	// Weak says that it is a consequence, or says little by itself.
	Weak bool `json:"-"`
	// Skipped says that the text is the reason of a test that was skipped: it
	// explains what is missing and not what failed.
	Skipped bool `json:"-"`
}
