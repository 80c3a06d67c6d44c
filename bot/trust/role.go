package trust

import (
	"fmt"
	"strings"

	"github.com/tilegate/tilegate/bot/commands"
)

// Role is a person's role in a repository, as GitHub's permission API gives it.
// A comment's author_association is display data and never a role.
type Role int

// The roles, each with all the rights of those before it.
const (
	None Role = iota
	Read
	Triage
	Write
	Maintain
	Admin
)

var roleNames = []string{"none", "read", "triage", "write", "maintain", "admin"}

// String returns GitHub's name of the role.
func (r Role) String() string {
	if r < None || r > Admin {
		return fmt.Sprintf("Role(%d)", int(r))
	}
	return roleNames[r]
}

// ParseRole reads GitHub's name of a role. A name that it does not know gives
// None and false: an unknown role has no rights.
func ParseRole(name string) (Role, bool) {
	for i, known := range roleNames {
		if name == known {
			return Role(i), true
		}
	}
	return None, false
}

// Decision is an answer to "may this be done?".
type Decision struct {
	Allowed bool
	// Reason is one sentence; empty when allowed.
	Reason string
	// Retry says that the answer is not known now and that asking again later
	// may help; nothing is refused for good.
	Retry bool
}

func refuse(format string, args ...any) Decision {
	return Decision{Reason: fmt.Sprintf(format, args...)}
}

var allowed = Decision{Allowed: true}

// MayRun decides whether a role may use a verb; isAuthor says that the person
// opened the pull request.
func MayRun(v *commands.Verb, role Role, isAuthor bool) Decision {
	if v == nil {
		return refuse("There is no such command.")
	}
	var need Role
	switch v.Who {
	case commands.Readers:
		need = Read
	case commands.AuthorOrWriters:
		if isAuthor {
			need = Read
		} else {
			need = Write
		}
	case commands.Writers:
		need = Write
	case commands.Maintainers:
		need = Maintain
	default:
		return refuse("`%s %s` is open to nobody.", commands.Prefix, v.Name)
	}
	if role >= need && role <= Admin {
		return allowed
	}
	return refuse("`%s %s` needs %s; your role in this repository is %s.", commands.Prefix, v.Name, v.Who, role)
}

// Person is who wrote a comment or pressed a button.
type Person struct {
	Login string
	// Bot is true for every sender that GitHub does not call a User.
	Bot bool
	// Role is the permission API's answer, Err why there was none.
	Role string
	Err  error
}

// Target is what the comment stands under.
type Target struct {
	// PullRequest is false for a plain issue.
	PullRequest bool
	// State is open or closed.
	State  string
	Merged bool
	Author string
}

// Ignored reports whether a sender is never answered: bots, tilegate itself
// among them, so that two bots cannot answer each other without end.
func Ignored(senderType, login string) bool {
	return senderType != "User" || strings.HasSuffix(login, "[bot]")
}

// Decide answers a command: the target must be an open pull request for verbs
// that act, and the role must allow the verb. Commands under plain issues are
// refused.
func Decide(v *commands.Verb, who Person, on Target) Decision {
	if who.Bot || strings.HasSuffix(who.Login, "[bot]") {
		return refuse("Commands of bots are ignored.")
	}
	if v == nil {
		return refuse("There is no such command.")
	}
	if !on.PullRequest {
		return refuse("This is an issue; commands work in pull requests only.")
	}
	if v.OpenOnly && on.State != "open" {
		state := "closed"
		if on.Merged {
			state = "merged"
		}
		return refuse("This pull request is %s; `%s %s` works on open ones only.", state, commands.Prefix, v.Name)
	}
	if who.Err != nil {
		return Decision{Retry: true, Reason: "GitHub did not say what your role in this repository is, so nothing was run. Please write the command again in a few minutes."}
	}
	role, known := ParseRole(who.Role)
	if !known {
		return refuse("Your role in this repository has a name that tilegate does not know; only none, read, triage, write, maintain and admin count.")
	}
	return MayRun(v, role, on.Author != "" && strings.EqualFold(who.Login, on.Author))
}
