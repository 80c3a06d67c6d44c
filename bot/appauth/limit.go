package appauth

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofri/go-github-ratelimit/v2/github_ratelimit/github_secondary_ratelimit"
)

// GitHub's advice for rate limits: without a header wait at least a minute, and
// longer each time.
const (
	secondaryPause    = time.Minute
	maxSecondaryPause = 16 * time.Minute
	// minQuotaPause absorbs a host clock that is ahead of GitHub's.
	minQuotaPause = 10 * time.Second
	maxPause      = 2 * time.Hour
	maxErrorBody  = 1 << 20
)

// limiter holds the pause that GitHub asked for, for all clients that share a
// quota. The library's own transports sleep, keep no pause when told not to
// sleep, and pass over a limit without headers, so only their knowledge of what
// such an answer looks like is used.
type limiter struct {
	now func() time.Time

	mu      sync.Mutex
	until   time.Time
	kind    bool // secondary
	strikes int
}

func (l *limiter) paused() *LimitError {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now().Before(l.until) {
		return &LimitError{Until: l.until, Secondary: l.kind}
	}
	return nil
}

// through sends a request unless a pause holds, and starts one when the answer
// asks for it.
func (l *limiter) through(next http.RoundTripper, req *http.Request) (*http.Response, error) {
	if pause := l.paused(); pause != nil {
		closeBody(req)
		return nil, pause
	}
	resp, err := next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusForbidden && resp.StatusCode != http.StatusTooManyRequests {
		l.success(resp)
		return resp, nil
	}
	pause, err := l.examine(resp)
	if err != nil {
		return nil, err
	}
	if pause != nil {
		return nil, pause
	}
	return resp, nil
}

// success ends a series of limits, and starts a pause when the answer was the
// last one of the hour.
func (l *limiter) success(resp *http.Response) {
	remaining, hasRemaining := seconds(resp.Header, github_secondary_ratelimit.HeaderXRateLimitRemaining)
	reset, hasReset := seconds(resp.Header, github_secondary_ratelimit.HeaderXRateLimitReset)
	resource := resp.Header.Get("X-RateLimit-Resource")
	l.mu.Lock()
	defer l.mu.Unlock()
	l.strikes = 0
	if hasRemaining && remaining == 0 && hasReset && (resource == "" || resource == "core") {
		until := time.Unix(reset, 0)
		if latest := l.now().Add(maxPause); until.After(latest) {
			until = latest
		}
		if until.After(l.until) {
			l.until, l.kind = until, false
		}
	}
	// go-github would keep a pause of its own, by the machine's clock.
	resp.Header.Del(github_secondary_ratelimit.HeaderXRateLimitReset)
}

// examine tells a limit from a plain refusal, which it leaves as it was.
func (l *limiter) examine(resp *http.Response) (*LimitError, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if closeErr := resp.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))

	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	var until time.Time
	retryAfter, hasRetryAfter := seconds(resp.Header, github_secondary_ratelimit.HeaderRetryAfter)
	remaining, hasRemaining := seconds(resp.Header, github_secondary_ratelimit.HeaderXRateLimitRemaining)
	reset, hasReset := seconds(resp.Header, github_secondary_ratelimit.HeaderXRateLimitReset)
	secondary := true
	switch {
	case hasRetryAfter:
		until = now.Add(max(time.Duration(retryAfter)*time.Second, time.Second))
	case hasRemaining && remaining == 0 && hasReset:
		secondary = false
		until = time.Unix(reset, 0)
		if soonest := now.Add(minQuotaPause); until.Before(soonest) {
			until = soonest
		}
	case resp.StatusCode == http.StatusTooManyRequests || mentionsLimit(body):
		until = now.Add(min(secondaryPause<<min(l.strikes, 10), maxSecondaryPause))
		l.strikes++
	default:
		return nil, nil
	}
	if latest := now.Add(maxPause); until.After(latest) {
		until = latest
	}
	if until.After(l.until) {
		l.until, l.kind = until, secondary
	}
	return &LimitError{Until: l.until, Secondary: l.kind}, nil
}

func seconds(h http.Header, name string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(h.Get(name)), 10, 40)
	return n, err == nil && n >= 0
}

func mentionsLimit(body []byte) bool {
	var message github_secondary_ratelimit.SecondaryRateLimitBody
	if json.Unmarshal(body, &message) != nil {
		return false
	}
	text := strings.ToLower(message.Message)
	return message.IsSecondaryRateLimit() || strings.Contains(text, "secondary rate limit") || strings.Contains(text, "abuse detection")
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}
