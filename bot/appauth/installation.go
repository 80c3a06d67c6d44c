package appauth

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v62/github"
)

const (
	// refusalPause is how long a suspended or removed installation is left alone.
	refusalPause = 10 * time.Minute
	// tokenMargin is how long before its end a token is replaced.
	tokenMargin = 2 * time.Minute
)

// installation is what all clients of one installation share.
type installation struct {
	id      int64
	factory *Factory
	limiter limiter

	mu      sync.Mutex
	refused *InstallationError
	tokens  map[scope]*tokenSource
	clients map[clientKey]*github.Client
}

type scope int

const (
	readScope scope = iota
	writeScope
)

type clientKey struct {
	scope   scope
	timeout time.Duration
}

// tokenSource keeps one token of an installation. ghinstallation exchanges it;
// when to do that is decided here, by the factory's clock and GitHub's answers.
type tokenSource struct {
	installation *installation
	options      *github.InstallationTokenOptions

	// turn holds one element while nobody exchanges.
	turn    chan struct{}
	current string
	ends    time.Time
}

func newTokenSource(i *installation, permissions github.InstallationPermissions) *tokenSource {
	s := &tokenSource{
		installation: i,
		options:      &github.InstallationTokenOptions{Permissions: &permissions},
		turn:         make(chan struct{}, 1),
	}
	s.turn <- struct{}{}
	return s
}

// token returns a token that holds for a while, and is not the one that GitHub
// has just refused.
func (s *tokenSource) token(ctx context.Context, refused string) (string, error) {
	select {
	case <-s.turn:
		defer func() { s.turn <- struct{}{} }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if err := s.installation.refusal(); err != nil {
		return "", err
	}
	f := s.installation.factory
	if s.current != "" && s.current != refused && f.now().Add(tokenMargin).Before(s.ends) {
		return s.current, nil
	}
	// The exchanger keeps its token by the machine's clock, so each one is used
	// for a single exchange.
	app, err := f.appsTransport()
	if err != nil {
		return "", err
	}
	exchanger := ghinstallation.NewFromAppsTransport(app, s.installation.id)
	exchanger.InstallationTokenOptions = s.options
	token, err := exchanger.Token(ctx)
	if err != nil {
		return "", s.installation.explain(err)
	}
	ends, _, err := exchanger.Expiry()
	if err != nil {
		return "", err
	}
	s.current, s.ends = token, ends
	return token, nil
}

// refusal returns the error of an installation that is to be left alone.
func (i *installation) refusal() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.refused != nil && i.factory.now().Before(i.refused.Until) {
		return i.refused
	}
	i.refused = nil
	return nil
}

// explain gives the failure of an exchange its type, and keeps it when asking
// again soon cannot help.
func (i *installation) explain(err error) error {
	var failed *ghinstallation.HTTPError
	if !errors.As(err, &failed) || failed.Response == nil || failed.RootCause != nil {
		return err
	}
	text, _ := io.ReadAll(io.LimitReader(failed.Response.Body, maxErrorBody))
	_ = failed.Response.Body.Close()
	var answer struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(text, &answer)
	if len(answer.Message) > 200 {
		answer.Message = strings.ToValidUTF8(answer.Message[:200], "")
	}
	e := &InstallationError{
		Installation: i.id, Message: answer.Message, Until: i.factory.now().Add(refusalPause),
	}
	switch status := failed.Response.StatusCode; {
	case status == http.StatusForbidden && strings.Contains(strings.ToLower(answer.Message), "suspended"):
		e.Cause = ErrSuspended
	case status == http.StatusNotFound, status == http.StatusGone:
		e.Cause = ErrGone
	case status == http.StatusForbidden, status == http.StatusUnprocessableEntity:
		e.Cause = ErrRights
	case status == http.StatusUnauthorized:
		e.Cause = ErrCredentials
		e.Until = i.factory.now().Add(time.Minute)
		return e
	default:
		return err
	}
	i.mu.Lock()
	i.refused = e
	i.mu.Unlock()
	return e
}

// installationTransport signs requests to the API with an installation's token,
// and no others: an archive or artifact is fetched from another host, to which
// the API redirects, and which must not see it.
type installationTransport struct {
	installation *installation
	source       *tokenSource
}

func (t *installationTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	f := t.installation.factory
	if !f.isAPI(req.URL) {
		return f.base.RoundTrip(req)
	}
	if pause := t.installation.limiter.paused(); pause != nil {
		closeBody(req)
		return nil, pause
	}
	token, err := t.source.token(req.Context(), "")
	if err != nil {
		closeBody(req)
		return nil, err
	}
	// Both copies are made before the first sending, which uses up the body.
	again, replayable := replay(req)
	resp, err := t.send(req, token)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || !replayable {
		if replayable && again.Body != nil {
			_ = again.Body.Close()
		}
		return resp, err
	}
	fresh, err := t.source.token(req.Context(), token)
	if err != nil {
		discard(resp)
		closeBody(again)
		return nil, err
	}
	discard(resp)
	return t.send(again, fresh)
}

func (t *installationTransport) send(req *http.Request, token string) (*http.Response, error) {
	signed := req.Clone(req.Context())
	signed.Header.Set("Authorization", "token "+token)
	return t.installation.limiter.through(t.installation.factory.api, signed)
}
