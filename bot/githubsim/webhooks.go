package githubsim

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// maxPayload is the size above which GitHub does not send an event.
const maxPayload = 25 << 20

// hookTimeout is how long GitHub waits for the answer to a delivery.
const hookTimeout = 10 * time.Second

// Delivery is one webhook delivery, sent or still to be sent.
type Delivery struct {
	ID           int64
	GUID         string // the same for all deliveries of one event
	Event        string
	Action       string
	Installation int64
	Repository   int64 // 0 for none
	Body         []byte
	Redelivery   bool
	// Sent says that it was tried; Status is the HTTP status of the answer, 0
	// when there was none.
	Sent   bool
	SentAt time.Time
	Status int
}

// emit queues an event for the App when it is subscribed to it.
func (s *Sim) emit(i *installation, r *Repo, event, action string, by *user, payload obj) {
	if i == nil || event != "installation" && (!i.suspended.IsZero() || !slices.Contains(s.opts.Events, event)) {
		return
	}
	base := s.root()
	if action != "" {
		payload["action"] = action
	}
	payload["sender"] = s.viewUser(base, by)
	d := &Delivery{ID: s.nextID(), Event: event, Action: action, Installation: i.id}
	if r != nil {
		payload["repository"] = s.viewRepo(base, r, false)
		if event == "push" {
			payload["repository"] = s.viewPushRepo(base, r)
		}
		payload["installation"] = obj{"id": i.id, "node_id": node("I", i.id)}
		d.Repository = r.id
	}
	body, err := json.Marshal(payload)
	if err != nil {
		panic(fmt.Sprintf("githubsim: %s payload: %v", event, err))
	}
	if len(body) > maxPayload {
		return
	}
	d.Body = body
	d.GUID = fmt.Sprintf("%08x-0000-4000-8000-%012x", d.ID, d.ID)
	s.queue(d)
}

func (s *Sim) queue(d *Delivery) {
	s.deliveries = append(s.deliveries, d)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Emit queues an event of the given kind with a payload of the caller's own,
// to which nothing is added.
func (s *Sim) Emit(installationID int64, event string, payload []byte) Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := &Delivery{ID: s.nextID(), Event: event, Installation: installationID, Body: payload}
	d.GUID = fmt.Sprintf("%08x-0000-4000-8000-%012x", d.ID, d.ID)
	s.queue(d)
	return *d
}

// Deliveries returns all deliveries so far, oldest first.
func (s *Sim) Deliveries() []Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Delivery, len(s.deliveries))
	for i, d := range s.deliveries {
		out[i] = *d
	}
	return out
}

// Sign is the X-Hub-Signature-256 of a body.
func Sign(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// Send posts one delivery to a webhook and returns the answer's status. It
// changes nothing in the Sim: sending one twice is a repeated delivery.
func (s *Sim) Send(ctx context.Context, d Delivery, url, secret string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, hookTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(d.Body))
	if err != nil {
		return 0, fmt.Errorf("githubsim: delivery to %s: %w", url, err)
	}
	for k, v := range s.hookHeaders(d, secret) {
		req.Header.Set(k, v)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, fmt.Errorf("githubsim: delivery of %s: %w", d.Event, err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20)); err != nil {
		return resp.StatusCode, fmt.Errorf("githubsim: answer to %s: %w", d.Event, err)
	}
	return resp.StatusCode, nil
}

func (s *Sim) hookHeaders(d Delivery, secret string) map[string]string {
	return map[string]string{
		"Content-Type": "application/json", "User-Agent": "GitHub-Hookshot/sim",
		"X-GitHub-Event": d.Event, "X-GitHub-Delivery": d.GUID, "X-GitHub-Hook-ID": "1",
		"X-GitHub-Hook-Installation-Target-ID":   itoa(s.opts.AppID),
		"X-GitHub-Hook-Installation-Target-Type": "integration",
		"X-Hub-Signature-256":                    Sign(secret, d.Body),
	}
}

// next takes the oldest delivery that was not tried yet.
func (s *Sim) next() *Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.deliveries {
		if !d.Sent {
			d.Sent, d.SentAt = true, s.now()
			return d
		}
	}
	return nil
}

// Outage counts all deliveries that were not tried yet as failed, as if the
// App had been down. They can be redelivered.
func (s *Sim) Outage() {
	for s.next() != nil {
	}
}

// DeliverTo sends every delivery that was not tried yet, in order, and returns
// them with the statuses of the answers. The error is of deliveries that got
// no answer; the others are sent all the same.
func (s *Sim) DeliverTo(ctx context.Context, url, secret string) ([]Delivery, error) {
	var out []Delivery
	var failed error
	for d := s.next(); d != nil; d = s.next() {
		status, err := s.Send(ctx, *d, url, secret)
		if err != nil {
			failed = err
		}
		s.mu.Lock()
		s.hook = url
		d.Status = status
		out = append(out, *d)
		s.mu.Unlock()
	}
	return out, failed
}

// DeliverAutomatically sends deliveries from now on as they arise, in order,
// in the background until Close. Like GitHub it does not repeat a failed one.
func (s *Sim) DeliverAutomatically(url, secret string) {
	s.work.Go(func() {
		for {
			// a delivery that got no answer is kept with status 0, for redelivery
			_, _ = s.DeliverTo(s.ctx, url, secret)
			select {
			case <-s.wake:
			case <-s.ctx.Done():
				return
			}
		}
	})
}

func (s *Sim) viewDelivery(d *Delivery) obj {
	status := "OK"
	switch {
	case d.Status == 0:
		status = "failed to connect"
	case d.Status >= 300:
		status = "Invalid HTTP Response: " + fmt.Sprint(d.Status)
	}
	v := obj{
		"id": d.ID, "guid": d.GUID, "delivered_at": stamp(d.SentAt), "redelivery": d.Redelivery, "duration": 0.01,
		"status": status, "status_code": d.Status, "event": d.Event, "action": text(d.Action),
		"installation_id": d.Installation, "repository_id": nil, "throttled_at": nil,
	}
	if d.Repository != 0 {
		v["repository_id"] = d.Repository
	}
	return v
}

func (s *Sim) listDeliveries(c *request) answer {
	q := c.URL.Query()
	var out []*Delivery
	for _, d := range slices.Backward(s.deliveries) {
		failed := d.Status < 200 || d.Status > 299
		if !d.Sent || q.Get("status") == "failure" && !failed || q.Get("status") == "success" && failed {
			continue
		}
		out = append(out, d)
	}
	// this list has cursors instead of pages
	from := 0
	if cursor := q.Get("cursor"); cursor != "" {
		from = slices.IndexFunc(out, func(d *Delivery) bool { return "v1_"+itoa(d.ID) == cursor })
		if from < 0 {
			return invalid("", fieldError{Resource: "HookDelivery", Code: "invalid", Field: "cursor"})
		}
	}
	per := 30
	if _, err := fmt.Sscan(q.Get("per_page"), &per); err != nil || per < 1 {
		per = 30
	}
	to := min(len(out), from+min(per, 100))
	views := make([]obj, 0, to-from)
	for _, d := range out[from:to] {
		views = append(views, s.viewDelivery(d))
	}
	a := ok(views)
	if to < len(out) {
		q.Set("cursor", "v1_"+itoa(out[to].ID))
		a.setHeader("Link", fmt.Sprintf(`<%s/app/hook/deliveries?%s>; rel="next"`, c.base, q.Encode()))
	}
	return a
}

func (s *Sim) deliveryByID(id int64) *Delivery {
	for _, d := range s.deliveries {
		if d.ID == id && d.Sent {
			return d
		}
	}
	return nil
}

func (s *Sim) getDelivery(c *request) answer {
	d := s.deliveryByID(c.id("id"))
	if d == nil {
		return notFound()
	}
	v := s.viewDelivery(d)
	v["url"] = s.hook
	headers := s.hookHeaders(*d, "")
	delete(headers, "X-Hub-Signature-256")
	v["request"] = obj{"headers": headers, "payload": json.RawMessage(d.Body)}
	v["response"] = obj{"headers": obj{}, "payload": ""}
	return ok(v)
}

// redeliver queues a delivery again, with the same GUID.
func (s *Sim) redeliver(c *request) answer {
	d := s.deliveryByID(c.id("id"))
	if d == nil {
		return notFound()
	}
	again := *d
	again.ID, again.Redelivery, again.Sent, again.SentAt, again.Status = s.nextID(), true, false, time.Time{}, 0
	s.queue(&again)
	return answer{status: http.StatusAccepted, body: obj{}}
}

// The payloads of the events.

func (s *Sim) emitInstallation(i *installation, action string) {
	base := s.root()
	repos := []obj{}
	for _, r := range s.reposOf(i) {
		repos = append(repos, obj{
			"id": r.id, "node_id": node("R", r.id), "name": r.name, "full_name": r.fullName(), "private": r.private,
		})
	}
	v := s.viewInstallation(base, i)
	if action == "created" || action == "deleted" {
		v["created_at"], v["updated_at"] = i.since.Unix(), i.since.Unix() // numbers here, texts elsewhere
	}
	s.emit(i, nil, "installation", action, i.account, obj{"installation": v, "repositories": repos, "requester": nil})
}

// viewPushRepo is a repository as push events show it: with an older owner and
// with times that are numbers.
func (s *Sim) viewPushRepo(base string, r *Repo) obj {
	v := s.viewRepo(base, r, false)
	v["created_at"], v["pushed_at"] = r.created.Unix(), r.pushed.Unix()
	v["stargazers"], v["master_branch"] = 0, r.defaultBranch
	owner := v["owner"].(obj)
	owner["name"], owner["email"] = r.owner.login, email(r.owner.login)
	return v
}

func (s *Sim) emitPull(p *pull, action string, by *user, more obj) {
	payload := obj{"number": p.number, "pull_request": s.viewPull(s.root(), p, true)}
	maps.Copy(payload, more)
	s.emit(s.installationOf(p.repo), p.repo, "pull_request", action, by, payload)
}

func (s *Sim) emitComment(ic *issueComment, action string, by *user, more obj) {
	base := s.root()
	payload := obj{"issue": s.viewIssue(base, ic.issue), "comment": s.viewIssueComment(base, ic)}
	maps.Copy(payload, more)
	s.emit(s.installationOf(ic.issue.repo), ic.issue.repo, "issue_comment", action, by, payload)
}

func (s *Sim) emitCheck(cr *checkRun, action string, by *user, more obj) {
	base := s.root()
	v := s.viewCheckRun(base, cr)
	v["check_suite"] = s.viewSuite(base, cr.repo, cr.appID, cr.headSHA)
	payload := obj{"check_run": v}
	maps.Copy(payload, more)
	s.emit(s.installationOf(cr.repo), cr.repo, "check_run", action, by, payload)
}

func (s *Sim) emitSuite(r *Repo, sha, action string, by *user) {
	s.emit(s.installationOf(r), r, "check_suite", action, by, obj{
		"check_suite": s.viewSuite(s.root(), r, s.opts.AppID, sha),
	})
}

func (s *Sim) emitRun(run *Run, action string) {
	base := s.root()
	s.emit(s.installationOf(run.Repo), run.Repo, "workflow_run", action, run.actor, obj{
		"workflow_run": s.viewRun(base, run), "workflow": s.viewWorkflow(base, run.Repo, run.Workflow),
	})
}

func (s *Sim) emitJob(j *Job, action string) {
	s.emit(s.installationOf(j.Run.Repo), j.Run.Repo, "workflow_job", action, j.Run.actor, obj{
		"workflow_job": s.viewJob(s.root(), j),
	})
}

func (s *Sim) emitMergeGroup(r *Repo, baseRef, branch string, base, head *commit) {
	s.emit(s.installationOf(r), r, "merge_group", "checks_requested", s.user("github-merge-queue[bot]"), obj{
		"merge_group": obj{
			"head_sha": head.id, "head_ref": "refs/heads/" + branch, "base_sha": base.id, "base_ref": "refs/heads/" + baseRef,
			"head_commit": viewSimpleCommit(head),
		},
	})
}

// zeroID stands for "no commit" in a push.
var zeroID = strings.Repeat("0", 40)

func (s *Sim) emitPush(r *Repo, branch, before, after string, by *user) {
	from := before
	if from == "" {
		from = zeroID
	}
	base := s.root()
	commits := []obj{}
	forced := false
	if before != "" {
		forced = !r.st.ancestors(after)[before]
	}
	for _, c := range r.st.between(before, after) {
		if before == "" {
			break // a new branch lists no commits that others have
		}
		v := viewSimpleCommit(c)
		v["url"], v["distinct"] = r.html(base)+"/commit/"+c.id, true
		v["added"], v["removed"], v["modified"] = r.touched(c)
		commits = append(commits, v)
	}
	head := viewSimpleCommit(r.st.commits[after])
	head["url"], head["distinct"] = r.html(base)+"/commit/"+after, true
	head["added"], head["removed"], head["modified"] = r.touched(r.st.commits[after])
	s.emit(s.installationOf(r), r, "push", "", by, obj{
		"ref": "refs/heads/" + branch, "before": from, "after": after, "base_ref": nil,
		"created": before == "", "deleted": false, "forced": forced, "commits": commits, "head_commit": head,
		"compare": r.html(base) + "/compare/" + from[:12] + "..." + after[:12],
		"pusher":  obj{"name": by.login, "email": email(by.login)},
	})
	s.emitSuite(r, after, "requested", by)
}

// touched lists the paths that a commit changes against its first parent.
func (r *Repo) touched(c *commit) (added, removed, modified []string) {
	added, removed, modified = []string{}, []string{}, []string{}
	var from map[string]entry
	if len(c.parents) > 0 {
		from = r.st.commits[c.parents[0]].files
	}
	for p, e := range c.files {
		if old, existed := from[p]; !existed {
			added = append(added, p)
		} else if old != e {
			modified = append(modified, p)
		}
	}
	for p := range from {
		if _, still := c.files[p]; !still {
			removed = append(removed, p)
		}
	}
	slices.Sort(added)
	slices.Sort(removed)
	slices.Sort(modified)
	return added, removed, modified
}
