// Package pull answers "what does GitHub say about this pull request at this
// moment?". It is the only door through which the App reads GitHub; it never
// writes and decides nothing.
package pull

import (
	"context"
	"errors"
	"io/fs"
	"time"
)

// Errors that callers tell apart. Everything else is a passing fault: the
// caller tries again later and reports nothing as looked at.
var (
	// ErrNotFound says that GitHub answered that the thing does not exist.
	ErrNotFound = errors.New("not found on GitHub")
	// ErrForbidden says that the installation may not read the thing.
	ErrForbidden = errors.New("GitHub refuses access to the installation")
	// ErrTooLarge says that an answer is over this package's size limits.
	ErrTooLarge = errors.New("over the size limit")
	// ErrArchive says that an archive holds what no honest one does: links,
	// names that lead outside, two files of one name, damaged data.
	ErrArchive = errors.New("unacceptable archive")
	// ErrMoved says that the pull request's head moved while it was read.
	ErrMoved = errors.New("the head moved while it was read")
)

// Repo names a repository and the installation through which it is read.
type Repo struct {
	Installation int64
	Owner, Name  string
}

// String returns owner/name.
func (r Repo) String() string { return r.Owner + "/" + r.Name }

// Reader opens snapshots and reads what belongs to dispatched runs. One Reader
// serves all installations. Implementations are safe for concurrent use.
type Reader interface {
	// PullRequest takes a snapshot of a pull request. Everything that the
	// snapshot returns belongs to the head SHA that it was taken at.
	PullRequest(ctx context.Context, repo Repo, number int) (Snapshot, error)
	// Commit takes a snapshot of a commit without a pull request, such as a
	// merge group's head, compared with base (a branch or SHA).
	Commit(ctx context.Context, repo Repo, headSHA, base string) (Snapshot, error)
	// OpenPullRequests lists the open pull requests' numbers, head and base.
	OpenPullRequests(ctx context.Context, repo Repo) ([]Info, error)
	// Permission returns the user's role in the repository: "admin",
	// "maintain", "write", "triage", "read" or "none", from the permission API.
	Permission(ctx context.Context, repo Repo, login string) (string, error)
	// DefaultBranch names the branch whose workflow file is dispatched.
	DefaultBranch(ctx context.Context, repo Repo) (string, error)
	// FindRun finds the run of a dispatch by its exact run-name among
	// workflow_dispatch runs created at or after since; ErrNotFound if none.
	FindRun(ctx context.Context, repo Repo, workflow, runName string, since time.Time) (Run, error)
	// Run reads one workflow run with its jobs.
	Run(ctx context.Context, repo Repo, runID int64) (Run, error)
	// Artifact downloads the artifact of that exact name of that run and
	// unpacks it in memory: regular files only, caps per file and in total;
	// ErrTooLarge beyond them, ErrNotFound when the run has no such artifact.
	Artifact(ctx context.Context, repo Repo, runID int64, name string) (fs.FS, error)
	// CheckRuns lists this App's check runs of a commit, newest first.
	CheckRuns(ctx context.Context, repo Repo, sha string) ([]CheckRun, error)
	// IssueComments lists this App's own comments of an issue or pull request.
	IssueComments(ctx context.Context, repo Repo, number int) ([]Comment, error)
	// ReviewComments lists this App's own review comments of a pull request.
	ReviewComments(ctx context.Context, repo Repo, number int) ([]Comment, error)
	// Reviews lists this App's own reviews of a pull request.
	Reviews(ctx context.Context, repo Repo, number int) ([]Comment, error)
	// Installations lists the App's installations and their repositories; a
	// suspended installation is listed with Suspended and no repositories.
	Installations(ctx context.Context) ([]Installation, error)
}

// Snapshot is one pull request (or commit) at one head SHA. Parts are read on
// first use and kept, so that one evaluation sees one state.
type Snapshot interface {
	Info() Info
	// TakenAt is the time of the evaluation.
	TakenAt() time.Time
	// Files lists the changed files (three-dot, against the merge base).
	Files(ctx context.Context) ([]File, error)
	// Head and MergeBase are the source trees at the head and at the merge
	// base: only the parts that the review needs, bounded in size.
	Head(ctx context.Context) (fs.FS, error)
	MergeBase(ctx context.Context) (fs.FS, error)
	// MergeBaseSHA is the commit that MergeBase reads.
	MergeBaseSHA(ctx context.Context) (string, error)
	// BaseFile reads one file of the base branch's tip, such as the
	// configuration; ErrNotFound when the branch lacks it.
	BaseFile(ctx context.Context, path string) ([]byte, error)
}

// Info describes a pull request. All names are untrusted text.
type Info struct {
	Repo      Repo
	Number    int // 0 for a commit without a pull request
	Title     string
	Author    string
	State     string // open, closed
	Merged    bool
	Draft     bool
	Locked    bool
	HeadSHA   string
	HeadRepo  string // owner/name; differs from Repo for a fork, empty when deleted
	BaseRef   string
	BaseSHA   string // tip of the base branch when the snapshot was taken
	CreatedAt time.Time
}

// Fork reports whether the head lives in another repository.
func (i Info) Fork() bool { return i.HeadRepo != i.Repo.String() }

// File is one changed file.
type File struct {
	Path     string
	Previous string // path before a rename
	Status   string // added, modified, removed, renamed, ...
	Changes  int    // lines added and removed, as GitHub counts
	Patch    string // unified hunks without file header; empty when GitHub sends none
	// NoLines says why there is no patch whose lines could be commented; empty
	// when there is one.
	NoLines Omission
	// Commentable holds the head-side line numbers inside the hunks, on which
	// GitHub accepts a comment; nil when there is no patch.
	Commentable map[int]bool
	// HunkOf gives for each commentable line the number of its hunk, since a
	// multi-line comment must stay inside one.
	HunkOf map[int]int
}

// Omission is why a changed file has no lines to comment on.
type Omission string

// The reasons. A file with OmittedLarge or OmittedUnknown has changed lines that
// GitHub did not send; the others have none.
const (
	OmittedBinary    Omission = "binary file"
	OmittedMode      Omission = "only the file mode changed"
	OmittedEmpty     Omission = "empty file"
	OmittedRename    Omission = "renamed without a change"
	OmittedSubmodule Omission = "submodule"
	OmittedLarge     Omission = "too large for GitHub to show"
	OmittedUnknown   Omission = "GitHub sent no changed lines"
)

// Run is a workflow run with its jobs.
type Run struct {
	ID         int64
	Name       string
	HeadSHA    string
	Status     string // queued, in_progress, completed, ...
	Conclusion string
	URL        string
	CreatedAt  time.Time
	Jobs       []Job
}

// Job is one job of a run.
type Job struct {
	ID          int64
	Name        string
	Status      string
	Conclusion  string
	Runner      string
	Labels      []string
	URL         string
	StartedAt   time.Time
	CompletedAt time.Time
	Steps       []Step
	// Annotations are the messages of the job's failure annotations, such as
	// that the runner lost its connection; read for jobs that ended without
	// success. Untrusted.
	Annotations []string
}

// Step is one step of a job.
type Step struct {
	Name       string
	Conclusion string
}

// CheckRun is one of this App's own check runs.
type CheckRun struct {
	ID          int64
	Name        string
	HeadSHA     string
	ExternalID  string
	Status      string
	Conclusion  string
	Annotations int
}

// Comment is one of this App's own comments or reviews. Marker is the content
// of its hidden "<!-- tilegate:... -->" line, without the brackets.
type Comment struct {
	ID       int64
	NodeID   string
	ReviewID int64 // review comments only
	Path     string
	Line     int
	Body     string
	Marker   string
}

// Installation is one installation of the App.
type Installation struct {
	ID        int64
	Suspended bool
	Repos     []Repo // without archived ones
	// Err says why the repositories could not be listed; the other
	// installations are not affected.
	Err error
}
