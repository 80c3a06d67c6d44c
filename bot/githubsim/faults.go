package githubsim

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Call is one request that arrived.
type Call struct {
	Seq    int
	Time   time.Time // on GitHub's clock
	Method string
	Path   string
	Query  string
	Route  string // the pattern that matched, such as "POST /repos/{owner}/{repo}/check-runs"; empty for none
	Body   []byte
	// Actor is who asked: "app", "installation N", "nobody".
	Actor string
	// Status is the answer's status; 0 while it is not answered, or dropped.
	Status int

	mu *sync.Mutex
}

func (c *Call) setActor(a actor) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Actor = a.String()
}

// Action says what shall happen to a call. The zero value lets it pass.
type Action struct {
	// Status, when not 0, is answered with Header and Body and nothing is applied.
	Status int
	Header http.Header
	Body   any
	// Delay holds the call back before anything happens (real time).
	Delay time.Duration
	// BeforeApply runs when the request was received and is not yet applied.
	BeforeApply func()
	// Drop closes the connection without applying the request.
	Drop bool
	// AfterApply runs when the request is applied and not yet answered.
	AfterApply func()
	// DropAnswer closes the connection after the request was applied.
	DropAnswer bool
}

func (a Action) answer() answer {
	return answer{status: a.Status, header: a.Header, body: a.Body}
}

// Refuse answers with a status and GitHub's usual error body.
func Refuse(status int, message string) Action {
	return Action{Status: status, Body: fail(status, message).body}
}

// SecondaryLimit answers as GitHub does when a client writes too fast. A
// retryAfter of 0 leaves the header out.
func SecondaryLimit(retryAfter time.Duration) Action {
	a := Refuse(http.StatusForbidden, secondaryMessage)
	a.Header = http.Header{}
	if retryAfter > 0 {
		a.Header.Set("Retry-After", strconv.Itoa(int(retryAfter.Seconds())))
	}
	return a
}

// PrimaryLimit answers as GitHub does when the hourly quota is used up until reset.
func PrimaryLimit(reset time.Time) Action {
	a := Refuse(http.StatusForbidden, "API rate limit exceeded for installation.")
	a.Header = http.Header{}
	a.Header.Set("X-RateLimit-Limit", "5000")
	a.Header.Set("X-RateLimit-Remaining", "0")
	a.Header.Set("X-RateLimit-Used", "5000")
	a.Header.Set("X-RateLimit-Resource", "core")
	a.Header.Set("X-RateLimit-Reset", strconv.FormatInt(reset.Unix(), 10))
	return a
}

const secondaryMessage = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."

// Intercept installs a function that sees every call before it is applied; nil
// removes it. The function runs without locks held and may call the Sim.
func (s *Sim) Intercept(f func(*Call) Action) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.intercept = f
}

func (s *Sim) begin(pattern string, r *http.Request, body []byte) *Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &Call{
		Seq: len(s.calls) + 1, Time: s.now(), Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery,
		Route: pattern, Body: body, Actor: "nobody", mu: &sync.Mutex{},
	}
	s.calls = append(s.calls, c)
	return c
}

func (s *Sim) finish(c *Call, status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Status = status
}

func (s *Sim) faults(c *Call) Action {
	s.mu.Lock()
	f := s.intercept
	s.mu.Unlock()
	if f == nil {
		return Action{}
	}
	return f(c)
}

// Calls returns the calls so far, in the order of their arrival.
func (s *Sim) Calls() []Call {
	s.mu.Lock()
	calls := slices.Clone(s.calls)
	s.mu.Unlock()
	out := make([]Call, len(calls))
	for i, c := range calls {
		c.mu.Lock()
		out[i] = Call{Seq: c.Seq, Time: c.Time, Method: c.Method, Path: c.Path, Query: c.Query, Route: c.Route,
			Body: c.Body, Actor: c.Actor, Status: c.Status}
		c.mu.Unlock()
	}
	return out
}

// ForgetCalls empties the call log.
func (s *Sim) ForgetCalls() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = nil
}

// window counts the requests of one installation in one hour.
type window struct {
	reset time.Time
	used  int
}

// limited enforces the rate limits around a handler and adds their headers.
func (s *Sim) limited(c *request, rt route, handle func() answer) answer {
	if rt.auth == authNone {
		return handle()
	}
	now := s.now()
	w := s.limits[c.who.limitKey()]
	if w == nil || !now.Before(w.reset) {
		w = &window{reset: now.Add(time.Hour)}
		s.limits[c.who.limitKey()] = w
	}
	var a answer
	switch {
	case w.used >= s.opts.PrimaryLimit:
		a = fail(http.StatusForbidden, "API rate limit exceeded for "+c.who.String()+".")
	case rt.content && s.tooFast(c.who.limitKey(), now):
		w.used++
		a = fail(http.StatusForbidden, secondaryMessage).with("Retry-After", "60")
	default:
		w.used++
		a = handle()
	}
	a.setHeader("X-RateLimit-Limit", strconv.Itoa(s.opts.PrimaryLimit))
	a.setHeader("X-RateLimit-Remaining", strconv.Itoa(s.opts.PrimaryLimit-w.used))
	a.setHeader("X-RateLimit-Used", strconv.Itoa(w.used))
	a.setHeader("X-RateLimit-Reset", strconv.FormatInt(w.reset.Unix(), 10))
	a.setHeader("X-RateLimit-Resource", "core")
	return a
}

// tooFast counts a content-creating request against the secondary limit.
func (s *Sim) tooFast(key int64, now time.Time) bool {
	if s.opts.ContentPerMinute == 0 {
		return false
	}
	recent := slices.DeleteFunc(s.content[key], func(t time.Time) bool { return !t.After(now.Add(-time.Minute)) })
	if len(recent) >= s.opts.ContentPerMinute {
		s.content[key] = recent
		return true
	}
	s.content[key] = append(recent, now)
	return false
}

func (s *Sim) getRateLimit(c *request) answer {
	w := s.limits[c.who.limitKey()]
	rate := obj{"limit": s.opts.PrimaryLimit, "remaining": s.opts.PrimaryLimit - w.used, "used": w.used, "reset": w.reset.Unix()}
	return ok(obj{"resources": obj{"core": rate, "search": rate}, "rate": rate})
}
