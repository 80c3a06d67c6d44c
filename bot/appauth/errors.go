package appauth

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/go-github/v62/github"
)

// Errors that callers tell apart with errors.Is. They arrive wrapped in the
// *url.Error of the request that met them.
var (
	// ErrSuspended says that the owner has suspended the installation.
	ErrSuspended = errors.New("the installation is suspended")
	// ErrGone says that the installation does not exist any more.
	ErrGone = errors.New("the installation does not exist any more")
	// ErrRights says that the installation has not granted what the App asks for.
	ErrRights = errors.New("the installation has not granted the rights that the App asks for")
	// ErrCredentials says that GitHub does not accept the App's id and key.
	ErrCredentials = errors.New("GitHub does not accept the App's id and private key")
)

// InstallationError says why an installation gets no token. It wraps one of the
// errors above.
type InstallationError struct {
	Installation int64
	Cause        error
	// Message is GitHub's text, shortened. Untrusted.
	Message string
	// Until is when the factory asks GitHub again.
	Until time.Time
}

func (e *InstallationError) Error() string {
	return fmt.Sprintf("installation %d gets no token: %v (GitHub says %q)", e.Installation, e.Cause, e.Message)
}

func (e *InstallationError) Unwrap() error { return e.Cause }

// LimitError says that GitHub asked for a pause. No call was or will be made
// until then.
type LimitError struct {
	// Until is the end of the pause by the factory's clock.
	Until time.Time
	// Secondary tells the limit on the rate of calls from the hourly quota.
	Secondary bool
}

func (e *LimitError) Error() string {
	kind := "the hourly quota is used up"
	if e.Secondary {
		kind = "secondary rate limit"
	}
	return fmt.Sprintf("GitHub asks to wait until %s: %s", e.Until.UTC().Format(time.RFC3339), kind)
}

// RetryAfter returns how long to wait before a failed call is repeated, when
// the error says so. It knows this package's errors and those of go-github.
func RetryAfter(err error, now time.Time) (time.Duration, bool) {
	var (
		limit        *LimitError
		installation *InstallationError
		quota        *github.RateLimitError
		abuse        *github.AbuseRateLimitError
	)
	switch {
	case errors.As(err, &limit):
		return max(limit.Until.Sub(now), time.Second), true
	case errors.As(err, &installation):
		return max(installation.Until.Sub(now), time.Second), true
	case errors.As(err, &quota):
		return max(quota.Rate.Reset.Sub(now), minQuotaPause), true
	case errors.As(err, &abuse):
		if abuse.RetryAfter != nil {
			return max(*abuse.RetryAfter, time.Second), true
		}
		return secondaryPause, true
	}
	return 0, false
}
