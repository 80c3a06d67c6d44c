package outbox

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/tilegate/tilegate/bot/appauth"
)

// class is what an error means for a write.
type class int

const (
	uncertain class = iota // GitHub may have applied it
	notSent                // GitHub has not applied it; another try may work
	refused                // GitHub has not applied it and never will
	held                   // GitHub has not applied it and wants nothing from the installation for a while
)

// fault is a classified error.
type fault struct {
	class class
	until time.Time // held: end of the pause
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

// classify decides what an error means. Only an answer from GitHub, or none of
// our bytes having left, makes it certain that a write was not applied.
func classify(err error, now time.Time) fault {
	if wait, ok := appauth.RetryAfter(err, now); ok {
		return fault{class: held, until: now.Add(wait)}
	}
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" || errors.Is(err, appauth.ErrCredentials) {
		return fault{class: notSent}
	}
	var answer *github.ErrorResponse
	if !errors.As(err, &answer) || answer.Response == nil {
		return fault{class: uncertain}
	}
	switch code := answer.Response.StatusCode; {
	case code == http.StatusTooManyRequests,
		code == http.StatusForbidden && strings.Contains(strings.ToLower(answer.Message), "rate limit"):
		return fault{class: held, until: now.Add(leastPause)}
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
