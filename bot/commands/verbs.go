package commands

import (
	"fmt"
	"strings"
)

// Who is the class of people that may use a verb. What a class means in terms
// of repository roles is decided by package trust.
type Who int

const (
	// Readers is everyone with read access.
	Readers Who = iota
	// AuthorOrWriters is the pull request's author and everyone with write access.
	AuthorOrWriters
	// Writers is everyone with write access.
	Writers
	// Maintainers is everyone with the maintain or admin role.
	Maintainers
)

// String returns the wording of the help texts.
func (w Who) String() string {
	switch w {
	case Readers:
		return "read access"
	case AuthorOrWriters:
		return "the author, or write access"
	case Writers:
		return "write access"
	case Maintainers:
		return "maintain role"
	}
	return fmt.Sprintf("Who(%d)", int(w))
}

// Verb is one row of the table from which the parser, the help reply and the
// documentation are made.
type Verb struct {
	// Name is the word after /tilegym.
	Name string
	// Aliases are other words for the same verb.
	Aliases []string
	// Usage holds one line for each form of the arguments.
	Usage []string
	// Help says in one sentence what the verb does.
	Help string
	// Who may use it.
	Who Who
	// OpenOnly says that the verb is refused on a closed pull request.
	OpenOnly bool

	parse func(*words) (Args, error)
}

// Verbs returns the table in the order of the help text.
func Verbs() []*Verb { return verbs }

// Find returns the verb of that name or alias in any case, or nil.
func Find(name string) *Verb {
	name = strings.ToLower(name)
	for _, v := range verbs {
		if v.Name == name {
			return v
		}
		for _, alias := range v.Aliases {
			if alias == name {
				return v
			}
		}
	}
	return nil
}

var verbs []*Verb

// The table is filled here and not in the declaration, because the parser of
// help looks verbs up in it.
func init() {
	verbs = []*Verb{
		{
			Name: "help", Usage: []string{"[VERB]"}, Who: Readers, parse: parseHelp,
			Help: "Lists the commands, or explains one.",
		},
		{
			Name: "status", Usage: []string{""}, Who: Readers, parse: parseStatus,
			Help: "Says what the gate waits for and what would unblock it.",
		},
		{
			Name: "explain", Usage: []string{"RULE"}, Who: Readers, parse: parseExplain,
			Help: "Explains a rule, such as `R45`, with an example and the fix.",
		},
		{
			Name: "rerun", Aliases: []string{"run"}, Who: AuthorOrWriters, OpenOnly: true, parse: parseRerun,
			Usage: []string{"[STAGE] [KERNEL ...] [--gpu NAME] [--rounds N]"},
			Help:  "Runs stages again for the current head. STAGE is " + stageList() + "; without one, what failed, or everything when nothing failed. Without KERNEL, every affected kernel.",
		},
		{
			Name: "ok-to-test", Usage: []string{"SHA"}, Who: Maintainers, OpenOnly: true, parse: parseOkToTest,
			Help: "Lets untrusted code of exactly this commit (all 40 characters) run on the GPU runners. A later push needs a new approval.",
		},
		{
			Name: "cancel", Usage: []string{""}, Who: Writers, OpenOnly: true, parse: parseCancel,
			Help: "Cancels this pull request's waiting and running jobs.",
		},
		{
			Name: "waive", Who: Maintainers, OpenOnly: true, parse: parseWaive,
			Usage: []string{
				"perf KERNEL [<= RATIO] [until YYYY-MM-DD] REASON",
				"RULE PATH [until YYYY-MM-DD] REASON",
			},
			Help: "Accepts a slower kernel, up to RATIO or else up to the ratio measured now, or the findings of a rule that a file has now. A reason is required. Correctness, build and missing evidence cannot be waived.",
		},
		{
			Name: "unwaive", Who: Maintainers, OpenOnly: true, parse: parseUnwaive,
			Usage: []string{"perf KERNEL", "RULE PATH"},
			Help:  "Takes a waiver back.",
		},
	}
}

func verbNames() []string {
	var names []string
	for _, v := range verbs {
		names = append(names, v.Name)
		names = append(names, v.Aliases...)
	}
	return names
}
