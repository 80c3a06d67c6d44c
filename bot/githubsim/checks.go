package githubsim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// GitHub's limits on check runs.
const (
	maxAnnotations      = 50 // in one request
	maxOutputText       = 65_535
	maxActions          = 3
	maxActionLabel      = 20
	maxActionDesc       = 40
	maxActionIdentifier = 20
	maxAnnotationBytes  = 64 << 10
)

// checkRun is one check run of any App.
type checkRun struct {
	id                 int64
	repo               *Repo
	appID              int64
	suite              int64
	name               string
	headSHA            string
	externalID         string
	detailsURL         string
	status             string
	conclusion         string
	started, completed time.Time
	title              string
	summary            string
	text               string
	annotations        []annotation
	actions            []checkAction
}

type annotation struct {
	Path        string `json:"path"`
	StartLine   *int   `json:"start_line"`
	EndLine     *int   `json:"end_line"`
	StartColumn *int   `json:"start_column"`
	EndColumn   *int   `json:"end_column"`
	Level       string `json:"annotation_level"`
	Title       string `json:"title"`
	Message     string `json:"message"`
	RawDetails  string `json:"raw_details"`
}

type checkAction struct {
	Label       string `json:"label"`
	Description string `json:"description"`
	Identifier  string `json:"identifier"`
}

type checkInput struct {
	Name        *string    `json:"name"`
	HeadSHA     string     `json:"head_sha"`
	DetailsURL  *string    `json:"details_url"`
	ExternalID  *string    `json:"external_id"`
	Status      string     `json:"status"`
	Conclusion  string     `json:"conclusion"`
	StartedAt   *time.Time `json:"started_at"`
	CompletedAt *time.Time `json:"completed_at"`
	Output      *struct {
		Title       *string      `json:"title"`
		Summary     *string      `json:"summary"`
		Text        *string      `json:"text"`
		Annotations []annotation `json:"annotations"`
	} `json:"output"`
	Actions []checkAction `json:"actions"`
}

var (
	checkStatuses    = []string{"queued", "in_progress", "completed"}
	checkConclusions = []string{"action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out"}
	annotationLevels = []string{"notice", "warning", "failure"}
)

// check says what GitHub refuses in an input.
func (in *checkInput) check() []fieldError {
	var errs []fieldError
	bad := func(code, field, message string) {
		errs = append(errs, fieldError{Resource: "CheckRun", Code: code, Field: field, Message: message})
	}
	tooLong := func(field, value string, limit int) {
		if utf8.RuneCountInString(value) > limit {
			bad("custom", field, fmt.Sprintf("%s exceeds a maximum length of %d characters.", field, limit))
		}
	}
	if in.Status != "" && !slices.Contains(checkStatuses, in.Status) {
		bad("invalid", "status", fmt.Sprintf("%q is not a member of %v", in.Status, checkStatuses))
	}
	if in.Conclusion != "" && !slices.Contains(checkConclusions, in.Conclusion) {
		bad("invalid", "conclusion", fmt.Sprintf("%q is not a member of %v", in.Conclusion, checkConclusions))
	}
	if in.Status == "completed" && in.Conclusion == "" {
		bad("missing_field", "conclusion", "a conclusion is required when the status is completed")
	}
	if len(in.Actions) > maxActions {
		bad("invalid", "actions", "No more than 3 actions are allowed.")
	}
	for _, a := range in.Actions {
		if a.Label == "" || a.Description == "" || a.Identifier == "" {
			bad("missing_field", "actions", "label, description and identifier are required")
		}
		tooLong("actions.label", a.Label, maxActionLabel)
		tooLong("actions.description", a.Description, maxActionDesc)
		tooLong("actions.identifier", a.Identifier, maxActionIdentifier)
	}
	if in.Output == nil {
		return errs
	}
	o := in.Output
	if o.Title == nil || *o.Title == "" {
		bad("missing_field", "output.title", "")
	}
	if o.Summary == nil || *o.Summary == "" {
		bad("missing_field", "output.summary", "")
	} else {
		tooLong("output.summary", *o.Summary, maxOutputText)
	}
	if o.Text != nil {
		tooLong("output.text", *o.Text, maxOutputText)
	}
	if len(o.Annotations) > maxAnnotations {
		bad("invalid", "output.annotations", fmt.Sprintf("No more than %d annotations are allowed per request.", maxAnnotations))
	}
	for n, a := range o.Annotations {
		if why := a.check(); why != "" {
			bad("invalid", fmt.Sprintf("output.annotations[%d]", n), why)
		}
	}
	return errs
}

func (a annotation) check() string {
	switch {
	case a.Path == "" || a.StartLine == nil || a.EndLine == nil || a.Message == "":
		return "path, start_line, end_line and message are required"
	case !slices.Contains(annotationLevels, a.Level):
		return fmt.Sprintf("annotation_level %q is not a member of %v", a.Level, annotationLevels)
	case *a.StartLine < 1 || *a.EndLine < *a.StartLine:
		return "expected 1 <= start_line <= end_line"
	case (a.StartColumn != nil || a.EndColumn != nil) && *a.StartLine != *a.EndLine:
		return "start_column and end_column are only allowed when start_line and end_line are the same line"
	case a.StartColumn != nil && a.EndColumn != nil && *a.EndColumn < *a.StartColumn:
		return "end_column is before start_column"
	case len(a.Message) > maxAnnotationBytes || len(a.RawDetails) > maxAnnotationBytes:
		return "message and raw_details are limited to 64 KB"
	case utf8.RuneCountInString(a.Title) > 255:
		return "title is limited to 255 characters"
	}
	return ""
}

// apply takes over an accepted input.
func (cr *checkRun) apply(in *checkInput, now time.Time) {
	if in.Name != nil {
		cr.name = *in.Name
	}
	if in.DetailsURL != nil {
		cr.detailsURL = *in.DetailsURL
	}
	if in.ExternalID != nil {
		cr.externalID = *in.ExternalID
	}
	if in.StartedAt != nil {
		cr.started = *in.StartedAt
	}
	if in.Status != "" {
		cr.status = in.Status
	}
	if in.Conclusion != "" {
		cr.status, cr.conclusion = "completed", in.Conclusion
	}
	if cr.status != "completed" {
		cr.conclusion, cr.completed = "", time.Time{}
	}
	if cr.status == "completed" {
		if in.CompletedAt != nil {
			cr.completed = *in.CompletedAt
		} else if cr.completed.IsZero() {
			cr.completed = now
		}
	}
	if cr.started.IsZero() && cr.status != "queued" {
		cr.started = now
	}
	if in.Actions != nil {
		cr.actions = in.Actions
	}
	if in.Output != nil {
		cr.title, cr.summary = *in.Output.Title, *in.Output.Summary
		if in.Output.Text != nil {
			cr.text = *in.Output.Text
		}
		cr.annotations = append(cr.annotations, in.Output.Annotations...)
	}
}

// suite finds or makes the check suite of an App at a commit.
func (s *Sim) suite(r *Repo, appID int64, sha string) int64 {
	key := fmt.Sprintf("%d/%d/%s", appID, r.id, sha)
	if s.suites[key] == 0 {
		s.suites[key] = s.nextID()
	}
	return s.suites[key]
}

// maxSameName is how many check runs of one name a suite keeps.
const maxSameName = 1000

func (s *Sim) newCheck(r *Repo, appID int64, name, sha string) *checkRun {
	cr := &checkRun{
		id: s.nextID(), repo: r, appID: appID, suite: s.suite(r, appID, sha), name: name, headSHA: sha, status: "queued",
	}
	s.checks[cr.id] = cr
	var same []*checkRun
	for _, x := range s.checksOf(r, sha) {
		if x.suite == cr.suite && x.name == name {
			same = append(same, x)
		}
	}
	for _, old := range same[:max(0, len(same)-maxSameName)] {
		delete(s.checks, old.id)
	}
	return cr
}

// checksOf lists the check runs of a commit, oldest first.
func (s *Sim) checksOf(r *Repo, sha string) []*checkRun {
	var out []*checkRun
	for _, cr := range s.checks {
		if cr.repo == r && cr.headSHA == sha {
			out = append(out, cr)
		}
	}
	slices.SortFunc(out, func(a, b *checkRun) int { return int(a.id - b.id) })
	return out
}

func (s *Sim) readCheck(c *request) (*checkInput, *answer) {
	var in checkInput
	if err := json.Unmarshal(c.body, &in); err != nil {
		a := invalid("Invalid request.\n\n" + err.Error())
		return nil, &a
	}
	if errs := in.check(); len(errs) > 0 {
		a := invalid("", errs...)
		return nil, &a
	}
	return &in, nil
}

func (s *Sim) createCheckRun(c *request) answer {
	in, refused := s.readCheck(c)
	switch {
	case refused != nil:
		return *refused
	case in.Name == nil || *in.Name == "":
		return invalid("Invalid request.\n\n\"name\" wasn't supplied.")
	case in.HeadSHA == "":
		return invalid("Invalid request.\n\n\"head_sha\" wasn't supplied.")
	case len(in.HeadSHA) != 40 || c.repo.st.commits[in.HeadSHA] == nil:
		return invalid("No commit found for SHA: " + in.HeadSHA)
	}
	cr := s.newCheck(c.repo, s.opts.AppID, *in.Name, in.HeadSHA)
	cr.apply(in, s.now())
	s.emitCheck(cr, "created", s.appUser, nil)
	if cr.status == "completed" {
		s.emitCheck(cr, "completed", s.appUser, nil)
	}
	v := s.viewCheckRun(c.base, cr)
	return created(v).with("Location", v["url"].(string))
}

func (c *request) checkOf() *checkRun {
	if cr := c.sim.checks[c.id("id")]; cr != nil && cr.repo == c.repo {
		return cr
	}
	return nil
}

func (s *Sim) updateCheckRun(c *request) answer {
	cr := c.checkOf()
	if cr == nil {
		return notFound()
	}
	if cr.appID != s.opts.AppID {
		return fail(http.StatusForbidden, fmt.Sprintf(
			"Invalid app_id `%d` - check run can only be modified by the GitHub App that created it.", s.opts.AppID))
	}
	in, refused := s.readCheck(c)
	if refused != nil {
		return *refused
	}
	was := cr.status
	cr.apply(in, s.now())
	if was != "completed" && cr.status == "completed" {
		s.emitCheck(cr, "completed", s.appUser, nil)
	}
	return ok(s.viewCheckRun(c.base, cr))
}

func (s *Sim) getCheckRun(c *request) answer {
	cr := c.checkOf()
	if cr == nil {
		return notFound()
	}
	return ok(s.viewCheckRun(c.base, cr))
}

func (s *Sim) listAnnotations(c *request) answer {
	cr := c.checkOf()
	if cr == nil {
		return notFound()
	}
	return list(c, cr.annotations, func(a annotation) obj {
		return obj{
			"path": a.Path, "start_line": a.StartLine, "end_line": a.EndLine, "start_column": a.StartColumn,
			"end_column": a.EndColumn, "annotation_level": a.Level, "title": text(a.Title), "message": a.Message,
			"raw_details": text(a.RawDetails),
			"blob_href":   cr.repo.html(c.base) + "/blob/" + cr.headSHA + "/" + escapePath(a.Path),
		}
	})
}

func (s *Sim) listCheckRuns(c *request) answer {
	x := c.repo.resolve(c.PathValue("ref"))
	if x == nil {
		return invalid("No commit found for SHA: " + c.PathValue("ref"))
	}
	q := c.URL.Query()
	var out []*checkRun
	newest := map[string]*checkRun{}
	for _, cr := range s.checksOf(c.repo, x.id) {
		if q.Get("check_name") != "" && q.Get("check_name") != cr.name ||
			q.Get("status") != "" && q.Get("status") != cr.status ||
			q.Get("app_id") != "" && q.Get("app_id") != strconv.FormatInt(cr.appID, 10) {
			continue
		}
		out = append(out, cr)
		newest[fmt.Sprint(cr.appID, cr.name)] = cr
	}
	if q.Get("filter") != "all" {
		out = slices.DeleteFunc(out, func(cr *checkRun) bool { return newest[fmt.Sprint(cr.appID, cr.name)] != cr })
	}
	slices.Reverse(out)
	return counted(c, "check_runs", out, func(cr *checkRun) obj { return s.viewCheckRun(c.base, cr) })
}

// Rerequest presses Re-run on a check run.
func (r *Repo) Rerequest(checkRunID int64, login string) error {
	return r.onCheck(checkRunID, "rerequested", login, nil)
}

// RequestAction presses one of a completed check run's buttons.
func (r *Repo) RequestAction(checkRunID int64, identifier, login string) error {
	return r.onCheck(checkRunID, "requested_action", login, obj{"requested_action": obj{"identifier": identifier}})
}

func (r *Repo) onCheck(id int64, action, login string, more obj) error {
	s := r.sim
	s.mu.Lock()
	defer s.mu.Unlock()
	cr := s.checks[id]
	if cr == nil || cr.repo != r {
		return fmt.Errorf("githubsim: %s has no check run %d", r.fullName(), id)
	}
	if more != nil {
		identifier := more["requested_action"].(obj)["identifier"].(string)
		offered := func(a checkAction) bool { return a.Identifier == identifier }
		if cr.status != "completed" || !slices.ContainsFunc(cr.actions, offered) {
			return fmt.Errorf("githubsim: check run %d is %s and offers %v, not %q", id, cr.status, cr.actions, identifier)
		}
	}
	s.emitCheck(cr, action, s.user(login), more)
	return nil
}

// RerequestAll presses "Re-run all checks" of the App at a commit.
func (r *Repo) RerequestAll(sha, login string) {
	s := r.sim
	s.mu.Lock()
	defer s.mu.Unlock()
	s.emitSuite(r, sha, "rerequested", s.user(login))
}

// ForeignCheck adds a completed check run of another App, which tilegate must
// not take for its own. It returns the check run's id.
func (r *Repo) ForeignCheck(appID int64, name, sha, conclusion string) (int64, error) {
	s := r.sim
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.st.commits[sha] == nil {
		return 0, fmt.Errorf("githubsim: no commit found for SHA %s", sha)
	}
	if !slices.Contains(checkConclusions, conclusion) {
		return 0, fmt.Errorf("githubsim: expected one of %s, found %q", strings.Join(checkConclusions, ", "), conclusion)
	}
	cr := s.newCheck(r, appID, name, sha)
	cr.apply(&checkInput{Conclusion: conclusion}, s.now())
	by := s.user(fmt.Sprintf("app-%d[bot]", appID))
	s.emitCheck(cr, "created", by, nil)
	s.emitCheck(cr, "completed", by, nil)
	return cr.id, nil
}
