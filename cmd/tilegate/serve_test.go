package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/githubsim"
)

// served is a process of `tilegate serve`.
type served struct {
	cmd *exec.Cmd
	log *lockedBuffer
}

func startServe(t *testing.T, env []string, args ...string) served {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	s := served{exec.Command(self, append([]string{"serve"}, args...)...), &lockedBuffer{}}
	s.cmd.Args[0] = "tilegate"
	s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = env, s.log, s.log
	require.NoError(t, s.cmd.Start())
	t.Cleanup(func() { s.cmd.Process.Kill() })
	return s
}

// says waits until the log holds a text.
func (s served) says(t *testing.T, text string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(s.log.String(), text) }, time.Minute, 10*time.Millisecond, s.log.String())
}

// One process serves a database. The lock dies with its process, however that ends,
// and a process that is asked to end does so without a word that alarms.
func TestServeOwnsItsDatabase(t *testing.T) {
	sim := githubsim.New(githubsim.Options{})
	require.NoError(t, sim.Start())
	defer sim.Close()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "key.pem"), sim.PrivateKeyPEM(), 0o600))
	config := filepath.Join(dir, "app.yml")
	require.NoError(t, os.WriteFile(config, []byte("app_id: 1\nprivate_key_file: "+dir+"/key.pem\nwebhook_secret: x\nlisten: 127.0.0.1:0\nadmin_listen: 127.0.0.1:0\ndatabase_url: sqlite:"+dir+"/app.db\n"), 0o600))
	env := []string{"HOME=" + dir, "TILEGATE_GITHUB_API_URL=" + sim.URL}

	first := startServe(t, env, "--config", config)
	first.says(t, `"msg":"listening"`)
	require.Contains(t, first.log.String(), config+": webhook_secret: expected at least 16 characters")
	second := startServe(t, env, "--config", config)
	require.Error(t, second.cmd.Wait())
	require.Equal(t, int(exitUsage), second.cmd.ProcessState.ExitCode())
	require.Contains(t, second.log.String(), "tilegate: "+config+": database_url sqlite:"+dir+"/app.db: open database "+dir+"/app.db: another process of tilegate works on this database and holds "+dir+"/app.db.lock: expected one process for a database; stop the other one, or give this one a database of its own\n")

	require.NoError(t, first.cmd.Process.Kill())
	require.Error(t, first.cmd.Wait())
	third := startServe(t, env, "--config", config)
	third.says(t, "River client started")
	require.NoError(t, third.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, third.cmd.Wait(), third.log.String())
	require.NotContains(t, third.log.String(), "Hard stop")
	for line := range strings.Lines(third.log.String()) {
		var said struct{ Level string }
		require.NoError(t, json.Unmarshal([]byte(line), &said), line)
		require.NotEqual(t, "ERROR", said.Level, line)
	}
}
