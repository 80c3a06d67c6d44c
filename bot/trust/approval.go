package trust

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/tilegate/tilegate/bot/commands"
	"github.com/tilegate/tilegate/bot/pull"
)

// Approval lets the code of one commit of one pull request run on the GPU
// runners. It never extends to another commit.
type Approval struct {
	Repo      string // owner/name
	Number    int
	SHA       string
	By        string
	Role      string // the approver's role when the approval was given
	CommentID int64
	At        time.Time
}

var fullSHA = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// Approve turns an accepted ok-to-test into an approval. The commit that was
// named must still be the head: a head that has moved is refused with the new
// one, so that nothing that was pushed after the reading can slip in.
func Approve(cmd commands.OkToTest, info pull.Info, who Person, commentID int64, at time.Time) (Approval, Decision) {
	d := Decide(commands.Find("ok-to-test"), who, Target{
		PullRequest: info.Number > 0, State: info.State, Merged: info.Merged, Author: info.Author,
	})
	switch {
	case !d.Allowed:
		return Approval{}, d
	case !fullSHA.MatchString(cmd.SHA):
		return Approval{}, refuse("An approval needs all characters of the commit's SHA.")
	case cmd.SHA != info.HeadSHA:
		return Approval{}, refuse("The head of this pull request is now `%s`, not `%s`. Read it, then write `%s`.",
			info.HeadSHA, cmd.SHA, OkToTest(info.HeadSHA))
	}
	return Approval{
		Repo: info.Repo.String(), Number: info.Number, SHA: cmd.SHA,
		By: who.Login, Role: who.Role, CommentID: commentID, At: at,
	}, allowed
}

// OkToTest is the comment that approves a commit.
func OkToTest(sha string) string { return commands.Prefix + " ok-to-test " + sha }

// Verdict says whether the head's code may run on the GPU runners.
type Verdict struct {
	Trusted bool
	// Reason is one sentence, also when trusted.
	Reason string
	// Command is the comment that would unblock it; empty when trusted, and
	// when the author's role is not known yet.
	Command string
	// Retry says that the author's role could not be read.
	Retry bool
	// Approval is the one that the verdict rests on, if any.
	Approval *Approval
}

// Trusted decides whether the code at info.HeadSHA may run: that of a branch
// of this repository whose author has write access, or that of a commit that a
// maintainer approved. authorRole is the permission API's answer for
// info.Author and roleErr why there was none. Approvals of other pull requests,
// other commits and people without the maintain role do not count. A snapshot
// without a pull request is a merge group's commit, which only people with
// write access can cause.
func Trusted(info pull.Info, authorRole string, roleErr error, approvals []Approval) Verdict {
	if !fullSHA.MatchString(info.HeadSHA) {
		return Verdict{Reason: "GitHub gave no usable head commit."}
	}
	if info.Number == 0 && !info.Fork() {
		return Verdict{Trusted: true, Reason: "The commit was made by GitHub's merge queue from pull requests that someone with write access put there."}
	}
	for _, a := range approvals {
		role, _ := ParseRole(a.Role)
		if strings.EqualFold(a.Repo, info.Repo.String()) && a.Number == info.Number && a.SHA == info.HeadSHA && role >= Maintain {
			return Verdict{Trusted: true, Approval: &a, Reason: fmt.Sprintf("A maintainer approved commit `%s`.", short(a.SHA))}
		}
	}
	command := OkToTest(info.HeadSHA)
	switch {
	case info.HeadRepo == "":
		return Verdict{Command: command, Reason: "The head's repository no longer exists; a maintainer has to approve this commit before its code runs on the GPU runners."}
	case info.Fork():
		return Verdict{Command: command, Reason: "The code comes from a fork; a maintainer has to approve this commit before it runs on the GPU runners."}
	case roleErr != nil:
		return Verdict{Retry: true, Reason: "GitHub did not say what role the author has; the code waits until it does."}
	}
	role, _ := ParseRole(authorRole)
	if role < Write {
		return Verdict{Command: command, Reason: "The author has no write access; a maintainer has to approve this commit before it runs on the GPU runners."}
	}
	return Verdict{Trusted: true, Reason: "The code comes from a branch of this repository and its author has write access."}
}

func short(sha string) string { return sha[:min(len(sha), 12)] }
