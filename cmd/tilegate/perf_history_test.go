package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/checks/history"
)

// The operator exports what the App measured, while the App runs, and a store that
// imports it has the same.
func TestPerfHistoryOfTheApp(t *testing.T) {
	const recorded = "testdata/perf-history.jsonl"
	all, err := readHistory(recorded)
	require.NoError(t, err)
	dir := t.TempDir()
	address := "sqlite:" + filepath.Join(dir, "app.db")
	st, err := store.Open(t.Context(), address, time.Now)
	require.NoError(t, err)
	defer st.Close()
	for i, m := range all {
		// A dispatch measures a kernel once; here all samples are of one.
		m.Dispatch += string(rune('a' + i))
		all[i] = m
		require.NoError(t, st.AddMeasurement(t.Context(), m))
		require.NoError(t, st.AddMeasurement(t.Context(), m), "a second time changes nothing")
	}
	settings := filepath.Join(dir, "settings.yml")
	require.NoError(t, os.WriteFile(settings, []byte("database_url: "+address+"\n"), 0o600))
	t.Setenv("TILEGATE_DATABASE_URL", "")

	perfHistory := func(args ...string) string {
		var out, errs bytes.Buffer
		require.Zero(t, run(append([]string{"perf", "history"}, args...), streams{In: strings.NewReader(""), Out: &out, Err: &errs}), errs.String())
		return out.String()
	}
	exported := perfHistory("--config", settings, "--format", "json")
	validate(t, history.Schema, []byte(exported))
	read, err := history.Read(strings.NewReader(exported))
	require.NoError(t, err)
	require.Equal(t, history.Selection{}.Of(all), read)

	export := filepath.Join(dir, "export.json")
	require.NoError(t, os.WriteFile(export, []byte(exported), 0o600))
	kept := filepath.Join(dir, "kept.jsonl")
	perfHistory("--store", kept, "--import", export)
	require.Equal(t, exported, perfHistory("--store", kept, "--format", "json"))
	require.Contains(t, perfHistory("--store", kept, "--import", export), "recorded before")
	require.Equal(t, perfHistory("--config", settings, "--format", "svg"), perfHistory("--store", kept, "--format", "svg"))
}
