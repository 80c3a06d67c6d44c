package main

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/server"
	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/records"
)

// fence finds the fenced blocks of a document: language and text.
var fence = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

// shellLines are the commands in a document's blocks of a section, without
// comments; all sections when it is empty.
func shellLines(t *testing.T, path, section string) (lines []string) {
	t.Helper()
	text := readFile(t, path)
	if section != "" {
		_, after, found := strings.Cut(text, "\n## "+section+"\n")
		require.True(t, found, "%s has no section %q", path, section)
		text, _, _ = strings.Cut(after, "\n## ")
	}
	for _, block := range fence.FindAllStringSubmatch(text, -1) {
		if block[1] != "" {
			continue
		}
		for line := range strings.Lines(block[2]) {
			line, _, _ = strings.Cut(line, " #")
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// ours splits a command line of tilegate into its variables and arguments.
func ours(line string) (env, args []string, ok bool) {
	words := strings.Fields(line)
	for len(words) > 0 && regexp.MustCompile(`^[A-Z_]+=`).MatchString(words[0]) {
		env, words = append(env, words[0]), words[1:]
	}
	if len(words) == 0 || words[0] != "tilegate" && words[0] != "bin/tilegate" {
		return nil, nil, false
	}
	return env, words[1:], true
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

// markdownFiles are the README and everything below docs.
func markdownFiles(t *testing.T) []string {
	t.Helper()
	list := []string{"../../README.md", "../../testdata/junit/README.md", "../../testdata/try/README.md"}
	require.NoError(t, filepath.WalkDir("../../docs", func(p string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(p) == ".md" {
			list = append(list, p)
		}
		return err
	}))
	return list
}

// Every command line that is documented is one that tilegate understands.
func TestDocumentedCommandsParse(t *testing.T) {
	found := 0
	for _, doc := range markdownFiles(t) {
		for _, line := range shellLines(t, doc, "") {
			_, args, ok := ours(line)
			if !ok {
				continue
			}
			found++
			parser, err := newParser(streams{})
			require.NoError(t, err)
			_, err = parser.Parse(args)
			require.NoError(t, err, "%s: %s", doc, line)
		}
	}
	require.Greater(t, found, 12)
}

// What the README offers to contributors is run in a git checkout. What a
// command finds there does not matter, but that it is used as it wants to be.
func TestReadmeForContributors(t *testing.T) {
	script := `
exec cp -r $REPO/checks/rules/ruletest/base checkout
cd checkout
exec git init -q -b main
exec git add .
exec git -c user.name=a -c user.email=a@example.org commit -q -m base
exec git update-ref refs/remotes/origin/main HEAD
exec mkdir testdata
exec cp -r $REPO/testdata/junit testdata/junit
exec mkdir tilegate-out
exec cp -r $WORK/correctness tilegate-out/tilegate-local-correctness-bmm-local
exec cp -r $WORK/perf tilegate-out/tilegate-local-perf-bmm-local
cp $WORK/build.log build.log
`
	lines := shellLines(t, "../../README.md", "For contributors")
	for _, line := range lines {
		_, args, ok := ours(line)
		require.True(t, ok, line)
		if args[0] == "runner" {
			args = append(args, "--dry-run") // runs neither cargo nor a GPU
		}
		if i := slices.Index(args, "bmm"); i >= 0 {
			args[i] = "demo" // the kernel of this checkout
		}
		script += "accepts tilegate " + strings.Join(args, " ") + "\n"
	}
	require.GreaterOrEqual(t, len(lines), 10)
	for _, stage := range []job.Stage{job.Correctness, job.Perf} {
		evidence, err := json.Marshal(job.Evidence{Schema: job.EvidenceSchema, Dispatch: "local", Stage: stage, Kernel: "bmm", GPU: "local", Candidate: "cutile-rs", Reference: "cutile"})
		require.NoError(t, err)
		script += fmt.Sprintf("-- %s/%s --\n%s\n", stage, job.EvidenceFile, evidence)
	}
	dir := t.TempDir()
	script += "-- build.log --\nerror[E0554]: `#![feature]` may not be used on the stable release channel\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "readme.txtar"), []byte(script), 0o666))
	root, err := os.Getwd()
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir:  dir,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"accepts": accepts},
		Setup: func(e *testscript.Env) error {
			e.Setenv("REPO", root+"/../..")
			return nil
		},
	})
}

// Every sample is one that its command can read, and says something of it.
func TestSamples(t *testing.T) {
	lines := shellLines(t, "../../testdata/try/README.md", "")
	require.Greater(t, len(lines), 6)
	t.Chdir("../..")
	for _, line := range lines {
		_, args, ok := ours(line)
		require.True(t, ok, line)
		var out, errs bytes.Buffer
		status := run(args, streams{strings.NewReader(""), &out, &errs})
		require.Contains(t, []int{0, int(exitNotFine)}, status, "%s: %s", line, &errs)
		require.NotEmpty(t, out.String(), line)
	}
}

// accepts is the script command "accepts PROGRAM ARG...": the program must not
// say that it was used wrongly.
func accepts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: accepts PROGRAM [ARG...]")
	}
	err := ts.Exec(args[0], args[1:]...)
	if exit, ok := err.(*exec.ExitError); ok && exit.ExitCode() != int(exitUsage) {
		return
	}
	ts.Check(err)
}

// The README's line for operators starts the App, which an interrupt ends.
func TestReadmeForOperators(t *testing.T) {
	lines := shellLines(t, "../../README.md", "For operators")
	require.Len(t, lines, 1)
	env, args, ok := ours(lines[0])
	require.True(t, ok)
	t.Chdir(t.TempDir())
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		t.Setenv(name, value)
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	require.NoError(t, os.WriteFile(os.Getenv("TILEGATE_PRIVATE_KEY_FILE"), text, 0o600))
	// Free ports, and nobody who would answer.
	t.Setenv("TILEGATE_LISTEN", "127.0.0.1:0")
	t.Setenv("TILEGATE_ADMIN_LISTEN", "127.0.0.1:0")
	t.Setenv("TILEGATE_GITHUB_API_URL", "http://127.0.0.1:1")

	var log lockedBuffer
	ended := make(chan int, 1)
	go func() { ended <- run(args, streams{strings.NewReader(""), &log, &log}) }()
	deadline := time.After(time.Minute)
	for !strings.Contains(log.String(), `"msg":"listening"`) {
		select {
		case status := <-ended:
			t.Fatalf("ended with status %d: %s", status, log.String())
		case <-deadline:
			t.Fatalf("does not listen: %s", log.String())
		case <-time.After(10 * time.Millisecond):
		}
	}
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
	select {
	case status := <-ended:
		require.Zero(t, status, log.String())
	case <-deadline:
		t.Fatalf("does not end: %s", log.String())
	}
}

// What docs/serve.md says of the container is what the Dockerfile makes, and its line
// sets settings that exist.
func TestContainerPageIsTrue(t *testing.T) {
	_, page, found := strings.Cut(readFile(t, "../../docs/serve.md"), "\n## In a container\n")
	require.True(t, found)
	page, _, _ = strings.Cut(page, "\n## ")
	made := map[string]string{}
	for line := range strings.Lines(readFile(t, "../../Dockerfile")) {
		if word, rest, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			made[word] = rest
		}
	}
	user, group, _ := strings.Cut(made["USER"], ":")
	require.Equal(t, user, group)
	require.Contains(t, page, "user and group "+user+",")
	require.Contains(t, page, "chown "+user+" key.pem")
	require.Contains(t, page, "the volume `"+made["VOLUME"]+"`")
	require.Contains(t, page, "-v tilegate-data:"+made["VOLUME"]+" ")
	require.Contains(t, page, "-p "+made["EXPOSE"]+":"+made["EXPOSE"]+" ")
	require.Equal(t, `["serve"]`, made["CMD"])
	require.Equal(t, `["/tilegate"]`, made["ENTRYPOINT"])
	require.Equal(t, "TILEGATE_DATABASE_URL=sqlite:/data/tilegate.db TILEGATE_LISTEN=:8080", made["ENV"])
	require.Contains(t, page, "`TILEGATE_DATABASE_URL=sqlite:/data/tilegate.db`")
	require.Contains(t, page, "`TILEGATE_LISTEN` is `:8080`")
	require.Empty(t, server.Unread(regexp.MustCompile(`TILEGATE_\w+`).FindAllString(page, -1)))
	require.Contains(t, made["ARG"], "RELEASE")
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// The other shell blocks of the README name targets that the Makefile has.
func TestReadmeMakes(t *testing.T) {
	makefile := readFile(t, "../../Makefile")
	targets := 0
	for _, line := range shellLines(t, "../../README.md", "") {
		if _, _, ok := ours(line); ok || strings.HasPrefix(line, "export PATH=") {
			continue
		}
		target, ok := strings.CutPrefix(line, "make ")
		require.True(t, ok, "no test runs this line: %s", line)
		require.Regexp(t, `(?m)^`+regexp.QuoteMeta(target)+`:`, makefile)
		targets++
	}
	require.Equal(t, 3, targets)
}

// The workflow steps that are documented use inputs that the action has.
func TestDocumentedActionInputs(t *testing.T) {
	var action struct {
		Inputs map[string]any `yaml:"inputs"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(readFile(t, "../../action.yml")), &action))
	found := 0
	for _, doc := range markdownFiles(t) {
		for _, block := range fence.FindAllStringSubmatch(readFile(t, doc), -1) {
			if block[1] != "yaml" || !strings.Contains(block[2], "- uses: tilegate/tilegate@") {
				continue
			}
			var steps []struct {
				Uses string            `yaml:"uses"`
				With map[string]string `yaml:"with"`
			}
			require.NoError(t, yaml.Unmarshal([]byte(block[2]), &steps), doc)
			for _, s := range steps {
				if strings.HasPrefix(s.Uses, "tilegate/") {
					found++
					for input := range s.With {
						require.Contains(t, action.Inputs, input, doc)
					}
				}
			}
		}
	}
	require.Equal(t, 2, found)
}

// Links into the repository lead somewhere.
func TestDocumentedLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)]*)?\)`)
	found := 0
	for _, doc := range markdownFiles(t) {
		// Brackets in code are no links.
		text := regexp.MustCompile("`[^`\n]*`").ReplaceAllString(fence.ReplaceAllString(readFile(t, doc), ""), "``")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			found++
			_, err := os.Stat(filepath.Join(filepath.Dir(doc), m[1]))
			require.NoError(t, err, doc)
		}
	}
	require.Greater(t, found, 50)
}

// The block of a console log that is documented is one that is read.
func TestDocumentedConsoleBlock(t *testing.T) {
	var block strings.Builder
	for line := range strings.Lines(readFile(t, "../../docs/records.md")) {
		if text, ok := strings.CutPrefix(line, "    "); ok {
			block.WriteString(text)
		}
	}
	c := records.ReadConsole("docs/records.md", strings.NewReader(block.String()))
	require.Len(t, c.Cases, 1)
	ms, err := records.ParseBenchmark(strings.TrimPrefix(strings.Split(strings.TrimSpace(block.String()), "\n")[2], "benchmark: "))
	require.NoError(t, err)
	require.NotEmpty(t, ms)
}

// Each module that is used directly is explained, and each right and event that
// the App needs is named where an operator registers it.
func TestDocumentedModulesAndRights(t *testing.T) {
	why := readFile(t, "../../docs/dependencies.md")
	direct, _, _ := strings.Cut(readFile(t, "../../go.mod"), ")")
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v`).FindAllStringSubmatch(direct, -1) {
		name := regexp.MustCompile(`/v\d+$`).ReplaceAllString(m[1], "")
		name = strings.TrimPrefix(name, "github.com/")
		switch owner, _, _ := strings.Cut(name, "/"); owner {
		case "tree-sitter":
			name = owner // one row for the library and its grammars
		case "riverqueue":
			name = "riverqueue/river"
		}
		require.Contains(t, why, "\n| "+name)
	}
	serve := readFile(t, "../../docs/serve.md")
	for _, p := range permissions {
		require.Contains(t, serve, "`"+p.Name+"`")
	}
	for _, e := range events {
		require.Contains(t, serve, "`"+e+"`")
	}
}
