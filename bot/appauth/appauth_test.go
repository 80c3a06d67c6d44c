package appauth

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v4"
	"github.com/google/go-github/v62/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var testKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func pkcs1() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(testKey())})
}

// clock is a settable time.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.t }

func (c *clock) add(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.t = c.t.Add(d) }

// hub plays the parts of GitHub that concern signing in.
type hub struct {
	t      *testing.T
	clock  *clock // GitHub's own
	prefix string
	life   time.Duration

	mu        sync.Mutex
	calls     []string
	exchanges int
	tokens    map[string]time.Time // token -> end
	rights    []string
	// answer, when set, may answer a call that is properly signed.
	answer func(w http.ResponseWriter, r *http.Request) bool
	mint   func(w http.ResponseWriter, installation string) bool
}

func (h *hub) count(call string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, c := range h.calls {
		if c == call {
			n++
		}
	}
	return n
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": message})
}

func (h *hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := h.clock.now()
	w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
	path, ok := strings.CutPrefix(r.URL.Path, h.prefix)
	if !assert.True(h.t, ok, "call outside of the root: %s", r.URL.Path) {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	assert.Equal(h.t, APIVersion, r.Header.Get("X-GitHub-Api-Version"), path)
	assert.Equal(h.t, "tilegate/test", r.Header.Get("User-Agent"), path)
	h.mu.Lock()
	defer h.mu.Unlock()
	call := r.Method + " " + path
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	switch scheme {
	case "Bearer":
		if err := h.checkJWT(token, now); err != nil {
			h.calls = append(h.calls, "401 "+call)
			refuse(w, http.StatusUnauthorized, err.Error())
			return
		}
	case "token":
		ends, known := h.tokens[token]
		if !known || !now.Before(ends) {
			h.calls = append(h.calls, "401 "+call)
			refuse(w, http.StatusUnauthorized, "Bad credentials")
			return
		}
	default:
		h.calls = append(h.calls, "401 "+call)
		refuse(w, http.StatusUnauthorized, "Requires authentication")
		return
	}
	h.calls = append(h.calls, call)
	if rest, ok := strings.CutPrefix(path, "/app/installations/"); ok && scheme == "Bearer" {
		id := strings.TrimSuffix(rest, "/access_tokens")
		if h.mint != nil && h.mint(w, id) {
			return
		}
		body, _ := io.ReadAll(r.Body)
		h.rights = append(h.rights, string(body))
		h.exchanges++
		token := fmt.Sprintf("ghs_%s_%d", id, h.exchanges)
		h.tokens[token] = now.Add(h.life)
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(map[string]any{"token": token, "expires_at": now.Add(h.life).UTC().Format(time.RFC3339)})
		return
	}
	if h.answer != nil && h.answer(w, r) {
		return
	}
	body, _ := io.ReadAll(r.Body)
	_ = json.NewEncoder(w).Encode(map[string]any{"name": "r", "slug": "tilegate", "body": string(body)})
}

func (h *hub) checkJWT(token string, now time.Time) error {
	parsed, err := jwt.NewParser(jwt.WithoutClaimsValidation()).ParseWithClaims(token, &jwt.RegisteredClaims{}, func(t *jwt.Token) (any, error) {
		if t.Method != jwt.SigningMethodRS256 {
			return nil, errors.New("wrong algorithm")
		}
		return &testKey().PublicKey, nil
	})
	if err != nil {
		return err
	}
	claims := parsed.Claims.(*jwt.RegisteredClaims)
	switch {
	case claims.Issuer != "4711":
		return errors.New("wrong issuer")
	case claims.IssuedAt.After(now):
		return errors.New("'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued")
	case claims.ExpiresAt.After(now.Add(600 * time.Second)):
		return errors.New("'Expiration time' claim ('exp') is too far in the future")
	case !claims.ExpiresAt.After(now):
		return errors.New("'Expiration time' claim ('exp') must be a numeric value representing the future time")
	}
	return nil
}

// start returns a hub and a factory whose host clock is off by skew.
func start(t *testing.T, skew time.Duration, change func(*Config)) (*hub, *Factory, *clock) {
	t.Helper()
	begin := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	h := &hub{t: t, clock: &clock{t: begin}, life: time.Hour, tokens: map[string]time.Time{}}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	host := &clock{t: begin.Add(skew)}
	c := Config{
		APIURL: server.URL, AppID: 4711, PrivateKey: pkcs1(), Now: host.now, UserAgent: "tilegate/test",
		Transport: server.Client().Transport,
	}
	if change != nil {
		change(&c)
	}
	h.prefix = strings.TrimPrefix(c.APIURL, server.URL)
	f, err := New(c)
	require.NoError(t, err)
	return h, f, host
}

func get(ctx context.Context, c *github.Client) error {
	_, _, err := c.Repositories.Get(ctx, "o", "r")
	return err
}

func TestFieldReport1HostClockMayBeOff(t *testing.T) {
	for _, skew := range []time.Duration{0, 45 * time.Second, -45 * time.Second, 59 * time.Second, -4 * time.Minute} {
		t.Run(skew.String(), func(t *testing.T) {
			h, f, _ := start(t, skew, nil)
			require.NoError(t, get(t.Context(), f.Read(1)))
			app, _, err := f.App().Apps.Get(t.Context(), "")
			require.NoError(t, err)
			assert.Equal(t, "tilegate", app.GetSlug())
			for _, call := range h.calls {
				assert.NotContains(t, call, "401")
			}
		})
	}
}

func TestHostClockFarOffIsLearnedFromTheAnswer(t *testing.T) {
	for _, skew := range []time.Duration{time.Hour, -time.Hour, 90 * time.Second} {
		t.Run(skew.String(), func(t *testing.T) {
			h, f, _ := start(t, skew, nil)
			_, _, err := f.App().Apps.Get(t.Context(), "")
			require.NoError(t, err)
			_, _, err = f.App().Apps.Get(t.Context(), "")
			require.NoError(t, err)
			assert.Equal(t, []string{"401 GET /app", "GET /app", "GET /app"}, h.calls, "learned once")
		})
	}
}

func TestWrongKeyTeachesNoClock(t *testing.T) {
	h, f, _ := start(t, time.Hour, func(c *Config) { c.AppID = 4712 })
	err := get(t.Context(), f.Read(1))
	require.ErrorIs(t, err, ErrCredentials)
	wait, ok := RetryAfter(err, f.now())
	assert.True(t, ok)
	assert.Equal(t, time.Minute, wait)
	assert.Zero(t, f.signer.skew.Load())
	assert.Equal(t, 2, h.count("401 POST /app/installations/1/access_tokens"))
}

func TestTokensAreSharedAndScoped(t *testing.T) {
	h, f, _ := start(t, 0, nil)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			assert.NoError(t, get(t.Context(), f.Read(1)))
			assert.NoError(t, get(t.Context(), f.Download(1)))
		})
	}
	wg.Wait()
	assert.Equal(t, 1, h.exchanges, "one exchange for all readers")
	require.NoError(t, get(t.Context(), f.Write(1)))
	require.NoError(t, get(t.Context(), f.Read(2)))
	assert.Equal(t, 3, h.exchanges)
	assert.JSONEq(t, `{"permissions":{"actions":"read","checks":"read","contents":"read","metadata":"read","pull_requests":"read"}}`, h.rights[0])
	assert.JSONEq(t, `{"permissions":{"actions":"write","checks":"write","contents":"read","metadata":"read","pull_requests":"write"}}`, h.rights[1])
	assert.Same(t, f.Read(1), f.Read(1))
	assert.NotSame(t, f.Read(1), f.Read(2))
	assert.NotSame(t, f.Read(1), f.Write(1))
	assert.Same(t, f.App(), f.App())
}

func TestFieldReport3TokenIsRenewedBeforeItsEnd(t *testing.T) {
	h, f, host := start(t, 0, nil)
	require.NoError(t, get(t.Context(), f.Write(1)))
	h.clock.add(75 * time.Minute)
	host.add(75 * time.Minute)
	require.NoError(t, get(t.Context(), f.Write(1)))
	assert.Equal(t, 2, h.exchanges)
	assert.Equal(t, 2, h.count("GET /repos/o/r"))
	assert.Zero(t, h.count("401 GET /repos/o/r"), "by the factory's clock, before GitHub refuses it")
}

func TestFieldReport3RefusedTokenIsRenewedAndTheCallRepeatedOnce(t *testing.T) {
	h, f, _ := start(t, 0, nil)
	require.NoError(t, get(t.Context(), f.Write(1)))
	h.clock.add(75 * time.Minute) // GitHub's clock only: the host believes in its token
	body := ""
	h.answer = func(w http.ResponseWriter, r *http.Request) bool {
		b, _ := io.ReadAll(r.Body)
		body += string(b)
		_ = json.NewEncoder(w).Encode(map[string]any{"id": 5})
		return true
	}
	_, _, err := f.Write(1).Checks.UpdateCheckRun(t.Context(), "o", "r", 5, github.UpdateCheckRunOptions{Name: "gate", Conclusion: github.String("success")})
	require.NoError(t, err)
	assert.Equal(t, 1, h.count("401 PATCH /repos/o/r/check-runs/5"))
	assert.Equal(t, 1, h.count("PATCH /repos/o/r/check-runs/5"), "published exactly once")
	assert.JSONEq(t, `{"name":"gate","conclusion":"success"}`, body, "the body arrives whole")
	assert.Equal(t, 2, h.exchanges)
}

func TestTokenRefusedForGoodIsTriedTwice(t *testing.T) {
	h, f, _ := start(t, 0, nil)
	h.life = -time.Hour
	err := get(t.Context(), f.Read(1))
	var refused *github.ErrorResponse
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, http.StatusUnauthorized, refused.Response.StatusCode)
	assert.Equal(t, 2, h.count("401 GET /repos/o/r"))
	assert.Equal(t, 2, h.exchanges)
}

func TestFieldReport4SuspendedInstallationIsLeftAlone(t *testing.T) {
	h, f, host := start(t, 0, nil)
	suspended := true
	h.mint = func(w http.ResponseWriter, id string) bool {
		if id == "1" && suspended {
			refuse(w, http.StatusForbidden, "This installation has been suspended")
			return true
		}
		return false
	}
	for range 20 {
		err := get(t.Context(), f.Read(1))
		require.ErrorIs(t, err, ErrSuspended)
		require.ErrorIs(t, get(t.Context(), f.Write(1)), ErrSuspended)
		wait, ok := RetryAfter(err, host.now())
		assert.True(t, ok)
		assert.Equal(t, refusalPause, wait)
	}
	assert.Equal(t, 1, h.count("POST /app/installations/1/access_tokens"), "no storm")
	assert.NoError(t, get(t.Context(), f.Read(2)), "others are not affected")

	suspended = false
	require.ErrorIs(t, get(t.Context(), f.Read(1)), ErrSuspended)
	f.Forget(1)
	assert.NoError(t, get(t.Context(), f.Read(1)), "the unsuspend event ends the pause")

	suspended = true
	f.Forget(1)
	require.ErrorIs(t, get(t.Context(), f.Read(1)), ErrSuspended)
	suspended = false
	host.add(refusalPause)
	h.clock.add(refusalPause)
	assert.NoError(t, get(t.Context(), f.Read(1)), "without an event it is asked again later")
	f.Forget(99)
}

func TestExchangesThatFail(t *testing.T) {
	tests := []struct {
		status  int
		message string
		want    error
	}{
		{404, "Not Found", ErrGone},
		{410, "Gone", ErrGone},
		{422, "The permissions requested are not granted to this installation.", ErrRights},
		{403, "Resource not accessible by integration", ErrRights},
		{403, "This installation has been suspended " + strings.Repeat("x", 500), ErrSuspended},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.status, " ", test.want), func(t *testing.T) {
			h, f, _ := start(t, 0, nil)
			h.mint = func(w http.ResponseWriter, _ string) bool { refuse(w, test.status, test.message); return true }
			err := get(t.Context(), f.Read(1))
			require.ErrorIs(t, err, test.want)
			var typed *InstallationError
			require.ErrorAs(t, err, &typed)
			assert.Equal(t, int64(1), typed.Installation)
			assert.LessOrEqual(t, len(typed.Message), 200)
		})
	}
	t.Run("passing fault", func(t *testing.T) {
		h, f, _ := start(t, 0, nil)
		h.mint = func(w http.ResponseWriter, _ string) bool { refuse(w, 502, "Bad Gateway"); return true }
		for range 2 {
			err := get(t.Context(), f.Read(1))
			require.Error(t, err)
			_, typed := RetryAfter(err, f.now())
			assert.False(t, typed)
		}
		assert.Equal(t, 2, h.count("POST /app/installations/1/access_tokens"), "not kept")
	})
}

func TestFieldReport14SecondaryLimitWithoutHeaders(t *testing.T) {
	h, f, host := start(t, 0, nil)
	limitedNow := true
	h.answer = func(w http.ResponseWriter, _ *http.Request) bool {
		if limitedNow {
			refuse(w, http.StatusForbidden, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.")
		}
		return limitedNow
	}
	err := get(t.Context(), f.Write(1))
	var limit *LimitError
	require.ErrorAs(t, err, &limit)
	assert.True(t, limit.Secondary)
	wait, ok := RetryAfter(err, host.now())
	assert.True(t, ok)
	assert.Equal(t, time.Minute, wait)

	for range 10 {
		require.ErrorAs(t, get(t.Context(), f.Write(1)), &limit)
		require.ErrorAs(t, get(t.Context(), f.Read(1)), &limit, "readers share the pause")
		host.add(5 * time.Second)
	}
	assert.Equal(t, 1, h.count("GET /repos/o/r"), "no further call within 60 s")

	host.add(10 * time.Second)
	err = get(t.Context(), f.Write(1))
	wait, _ = RetryAfter(err, host.now())
	assert.Equal(t, 2*time.Minute, wait, "longer each time")

	limitedNow = false
	host.add(2 * time.Minute)
	assert.NoError(t, get(t.Context(), f.Write(1)), "and then it lands")
	limitedNow = true
	wait, _ = RetryAfter(get(t.Context(), f.Write(1)), host.now())
	assert.Equal(t, time.Minute, wait, "a success starts anew")
}

func TestFieldReport14PlainRefusalIsNoLimit(t *testing.T) {
	h, f, host := start(t, 0, nil)
	h.answer = func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("X-RateLimit-Remaining", "4999")
		w.Header().Set("X-RateLimit-Reset", fmt.Sprint(host.now().Add(time.Hour).Unix()))
		refuse(w, http.StatusForbidden, "Resource not accessible by integration")
		return true
	}
	err := get(t.Context(), f.Write(1))
	var plain *github.ErrorResponse
	require.ErrorAs(t, err, &plain)
	assert.Equal(t, "Resource not accessible by integration", plain.Message, "the body is still there")
	_, ok := RetryAfter(err, host.now())
	assert.False(t, ok)
	require.Error(t, get(t.Context(), f.Write(1)))
	assert.Equal(t, 2, h.count("GET /repos/o/r"))
}

func TestLimitsWithHeaders(t *testing.T) {
	tests := []struct {
		name      string
		status    int
		headers   map[string]string
		message   string
		want      time.Duration
		secondary bool
	}{
		{"Retry-After", 403, map[string]string{"Retry-After": "7"}, "You have exceeded a secondary rate limit", 7 * time.Second, true},
		{"429", 429, nil, "Too many requests", time.Minute, true},
		{"429 with Retry-After", 429, map[string]string{"Retry-After": "120"}, "", 2 * time.Minute, true},
		{"Retry-After zero", 429, map[string]string{"Retry-After": "0"}, "", time.Second, true},
		{"absurd Retry-After", 429, map[string]string{"Retry-After": "99999999"}, "", maxPause, true},
		{"old abuse text", 403, nil, "You have triggered an abuse detection mechanism", time.Minute, true},
		{"quota", 403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "+600"}, "API rate limit exceeded", 10 * time.Minute, false},
		{"quota that ended by our clock", 403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "-5"}, "API rate limit exceeded", minQuotaPause, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h, f, host := start(t, 0, nil)
			h.answer = func(w http.ResponseWriter, _ *http.Request) bool {
				for k, v := range test.headers {
					if k == "X-RateLimit-Reset" {
						var d int64
						_, _ = fmt.Sscanf(v, "%d", &d)
						v = fmt.Sprint(host.now().Unix() + d)
					}
					w.Header().Set(k, v)
				}
				refuse(w, test.status, test.message)
				return true
			}
			err := get(t.Context(), f.Read(1))
			wait, ok := RetryAfter(err, host.now())
			require.True(t, ok, "%v", err)
			assert.Equal(t, test.want, wait)
			var limit *LimitError
			require.ErrorAs(t, err, &limit)
			assert.Equal(t, test.secondary, limit.Secondary)
			require.Error(t, get(t.Context(), f.Read(1)))
			assert.Equal(t, 1, h.count("GET /repos/o/r"))
			assert.NoError(t, func() error { h.answer = nil; return get(t.Context(), f.Read(2)) }(), "each installation has its own quota")
		})
	}
}

func TestLastCallOfTheHourStartsThePause(t *testing.T) {
	h, f, host := start(t, 0, nil)
	remaining := 0
	h.answer = func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("X-RateLimit-Remaining", fmt.Sprint(remaining))
		w.Header().Set("X-RateLimit-Reset", fmt.Sprint(host.now().Add(10*time.Minute).Unix()))
		return false
	}
	require.NoError(t, get(t.Context(), f.Read(1)))
	wait, ok := RetryAfter(get(t.Context(), f.Write(1)), host.now())
	assert.True(t, ok)
	assert.Equal(t, 10*time.Minute, wait)
	assert.Equal(t, 1, h.count("GET /repos/o/r"))
	host.add(10 * time.Minute)
	h.clock.add(10 * time.Minute)
	remaining = 4999
	assert.NoError(t, get(t.Context(), f.Read(1)), "over by the factory's clock, whatever the machine's says")
	assert.NoError(t, get(t.Context(), f.Read(1)))
}

func TestErrorsSayWhatHappened(t *testing.T) {
	until := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	assert.EqualError(t, &LimitError{Until: until}, "GitHub asks to wait until 2026-11-30T12:00:00Z: the hourly quota is used up")
	assert.EqualError(t, &LimitError{Until: until, Secondary: true}, "GitHub asks to wait until 2026-11-30T12:00:00Z: secondary rate limit")
	assert.EqualError(t, &InstallationError{Installation: 7, Cause: ErrSuspended, Message: "no\x00"}, `installation 7 gets no token: the installation is suspended (GitHub says "no\x00")`)
}

func TestRetryAfterKnowsTheClientLibrary(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	seven := 7 * time.Second
	wait, ok := RetryAfter(fmt.Errorf("x: %w", &github.AbuseRateLimitError{RetryAfter: &seven}), now)
	assert.True(t, ok)
	assert.Equal(t, seven, wait)
	wait, _ = RetryAfter(&github.AbuseRateLimitError{}, now)
	assert.Equal(t, time.Minute, wait)
	wait, _ = RetryAfter(&github.RateLimitError{Rate: github.Rate{Reset: github.Timestamp{Time: now.Add(time.Hour)}}}, now)
	assert.Equal(t, time.Hour, wait)
	_, ok = RetryAfter(errors.New("other"), now)
	assert.False(t, ok)
	_, ok = RetryAfter(nil, now)
	assert.False(t, ok)
}

func TestLimitOnExchangesPausesThemAll(t *testing.T) {
	h, f, host := start(t, 0, nil)
	h.mint = func(w http.ResponseWriter, _ string) bool {
		refuse(w, http.StatusForbidden, "You have exceeded a secondary rate limit")
		return true
	}
	wait, ok := RetryAfter(get(t.Context(), f.Read(1)), host.now())
	assert.True(t, ok)
	assert.Equal(t, time.Minute, wait)
	require.Error(t, get(t.Context(), f.Read(2)))
	assert.Zero(t, h.count("POST /app/installations/2/access_tokens"))
}

func TestRootIsTakenAsItIs(t *testing.T) {
	for _, root := range []string{"", "/", "/api/v3", "/api/v3/"} {
		t.Run("root"+root, func(t *testing.T) {
			h, f, _ := start(t, 0, func(c *Config) { c.APIURL += root })
			h.prefix = strings.TrimSuffix(root, "/")
			require.NoError(t, get(t.Context(), f.Read(1)))
			_, _, err := f.App().Apps.Get(t.Context(), "")
			require.NoError(t, err)
			assert.Equal(t, []string{"POST /app/installations/1/access_tokens", "GET /repos/o/r", "GET /app"}, h.calls)
		})
	}
	f, err := New(Config{APIURL: "https://ghes.example/api/v3", AppID: 1, PrivateKey: pkcs1()})
	require.NoError(t, err)
	assert.Equal(t, "https://ghes.example/api/graphql", f.GraphQLURL())
	f, err = New(Config{APIURL: "https://api.github.com", AppID: 1, PrivateKey: pkcs1()})
	require.NoError(t, err)
	assert.Equal(t, "https://api.github.com/graphql", f.GraphQLURL())
}

func TestTokenStaysWithTheAPI(t *testing.T) {
	for _, root := range []string{"", "/api/v3"} {
		var seen []string
		other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen = append(seen, r.Header.Get("Authorization"))
			_, _ = io.WriteString(w, "{}")
		}))
		defer other.Close()
		h, f, _ := start(t, 0, func(c *Config) { c.APIURL += root })
		h.answer = func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, other.URL+"/archive?token=x", http.StatusFound)
			return true
		}
		require.NoError(t, get(t.Context(), f.Read(1)))
		_, _, err := f.App().Apps.Get(t.Context(), "")
		require.NoError(t, err)
		assert.Equal(t, []string{"", ""}, seen)
	}
}

func TestRedirectsDoNotLeaveTLS(t *testing.T) {
	secure, _ := http.NewRequest(http.MethodGet, "https://a.example", nil)
	plain, _ := http.NewRequest(http.MethodGet, "http://a.example", nil)
	assert.Error(t, checkRedirect(plain, []*http.Request{secure}))
	assert.NoError(t, checkRedirect(secure, []*http.Request{secure}))
	assert.NoError(t, checkRedirect(plain, []*http.Request{plain}))
	assert.Error(t, checkRedirect(secure, []*http.Request{secure, secure, secure, secure, secure}))
}

func TestCancelledCallerDoesNotWaitForAnExchange(t *testing.T) {
	h, f, _ := start(t, 0, nil)
	entered, release := make(chan struct{}), make(chan struct{})
	h.mint = func(http.ResponseWriter, string) bool { close(entered); <-release; return false }
	done := make(chan error)
	go func() { done <- get(context.Background(), f.Read(1)) }()
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, get(ctx, f.Read(1)), context.Canceled)
	close(release)
	assert.NoError(t, <-done)
}

func TestTimeout(t *testing.T) {
	h, f, _ := start(t, 0, func(c *Config) { c.Timeout = 20 * time.Millisecond })
	release := make(chan struct{})
	defer close(release)
	h.answer = func(http.ResponseWriter, *http.Request) bool { <-release; return false }
	err := get(t.Context(), f.Read(1))
	var timeout interface{ Timeout() bool }
	require.ErrorAs(t, err, &timeout)
	assert.True(t, timeout.Timeout())
}

func TestConfigIsChecked(t *testing.T) {
	pkcs8, err := x509.MarshalPKCS8PrivateKey(testKey())
	require.NoError(t, err)
	good := Config{APIURL: "https://api.github.com", AppID: 1, PrivateKey: pkcs1()}
	tests := []struct {
		name   string
		change func(*Config)
		want   string
	}{
		{"good", func(*Config) {}, ""},
		{"PKCS #8", func(c *Config) {
			c.PrivateKey = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
		}, ""},
		{"escaped line ends", func(c *Config) {
			c.PrivateKey = []byte(strings.ReplaceAll(string(c.PrivateKey), "\n", `\n`))
		}, ""},
		{"no URL", func(c *Config) { c.APIURL = "" }, "API URL: expected a root"},
		{"no scheme", func(c *Config) { c.APIURL = "api.github.com" }, "API URL"},
		{"other scheme", func(c *Config) { c.APIURL = "ftp://x" }, "API URL"},
		{"query", func(c *Config) { c.APIURL = "https://x/?a=b" }, "API URL"},
		{"app id", func(c *Config) { c.AppID = 0 }, "app id"},
		{"no key", func(c *Config) { c.PrivateKey = nil }, "private key: expected a PEM block"},
		{"bad key", func(c *Config) { c.PrivateKey = []byte("s3cret") }, "private key: expected a PEM block"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := good
			test.change(&c)
			_, err := New(c)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), "s3cret")
		})
	}
}
