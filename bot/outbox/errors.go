package outbox

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v62/github"
)

// class is what an error means for a write.
type class int

const (
	uncertain class = iota // GitHub may have applied it
	notSent                // GitHub has not applied it; another try may work
	refused                // GitHub has not applied it and never will
	limited                // GitHub has not applied it and asks for a pause
	suspended              // the installation gives no token
)

// fault is a classified error.
type fault struct {
	class class
	until time.Time // limited: end of the pause
}

// postponed is returned by a sender that wants to try again later.
type postponed struct {
	wait       time.Duration
	note       string
	notApplied bool
}

func (p *postponed) Error() string { return p.note }

// leastPause is how long GitHub wants a client to wait that ran into a limit
// without being told for how long.
const leastPause = time.Minute

// classify decides what an error means. Only an answer from GitHub makes it
// certain that a write was not applied.
func classify(err error, now time.Time) fault {
	var token *ghinstallation.HTTPError
	if errors.As(err, &token) {
		if token.Response != nil && (token.Response.StatusCode == http.StatusForbidden || token.Response.StatusCode == http.StatusNotFound) {
			return fault{class: suspended}
		}
		return fault{class: notSent}
	}
	var primary *github.RateLimitError
	if errors.As(err, &primary) {
		return fault{class: limited, until: laterOf(primary.Rate.Reset.Time, now.Add(time.Second))}
	}
	var secondary *github.AbuseRateLimitError
	if errors.As(err, &secondary) {
		pause := leastPause
		if secondary.RetryAfter != nil {
			pause = *secondary.RetryAfter
		}
		return fault{class: limited, until: now.Add(pause)}
	}
	var answer *github.ErrorResponse
	if !errors.As(err, &answer) || answer.Response == nil {
		return fault{class: uncertain}
	}
	switch code := answer.Response.StatusCode; {
	case code == http.StatusTooManyRequests,
		code == http.StatusForbidden && strings.Contains(strings.ToLower(answer.Message), "rate limit"):
		pause := leastPause
		if s, err := strconv.Atoi(answer.Response.Header.Get("Retry-After")); err == nil && s > 0 {
			pause = time.Duration(s) * time.Second
		}
		return fault{class: limited, until: now.Add(pause)}
	case code == http.StatusUnauthorized:
		return fault{class: notSent}
	case code >= 400 && code < 500:
		return fault{class: refused}
	}
	return fault{class: uncertain}
}

// backoff grows from a second to five minutes.
func backoff(attempts int) time.Duration {
	return min(time.Second<<min(max(attempts-1, 0), 10), 5*time.Minute)
}

// statusOf is the status of GitHub's answer, 0 when there was none.
func statusOf(err error) int {
	var answer *github.ErrorResponse
	if errors.As(err, &answer) && answer.Response != nil {
		return answer.Response.StatusCode
	}
	return 0
}

// messageOf is GitHub's own sentence, without request and address.
func messageOf(err error) string {
	var answer *github.ErrorResponse
	if !errors.As(err, &answer) {
		return "no answer"
	}
	parts := []string{answer.Message}
	for _, e := range answer.Errors {
		if e.Message != "" {
			parts = append(parts, e.Message)
		}
	}
	return strings.Join(parts, ": ")
}

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// names reports whether GitHub's answer speaks of a parameter.
func names(err error, parameter string) bool {
	var answer *github.ErrorResponse
	if !errors.As(err, &answer) {
		return false
	}
	if strings.Contains(answer.Message, parameter) {
		return true
	}
	for _, e := range answer.Errors {
		if strings.Contains(e.Message, parameter) || e.Field == parameter {
			return true
		}
	}
	return false
}
