package appauth

import (
	"crypto/rsa"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/golang-jwt/jwt/v4"
)

// GitHub refuses a token that was issued after its own now, or that ends more
// than ten minutes after it. Issued a minute back and ending five minutes ahead,
// a token holds on a host whose clock is up to a minute fast or five slow.
const (
	issuedBack = time.Minute
	endsAhead  = 5 * time.Minute
	// minSkew is the smallest difference of clocks that is worth a second try.
	minSkew = 10 * time.Second
)

// signer makes the App's tokens with the factory's clock. It replaces the claims
// that ghinstallation builds from the machine's clock.
type signer struct {
	key   *rsa.PrivateKey
	appID int64
	now   func() time.Time
	// skew is GitHub's clock minus ours, learned from an answer.
	skew atomic.Int64
}

// Sign implements ghinstallation.Signer.
func (s *signer) Sign(jwt.Claims) (string, error) {
	return s.sign(time.Duration(s.skew.Load()))
}

func (s *signer) sign(skew time.Duration) (string, error) {
	now := s.now().Add(skew).Truncate(time.Second)
	return jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.RegisteredClaims{
		IssuedAt:  jwt.NewNumericDate(now.Add(-issuedBack)),
		ExpiresAt: jwt.NewNumericDate(now.Add(endsAhead)),
		Issuer:    strconv.FormatInt(s.appID, 10),
	}).SignedString(s.key)
}

// clockTransport repeats a request that was refused because of a wrong host
// clock, once, by the time that the answer's Date header gives.
type clockTransport struct {
	signer *signer
	next   http.RoundTripper
}

func (t *clockTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusUnauthorized {
		return resp, err
	}
	theirs, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		return resp, nil
	}
	skew := theirs.Sub(t.signer.now())
	if (skew - time.Duration(t.signer.skew.Load())).Abs() < minSkew {
		return resp, nil
	}
	again, ok := replay(req)
	if !ok {
		return resp, nil
	}
	token, err := t.signer.sign(skew)
	if err != nil {
		return resp, nil
	}
	discard(resp)
	again.Header.Set("Authorization", "Bearer "+token)
	resp, err = t.next.RoundTrip(again)
	if err == nil && resp.StatusCode != http.StatusUnauthorized {
		t.signer.skew.Store(int64(skew))
	}
	return resp, err
}

// replay copies a request for a second sending; false when its body cannot be
// read again.
func replay(req *http.Request) (*http.Request, bool) {
	again := req.Clone(req.Context())
	if req.Body == nil || req.Body == http.NoBody {
		return again, true
	}
	if req.GetBody == nil {
		return nil, false
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, false
	}
	again.Body = body
	return again, true
}

// discard lets the connection of an answer that nobody reads be used again.
func discard(resp *http.Response) {
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxErrorBody))
	_ = resp.Body.Close()
}
