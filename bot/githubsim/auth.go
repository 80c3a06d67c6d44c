package githubsim

import (
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v4"
)

// tokenLife is how long an installation token is valid.
const tokenLife = time.Hour

// maxJWTLife is how far in the future an App token may expire.
const maxJWTLife = 600 * time.Second

// actor is who makes a request.
type actor struct {
	app   bool
	token *token
}

func (a actor) String() string {
	switch {
	case a.app:
		return "app"
	case a.token != nil:
		return fmt.Sprintf("installation %d", a.token.inst.id)
	}
	return "nobody"
}

// limitKey is the installation whose quota pays; 0 is the App itself.
func (a actor) limitKey() int64 {
	if a.token != nil {
		return a.token.inst.id
	}
	return 0
}

// token is an installation access token.
type token struct {
	value       string
	inst        *installation
	permissions map[string]string
	repos       map[*Repo]bool // nil: all of the installation
	expires     time.Time
}

var permissionLevel = map[string]int{"": 0, "read": 1, "write": 2, "admin": 3}

// allows reports whether the token grants a need such as "checks:write".
func (t *token) allows(need string) bool {
	name, level, _ := strings.Cut(need, ":")
	have := t.permissions[name]
	if name == "metadata" {
		have = "read" // every App reads metadata
	}
	return permissionLevel[have] >= permissionLevel[level]
}

// authenticate finds out who asks. It returns the refusal, if any.
func (s *Sim) authenticate(c *request, want auth) *answer {
	if want == authNone {
		return nil
	}
	refuse := func(status int, message string) *answer {
		a := fail(status, message)
		return &a
	}
	kind, value, _ := strings.Cut(c.Header.Get("Authorization"), " ")
	if value == "" || !strings.EqualFold(kind, "bearer") && !strings.EqualFold(kind, "token") {
		return refuse(http.StatusUnauthorized, "Requires authentication")
	}
	if strings.Count(value, ".") == 2 {
		if message := s.checkJWT(value); message != "" {
			return refuse(http.StatusUnauthorized, message)
		}
		c.who = actor{app: true}
		if want != authApp {
			return refuse(http.StatusForbidden, "Resource not accessible by integration")
		}
		return nil
	}
	t := s.tokens[value]
	if t == nil || !s.now().Before(t.expires) || s.installationByID(t.inst.id) == nil {
		return refuse(http.StatusUnauthorized, "Bad credentials")
	}
	c.who = actor{token: t}
	if want == authApp {
		return refuse(http.StatusUnauthorized, "A JSON web token could not be decoded")
	}
	if !t.inst.suspended.IsZero() {
		return refuse(http.StatusForbidden, "This installation has been suspended")
	}
	return nil
}

// checkJWT verifies signature, issuer and times of an App token. It returns
// what GitHub would say, or "".
func (s *Sim) checkJWT(value string) string {
	var claims jwt.RegisteredClaims
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"RS256"}), jwt.WithoutClaimsValidation())
	_, err := parser.ParseWithClaims(value, &claims, func(*jwt.Token) (any, error) { return &s.opts.PrivateKey.PublicKey, nil })
	now := s.now()
	switch {
	case err != nil:
		return "A JSON web token could not be decoded"
	case claims.Issuer != strconv.FormatInt(s.opts.AppID, 10):
		return "'Issuer' claim ('iss') must be an Integer"
	case claims.ExpiresAt == nil:
		return "Missing 'expiration' claim ('exp') in assertion"
	case claims.IssuedAt == nil:
		return "Missing 'issued at' claim ('iat') in assertion"
	case claims.IssuedAt.After(now):
		return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
	case claims.ExpiresAt.After(now.Add(maxJWTLife)):
		return "'Expiration time' claim ('exp') is too far in the future"
	case !claims.ExpiresAt.After(now):
		return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"
	}
	return ""
}

// authorize checks an installation token against the repository and the
// permissions that the endpoint needs.
func (s *Sim) authorize(c *request, rt route) *answer {
	t := c.who.token
	if c.repo != nil {
		inside := c.inst == t.inst && (t.repos == nil || t.repos[c.repo])
		if !inside {
			a := notFound()
			if !c.repo.private && c.Method == http.MethodGet {
				return nil // everyone reads what is public
			}
			if !c.repo.private {
				a = fail(http.StatusForbidden, "Resource not accessible by integration")
			}
			return &a
		}
	}
	for _, need := range rt.need {
		if t.allows(need) {
			return nil
		}
	}
	if len(rt.need) == 0 {
		return nil
	}
	a := fail(http.StatusForbidden, "Resource not accessible by integration")
	a.setHeader("X-Accepted-GitHub-Permissions", strings.ReplaceAll(strings.Join(rt.need, "; "), ":", "="))
	return &a
}

func (s *Sim) createToken(c *request) answer {
	i := s.installationByID(c.id("id"))
	if i == nil {
		return notFound()
	}
	if !i.suspended.IsZero() {
		return fail(http.StatusForbidden, "This installation has been suspended")
	}
	var in struct {
		Permissions   map[string]string `json:"permissions"`
		Repositories  []string          `json:"repositories"`
		RepositoryIDs []int64           `json:"repository_ids"`
	}
	if len(c.body) > 0 {
		if bad := c.decode(&in); bad != nil {
			return *bad
		}
	}
	t := &token{inst: i, permissions: maps.Clone(i.permissions), expires: s.now().Add(tokenLife)}
	if in.Permissions != nil {
		t.permissions = map[string]string{"metadata": "read"}
		for name, level := range in.Permissions {
			if permissionLevel[level] == 0 || permissionLevel[i.permissions[name]] < permissionLevel[level] {
				return invalid("The permissions requested are not granted to this installation.")
			}
			t.permissions[name] = level
		}
	}
	if in.Repositories != nil || in.RepositoryIDs != nil {
		t.repos = map[*Repo]bool{}
		for _, r := range s.reposOf(i) {
			for _, name := range in.Repositories {
				if strings.EqualFold(name, r.name) {
					t.repos[r] = true
				}
			}
			for _, id := range in.RepositoryIDs {
				if id == r.id {
					t.repos[r] = true
				}
			}
		}
		if len(t.repos) < max(len(in.Repositories), len(in.RepositoryIDs)) {
			return invalid("There is at least one repository that does not exist or is not accessible to the parent installation.")
		}
	}
	t.value = fmt.Sprintf("ghs_sim%029d", s.nextID())
	s.tokens[t.value] = t
	selection := "all"
	if t.repos != nil || i.repos != nil {
		selection = "selected"
	}
	return created(obj{
		"token": t.value, "expires_at": stamp(t.expires), "permissions": t.permissions, "repository_selection": selection,
	})
}
