package outbox

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tilegate/tilegate/bot/store"
)

// Kinds of writes.
const (
	KindCheck    = "check"    // make or update a check run
	KindReview   = "review"   // make a review with line comments
	KindComment  = "comment"  // make or update a comment of the conversation
	KindEdit     = "edit"     // replace the body of a review comment
	KindReaction = "reaction" // react to a comment
	KindDispatch = "dispatch" // start a workflow run
	KindCancel   = "cancel"   // cancel a workflow run
)

// priorities order the lanes of one installation: what holds a merge first,
// what a person waits for next, cosmetics last.
var priorities = map[string]int{
	KindReaction: 0,
	KindCancel:   1,
	KindCheck:    1,
	KindDispatch: 1,
	KindReview:   2,
	KindComment:  3,
	KindEdit:     4,
}

// To says where a write goes. Target names the lane: its writes keep their order.
type To struct {
	Target       string
	Installation int64
	Repo         string // owner/name
}

// Check is the state that a check run should have. Name, HeadSHA and
// ExternalID identify it on GitHub.
type Check struct {
	Name        string       `json:"name"`
	HeadSHA     string       `json:"head_sha"`
	ExternalID  string       `json:"external_id"`
	Status      string       `json:"status"`               // queued, in_progress, completed
	Conclusion  string       `json:"conclusion,omitempty"` // only when completed
	Title       string       `json:"title"`
	Summary     string       `json:"summary"`
	Text        string       `json:"text,omitempty"`
	DetailsURL  string       `json:"details_url,omitempty"`
	Actions     []Action     `json:"actions,omitempty"`
	Annotations []Annotation `json:"annotations,omitempty"` // only ever appended to
}

// Action is a button: label at most 20 characters, description 40, identifier 20.
type Action struct {
	Label       string `json:"label"`
	Description string `json:"description"`
	Identifier  string `json:"identifier"`
}

// Annotation marks lines in a check run. Columns are 1-based and only kept
// when both lines are the same, as GitHub demands.
type Annotation struct {
	Path        string `json:"path"`
	StartLine   int    `json:"start_line"`
	EndLine     int    `json:"end_line"`
	StartColumn int    `json:"start_column,omitempty"`
	EndColumn   int    `json:"end_column,omitempty"`
	Level       string `json:"level"` // notice, warning, failure
	Title       string `json:"title"`
	Message     string `json:"message"`
}

// Review is one review of a pull request. Marker identifies it on GitHub and
// is the content of the hidden line at the end of Body.
type Review struct {
	Number   int             `json:"number"`
	CommitID string          `json:"commit_id"`
	Marker   string          `json:"marker"`
	Body     string          `json:"body"` // without the marker line
	Comments []ReviewComment `json:"comments"`
}

// ReviewComment is a comment on head-side lines. Body ends with its marker.
// Listed is what the review's body says instead when GitHub does not accept
// the place.
type ReviewComment struct {
	Fingerprint string `json:"fingerprint"`
	Path        string `json:"path"`
	StartLine   int    `json:"start_line,omitempty"` // 0 for a single line
	Line        int    `json:"line"`
	Body        string `json:"body"`
	Listed      string `json:"listed"`
}

// Comment is the state that a comment of the conversation should have.
type Comment struct {
	Number int    `json:"number"`
	Marker string `json:"marker"` // content of the hidden last line of Body
	Body   string `json:"body"`
}

// Edit replaces the body of the review comment that carries Marker.
type Edit struct {
	Number    int    `json:"number"`
	CommentID int64  `json:"comment_id,omitempty"` // 0: found by Marker
	Marker    string `json:"marker"`
	Body      string `json:"body"`
}

// Reaction reacts to a comment of the conversation.
type Reaction struct {
	CommentID int64  `json:"comment_id"`
	Content   string `json:"content"` // eyes, rocket, confused
}

// Dispatch starts the run of a dispatch row.
type Dispatch struct {
	ID string `json:"id"`
}

// Cancel cancels a run.
type Cancel struct {
	RunID int64 `json:"run_id"`
}

// MarkerLine is the hidden line that ends a comment of the App.
func MarkerLine(marker string) string { return "<!-- " + marker + " -->" }

// enqueue stores one write.
func enqueue(ctx context.Context, tx *store.Tx, to To, kind, object, key string, replace bool, payload any) error {
	data, err := json.Marshal(payload)
	if err != nil {
		return fmt.Errorf("%s %s: %w", kind, object, err)
	}
	_, err = tx.Enqueue(ctx, store.Write{
		Key: key, Lane: to.Target, Installation: to.Installation, Repo: to.Repo,
		Kind: kind, Object: object, Priority: priorities[kind], Payload: data,
	}, replace)
	return err
}

// PutCheck asks for the state of a check run, and reports whether it differs
// from what was asked for before. A concluded check run is not opened again:
// GitHub shows the newest of a name, so a new one is made.
func PutCheck(ctx context.Context, tx *store.Tx, to To, c Check) (bool, error) {
	object := checkObject(to, c.Name, c.HeadSHA)
	digest, err := digestOf(c)
	if err != nil {
		return false, err
	}
	last, err := tx.Wanted(ctx, object)
	if err != nil || last.Digest == digest {
		return false, err
	}
	generation := max(last.Generation, 1)
	if last.Completed && c.Status != "completed" || last.Digest == left {
		generation++
	}
	annotated, err := digestOf(c.Annotations)
	if err != nil {
		return false, err
	}
	// Annotations can only be appended, so other annotations are another run.
	if len(c.Annotations) > 0 {
		before, err := tx.Wanted(ctx, object+"/annotations")
		if err != nil {
			return false, err
		}
		if before.Digest != "" && before.Digest != annotated && before.Generation >= generation {
			generation++
		}
		if err := tx.SetWanted(ctx, object+"/annotations", store.Wanted{Digest: annotated, Generation: generation}); err != nil {
			return false, err
		}
	}
	if err := tx.SetWanted(ctx, object, store.Wanted{Digest: digest, Generation: generation, Completed: c.Status == "completed"}); err != nil {
		return false, err
	}
	instance := fmt.Sprintf("%s/%d", object, generation)
	if c.ExternalID == "" {
		c.ExternalID = fmt.Sprintf("%s/%d", to.Target, generation)
	} else if generation > 1 {
		c.ExternalID = fmt.Sprintf("%s/%d", c.ExternalID, generation)
	}
	key, err := uniqueKey(ctx, tx, instance, digest)
	if err != nil {
		return false, err
	}
	return true, enqueue(ctx, tx, to, KindCheck, instance, key, true, c)
}

// checkObject names the check runs of a name and a commit.
func checkObject(to To, name, sha string) string {
	return fmt.Sprintf("check/%s/%s/%s", to.Target, sha, name)
}

// CheckOpen reports whether a check run was asked for and not concluded.
func CheckOpen(ctx context.Context, tx *store.Tx, to To, name, sha string) (bool, error) {
	w, err := tx.Wanted(ctx, checkObject(to, name, sha))
	return w.Digest != "" && !w.Completed, err
}

// RenewCheck makes the next state of a check run a new one, also when it is the
// state that GitHub already shows: somebody asked for it again.
func RenewCheck(ctx context.Context, tx *store.Tx, to To, name, sha string) error {
	object := checkObject(to, name, sha)
	w, err := tx.Wanted(ctx, object)
	if err != nil || w.Digest == "" {
		return err
	}
	return tx.SetWanted(ctx, object, store.Wanted{Digest: "renewed", Generation: w.Generation + 1})
}

// left is the digest of a check run whose target has another head now.
const left = "left"

// LeaveCheck notes that a target's head is not this commit any more, and reports
// whether the target had a check run there of which that was not noted.
func LeaveCheck(ctx context.Context, tx *store.Tx, to To, name, sha string) (bool, error) {
	object := checkObject(to, name, sha)
	w, err := tx.Wanted(ctx, object)
	if err != nil || w.Digest == "" || w.Digest == left {
		return false, err
	}
	w.Digest = left
	return true, tx.SetWanted(ctx, object, w)
}

// PutComment asks for the state of a comment that is made once and edited
// after. name tells the comments of a target apart.
func PutComment(ctx context.Context, tx *store.Tx, to To, name string, c Comment) (bool, error) {
	object := commentObject(to, name)
	digest, err := digestOf(c)
	if err != nil {
		return false, err
	}
	last, err := tx.Wanted(ctx, object)
	if err != nil || last.Digest == digest {
		return false, err
	}
	if err := tx.SetWanted(ctx, object, store.Wanted{Digest: digest, Generation: 1}); err != nil {
		return false, err
	}
	key, err := uniqueKey(ctx, tx, object, digest)
	if err != nil {
		return false, err
	}
	return true, enqueue(ctx, tx, to, KindComment, object, key, true, c)
}

// Commented reports whether a comment of a name was asked for.
func Commented(ctx context.Context, tx *store.Tx, to To, name string) (bool, error) {
	last, err := tx.Wanted(ctx, commentObject(to, name))
	return last.Digest != "", err
}

func commentObject(to To, name string) string {
	return fmt.Sprintf("comment/%s/%s", to.Target, name)
}

// AddReview asks for a review; the same marker is asked for once.
func AddReview(ctx context.Context, tx *store.Tx, to To, r Review) error {
	object := "review/" + to.Target + "/" + r.Marker
	return enqueue(ctx, tx, to, KindReview, object, object, false, r)
}

// PutEdit asks for the body of a review comment.
func PutEdit(ctx context.Context, tx *store.Tx, to To, e Edit) error {
	object := "edit/" + to.Target + "/" + e.Marker
	digest, err := digestOf(e.Body)
	if err != nil {
		return err
	}
	key, err := uniqueKey(ctx, tx, object, digest)
	if err != nil {
		return err
	}
	return enqueue(ctx, tx, to, KindEdit, object, key, true, e)
}

// AddReaction asks for a reaction; each content is given to a comment once.
func AddReaction(ctx context.Context, tx *store.Tx, to To, r Reaction) error {
	object := fmt.Sprintf("reaction/%s/%d/%s", to.Repo, r.CommentID, r.Content)
	return enqueue(ctx, tx, to, KindReaction, object, object, false, r)
}

// AddDispatch asks for the run of a dispatch row, which the same transaction adds.
func AddDispatch(ctx context.Context, tx *store.Tx, to To, d Dispatch) error {
	object := "dispatch/" + d.ID
	return enqueue(ctx, tx, to, KindDispatch, object, object, false, d)
}

// AddCancel asks for the end of a run.
func AddCancel(ctx context.Context, tx *store.Tx, to To, c Cancel) error {
	object := fmt.Sprintf("cancel/%s/%d", to.Repo, c.RunID)
	return enqueue(ctx, tx, to, KindCancel, object, object, false, c)
}
