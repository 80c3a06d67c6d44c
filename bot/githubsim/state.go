package githubsim

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// PullState is a pull request as a reader of GitHub's pages sees it. All
// texts are raw: whoever shows them must escape them.
type PullState struct {
	Repo           string
	Number         int
	Title, Body    string
	Author         string
	State          string // open, closed
	Merged, Draft  bool
	HeadRepo       string
	HeadRef        string
	HeadSHA        string
	BaseRef        string
	Labels         []string
	Files          []FileState
	Checks         []CheckState // of the head commit: the newest of each name and App
	Reviews        []ReviewState
	ReviewComments []ReviewCommentState
	Comments       []CommentState
}

// FileState is a changed file.
type FileState struct {
	Path, Previous       string
	Status               string
	Additions, Deletions int
	Patch                string // hunks; empty for a binary file
}

// CheckState is a check run.
type CheckState struct {
	ID                   int64
	Name                 string
	AppID                int64
	HeadSHA              string
	ExternalID           string
	DetailsURL           string
	Status, Conclusion   string
	Title, Summary, Text string
	Started, Completed   time.Time
	Annotations          []AnnotationState
	Actions              []ActionState
}

// AnnotationState is an annotation of a check run. Columns are 0 when absent.
type AnnotationState struct {
	Path                   string
	StartLine, EndLine     int
	StartColumn, EndColumn int
	Level                  string // notice, warning, failure
	Title, Message         string
	RawDetails             string
}

// ActionState is a button of a check run.
type ActionState struct{ Label, Description, Identifier string }

// ReviewState is a review.
type ReviewState struct {
	ID        int64
	Author    string
	State     string // COMMENTED, APPROVED, CHANGES_REQUESTED, PENDING
	Body      string
	CommitID  string
	Submitted time.Time
}

// ReviewCommentState is a comment on the diff. Line is where it stands now, 0
// when it is outdated or on the whole file; OriginalLine is where it was made.
type ReviewCommentState struct {
	ID, ReviewID, ReplyTo int64
	Author                string
	Path                  string
	Side                  string // LEFT, RIGHT
	Line, StartLine       int
	OriginalLine          int
	OriginalStartLine     int
	OriginalCommit        string
	Outdated              bool
	WholeFile             bool
	Hunk                  string // the diff hunk up to the line
	Body                  string
	Created, Updated      time.Time
}

// CommentState is a comment in the conversation.
type CommentState struct {
	ID               int64
	Author           string
	Body             string
	Created, Updated time.Time
	Reactions        []string // contents, such as eyes, in the order of their making
}

// Pull returns the state of a pull request.
func (r *Repo) Pull(number int) (PullState, error) {
	var out PullState
	err := r.withPull(number, func(p *pull) error {
		out = PullState{
			Repo: r.fullName(), Number: number, Title: p.title, Body: p.body, Author: p.author.login, State: p.state,
			Merged: !p.merged.IsZero(), Draft: p.draft, HeadRepo: p.headRepo.fullName(), HeadRef: p.headRef, HeadSHA: p.headSHA,
			BaseRef: p.baseRef, Labels: slices.Clone(p.labels),
		}
		for _, ch := range p.diff(p.headSHA) {
			out.Files = append(out.Files, FileState{
				Path: ch.path, Previous: ch.previous, Status: ch.status, Additions: ch.additions, Deletions: ch.deletions,
				Patch: ch.patch(),
			})
		}
		out.Checks = r.sim.checkStates(r, p.headSHA, false)
		for _, rv := range p.reviews {
			out.Reviews = append(out.Reviews, ReviewState{
				ID: rv.id, Author: rv.author.login, State: rv.state, Body: rv.body, CommitID: rv.commitID, Submitted: rv.submitted,
			})
		}
		for _, rc := range p.comments {
			out.ReviewComments = append(out.ReviewComments, rc.export())
		}
		for _, ic := range p.issue.comments {
			out.Comments = append(out.Comments, ic.export())
		}
		return nil
	})
	return out, err
}

// Comments returns the conversation of an issue or pull request.
func (r *Repo) Comments(number int) []CommentState {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	var out []CommentState
	if i := r.issues[number]; i != nil {
		for _, ic := range i.comments {
			out = append(out, ic.export())
		}
	}
	return out
}

// Pulls lists the numbers of all pull requests, open and closed.
func (r *Repo) Pulls() []int {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	var out []int
	for _, n := range slices.Sorted(maps.Keys(r.issues)) {
		if r.issues[n].pull != nil {
			out = append(out, n)
		}
	}
	return out
}

// Checks returns every check run of a commit, of any App, oldest first.
func (r *Repo) Checks(sha string) []CheckState {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	return r.sim.checkStates(r, sha, true)
}

// Repo finds a repository by owner and name.
func (s *Sim) Repo(owner, name string) (*Repo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.repos {
		if r.owner.login == owner && r.name == name && !r.deleted {
			return r, nil
		}
	}
	return nil, fmt.Errorf("githubsim: no repository %s/%s: %w", owner, name, ErrNotFound)
}

// ErrNotFound says that the Sim has no such thing.
var ErrNotFound = errors.New("not found")

func (s *Sim) checkStates(r *Repo, sha string, all bool) []CheckState {
	runs := s.checksOf(r, sha)
	newest := map[string]int64{}
	key := func(cr *checkRun) string { return fmt.Sprint(cr.appID, cr.name) }
	for _, cr := range runs {
		newest[key(cr)] = cr.id
	}
	var out []CheckState
	for _, cr := range runs {
		if all || newest[key(cr)] == cr.id {
			out = append(out, cr.export())
		}
	}
	return out
}

func (cr *checkRun) export() CheckState {
	v := CheckState{
		ID: cr.id, Name: cr.name, AppID: cr.appID, HeadSHA: cr.headSHA, ExternalID: cr.externalID, DetailsURL: cr.detailsURL,
		Status: cr.status, Conclusion: cr.conclusion, Title: cr.title, Summary: cr.summary, Text: cr.text,
		Started: cr.started, Completed: cr.completed,
	}
	number := func(n *int) int {
		if n == nil {
			return 0
		}
		return *n
	}
	for _, a := range cr.annotations {
		v.Annotations = append(v.Annotations, AnnotationState{
			Path: a.Path, StartLine: number(a.StartLine), EndLine: number(a.EndLine), StartColumn: number(a.StartColumn),
			EndColumn: number(a.EndColumn), Level: a.Level, Title: a.Title, Message: a.Message, RawDetails: a.RawDetails,
		})
	}
	for _, a := range cr.actions {
		v.Actions = append(v.Actions, ActionState(a))
	}
	return v
}

func (rc *reviewComment) export() ReviewCommentState {
	line, start, _, current := rc.current()
	v := ReviewCommentState{
		ID: rc.id, ReplyTo: rc.replyTo, Author: rc.author.login, Path: rc.path, Side: rc.side, Line: line, StartLine: start,
		OriginalLine: rc.line, OriginalStartLine: rc.startLine, OriginalCommit: rc.commitID, Outdated: !current, Hunk: rc.hunk,
		Body: rc.body, Created: rc.created, Updated: rc.updated, WholeFile: rc.subject == "file",
	}
	if rc.review != nil {
		v.ReviewID = rc.review.id
	}
	return v
}

func (ic *issueComment) export() CommentState {
	v := CommentState{ID: ic.id, Author: ic.author.login, Body: ic.body, Created: ic.created, Updated: ic.updated}
	for _, r := range ic.reactions {
		v.Reactions = append(v.Reactions, r.content)
	}
	return v
}
