package spec

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// EnvDir names the environment variable that holds the folder into which the
// script .ci/fetch-spec installed the npm packages.
const EnvDir = "TILEGATE_GITHUB_SPEC_DIR"

// The places of the descriptions below that folder.
const (
	openAPIFile  = "node_modules/@octokit/openapi/generated/api.github.com.json"
	examplesFile = "node_modules/@octokit/webhooks-examples/api.github.com/index.json"
)

// wanted matches the paths of the description that an App like tilegate uses.
// The whole description would take seconds and 640 MB to load.
var wanted = regexp.MustCompile(`^(/app|/app/(installations|hook)/?.*|/installation/repositories|/rate_limit|/users/\{username\}|` +
	`/repos/\{owner\}/\{repo\}|/repos/\{owner\}/\{repo\}/(installation|branches|branches/\{branch\}|commits|commits/\{ref\}(/check-runs)?|` +
	`commits/\{commit_sha\}/pulls|git/(ref|commits|trees|blobs)/[^/]+|compare/\{basehead\}|contents/\{path\}|tarball/\{ref\}|` +
	`collaborators/\{username\}/permission|pulls(/.*)?|issues/(\{issue_number\}(/comments|/labels)?|comments/.*)|check-runs(/.*)?|` +
	`actions/(workflows|runs|artifacts)(/.*)?))$`)

// own are paths to which GitHub redirects and which no description has.
var own = []string{"/codeload/", "/artifact-content/"}

// slashed matches requests whose last parameter may hold slashes, which the
// description's router would not match.
var slashed = regexp.MustCompile(`^(/repos/[^/]+/[^/]+/(?:contents|git/ref|branches|tarball|compare)/)(.+)$`)

// Spec checks requests and answers. It collects what does not agree. It is
// safe for concurrent use.
type Spec struct {
	doc    *openapi3.T
	router routers.Router

	mu       sync.Mutex
	problems []string
	seen     map[string]int
}

// Load reads GitHub's description from a folder made by .ci/fetch-spec.
func Load(dir string) (*Spec, error) {
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(openAPIFile)))
	if err != nil {
		return nil, fmt.Errorf("spec: %s: expected the npm package @octokit/openapi, as .ci/fetch-spec installs it: %w", EnvDir, err)
	}
	pruned, err := prune(data)
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(pruned)
	if err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	doc.Servers = openapi3.Servers{{URL: "/"}}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	return &Spec{doc: doc, router: router, seen: map[string]int{}}, nil
}

var reference = regexp.MustCompile(`"\$ref"\s*:\s*"#/components/([^/"]+)/([^"]+)"`)

// prune keeps the wanted paths and the components that they refer to.
func prune(data []byte) ([]byte, error) {
	var doc struct {
		OpenAPI    string                                `json:"openapi"`
		Info       json.RawMessage                       `json:"info"`
		Paths      map[string]json.RawMessage            `json:"paths"`
		Components map[string]map[string]json.RawMessage `json:"components"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	kept := map[string]map[string]json.RawMessage{}
	var follow func(raw []byte)
	follow = func(raw []byte) {
		for _, m := range reference.FindAllSubmatch(raw, -1) {
			kind, name := string(m[1]), string(m[2])
			if _, done := kept[kind][name]; done {
				continue
			}
			if kept[kind] == nil {
				kept[kind] = map[string]json.RawMessage{}
			}
			kept[kind][name] = doc.Components[kind][name]
			follow(doc.Components[kind][name])
		}
	}
	for p, item := range doc.Paths {
		if !wanted.MatchString(p) {
			delete(doc.Paths, p)
			continue
		}
		follow(item)
	}
	for _, name := range []string{"basic-error", "validation-error", "validation-error-simple"} {
		follow([]byte(`"$ref":"#/components/schemas/` + name + `"`))
	}
	// examples are only for readers
	delete(kept, "examples")
	doc.Components = kept
	out, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	var tree any
	if err := json.Unmarshal(out, &tree); err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	dropExamples(tree)
	mendAccounts(tree)
	return json.Marshal(tree)
}

// mendAccounts corrects a fault of the description, which GitHub's own example
// does not satisfy either: the account of a listed installation would have to
// be a user and an enterprise at once.
func mendAccounts(v any) {
	switch v := v.(type) {
	case map[string]any:
		if all, both := v["allOf"].([]any); both && len(all) == 2 {
			first, _ := all[0].(map[string]any)
			second, _ := all[1].(map[string]any)
			if first["title"] == "Simple User" && second["title"] == "Enterprise" {
				delete(v, "allOf")
				v["anyOf"] = all
			}
		}
		for _, x := range v {
			mendAccounts(x)
		}
	case []any:
		for _, x := range v {
			mendAccounts(x)
		}
	}
}

// dropExamples removes the examples of parameters, bodies and answers.
func dropExamples(v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if list, isMap := x.(map[string]any); k == "examples" && isMap && !isSchema(list) {
				delete(v, k)
				continue
			}
			dropExamples(x)
		}
	case []any:
		for _, x := range v {
			dropExamples(x)
		}
	}
}

// isSchema tells a property that is called examples from a list of examples.
func isSchema(v map[string]any) bool {
	_, typed := v["type"].(string)
	return typed
}

// Problems lists what did not agree so far, in the order of its finding.
func (s *Spec) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

// Seen counts the checked answers by operation and status, such as "GET /app 200".
func (s *Spec) Seen() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]int{}
	for k, n := range s.seen {
		out[k] = n
	}
	return out
}

// Handler wraps an API so that each request and each answer is checked.
func (s *Spec) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		rec := httptest.NewRecorder()
		next.ServeHTTP(rec, r)
		s.Check(r, body, rec.Code, rec.Header(), rec.Body.Bytes())
		for k, v := range rec.Header() {
			w.Header()[k] = v
		}
		w.WriteHeader(rec.Code)
		_, _ = w.Write(rec.Body.Bytes()) // a client that is gone needs no answer
	})
}

// RoundTripper wraps a client's transport so that each request and each answer
// is checked.
func (s *Spec) RoundTripper(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		var body []byte
		if r.Body != nil {
			var err error
			if body, err = io.ReadAll(r.Body); err != nil {
				return nil, err
			}
			r = r.Clone(r.Context())
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		resp, err := next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		if err != nil {
			return nil, err
		}
		s.Check(r, body, resp.StatusCode, resp.Header, data)
		resp.Body = io.NopCloser(bytes.NewReader(data))
		return resp, nil
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func (s *Spec) problem(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

// Check checks one request and its answer. A request that GitHub itself
// refused (4xx) need not agree with the description; the refusal must.
func (s *Spec) Check(r *http.Request, body []byte, status int, header http.Header, answer []byte) {
	req, err := s.copyOf(r, body)
	if err != nil {
		s.problem("%s %s: %v", r.Method, r.URL, err)
		return
	}
	for _, prefix := range own {
		if strings.HasPrefix(req.URL.Path, prefix) {
			return
		}
	}
	name := fmt.Sprintf("%s %s", r.Method, r.URL)
	route, params, err := s.router.FindRoute(req)
	if err != nil {
		s.problem("%s: the description has no such operation: %v", name, err)
		return
	}
	if string(bytes.TrimSpace(body)) == "null" {
		// clients marshal absent options so; GitHub takes it for no body
		body = nil
		req.Body, req.ContentLength = http.NoBody, 0
	}
	ctx := context.Background()
	opts := &openapi3filter.Options{
		MultiError: true, IncludeResponseStatus: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
	}
	in := &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: route, Options: opts}
	if err := openapi3filter.ValidateRequest(ctx, in); err != nil && status < 400 {
		s.problem("%s: request: %s", name, short(err))
	}
	s.mu.Lock()
	s.seen[fmt.Sprintf("%s %s %d", route.Method, route.Path, status)]++
	s.mu.Unlock()
	if status == http.StatusNotModified || status >= 500 {
		return
	}
	if status >= 400 && route.Operation.Responses.Status(status) == nil {
		if err := s.isError(answer); err != nil {
			s.problem("%s: answer %d: %s", name, status, short(err))
		}
		return
	}
	typ, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	if status < 300 && typ != "application/json" && strings.HasPrefix(typ, "application/vnd.github.") {
		return // a media type that the client asked for: raw text or a diff
	}
	err = openapi3filter.ValidateResponse(ctx, &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: status, Header: header, Body: io.NopCloser(bytes.NewReader(answer)), Options: opts,
	})
	if err != nil {
		s.problem("%s: answer %d: %s", name, status, short(err))
	}
}

// isError checks the body of an error whose status the operation does not list.
func (s *Spec) isError(answer []byte) error {
	var v any
	if err := json.Unmarshal(answer, &v); err != nil {
		return err
	}
	var errs []error
	for _, name := range []string{"basic-error", "validation-error", "validation-error-simple"} {
		err := s.doc.Components.Schemas[name].Value.VisitJSON(v)
		if err == nil {
			return nil
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// copyOf is the request as the description names it: at the API's root, with
// slashes inside of a parameter escaped.
func (s *Spec) copyOf(r *http.Request, body []byte) (*http.Request, error) {
	u := *r.URL
	u.Path = strings.TrimPrefix(u.Path, "/api/v3")
	u.RawPath = strings.TrimPrefix(u.RawPath, "/api/v3")
	if m := slashed.FindStringSubmatch(u.Path); m != nil {
		u.RawPath = (&url.URL{Path: m[1]}).EscapedPath() + url.PathEscape(m[2])
	}
	req, err := http.NewRequest(r.Method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = r.Header.Clone()
	return req, nil
}

// short is the first lines of an error, which may quote whole schemas.
func short(err error) string {
	text := err.Error()
	if len(text) > 900 {
		text = text[:900] + " ..."
	}
	return text
}

// Example is one of GitHub's published webhook payloads.
type Example struct {
	Event   string
	Payload []byte
}

// Examples reads GitHub's published webhook payloads from the same folder.
func Examples(dir string) ([]Example, error) {
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(examplesFile)))
	if err != nil {
		return nil, fmt.Errorf("spec: %s: expected the npm package @octokit/webhooks-examples, as .ci/fetch-spec installs it: %w", EnvDir, err)
	}
	var events []struct {
		Name     string            `json:"name"`
		Examples []json.RawMessage `json:"examples"`
	}
	if err := json.Unmarshal(data, &events); err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	var out []Example
	for _, e := range events {
		for _, x := range e.Examples {
			out = append(out, Example{Event: e.Name, Payload: x})
		}
	}
	return out, nil
}
