package githubsim

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// DefaultPermissions are what an installation grants unless SetPermissions
// says otherwise: what tilegate asks for.
var DefaultPermissions = map[string]string{
	"actions": "write", "checks": "write", "contents": "read", "issues": "write",
	"merge_queues": "read", "metadata": "read", "pull_requests": "write",
}

// DefaultEvents are the webhook events that the App subscribes to. Events of
// the installation itself are always sent.
var DefaultEvents = []string{
	"check_run", "check_suite", "issue_comment", "merge_group", "pull_request", "push", "workflow_job", "workflow_run",
}

// Options configure a Sim. The zero value is a GitHub with its usual limits.
type Options struct {
	// AppID and AppSlug name the App; 1 and "tilegate" when empty. Comments and
	// reviews of the App are by the user "<slug>[bot]".
	AppID   int64
	AppSlug string
	// PrivateKey signs the App's tokens; generated when nil. See Sim.PrivateKeyPEM.
	PrivateKey *rsa.PrivateKey
	// Events are what the App subscribes to; DefaultEvents when nil.
	Events []string
	// Now is GitHub's clock; time.Now when nil.
	Now func() time.Time
	// PrimaryLimit is the number of requests that an installation may make in an
	// hour; 5,000 when 0.
	PrimaryLimit int
	// ContentPerMinute is the secondary limit on requests that create content;
	// none when 0. GitHub documents 80.
	ContentPerMinute int
	// MaxPatchLines and MaxPatchBytes bound the patch of one file, above which
	// the API omits it; 20,000 and 500 KiB when 0.
	MaxPatchLines, MaxPatchBytes int
	// NoRunDetails makes workflow dispatch refuse return_run_details, as older
	// GitHub Enterprise Servers do.
	NoRunDetails bool
	// KeepCancelled makes the cancellation of a run a mere request: the run goes
	// on until its runner completes it.
	KeepCancelled bool
	// OnDispatch, when set, runs in its own goroutine for every dispatched run.
	// Close waits for it; Run.Context ends when the run is cancelled.
	OnDispatch func(*Run)
}

// Sim is a GitHub. All methods are safe for concurrent use.
type Sim struct {
	// URL is the API's root once Start has returned, without a slash at the end.
	URL string

	opts     Options
	mux      *http.ServeMux
	patterns []string // of all endpoints

	mu            sync.Mutex
	lastID        int64
	users         map[string]*user
	repos         map[string]*Repo // by lower-case owner/name
	installations []*installation
	tokens        map[string]*token
	limits        map[int64]*window
	content       map[int64][]time.Time
	suites        map[string]int64 // app id + repo + SHA -> check suite
	runNumbers    map[int64]int
	runs          map[int64]*Run
	checks        map[int64]*checkRun

	calls     []*Call
	intercept func(*Call) Action

	deliveries []*Delivery
	wake       chan struct{}
	hook       string // where deliveries last went

	closed   bool
	work     sync.WaitGroup
	ctx      context.Context
	cancel   context.CancelFunc
	server   *http.Server
	appUser  *user
	appSince time.Time
}

// New makes an empty GitHub.
func New(opts Options) *Sim {
	if opts.AppID == 0 {
		opts.AppID = 1
	}
	if opts.AppSlug == "" {
		opts.AppSlug = "tilegate"
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Events == nil {
		opts.Events = DefaultEvents
	}
	if opts.PrimaryLimit == 0 {
		opts.PrimaryLimit = 5000
	}
	if opts.MaxPatchLines == 0 {
		opts.MaxPatchLines = 20_000
	}
	if opts.MaxPatchBytes == 0 {
		opts.MaxPatchBytes = 500 << 10
	}
	if opts.PrivateKey == nil {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			panic(fmt.Sprintf("githubsim: no random numbers: %v", err))
		}
		opts.PrivateKey = key
	}
	s := &Sim{
		opts:       opts,
		lastID:     1000,
		users:      map[string]*user{},
		repos:      map[string]*Repo{},
		tokens:     map[string]*token{},
		limits:     map[int64]*window{},
		content:    map[int64][]time.Time{},
		suites:     map[string]int64{},
		runNumbers: map[int64]int{},
		runs:       map[int64]*Run{},
		checks:     map[int64]*checkRun{},
		wake:       make(chan struct{}, 1),
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.appSince = s.now()
	s.appUser = s.user(opts.AppSlug + "[bot]")
	s.mux = s.routes()
	return s
}

// Start listens on a free loopback port and sets URL.
func (s *Sim) Start() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("githubsim: %w", err)
	}
	s.URL = "http://" + l.Addr().String()
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	s.work.Go(func() {
		if err := s.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			panic(fmt.Sprintf("githubsim: %v", err))
		}
	})
	return nil
}

// Close stops the server, cancels the runs and waits for their runners.
func (s *Sim) Close() error {
	s.mu.Lock()
	s.closed = true // from here on no run gets a runner
	s.mu.Unlock()
	s.cancel()
	var err error
	if s.server != nil {
		err = s.server.Close()
	}
	s.work.Wait()
	return err
}

// PrivateKeyPEM is the App's private key, as GitHub hands it out.
func (s *Sim) PrivateKeyPEM() []byte {
	return pem.EncodeToMemory(&pem.Block{
		Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(s.opts.PrivateKey),
	})
}

// AppID is the id of the App.
func (s *Sim) AppID() int64 { return s.opts.AppID }

// BotLogin is the login of the user as whom the App writes.
func (s *Sim) BotLogin() string { return s.opts.AppSlug + "[bot]" }

func (s *Sim) now() time.Time { return s.opts.Now().UTC() }

func (s *Sim) nextID() int64 {
	s.lastID++
	return s.lastID
}

// root is the API's root for texts that no request asked for.
func (s *Sim) root() string {
	if s.URL != "" {
		return s.URL
	}
	return "https://api.github.test"
}

// user is an account: a person, an organization or a bot.
type user struct {
	id    int64
	login string
	kind  string // User, Bot, Organization
}

// user finds or creates an account.
func (s *Sim) user(login string) *user {
	key := strings.ToLower(login)
	u := s.users[key]
	if u == nil {
		kind := "User"
		if strings.HasSuffix(login, "[bot]") {
			kind = "Bot"
		}
		u = &user{id: s.nextID(), login: login, kind: kind}
		s.users[key] = u
	}
	return u
}

// installation is the App on one account.
type installation struct {
	id          int64
	account     *user
	repos       []*Repo // nil: all of the account
	permissions map[string]string
	suspended   time.Time
	since       time.Time
}

func (i *installation) covers(r *Repo) bool {
	if r.owner != i.account || r.notInstalled || r.deleted {
		return false
	}
	if i.repos == nil {
		return true
	}
	for _, x := range i.repos {
		if x == r {
			return true
		}
	}
	return false
}

// installationOf finds the installation that sees a repository.
func (s *Sim) installationOf(r *Repo) *installation {
	for _, i := range s.installations {
		if i.covers(r) {
			return i
		}
	}
	return nil
}

func (s *Sim) installationByID(id int64) *installation {
	for _, i := range s.installations {
		if i.id == id {
			return i
		}
	}
	return nil
}

// SetPermissions replaces what an installation grants to the App, such as
// {"checks": "read"}. Tokens minted before keep what they had.
func (s *Sim) SetPermissions(installationID int64, permissions map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.installationByID(installationID); i != nil {
		i.permissions = maps.Clone(permissions)
	}
}

// Suspend suspends or resumes an installation.
func (s *Sim) Suspend(installationID int64, suspended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.installationByID(installationID)
	if i == nil {
		return
	}
	action := "unsuspend"
	i.suspended = time.Time{}
	if suspended {
		action = "suspend"
		i.suspended = s.now()
	}
	s.emitInstallation(i, action)
}

// Uninstall removes the App from an account.
func (s *Sim) Uninstall(installationID int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, i := range s.installations {
		if i.id == installationID {
			s.installations = append(s.installations[:k:k], s.installations[k+1:]...)
			s.emitInstallation(i, "deleted")
			return
		}
	}
}
