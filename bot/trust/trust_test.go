package trust

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/commands"
	"github.com/tilegate/tilegate/bot/pull"
)

var (
	sha1 = strings.Repeat("a", 40)
	sha2 = strings.Repeat("b", 40)
	open = Target{PullRequest: true, State: "open", Author: "author"}
	t0   = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
)

// TestWhoMay is the whole truth table: for each verb the lowest role, for others
// and for the author.
func TestWhoMay(t *testing.T) {
	lowest := map[string][2]Role{ // others, author
		"help": {Read, Read}, "status": {Read, Read}, "explain": {Read, Read},
		"rerun":      {Write, Read},
		"cancel":     {Write, Write},
		"ok-to-test": {Maintain, Maintain}, "waive": {Maintain, Maintain}, "unwaive": {Maintain, Maintain},
	}
	require.Len(t, commands.Verbs(), len(lowest))
	for _, v := range commands.Verbs() {
		for role := None; role <= Admin; role++ {
			for i, isAuthor := range []bool{false, true} {
				d := MayRun(v, role, isAuthor)
				assert.Equal(t, role >= lowest[v.Name][i], d.Allowed, "%s by %s, author %v", v.Name, role, isAuthor)
				assert.Equal(t, d.Allowed, d.Reason == "")
				assert.False(t, d.Retry)
			}
		}
		assert.False(t, MayRun(v, Role(99), true).Allowed, "a role that does not exist")
		assert.False(t, MayRun(v, Role(-1), true).Allowed)
	}
	assert.False(t, MayRun(nil, Admin, true).Allowed)
	assert.False(t, MayRun(&commands.Verb{Name: "x", Who: commands.Who(99)}, Admin, true).Allowed)
}

func TestParseRole(t *testing.T) {
	for _, name := range []string{"none", "read", "triage", "write", "maintain", "admin"} {
		role, ok := ParseRole(name)
		assert.True(t, ok)
		assert.Equal(t, name, role.String())
	}
	for _, name := range []string{"", "owner", "Admin", "MEMBER", "security-reviewer"} {
		role, ok := ParseRole(name)
		assert.False(t, ok)
		assert.Equal(t, None, role)
	}
}

func TestFieldReport55RoleComesFromThePermissionAPI(t *testing.T) {
	rerun := commands.Find("run")
	assert.True(t, Decide(rerun, Person{Login: "dev", Role: "write"}, open).Allowed)
	d := Decide(rerun, Person{Login: "member", Role: "read"}, open)
	assert.False(t, d.Allowed)
	assert.False(t, d.Retry)
	assert.Contains(t, d.Reason, "your role in this repository is read")

	d = Decide(rerun, Person{Login: "dev", Role: "write", Err: errors.New("500")}, open)
	assert.False(t, d.Allowed, "the role that came with an error does not count")
	assert.True(t, d.Retry)
	assert.Contains(t, d.Reason, "again in a few minutes")
	assert.NotContains(t, d.Reason, "500")

	d = Decide(rerun, Person{Login: "dev", Role: "custom"}, open)
	assert.False(t, d.Allowed)
}

func TestFieldReport57ClosedPullRequests(t *testing.T) {
	admin := Person{Login: "boss", Role: "admin"}
	tests := []struct {
		name string
		on   Target
		want string
	}{
		{"closed", Target{PullRequest: true, State: "closed"}, "is closed"},
		{"merged", Target{PullRequest: true, State: "closed", Merged: true}, "is merged"},
		{"unknown state", Target{PullRequest: true}, "works on open ones only"},
		{"issue", Target{State: "open"}, "pull requests only"},
	}
	for _, test := range tests {
		for _, v := range commands.Verbs() {
			d := Decide(v, admin, test.on)
			reads := v.Name == "help" || v.Name == "status" || v.Name == "explain"
			assert.Equal(t, reads && test.on.PullRequest, d.Allowed, "%s on %s", v.Name, test.name)
		}
		assert.Contains(t, Decide(commands.Find("rerun"), admin, test.on).Reason, test.want)
	}
}

func TestAuthorMayRerun(t *testing.T) {
	rerun, cancel := commands.Find("rerun"), commands.Find("cancel")
	assert.True(t, Decide(rerun, Person{Login: "Author", Role: "read"}, open).Allowed, "logins do not distinguish case")
	assert.False(t, Decide(rerun, Person{Login: "author", Role: "none"}, open).Allowed, "blocked from the repository")
	assert.False(t, Decide(cancel, Person{Login: "author", Role: "read"}, open).Allowed)
	assert.False(t, Decide(rerun, Person{Login: "", Role: "read"}, Target{PullRequest: true, State: "open"}).Allowed, "two unknown names are not the same person")
}

func TestFieldReport50Bots(t *testing.T) {
	assert.True(t, Ignored("Bot", "tilegate[bot]"))
	assert.True(t, Ignored("Bot", "other"))
	assert.True(t, Ignored("Organization", "org"))
	assert.True(t, Ignored("User", "odd[bot]"))
	assert.False(t, Ignored("User", "robot"))
	assert.False(t, Decide(commands.Find("help"), Person{Login: "x", Bot: true, Role: "admin"}, open).Allowed)
	assert.False(t, Decide(commands.Find("help"), Person{Login: "x[bot]", Role: "admin"}, open).Allowed)
}

func info(mutate func(*pull.Info)) pull.Info {
	i := pull.Info{
		Repo: pull.Repo{Owner: "o", Name: "r"}, Number: 7, State: "open", Author: "author",
		HeadSHA: sha1, HeadRepo: "o/r", BaseRef: "main",
	}
	if mutate != nil {
		mutate(&i)
	}
	return i
}

func approval(mutate func(*Approval)) []Approval {
	a := Approval{Repo: "o/r", Number: 7, SHA: sha1, By: "boss", Role: "maintain", At: t0}
	if mutate != nil {
		mutate(&a)
	}
	return []Approval{a}
}

func TestTrusted(t *testing.T) {
	fork := func(i *pull.Info) { i.HeadRepo = "someone/r" }
	tests := []struct {
		name      string
		info      pull.Info
		role      string
		err       error
		approvals []Approval
		want      bool
	}{
		{"own branch, write", info(nil), "write", nil, nil, true},
		{"own branch, admin", info(nil), "admin", nil, nil, true},
		{"own branch, triage", info(nil), "triage", nil, nil, false},
		{"own branch, read", info(nil), "read", nil, nil, false},
		{"own branch, unknown role", info(nil), "owner", nil, nil, false},
		{"own branch, role not known", info(nil), "write", errors.New("500"), nil, false},
		{"fork, even with write access", info(fork), "admin", nil, nil, false},
		{"fork deleted", info(func(i *pull.Info) { i.HeadRepo = "" }), "write", nil, nil, false},
		{"fork approved", info(fork), "none", nil, approval(nil), true},
		{"fork approved, role not known", info(fork), "", errors.New("500"), approval(nil), true},
		{"fork approved by an admin", info(fork), "none", nil, approval(func(a *Approval) { a.Role = "admin" }), true},
		{"approved by someone without the role", info(fork), "none", nil, approval(func(a *Approval) { a.Role = "write" }), false},
		{"other commit approved", info(fork), "none", nil, approval(func(a *Approval) { a.SHA = sha2 }), false},
		{"prefix approved", info(fork), "none", nil, approval(func(a *Approval) { a.SHA = sha1[:12] }), false},
		{"other pull request approved", info(fork), "none", nil, approval(func(a *Approval) { a.Number = 8 }), false},
		{"other repository approved", info(fork), "none", nil, approval(func(a *Approval) { a.Repo = "o/r2" }), false},
		{"no head", info(func(i *pull.Info) { i.HeadSHA = "" }), "admin", nil, approval(func(a *Approval) { a.SHA = "" }), false},
		{"merge group", info(func(i *pull.Info) { i.Number, i.Author = 0, "" }), "", nil, nil, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v := Trusted(test.info, test.role, test.err, test.approvals)
			assert.Equal(t, test.want, v.Trusted, v.Reason)
			assert.NotEmpty(t, v.Reason)
			switch {
			case v.Trusted:
				assert.Empty(t, v.Command)
			case test.err != nil:
				assert.True(t, v.Retry)
				assert.Empty(t, v.Command)
			case test.info.HeadSHA != "":
				parsed := commands.Parse(v.Command)
				require.Len(t, parsed, 1)
				assert.Equal(t, commands.OkToTest{SHA: test.info.HeadSHA}, parsed[0].Args)
			}
		})
	}
}

func TestFieldReport59ApprovalIsForTheCommitThatWasRead(t *testing.T) {
	maintainer := Person{Login: "boss", Role: "maintain"}
	fork := info(func(i *pull.Info) { i.HeadRepo = "someone/r" })

	a, d := Approve(commands.OkToTest{SHA: sha1}, fork, maintainer, 99, t0)
	require.True(t, d.Allowed, d.Reason)
	assert.Equal(t, Approval{Repo: "o/r", Number: 7, SHA: sha1, By: "boss", Role: "maintain", CommentID: 99, At: t0}, a)
	assert.True(t, Trusted(fork, "none", nil, []Approval{a}).Trusted)

	pushed := fork
	pushed.HeadSHA = sha2
	assert.False(t, Trusted(pushed, "none", nil, []Approval{a}).Trusted, "a push after the approval is not covered")

	none, d := Approve(commands.OkToTest{SHA: sha1}, pushed, maintainer, 99, t0)
	assert.False(t, d.Allowed)
	assert.Zero(t, none)
	assert.Contains(t, d.Reason, sha2, "the new head is named")

	for _, refused := range []Person{
		{Login: "dev", Role: "write"}, {Login: "author", Role: "read"}, {Login: "boss", Role: "maintain", Err: errors.New("500")}, {Login: "b[bot]", Role: "admin"},
	} {
		_, d = Approve(commands.OkToTest{SHA: sha1}, fork, refused, 99, t0)
		assert.False(t, d.Allowed, refused.Login)
	}
	closed := fork
	closed.State = "closed"
	_, d = Approve(commands.OkToTest{SHA: sha1}, closed, maintainer, 99, t0)
	assert.False(t, d.Allowed)
	_, d = Approve(commands.OkToTest{SHA: sha1[:12]}, fork, maintainer, 99, t0)
	assert.False(t, d.Allowed)
}

func TestControlPlane(t *testing.T) {
	control := map[string]string{
		".github/workflows/ci.yml":                            "workflow",
		".github/actions/x/action.yml":                        "workflow",
		"action.yml":                                          "workflow",
		".github/tilegym.yml":                                 "gate configuration",
		".github/scripts/run.py":                              "repository automation",
		"src/tilegym/ops/cutile_rs/cutile_kernels/build.rs":   "build script",
		"src/tilegym/ops/cutile_rs/cutile_kernels/Cargo.toml": "Rust build",
		".cargo/config.toml":                                  "Rust build",
		"a/.cargo/config.toml":                                "Rust build",
		"crates/my_macros/src/lib.rs":                         "procedural macro",
		"crates/x-derive/src/lib.rs":                          "procedural macro",
		"tests/conftest.py":                                   "test harness",
		"pytest.ini":                                          "test harness",
		"src/sitecustomize.py":                                "interpreter start",
		"x/evil.pth":                                          "interpreter start",
		"pyproject.toml":                                      "Python packaging",
		"requirements-dev.txt":                                "Python packaging",
		"Dockerfile.ci":                                       "build environment",
		"format.sh":                                           "build environment",
		".gitattributes":                                      "checkout",
	}
	harmless := []string{
		"src/tilegym/ops/cutile_rs/bmm_kernel/kernel.rs", "src/tilegym/ops/cutile_rs/bmm.py", "tests/ops/test_bmm.py", "README.md", "docs/build.rs.md", "",
	}
	paths := append([]string{}, harmless...)
	for p := range control {
		paths = append(paths, p, p)
	}
	got := ControlPlane(paths)
	require.Len(t, got, len(control), "each once")
	for i, c := range got {
		assert.Equal(t, control[c.Path], c.Class, c.Path)
		if i > 0 {
			assert.Less(t, got[i-1].Path, c.Path)
		}
	}
	assert.Empty(t, ControlPlane(harmless))
}
