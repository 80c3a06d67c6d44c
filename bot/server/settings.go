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

	names names
}

// Name is what an operator calls the setting of a variable: the key of the file
// where its value comes from there, else the variable.
func (s Settings) Name(variable string) string { return s.names.of(variable) }

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

// setting is one value of the file: its variable, its key and its text.
type setting struct {
	variable, key string
	text          *string
}

func (f *file) all() []setting {
	return []setting{
		{"TILEGATE_GITHUB_API_URL", "github_api_url", &f.GitHubAPIURL},
		{"TILEGATE_APP_ID", "app_id", &f.AppID},
		{keyVariable, "private_key", &f.PrivateKey},
		{keyFileVariable, "private_key_file", &f.PrivateKeyFile},
		{"TILEGATE_WEBHOOK_SECRET", "webhook_secret", &f.WebhookSecret},
		{"TILEGATE_DATABASE_URL", "database_url", &f.DatabaseURL},
		{"TILEGATE_LISTEN", "listen", &f.Listen},
		{"TILEGATE_ADMIN_LISTEN", "admin_listen", &f.AdminListen},
		{"TILEGATE_PUBLIC_URL", "public_url", &f.PublicURL},
		{"TILEGATE_RECONCILE_INTERVAL", "reconcile_interval", &f.ReconcileInterval},
		{"TILEGATE_WRITE_PACE", "write_pace", &f.WritePace},
		{"TILEGATE_POLL_INTERVAL", "poll_interval", &f.PollInterval},
	}
}

// The two variables of the App's key, and what they are called together.
const (
	keyVariable     = "TILEGATE_PRIVATE_KEY"
	keyFileVariable = "TILEGATE_PRIVATE_KEY_FILE"
	eitherKey       = keyVariable + " or " + keyFileVariable
)

// names tell by a setting's variable where its value comes from, or where one could
// be written when there is none. A variable that is not in it names itself.
type names map[string]string

func (n names) of(variable string) string { return orDefault(n[variable], variable) }

// LoadSettings reads the YAML text of a file (may be nil) and the environment. The
// error names every missing or malformed setting and what was expected, and never
// shows a secret's value.
func LoadSettings(name string, data []byte, getenv func(string) string) (Settings, error) {
	f, names, err := readFile(name, data, getenv)
	if err != nil {
		return Settings{}, err
	}
	return f.settings(names)
}

// LoadDatabaseURL reads only where the App's database is, for commands that
// need neither GitHub nor a secret.
func LoadDatabaseURL(name string, data []byte, getenv func(string) string) (string, error) {
	f, names, err := readFile(name, data, getenv)
	if err != nil {
		return "", err
	}
	p := problems{names: names}
	u := f.databaseURL(&p)
	return u, errors.Join(p.found...)
}

// readFile reads the YAML text and lays the environment over it.
func readFile(name string, data []byte, getenv func(string) string) (f file, from names, err error) {
	if len(data) > 0 {
		if err := yaml.UnmarshalWithOptions(data, &f, yaml.Strict()); err != nil {
			// The excerpt would quote the file, which may hold secrets.
			return file{}, nil, fmt.Errorf("%s: expected the keys of docs/serve.md with text values: %s", name, yaml.FormatError(err, false, false))
		}
	}
	from = names{}
	for _, s := range f.all() {
		switch v := getenv(s.variable); {
		case v != "":
			*s.text = v
		case *s.text != "":
			from[s.variable] = name + ": " + s.key
		case name != "":
			from[s.variable] = s.variable + ", or " + s.key + " in " + name
		}
	}
	if name != "" {
		from[eitherKey] = eitherKey + ", or private_key or private_key_file in " + name
	}
	// A key given directly beats a file named in the other place.
	if getenv(keyFileVariable) != "" && getenv(keyVariable) == "" {
		f.PrivateKey = ""
	}
	return f, from, nil
}

// ofCluster begins the variables that Kubernetes sets in every container beside a
// service named tilegate.
var ofCluster = []string{"TILEGATE_PORT", "TILEGATE_SERVICE_"}

// Unread are the names among some environment variables ("NAME=value", as os.Environ
// gives them) that begin as the App's do and that it does not read, sorted: most are
// slips of the pen.
func Unread(environ []string) []string {
	known := new(file).all()
	var unread []string
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
		is := func(s setting) bool { return s.variable == name }
		if begins("TILEGATE_") && !slices.ContainsFunc(known, is) && !slices.ContainsFunc(ofCluster, begins) {
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
type problems struct {
	names names
	found []error
}

func (p *problems) add(variable, want, found string) {
	if found == "" {
		found = "nothing"
	}
	p.found = append(p.found, fmt.Errorf("%s: expected %s, found %s", p.names.of(variable), want, found))
}

func (f file) settings(names names) (Settings, error) {
	s := Settings{
		names:        names,
		GitHubAPIURL: strings.TrimSuffix(orDefault(f.GitHubAPIURL, "https://api.github.com"), "/"),
		Listen:       orDefault(f.Listen, ":8080"),
		AdminListen:  orDefault(f.AdminListen, "127.0.0.1:8081"),
		PublicURL:    strings.TrimSuffix(f.PublicURL, "/"),
	}
	p := problems{names: names}
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
	slices.SortFunc(p.found, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return s, errors.Join(p.found...)
}

// privateKey takes the key from its text or its file and checks its form.
func (f file) privateKey(p *problems) Secret {
	const want = "a PEM block with the App's RSA private key"
	name, text := keyVariable, f.PrivateKey
	if text == "" && f.PrivateKeyFile != "" {
		name = keyFileVariable
		data, err := os.ReadFile(f.PrivateKeyFile)
		if err != nil {
			p.add(name, "a readable file with "+want, "none ("+err.Error()+")")
			return ""
		}
		text = string(data)
	}
	if text == "" {
		p.add(eitherKey, want, "nothing")
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

// shortSecret is the length below which a webhook secret may be guessed.
const shortSecret = 16

// Doubts are what is odd about the settings and may yet be meant.
func (s Settings) Doubts() []string {
	var doubts []string
	if u, err := url.Parse(s.GitHubAPIURL); err == nil && u.Scheme == "https" && strings.Trim(u.Path, "/") == "" && !strings.HasPrefix(u.Host, "api.") {
		doubts = append(doubts, fmt.Sprintf("%s: %s does not look like the root of an API: an Enterprise Server has it at https://HOST/api/v3", s.Name("TILEGATE_GITHUB_API_URL"), s.GitHubAPIURL))
	}
	if slices.ContainsFunc(s.WebhookSecrets, func(secret Secret) bool { return len(secret.Reveal()) < shortSecret }) {
		doubts = append(doubts, fmt.Sprintf("%s: expected at least %d characters in each secret, found fewer: who guesses it can send deliveries in GitHub's name; set a random one, such as `openssl rand -hex 32` prints, here and in the App's settings on GitHub", s.Name("TILEGATE_WEBHOOK_SECRET"), shortSecret))
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
