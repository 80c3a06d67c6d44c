package main

import (
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"tilegate":          main,
		"tilegate-measured": measured,
	})
}

// TestScripts runs the command-line documentation in testdata/script.
func TestScripts(t *testing.T) {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "appdb": appdb},
		Setup: func(e *testscript.Env) error {
			e.Setenv("REPO", root+"/../..")
			// Scripts that run cargo and Python need the host's own installations.
			e.Setenv("HOST_HOME", os.Getenv("HOME"))
			e.Setenv("HOST_PYTHON", os.Getenv("TILEGATE_PYTHON"))
			for _, where := range []string{"RUSTUP_HOME", "CARGO_HOME"} {
				if dir := os.Getenv(where); dir != "" {
					e.Setenv(where, dir)
				}
			}
			return nil
		},
	})
}

// Every flag that takes several values says so.
func TestHelpSaysWhatMayBeRepeated(t *testing.T) {
	parser, err := newParser(streams{})
	require.NoError(t, err)
	repeated := 0
	require.NoError(t, kong.Visit(parser.Model, func(n kong.Visitable, next kong.Next) error {
		if f, ok := n.(*kong.Flag); ok {
			assert.Equal(t, f.IsCumulative(), strings.Contains(f.Help, "may be repeated"), "--%s: %s", f.Name, f.Help)
			if f.IsCumulative() {
				repeated++
			}
		}
		return next(nil)
	}))
	assert.Greater(t, repeated, 10)
}
