package server

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
)

// Settings are what an operator decides. Environment variables override the
// file; each field names its variable.
type Settings struct {
	GitHubAPIURL      string        // TILEGATE_GITHUB_API_URL: the API root itself
	AppID             int64         // TILEGATE_APP_ID
	PrivateKey        Secret        // TILEGATE_PRIVATE_KEY, or the content of TILEGATE_PRIVATE_KEY_FILE
	WebhookSecrets    []Secret      // TILEGATE_WEBHOOK_SECRET, several by comma
	DatabaseURL       string        // TILEGATE_DATABASE_URL
	Listen            string        // TILEGATE_LISTEN
	AdminListen       string        // TILEGATE_ADMIN_LISTEN
	PublicURL         string        // TILEGATE_PUBLIC_URL: how browsers reach Listen; empty: no links
	ReconcileInterval time.Duration // TILEGATE_RECONCILE_INTERVAL
	WritePace         time.Duration // TILEGATE_WRITE_PACE
	PollInterval      time.Duration // TILEGATE_POLL_INTERVAL: how often a run under way is read
}

// file is the YAML form; every value is text as in the environment.
type file struct {
	GitHubAPIURL      string `yaml:"github_api_url"`
	AppID             string `yaml:"app_id"`
	PrivateKey        string `yaml:"private_key"`
	PrivateKeyFile    string `yaml:"private_key_file"`
	WebhookSecret     string `yaml:"webhook_secret"`
	DatabaseURL       string `yaml:"database_url"`
	Listen            string `yaml:"listen"`
	AdminListen       string `yaml:"admin_listen"`
	PublicURL         string `yaml:"public_url"`
	ReconcileInterval string `yaml:"reconcile_interval"`
	WritePace         string `yaml:"write_pace"`
	PollInterval      string `yaml:"poll_interval"`
}

// LoadSettings reads the YAML text of a file (may be nil) and the environment. The
// error names every missing or malformed setting and what was expected, and never
// shows a secret's value.
func LoadSettings(name string, data []byte, getenv func(string) string) (Settings, error) {
	f, err := readFile(name, data, getenv)
	if err != nil {
		return Settings{}, err
	}
	return f.settings()
}

// LoadDatabaseURL reads only where the App's database is, for commands that
// need neither GitHub nor a secret.
func LoadDatabaseURL(name string, data []byte, getenv func(string) string) (string, error) {
	f, err := readFile(name, data, getenv)
	if err != nil {
		return "", err
	}
	var p problems
	u := f.databaseURL(&p)
	return u, errors.Join(p...)
}

// readFile reads the YAML text and lays the environment over it.
func readFile(name string, data []byte, getenv func(string) string) (f file, err error) {
	if len(data) > 0 {
		if err := yaml.UnmarshalWithOptions(data, &f, yaml.Strict()); err != nil {
			// The excerpt would quote the file, which may hold secrets.
			return file{}, fmt.Errorf("%s: expected the keys of docs/serve.md with text values: %s", name, yaml.FormatError(err, false, false))
		}
	}
	for name, field := range f.variables() {
		if v := getenv(name); v != "" {
			*field = v
		}
	}
	// A key given directly beats a file named in the other place.
	if getenv("TILEGATE_PRIVATE_KEY_FILE") != "" && getenv("TILEGATE_PRIVATE_KEY") == "" {
		f.PrivateKey = ""
	}
	return f, nil
}

// variables are the environment variables, each with the setting that it overrides.
func (f *file) variables() map[string]*string {
	return map[string]*string{
		"TILEGATE_GITHUB_API_URL":     &f.GitHubAPIURL,
		"TILEGATE_APP_ID":             &f.AppID,
		"TILEGATE_PRIVATE_KEY":        &f.PrivateKey,
		"TILEGATE_PRIVATE_KEY_FILE":   &f.PrivateKeyFile,
		"TILEGATE_WEBHOOK_SECRET":     &f.WebhookSecret,
		"TILEGATE_DATABASE_URL":       &f.DatabaseURL,
		"TILEGATE_LISTEN":             &f.Listen,
		"TILEGATE_ADMIN_LISTEN":       &f.AdminListen,
		"TILEGATE_PUBLIC_URL":         &f.PublicURL,
		"TILEGATE_RECONCILE_INTERVAL": &f.ReconcileInterval,
		"TILEGATE_WRITE_PACE":         &f.WritePace,
		"TILEGATE_POLL_INTERVAL":      &f.PollInterval,
	}
}

// ofCluster begins the variables that Kubernetes sets in every container beside a
// service named tilegate.
var ofCluster = []string{"TILEGATE_PORT", "TILEGATE_SERVICE_"}

// Unread are the names among some environment variables ("NAME=value", as os.Environ
// gives them) that begin as the App's do and that it does not read, sorted: most are
// slips of the pen.
func Unread(environ []string) []string {
	known := new(file).variables()
	var unread []string
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
		if begins("TILEGATE_") && known[name] == nil && !slices.ContainsFunc(ofCluster, begins) {
			unread = append(unread, name)
		}
	}
	slices.Sort(unread)
	return unread
}

// databaseURL checks the database's URL.
func (f file) databaseURL(p *problems) string {
	u := orDefault(f.DatabaseURL, "sqlite:tilegate.db")
	if path, ok := strings.CutPrefix(u, "sqlite:"); !ok || path == "" {
		scheme, _, _ := strings.Cut(u, ":")
		p.add("TILEGATE_DATABASE_URL", "sqlite:PATH", "a URL of scheme "+strconv.Quote(scheme))
	}
	return u
}

// problems collects complaints about settings.
type problems []error

func (p *problems) add(name, want, found string) {
	if found == "" {
		found = "nothing"
	}
	*p = append(*p, fmt.Errorf("%s: expected %s, found %s", name, want, found))
}

func (f file) settings() (Settings, error) {
	s := Settings{
		GitHubAPIURL: strings.TrimSuffix(orDefault(f.GitHubAPIURL, "https://api.github.com"), "/"),
		Listen:       orDefault(f.Listen, ":8080"),
		AdminListen:  orDefault(f.AdminListen, "127.0.0.1:8081"),
		PublicURL:    strings.TrimSuffix(f.PublicURL, "/"),
	}
	var p problems
	s.DatabaseURL = f.databaseURL(&p)
	if !httpURL(s.GitHubAPIURL) {
		p.add("TILEGATE_GITHUB_API_URL", "an http or https URL such as https://api.github.com or https://HOST/api/v3", strconv.Quote(f.GitHubAPIURL))
	}
	if u, err := url.Parse(s.GitHubAPIURL); err == nil && (u.Hostname() == "github.com" || u.Hostname() == "www.github.com") {
		p.add("TILEGATE_GITHUB_API_URL", "the root of GitHub's API, https://api.github.com", "the address of its pages, "+strconv.Quote(f.GitHubAPIURL))
	}
	if s.PublicURL != "" && !httpURL(s.PublicURL) {
		p.add("TILEGATE_PUBLIC_URL", "an http or https URL", strconv.Quote(f.PublicURL))
	}
	id, err := strconv.ParseInt(f.AppID, 10, 64)
	if err != nil || id <= 0 {
		p.add("TILEGATE_APP_ID", "the App's id, a positive number", quoted(f.AppID))
	}
	s.AppID = id
	s.PrivateKey = f.privateKey(&p)
	for part := range strings.SplitSeq(f.WebhookSecret, ",") {
		if part = strings.TrimSpace(part); part != "" {
			s.WebhookSecrets = append(s.WebhookSecrets, Secret(part))
		}
	}
	if len(s.WebhookSecrets) == 0 {
		p.add("TILEGATE_WEBHOOK_SECRET", "the webhook's secret, or several separated by commas", "nothing")
	}
	for name, address := range map[string]string{"TILEGATE_LISTEN": s.Listen, "TILEGATE_ADMIN_LISTEN": s.AdminListen} {
		if _, port, err := net.SplitHostPort(address); err != nil || !validPort(port) {
			p.add(name, "HOST:PORT or :PORT", strconv.Quote(address))
		}
	}
	s.ReconcileInterval = duration(&p, "TILEGATE_RECONCILE_INTERVAL", f.ReconcileInterval, 5*time.Minute, time.Millisecond)
	s.WritePace = duration(&p, "TILEGATE_WRITE_PACE", f.WritePace, time.Second, 0)
	s.PollInterval = duration(&p, "TILEGATE_POLL_INTERVAL", f.PollInterval, 30*time.Second, time.Millisecond)
	slices.SortFunc(p, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return s, errors.Join(p...)
}

// privateKey takes the key from its text or its file and checks its form.
func (f file) privateKey(p *problems) Secret {
	const want = "a PEM block with the App's RSA private key"
	name, text := "TILEGATE_PRIVATE_KEY", f.PrivateKey
	if text == "" && f.PrivateKeyFile != "" {
		name = "TILEGATE_PRIVATE_KEY_FILE"
		data, err := os.ReadFile(f.PrivateKeyFile)
		if err != nil {
			p.add(name, "a readable file with "+want, "none ("+err.Error()+")")
			return ""
		}
		text = string(data)
	}
	if text == "" {
		p.add("TILEGATE_PRIVATE_KEY or TILEGATE_PRIVATE_KEY_FILE", want, "nothing")
		return ""
	}
	// A single-line variable often carries its line ends as "\n".
	if !strings.Contains(text, "\n") {
		text = strings.ReplaceAll(text, `\n`, "\n")
	}
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		p.add(name, want, "text without a PEM block")
		return ""
	}
	if _, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return Secret(text)
	}
	switch key, err := x509.ParsePKCS8PrivateKey(block.Bytes); {
	case err == nil:
		if _, ok := key.(*rsa.PrivateKey); ok {
			return Secret(text)
		}
		p.add(name, want, "a private key of another kind")
	case strings.HasPrefix(block.Type, "ENCRYPTED") || strings.Contains(block.Headers["Proc-Type"], "ENCRYPTED"):
		p.add(name, want+" that is not encrypted", "an encrypted one")
	case strings.HasSuffix(block.Type, "PRIVATE KEY") && block.Type != "RSA PRIVATE KEY" && block.Type != "PRIVATE KEY":
		p.add(name, want, "a private key of another kind")
	default:
		p.add(name, want, "a PEM block that holds no private key")
	}
	return ""
}

func duration(p *problems, name, text string, def, least time.Duration) time.Duration {
	if text == "" {
		return def
	}
	if text == "0" {
		text = "0s"
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < least {
		p.add(name, fmt.Sprintf("a duration such as 30s or 5m, at least %s", least), strconv.Quote(text))
	}
	return d
}

func orDefault(s, def string) string {
	if s == "" {
		return def
	}
	return s
}

func quoted(s string) string {
	if s == "" {
		return ""
	}
	return strconv.Quote(s)
}

// Doubts are what is odd about the settings and may yet be meant.
func (s Settings) Doubts() []string {
	var doubts []string
	if u, err := url.Parse(s.GitHubAPIURL); err == nil && u.Scheme == "https" && strings.Trim(u.Path, "/") == "" && !strings.HasPrefix(u.Host, "api.") {
		doubts = append(doubts, fmt.Sprintf("TILEGATE_GITHUB_API_URL: %s does not look like the root of an API: an Enterprise Server has it at https://HOST/api/v3", s.GitHubAPIURL))
	}
	return doubts
}

func httpURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

func validPort(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= 0 && n < 65536
}
