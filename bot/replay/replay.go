package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tilegate/tilegate/bot/appauth"
	"github.com/tilegate/tilegate/bot/githubsim"
	"github.com/tilegate/tilegate/bot/pull"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/bot/trust"
	"github.com/tilegate/tilegate/bot/worker"
	"github.com/tilegate/tilegate/checks/rules"
)

// Options say what to replay. Delivery, Base, Head and Rules are
// required.
type Options struct {
	Delivery Delivery
	// Base is the tree of the base branch, Head that of the pull request's (or
	// merge group's) head commit.
	Base, Head fs.FS
	// BaseCommit and HeadCommit are the commits that the trees are of, for a
	// delivery that does not tell them; empty when they are of none.
	BaseCommit, HeadCommit string
	// Roles are the roles of people in the repository by login. Others in the
	// delivery get write where their association says that they belong to the
	// repository, else read.
	Roles   map[string]string
	Rules   []*rules.Rule
	Version string
	// Now is the time when the delivery carries none.
	Now time.Time
	Log *slog.Logger
	// DatabaseURL is where the App keeps its state; in memory when empty.
	DatabaseURL string
}

// Schema is the identifier of the JSON form of a Result.
const Schema = "tilegate.replay/v1"

// Result is what the App would have written.
type Result struct {
	Schema   string `json:"schema"`
	Event    string `json:"event"`
	Action   string `json:"action"`
	Delivery string `json:"delivery"`
	Target   string `json:"target"` // the repository, with the pull request's number
	// Outcome is what the App made of the delivery, in words.
	Outcome string `json:"outcome"`
	// Assumed is what the delivery does not tell and was made up, a sentence each.
	Assumed []string `json:"assumed"`
	Writes  []Write  `json:"writes"`
	// Undone is what would have followed later or could not be done.
	Undone []string `json:"undone"`
}

// Write is one request that changes something on GitHub. Ids of things that the
// App made itself are the simulation's.
type Write struct {
	Method string          `json:"method"`
	Path   string          `json:"path"`
	Body   json.RawMessage `json:"body,omitempty"`
	Status int             `json:"status"` // of the simulated GitHub's answer
}

// Run replays a delivery.
func Run(ctx context.Context, o Options) (result Result, err error) {
	s, err := newScene(o.Delivery)
	if err != nil {
		return Result{}, err
	}
	for login, role := range o.Roles {
		if _, known := trust.ParseRole(role); !known {
			return Result{}, fmt.Errorf("the role of %s: expected none, read, triage, write, maintain or admin, found %q", login, role)
		}
	}
	if s.at.IsZero() {
		s.at = o.Now
	}
	if s.pull != nil {
		fill(&s.pull.Base.SHA, o.BaseCommit)
		fill(&s.pull.Head.SHA, o.HeadCommit)
	}
	now := func() time.Time { return s.at }
	sim := githubsim.New(githubsim.Options{AppID: s.appID(), Now: now})
	if err := sim.Start(); err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, sim.Close()) }()
	repo, shas, err := s.build(sim, o.Base, o.Head, s.roles(o.Roles))
	if err != nil {
		return Result{}, err
	}
	app, st, err := newApp(ctx, sim, now, o)
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if s.before {
		if err := s.reviewFirst(ctx, sim, app); err != nil {
			return Result{}, err
		}
	}
	sim.ForgetCalls()
	comment, err := s.happen(repo)
	if err != nil {
		return Result{}, err
	}
	body, err := rewrite(o.Delivery.Payload, repo.Installation(), comment, shas)
	if err != nil {
		return Result{}, fmt.Errorf("the payload of %s: %w", o.Delivery.Event, err)
	}
	if _, err := app.Accept(ctx, store.Delivery{GUID: o.Delivery.GUID, Event: o.Delivery.Event, Action: s.p.Action, Payload: body}); err != nil {
		return Result{}, err
	}
	if err := app.Settle(ctx); err != nil {
		return Result{}, err
	}
	result = Result{
		Schema: Schema, Event: o.Delivery.Event, Action: s.p.Action, Delivery: o.Delivery.GUID, Target: repo.FullName(), Undone: []string{},
	}
	if s.pull != nil {
		result.Target = store.PullKey(repo.FullName(), s.pull.Number)
	}
	result.Assumed = append([]string{}, s.assumed...)
	back := newBack(shas)
	if comment != 0 {
		back.paths = strings.NewReplacer(fmt.Sprintf("/issues/comments/%d/", comment), fmt.Sprintf("/issues/comments/%d/", s.p.Comment.ID))
	}
	result.Writes = writesOf(sim.Calls(), back)
	handled, err := st.Delivery(ctx, o.Delivery.GUID)
	if err != nil {
		return Result{}, err
	}
	result.Outcome = back.text(handled.Outcome)
	result.Undone, err = undone(ctx, st, back)
	return result, err
}

// appID is the App that the delivery is for: only the App that made a check run
// or suite is told of its buttons.
func (s *scene) appID() int64 {
	for _, c := range []*check{s.p.CheckRun, s.p.CheckSuite} {
		if c != nil && c.App.ID > 0 {
			return c.App.ID
		}
	}
	return 1
}

// reviewFirst lets the App see the pull request as it was opened, as it would
// have before the delivery.
func (s *scene) reviewFirst(ctx context.Context, sim *githubsim.Sim, app *worker.Inline) error {
	s.assume("before it, the App had reviewed the pull request once and no job had reported")
	for _, d := range sim.Deliveries() {
		if d.Event != "pull_request" || d.Action != "opened" {
			continue
		}
		if _, err := app.Accept(ctx, store.Delivery{GUID: d.GUID, Event: d.Event, Action: d.Action, Payload: d.Body}); err != nil {
			return err
		}
	}
	return app.Settle(ctx)
}

// happen makes what the delivery announces true on the simulated GitHub and
// returns the id of the comment, if it is one.
func (s *scene) happen(repo *githubsim.Repo) (comment int64, err error) {
	if s.pull == nil {
		return 0, nil
	}
	if c := s.p.Comment; c != nil {
		if comment, err = repo.Comment(s.pull.Number, c.User.Login, c.Body); err != nil {
			return 0, err
		}
	}
	if s.pull.State == "closed" {
		return comment, repo.ClosePull(s.pull.Number, s.pull.User.Login)
	}
	return comment, nil
}

// newApp makes an App that can reach the simulation only.
func newApp(ctx context.Context, sim *githubsim.Sim, now func() time.Time, o Options) (*worker.Inline, *store.Store, error) {
	if o.DatabaseURL == "" {
		o.DatabaseURL = "sqlite::memory:"
	}
	st, err := store.Open(ctx, o.DatabaseURL, now)
	if err != nil {
		return nil, nil, err
	}
	clients, err := appauth.New(appauth.Config{
		APIURL: sim.URL, AppID: sim.AppID(), PrivateKey: sim.PrivateKeyPEM(), Now: now, Transport: onlyTo(sim.URL), UserAgent: "tilegate/" + o.Version,
	})
	if err != nil {
		return nil, nil, errors.Join(err, st.Close())
	}
	app, err := worker.NewInline(ctx, worker.Options{
		Store: st, Reader: pull.NewReader(pull.Config{Clients: clients, Now: now}), Clients: clients, AppID: sim.AppID(), Rules: o.Rules,
		Version: o.Version, Now: now, Entropy: rand.NewChaCha8([32]byte{}), Log: o.Log, Forget: clients.Forget,
	})
	if err != nil {
		return nil, nil, errors.Join(err, st.Close())
	}
	return app, st, nil
}

// onlyTo sends requests to one address and refuses all others.
type onlyTo string

// RoundTrip sends a request.
func (to onlyTo) RoundTrip(r *http.Request) (*http.Response, error) {
	if own, err := url.Parse(string(to)); err != nil || r.URL.Host != own.Host || r.URL.Scheme != own.Scheme {
		return nil, fmt.Errorf("a replay asks the simulated GitHub only, not %s", r.URL.Host)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// back turns the simulation's names of commits into the recorded ones.
type back struct {
	full  *strings.Replacer
	short map[string]string
	paths *strings.Replacer
}

var shortSHA = regexp.MustCompile(`\b[0-9a-f]{7}\b`)

func newBack(shas map[string]string) back {
	b := back{short: map[string]string{}, paths: strings.NewReplacer()}
	var pairs []string
	for recorded, simulated := range shas {
		pairs = append(pairs, simulated, recorded)
		b.short[simulated[:7]] = recorded[:min(7, len(recorded))]
	}
	b.full = strings.NewReplacer(pairs...)
	return b
}

func (b back) text(s string) string {
	return shortSHA.ReplaceAllStringFunc(b.full.Replace(s), func(short string) string {
		if recorded, ok := b.short[short]; ok {
			return recorded
		}
		return short
	})
}

// writesOf picks the calls that change something.
func writesOf(calls []githubsim.Call, b back) []Write {
	out := []Write{}
	for _, c := range calls {
		if c.Method == http.MethodGet || !strings.HasPrefix(c.Actor, "installation ") {
			continue
		}
		w := Write{Method: c.Method, Path: b.paths.Replace(b.text(c.Path)), Status: c.Status}
		if len(c.Body) > 0 {
			w.Body = json.RawMessage(b.text(string(c.Body)))
		}
		out = append(out, w)
	}
	return out
}

// undone lists what the App still has to do.
func undone(ctx context.Context, st *store.Store, b back) ([]string, error) {
	out := []string{}
	writes, err := st.OpenWrites(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range writes {
		out = append(out, b.text(fmt.Sprintf("the write of %s is held back: %s", w.Object, w.Note)))
	}
	targets, err := st.OpenTargets(ctx, "")
	if err != nil {
		return nil, err
	}
	for _, t := range targets {
		if t.Failures > 0 {
			out = append(out, fmt.Sprintf("looking at %s failed", t.Key))
		}
	}
	slices.Sort(out)
	return out, nil
}
