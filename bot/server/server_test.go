package server_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/server"
	"github.com/tilegate/tilegate/bot/store"
)

// inbox remembers what was accepted.
type inbox struct {
	mu   sync.Mutex
	seen map[string]store.Delivery
	err  error
}

func (b *inbox) Accept(_ context.Context, d store.Delivery) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return false, b.err
	}
	if b.seen == nil {
		b.seen = map[string]store.Delivery{}
	}
	_, known := b.seen[d.GUID]
	b.seen[d.GUID] = d
	return !known, nil
}

func public(t *testing.T, b *inbox, secrets ...server.Secret) *httptest.Server {
	t.Helper()
	h := server.Public(server.Options{
		Secrets: secrets, Inbox: b, Registry: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
		Ready:  func(context.Context) error { return b.err },
		Tokens: server.NewTokens(bytes.Repeat([]byte("k"), 32)), Pages: pages{},
	})
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

type pages struct{}

func (pages) RunPage(_ context.Context, id string) ([]byte, bool, error) {
	return []byte("page of " + id), id == "known", nil
}

func sign(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func post(t *testing.T, url, signature, event, guid string, body io.Reader) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/webhook", body)
	require.NoError(t, err)
	r.Header.Set("X-GitHub-Event", event)
	r.Header.Set("X-GitHub-Delivery", guid)
	r.Header.Set("Content-Type", "application/json")
	if signature != "" {
		r.Header.Set("X-Hub-Signature-256", signature)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0 // the server closed the connection while the body was being sent
	}
	answer.Body.Close()
	return answer.StatusCode
}

func TestWebhookSignature(t *testing.T) {
	body := []byte(`{"action":"opened"}`)
	sha1mac := hmac.New(sha1.New, []byte("new"))
	sha1mac.Write(body)
	for name, c := range map[string]struct {
		signature string
		want      int
	}{
		"first secret":      {sign("new", body), 202},
		"rotated secret":    {sign("old", body), 202},
		"other secret":      {sign("guess", body), 401},
		"empty secret":      {sign("", body), 401},
		"no signature":      {"", 401},
		"SHA-1":             {"sha1=" + hex.EncodeToString(sha1mac.Sum(nil)), 401},
		"not hex":           {"sha256=" + strings.Repeat("z", 64), 401},
		"of something else": {sign("new", []byte("{}")), 401},
	} {
		t.Run(name, func(t *testing.T) {
			b := &inbox{}
			s := public(t, b, "new", "old")
			require.Equal(t, c.want, post(t, s.URL, c.signature, "pull_request", "g1", bytes.NewReader(body)))
			require.Equal(t, c.want == 202, len(b.seen) == 1, "only a genuine delivery is stored")
		})
	}
}

func TestWebhookAnswers(t *testing.T) {
	b := &inbox{}
	s := public(t, b, "x")
	for name, c := range map[string]struct {
		event, body string
		want        int
	}{
		"unknown event":  {"sponsorship", `{"action":"created"}`, 202},
		"not JSON":       {"pull_request", `{"action":`, 202},
		"no event":       {"", `{}`, 400},
		"action no text": {"pull_request", `{"action":7}`, 202},
	} {
		require.Equal(t, c.want, post(t, s.URL, sign("x", []byte(c.body)), c.event, name, strings.NewReader(c.body)), name)
	}
	require.Equal(t, "created", b.seen["unknown event"].Action)

	b.err = errors.New("disk full")
	require.Equal(t, 503, post(t, s.URL, sign("x", []byte("{}")), "ping", "g", strings.NewReader("{}")), "not stored is not acknowledged")
}

// TestFieldReport9 : the size is limited while reading, and nobody without the
// secret makes the server hold much memory.
func TestFieldReport9(t *testing.T) {
	b := &inbox{}
	s := public(t, b, "x")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	huge := func() io.Reader { return io.LimitReader(zeros{}, 200<<20) }
	require.NotEqual(t, 202, post(t, s.URL, "", "push", "unsigned", huge()))
	require.NotEqual(t, 202, post(t, s.URL, sign("y", nil), "push", "forged", huge()))
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
	require.Empty(t, b.seen)

	large := append([]byte(`{"x":"`), bytes.Repeat([]byte("a"), 20<<20)...)
	large = append(large, `"}`...)
	require.Equal(t, 202, post(t, s.URL, sign("x", large), "push", "large", bytes.NewReader(large)))
	require.Len(t, b.seen["large"].Payload, len(large))
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestFieldReport6 : a delivery that arrives twice at once is one event.
func TestFieldReport6(t *testing.T) {
	b := &inbox{}
	s := public(t, b, "x")
	var wg sync.WaitGroup
	codes := make([]int, 2)
	for i := range codes {
		wg.Go(func() {
			codes[i] = post(t, s.URL, sign("x", []byte("{}")), "pull_request", "same", strings.NewReader("{}"))
		})
	}
	wg.Wait()
	require.Equal(t, []int{202, 202}, codes)
	require.Len(t, b.seen, 1)
}

func TestPagesAndHealth(t *testing.T) {
	b := &inbox{}
	s := public(t, b, "x")
	tokens := server.NewTokens(bytes.Repeat([]byte("k"), 32))
	get := func(path string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
		require.NoError(t, err)
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		data, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return answer.StatusCode, string(data)
	}
	code, text := get("/runs/known?k=" + tokens.Token("known"))
	require.Equal(t, 200, code)
	require.Equal(t, "page of known", text)
	for _, path := range []string{"/runs/known", "/runs/known?k=", "/runs/known?k=" + tokens.Token("other"), "/runs/other?k=" + tokens.Token("other"), "/metrics", "/setup"} {
		code, _ = get(path)
		require.Equal(t, 404, code, path)
	}
	code, _ = get("/healthz")
	require.Equal(t, 200, code)
	code, _ = get("/readyz")
	require.Equal(t, 200, code)
	b.err = errors.New("database gone")
	code, text = get("/readyz")
	require.Equal(t, 503, code)
	require.NotContains(t, text, "database gone")
}

func testKey(t *testing.T) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}

func TestSettings(t *testing.T) {
	key := testKey(t)
	path := filepath.Join(t.TempDir(), "key.pem")
	require.NoError(t, os.WriteFile(path, []byte(key), 0o600))
	env := map[string]string{
		"TILEGATE_APP_ID": "7", "TILEGATE_WEBHOOK_SECRET": "one, two", "TILEGATE_PRIVATE_KEY_FILE": path, "TILEGATE_WRITE_PACE": "0",
	}
	s, err := server.LoadSettings("settings.yml", []byte("app_id: 3\nlisten: 127.0.0.1:0\nreconcile_interval: 1m\n"), func(k string) string { return env[k] })
	require.NoError(t, err)
	require.Equal(t, int64(7), s.AppID, "the environment overrides the file")
	require.Equal(t, "127.0.0.1:0", s.Listen)
	require.Equal(t, time.Minute, s.ReconcileInterval)
	require.Zero(t, s.WritePace)
	require.Equal(t, "two", s.WebhookSecrets[1].Reveal())
	require.Equal(t, key, s.PrivateKey.Reveal())
	require.Equal(t, "https://api.github.com", s.GitHubAPIURL)

	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("start", "settings", s, "key", s.PrivateKey)
	shown := log.String() + fmt.Sprintf("%v %+v %#v", s, s, s)
	require.NotContains(t, shown, "PRIVATE KEY")
	require.NotContains(t, shown, "two")
}

// The address of GitHub's pages is not that of its API. Of another host this is not
// known, so it is only said.
func TestAddressesOfPagesAreNotThoseOfTheAPI(t *testing.T) {
	for address, want := range map[string]string{
		"https://github.com": "wrong", "https://www.github.com/": "wrong", "https://github.com/api/v3": "wrong",
		"https://ghe.example.com": "odd", "https://ghe.example.com/": "odd",
		"https://ghe.example.com/api/v3": "", "https://api.github.com": "", "https://api.octo.ghe.com": "", "http://127.0.0.1:8000": "",
	} {
		_, err := server.LoadSettings("", nil, func(k string) string {
			return map[string]string{"TILEGATE_GITHUB_API_URL": address}[k]
		})
		require.Equal(t, want == "wrong", strings.Contains(err.Error(), "TILEGATE_GITHUB_API_URL: expected the root of GitHub's API, https://api.github.com, found"), "%s: %v", address, err)
		doubts := server.Settings{GitHubAPIURL: strings.TrimSuffix(address, "/")}.Doubts()
		if want != "wrong" {
			require.Equal(t, want == "odd", len(doubts) == 1, "%s %v", address, doubts)
		}
	}
}

func TestSettingsThatAreWrong(t *testing.T) {
	env := map[string]string{
		"TILEGATE_APP_ID": "seven", "TILEGATE_PRIVATE_KEY": "hunter2", "TILEGATE_LISTEN": "nowhere",
		"TILEGATE_DATABASE_URL": "mysql://u:hunter2@h/db", "TILEGATE_RECONCILE_INTERVAL": "5", "TILEGATE_GITHUB_API_URL": "ftp://x",
	}
	_, err := server.LoadSettings("", nil, func(k string) string { return env[k] })
	for _, want := range []string{
		`TILEGATE_APP_ID: expected the App's id, a positive number, found "seven"`,
		"TILEGATE_PRIVATE_KEY: expected a PEM block", "TILEGATE_WEBHOOK_SECRET: expected", "TILEGATE_LISTEN: expected HOST:PORT",
		"TILEGATE_DATABASE_URL: expected sqlite:PATH", "TILEGATE_RECONCILE_INTERVAL: expected a duration", "TILEGATE_GITHUB_API_URL: expected",
	} {
		require.ErrorContains(t, err, want)
	}
	require.NotContains(t, err.Error(), "hunter2")

	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	sec1, err := x509.MarshalECPrivateKey(ec)
	require.NoError(t, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(ec)
	require.NoError(t, err)
	for _, c := range []struct {
		block pem.Block
		want  string
	}{
		{pem.Block{Type: "EC PRIVATE KEY", Bytes: sec1}, "found a private key of another kind"},
		{pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}, "found a private key of another kind"},
		{pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: []byte{1}}, "that is not encrypted, found an encrypted one"},
		{pem.Block{Type: "RSA PRIVATE KEY", Headers: map[string]string{"Proc-Type": "4,ENCRYPTED"}, Bytes: []byte{1}}, "that is not encrypted, found an encrypted one"},
		{pem.Block{Type: "CERTIFICATE", Bytes: []byte{1}}, "found a PEM block that holds no private key"},
	} {
		env["TILEGATE_PRIVATE_KEY"] = string(pem.EncodeToMemory(&c.block))
		_, err := server.LoadSettings("", nil, func(k string) string { return env[k] })
		require.ErrorContains(t, err, "TILEGATE_PRIVATE_KEY: expected a PEM block with the App's RSA private key")
		require.ErrorContains(t, err, c.want)
	}

	require.Equal(t, []string{"TILEGATE_APPID", "TILEGATE_LISTEM"}, server.Unread([]string{
		"TILEGATE_LISTEM=:1", "TILEGATE_LISTEN=:1", "HOME=/", "TILEGATE_APPID=7", "TILEGATE_SERVICE_HOST=10.0.0.1", "TILEGATE_PORT_8080_TCP=x", "TILEGATE_PRIVATE_KEY_FILE=x",
	}))

	_, err = server.LoadSettings("settings.yml", []byte("webhook_secret: hunter2\nlisten_on: x\n"), func(string) string { return "" })
	require.ErrorContains(t, err, "listen_on")
	require.NotContains(t, err.Error(), "hunter2")
}

// What is wrong is looked for where it stands: a value of the file by file and key,
// one of the environment by its variable, and a missing one in both.
func TestSettingsAreNamedByWhereTheyStand(t *testing.T) {
	bad := map[string]string{
		"app_id": "seven", "private_key": "none", "private_key_file": "/nonexistent/key.pem", "webhook_secret": ",", "github_api_url": "ftp://x",
		"database_url": "mysql:x", "listen": "nowhere", "admin_listen": "nowhere", "public_url": "ftp://x",
		"reconcile_interval": "5", "write_pace": "x", "poll_interval": "30",
	}
	for key, value := range bad {
		variable := "TILEGATE_" + strings.ToUpper(key)
		empty := func(string) string { return "" }
		_, err := server.LoadSettings("ok.yml", fmt.Appendf(nil, "%s: %q\n", key, value), empty)
		require.ErrorContains(t, err, "ok.yml: "+key+": expected ")
		require.NotContains(t, err.Error(), variable+": ", "the variable is not set")
		require.NotContains(t, err.Error(), variable+",", "the variable is not set")

		_, err = server.LoadSettings("ok.yml", fmt.Appendf(nil, "%s: %q\n", key, "7"), func(name string) string {
			return map[string]string{variable: value}[name]
		})
		require.ErrorContains(t, err, variable+": expected ")
		require.NotContains(t, err.Error(), "ok.yml: "+key+":", "the environment overrides it")

		_, err = server.LoadDatabaseURL("ok.yml", fmt.Appendf(nil, "%s: %q\n", key, value), empty)
		require.Equal(t, key == "database_url", err != nil)
	}
	_, err := server.LoadSettings("ok.yml", []byte("listen: :80\n"), func(string) string { return "" })
	require.ErrorContains(t, err, "TILEGATE_APP_ID, or app_id in ok.yml: expected the App's id")
	require.ErrorContains(t, err, "TILEGATE_PRIVATE_KEY or TILEGATE_PRIVATE_KEY_FILE, or private_key or private_key_file in ok.yml: expected a PEM block")
	_, err = server.LoadSettings("ok.yml", []byte("app_id: 7\nlisten: [1]\n"), func(string) string { return "" })
	require.ErrorContains(t, err, "ok.yml: expected the keys of docs/serve.md with text values: [2:")
}

// A secret that can be guessed is told, where it stands, and not shown.
func TestShortSecretsAreTold(t *testing.T) {
	for text, short := range map[string]bool{"x": true, "0123456789abcde": true, "0123456789abcdef": false, "0123456789abcdef, y": true} {
		s, err := server.LoadSettings("ok.yml", fmt.Appendf(nil, "app_id: 7\nprivate_key: %q\nwebhook_secret: %q\n", testKey(t), text), func(string) string { return "" })
		require.NoError(t, err)
		doubts := strings.Join(s.Doubts(), "\n")
		require.Equal(t, short, strings.HasPrefix(doubts, "ok.yml: webhook_secret: expected at least 16 characters in each secret, found fewer"), "%s: %s", text, doubts)
		require.NotContains(t, doubts, "0123456789")
	}
	require.Contains(t, server.Settings{WebhookSecrets: []server.Secret{"x"}}.Doubts()[0], "TILEGATE_WEBHOOK_SECRET: ")
}

// What was being answered when the end came is answered.
func TestServeEndsAfterItsRequests(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	asked, answer := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- server.Serve(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			close(asked)
			<-answer
			w.WriteHeader(http.StatusAccepted)
		}))
	}()
	code := make(chan int, 1)
	go func() { code <- post(t, "http://"+l.Addr().String(), "", "push", "g", strings.NewReader("{}")) }()
	<-asked
	stop()
	select {
	case <-ended:
		t.Fatal("it ended under a request")
	case <-time.After(200 * time.Millisecond):
	}
	close(answer)
	require.Equal(t, http.StatusAccepted, <-code)
	require.NoError(t, <-ended)
}

// The results that alarms are on are there before the first request.
func TestRefusedRequestsAreCountedFromZero(t *testing.T) {
	registry := prometheus.NewRegistry()
	h := server.Public(server.Options{Secrets: []server.Secret{"x"}, Inbox: &inbox{}, Registry: registry, Log: slog.New(slog.DiscardHandler)})
	s := httptest.NewServer(h)
	defer s.Close()
	counts := func() map[string]float64 {
		families, err := registry.Gather()
		require.NoError(t, err)
		found := map[string]float64{}
		for _, m := range families[0].GetMetric() {
			found[m.GetLabel()[0].GetValue()+" "+m.GetLabel()[1].GetValue()] = m.GetCounter().GetValue()
		}
		return found
	}
	require.Equal(t, map[string]float64{"other forged": 0, "other unsigned": 0}, counts())
	require.Equal(t, 401, post(t, s.URL, sign("y", []byte("{}")), "push", "g", strings.NewReader("{}")))
	require.Equal(t, 401, post(t, s.URL, "", "push", "g", strings.NewReader("{}")))
	require.Equal(t, map[string]float64{"other forged": 1, "other unsigned": 1}, counts())
}
