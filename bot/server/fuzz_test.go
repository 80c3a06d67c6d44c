package server_test

import (
	"bytes"
	"encoding/hex"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/server"
)

// FuzzWebhook: what is stored was signed with the secret, and is stored as it
// came; what was not signed is refused with 401, whatever its headers are.
func FuzzWebhook(f *testing.F) {
	body := []byte(`{"action":"opened"}`)
	f.Add(body, "pull_request", "g1", sign("secret", body), "application/json", true)
	f.Add(body, "pull_request", "g1", sign("", body), "application/json", false)
	f.Add([]byte("payload=%7B%7D"), "push", "g2", "sha256="+strings.Repeat("0", 64), "application/x-www-form-urlencoded", true)
	f.Add([]byte{}, "", strings.Repeat("x", 101), "sha1=00", "a/b; c=d", true)
	f.Add([]byte(`{"action":{"a":[`), "x\x00", "\xff", "SHA256="+strings.Repeat("0", 64), "", true)
	f.Fuzz(func(t *testing.T, body []byte, event, guid, signature, kind string, signed bool) {
		if signed {
			signature = sign("secret", body)
		}
		b := &inbox{}
		h := server.Public(server.Options{
			Secrets: []server.Secret{"secret"}, Inbox: b, Registry: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
			Tokens: server.NewTokens(bytes.Repeat([]byte("k"), 32)), Pages: pages{},
		})
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/webhook", bytes.NewReader(body))
		r.Header["X-Github-Event"] = []string{event}
		r.Header["X-Github-Delivery"] = []string{guid}
		r.Header["X-Hub-Signature-256"] = []string{signature}
		r.Header["Content-Type"] = []string{kind}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		genuine := strings.EqualFold(signature, sign("secret", body)) && strings.HasPrefix(signature, "sha256=")
		switch {
		case !genuine:
			require.Equal(t, http.StatusUnauthorized, w.Code)
			require.Empty(t, b.seen)
		case w.Code == http.StatusAccepted:
			require.Len(t, b.seen, 1)
			require.Equal(t, string(body), string(b.seen[guid].Payload))
			require.Equal(t, event, b.seen[guid].Event)
			require.LessOrEqual(t, len(b.seen[guid].Action), 100)
		default:
			require.Contains(t, []int{http.StatusBadRequest, http.StatusUnsupportedMediaType}, w.Code)
			require.Empty(t, b.seen)
		}
		require.NotContains(t, w.Body.String(), "secret")
	})
}

// FuzzSettings: settings are whole or refused, and a refusal names what is wrong
// without a secret's text.
func FuzzSettings(f *testing.F) {
	const hidden = "correct horse battery staple"
	f.Add([]byte("app_id: \"5\"\nwebhook_secret: x\n"), "")
	f.Add([]byte("private_key: |\n  -----BEGIN RSA PRIVATE KEY-----\n  AAAA\n  -----END RSA PRIVATE KEY-----\n"), ":0")
	f.Add([]byte("unknown: 1\n"), "1h")
	f.Add([]byte("a: &a [*a, *a]\n<<: *a\n"), "postgres://u:p@h/db")
	f.Add([]byte("[[[[[{"), "sqlite:")
	f.Fuzz(func(t *testing.T, data []byte, value string) {
		if len(data) > 16<<10 {
			return // an operator's own file
		}
		getenv := func(name string) string {
			switch name {
			case "TILEGATE_WEBHOOK_SECRET", "TILEGATE_PRIVATE_KEY":
				return hidden
			case "TILEGATE_PRIVATE_KEY_FILE":
				return ""
			}
			return value
		}
		s, err := server.LoadSettings("settings.yml", data, getenv)
		require.Error(t, err, "the private key is none: %+v", s)
		require.NotContains(t, err.Error(), hidden)
		require.NotContains(t, err.Error(), hex.EncodeToString([]byte(hidden)))
		require.True(t, utf8.ValidString(err.Error()), "%q", err.Error())
		u, err := server.LoadDatabaseURL("settings.yml", data, getenv)
		require.True(t, err != nil || strings.HasPrefix(u, "sqlite:") && len(u) > len("sqlite:"))
	})
}
