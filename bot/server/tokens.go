package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
)

// Tokens makes and checks the keyed part of a page's link. A link is the right
// to see one page; it cannot be guessed from the page's id.
type Tokens struct{ key []byte }

// NewTokens makes Tokens from a random key of at least 32 bytes.
func NewTokens(key []byte) Tokens { return Tokens{key} }

// Token is the value of k for a page.
func (t Tokens) Token(id string) string {
	mac := hmac.New(sha256.New, t.key)
	mac.Write([]byte("run page " + id))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:18])
}

// Valid reports whether a token belongs to a page, in constant time.
func (t Tokens) Valid(id, token string) bool {
	return len(t.key) > 0 && hmac.Equal([]byte(t.Token(id)), []byte(token))
}
