package appauth

import (
	"bytes"
	"crypto/rsa"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/golang-jwt/jwt/v4"
	"github.com/google/go-github/v62/github"
)

// APIVersion is the version of GitHub's REST API that every request names.
const APIVersion = "2022-11-28"

// Default limits of one request, body included.
const (
	DefaultTimeout         = 90 * time.Second
	DefaultDownloadTimeout = 10 * time.Minute
)

// Config describes the App.
type Config struct {
	// APIURL is the root of the API, to which nothing is added:
	// https://api.github.com, or https://HOST/api/v3.
	APIURL string
	AppID  int64
	// PrivateKey is a PEM block of an RSA key, PKCS #1 or #8.
	PrivateKey []byte
	// Transport sends the requests; nil for one with sane limits.
	Transport http.RoundTripper
	// Now is the clock; nil for the machine's.
	Now       func() time.Time
	UserAgent string
	// Timeout and DownloadTimeout limit one request; 0 for the defaults.
	Timeout, DownloadTimeout time.Duration
	// Read and Write are the rights that tokens are limited to; nil for
	// ReadRights and WriteRights.
	Read, Write *github.InstallationPermissions
}

// ReadRights are those of the clients that only read.
func ReadRights() github.InstallationPermissions {
	read := github.String("read")
	return github.InstallationPermissions{Actions: read, Checks: read, Contents: read, Metadata: read, PullRequests: read}
}

// WriteRights are those of the clients that report and dispatch. The content
// of repositories and their workflow files stay out of reach.
func WriteRights() github.InstallationPermissions {
	read, write := github.String("read"), github.String("write")
	return github.InstallationPermissions{Actions: write, Checks: write, Contents: read, Metadata: read, PullRequests: write}
}

// Factory makes clients and keeps them for each installation, with their tokens
// and the pauses that GitHub asked for. It is safe for concurrent use.
type Factory struct {
	config Config
	root   *url.URL
	key    *rsa.PrivateKey
	signer *signer
	now    func() time.Time
	// base sends anything, api adds the headers that every API call carries.
	base, api http.RoundTripper

	appLimiter limiter
	app        *github.Client

	mu            sync.Mutex
	installations map[int64]*installation
}

// New checks the configuration. Errors name the setting and never its value
// when that is a secret.
func New(c Config) (*Factory, error) {
	root, err := url.Parse(strings.TrimRight(c.APIURL, "/"))
	if err != nil || root.Host == "" || (root.Scheme != "https" && root.Scheme != "http") || root.RawQuery != "" || root.User != nil {
		return nil, fmt.Errorf("API URL: expected a root such as https://api.github.com, found %q", c.APIURL)
	}
	if c.AppID <= 0 {
		return nil, fmt.Errorf("app id: expected a positive number, found %d", c.AppID)
	}
	key, err := parseKey(c.PrivateKey)
	if err != nil {
		return nil, err
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Transport == nil {
		c.Transport = defaultTransport()
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.DownloadTimeout == 0 {
		c.DownloadTimeout = DefaultDownloadTimeout
	}
	if c.UserAgent == "" {
		c.UserAgent = "tilegate"
	}
	if c.Read == nil {
		rights := ReadRights()
		c.Read = &rights
	}
	if c.Write == nil {
		rights := WriteRights()
		c.Write = &rights
	}
	f := &Factory{
		config: c, root: root, key: key, now: c.Now, base: c.Transport,
		signer:        &signer{key: key, appID: c.AppID, now: c.Now},
		installations: map[int64]*installation{},
	}
	f.api = &headerTransport{userAgent: c.UserAgent, next: f.base}
	f.appLimiter.now = c.Now
	transport, err := f.appsTransport()
	if err != nil {
		return nil, err
	}
	f.app = f.client(onlyAPI{factory: f, signed: transport}, c.Timeout)
	return f, nil
}

// parseKey accepts a key whose line ends were written as \n to fit into an
// environment variable.
func parseKey(pem []byte) (*rsa.PrivateKey, error) {
	if !bytes.Contains(bytes.TrimSpace(pem), []byte("\n")) {
		pem = bytes.ReplaceAll(pem, []byte(`\n`), []byte("\n"))
	}
	key, err := jwt.ParseRSAPrivateKeyFromPEM(pem)
	if err != nil {
		return nil, errors.New("private key: expected a PEM block of an RSA private key, as GitHub's settings page hands it out")
	}
	return key, nil
}

func defaultTransport() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 16
	t.ResponseHeaderTimeout = DefaultTimeout
	return t
}

// AppID returns the App's id.
func (f *Factory) AppID() int64 { return f.config.AppID }

// App returns the client that signs in as the App itself.
func (f *Factory) App() *github.Client { return f.app }

// Read returns an installation's client that can only read.
func (f *Factory) Read(id int64) *github.Client {
	return f.installationClient(id, clientKey{readScope, f.config.Timeout})
}

// Download is Read with the time that an archive or artifact needs.
func (f *Factory) Download(id int64) *github.Client {
	return f.installationClient(id, clientKey{readScope, f.config.DownloadTimeout})
}

// Write returns an installation's client that can report and dispatch.
func (f *Factory) Write(id int64) *github.Client {
	return f.installationClient(id, clientKey{writeScope, f.config.Timeout})
}

// Forget drops what is known about an installation: its tokens and that it was
// suspended. Call it for every installation event.
func (f *Factory) Forget(id int64) {
	f.mu.Lock()
	i := f.installations[id]
	f.mu.Unlock()
	if i == nil {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.refused = nil
	i.tokens = map[scope]*tokenSource{}
	i.clients = map[clientKey]*github.Client{}
}

// GraphQLURL returns the address of the GraphQL API beside the REST root.
func (f *Factory) GraphQLURL() string { return f.graphQL().String() }

func (f *Factory) graphQL() *url.URL {
	u := *f.root
	u.Path = strings.TrimSuffix(u.Path, "/v3") + "/graphql"
	return &u
}

func (f *Factory) installationClient(id int64, key clientKey) *github.Client {
	f.mu.Lock()
	i := f.installations[id]
	if i == nil {
		i = &installation{id: id, factory: f, limiter: limiter{now: f.now}, tokens: map[scope]*tokenSource{}, clients: map[clientKey]*github.Client{}}
		f.installations[id] = i
	}
	f.mu.Unlock()

	i.mu.Lock()
	defer i.mu.Unlock()
	if c := i.clients[key]; c != nil {
		return c
	}
	source := i.tokens[key.scope]
	if source == nil {
		rights := *f.config.Read
		if key.scope == writeScope {
			rights = *f.config.Write
		}
		source = newTokenSource(i, rights)
		i.tokens[key.scope] = source
	}
	c := f.client(&installationTransport{installation: i, source: source}, key.timeout)
	i.clients[key] = c
	return c
}

func (f *Factory) client(transport http.RoundTripper, timeout time.Duration) *github.Client {
	c := github.NewClient(&http.Client{Transport: transport, Timeout: timeout, CheckRedirect: checkRedirect})
	// Set directly: the helper for enterprise servers would add to the root.
	base := *f.root
	base.Path += "/"
	c.BaseURL = &base
	c.UserAgent = f.config.UserAgent
	return c
}

// appsTransport returns a new transport that signs as the App. It is not shared,
// since an exchange writes to it.
func (f *Factory) appsTransport() (*ghinstallation.AppsTransport, error) {
	next := &clockTransport{signer: f.signer, next: limited{&f.appLimiter, f.api}}
	t, err := ghinstallation.NewAppsTransportWithOptions(next, f.config.AppID, ghinstallation.WithSigner(f.signer))
	if err != nil {
		return nil, err
	}
	t.BaseURL = f.root.String()
	return t, nil
}

// isAPI reports whether a request goes to the API, whose calls are signed.
func (f *Factory) isAPI(u *url.URL) bool {
	return u.Scheme == f.root.Scheme && u.Host == f.root.Host &&
		(strings.HasPrefix(u.Path, f.root.Path+"/") || u.Path == f.graphQL().Path)
}

func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) >= 5 {
		return errors.New("stopped after 5 redirects")
	}
	if via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https" {
		return errors.New("refused a redirect from https to " + req.URL.Scheme)
	}
	return nil
}

type limited struct {
	limiter *limiter
	next    http.RoundTripper
}

func (l limited) RoundTrip(req *http.Request) (*http.Response, error) {
	return l.limiter.through(l.next, req)
}

// onlyAPI signs requests to the API and passes others on as they are.
type onlyAPI struct {
	factory *Factory
	signed  http.RoundTripper
}

func (t onlyAPI) RoundTrip(req *http.Request) (*http.Response, error) {
	if !t.factory.isAPI(req.URL) {
		return t.factory.base.RoundTrip(req)
	}
	// The library's transport writes to the request that it is given.
	return t.signed.RoundTrip(req.Clone(req.Context()))
}

// headerTransport adds the headers that GitHub asks of every call, also to the
// exchanges of tokens, which are not go-github's.
type headerTransport struct {
	userAgent string
	next      http.RoundTripper
}

func (t *headerTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	r := req.Clone(req.Context())
	if r.Header.Get("X-GitHub-Api-Version") == "" {
		r.Header.Set("X-GitHub-Api-Version", APIVersion)
	}
	if r.Header.Get("User-Agent") == "" {
		r.Header.Set("User-Agent", t.userAgent)
	}
	return t.next.RoundTrip(r)
}
