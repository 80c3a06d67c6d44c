package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/tilegate/tilegate/checks/config"
	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/records"
)

// readRecords opens a record file and reads it with a reader that bounds its own
// memory.
func readRecords[T any](path string, read func(string, io.Reader) T) (T, error) {
	var none T
	f, err := os.Open(path)
	if err != nil {
		return none, fmt.Errorf("expected a readable record file: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return none, fmt.Errorf("expected a record file, found the directory %s: the folder of a job of tilegate runner is an argument by itself", path)
	}
	return read(path, f), nil
}

// readJUnit reads a JUnit file, however large, in the memory that it promises, and
// its checksum, which evidence knows it by.
func readJUnit(path string) (records.Report, error) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(records.MemoryLimit))
	sum := sha256.New()
	r, err := readRecords(path, func(name string, in io.Reader) records.Report {
		return records.ReadJUnit(name, io.TeeReader(in, sum))
	})
	if r.Damage == nil { // else its end was not read
		r.SHA256 = hex.EncodeToString(sum.Sum(nil))
	}
	return r, err
}

// readSmall reads a document that is far below its limit when it is sane.
func readSmall(path, what string) ([]byte, error) {
	return readAtMost(path, what, 4<<20)
}

// readAtMost reads a document of at most limit bytes.
func readAtMost(path, what string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("expected %s: %w", what, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fmt.Errorf("expected %s: %w", what, err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("expected %s of at most %d bytes, found more in %s", what, limit, path)
	}
	return data, nil
}

// readConfig reads a configuration; no path is the default configuration.
func readConfig(path string) (config.Config, error) {
	if path == "" {
		return config.Default(), nil
	}
	data, err := readSmall(path, "a configuration file")
	if err != nil {
		return config.Config{}, err
	}
	c, err := config.Parse(path, data)
	return c, oneLine(err)
}

// skipMatcher combines a configuration's allow-list, when a file was given, with
// the patterns of the command line. Without either, no skip is allowed.
func skipMatcher(configPath string, c config.Config, patterns []string, candidate string) (config.SkipMatcher, error) {
	if slices.Contains(patterns, "") {
		// It matches every text, and is what a variable without a value leaves.
		return nil, errors.New(`--allow-skip: expected a regular expression (RE2), found ""`)
	}
	own, err := config.CompileSkips(patterns, candidate)
	if err != nil {
		return nil, fmt.Errorf("--allow-skip: %w", err)
	}
	if configPath == "" {
		return own, nil
	}
	configured := c.SkipMatcher(candidate)
	return func(text string) bool { return own(text) || configured(text) }, nil
}

// readEvidence reads evidence documents; a folder stands for the one in it.
func readEvidence(paths []string) ([]job.Evidence, error) {
	var all []job.Evidence
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			path = filepath.Join(path, job.EvidenceFile)
		}
		data, err := readSmall(path, "an evidence file")
		if err != nil {
			return nil, err
		}
		e, err := job.ParseEvidence(data)
		if err != nil {
			return nil, noEvidence{path, err}
		}
		all = append(all, e)
	}
	return all, nil
}

// noEvidence says why a file that can be read is no evidence.
type noEvidence struct {
	path string
	why  error
}

func (e noEvidence) Error() string { return e.path + ": " + e.why.Error() }

// writeJSON prints a document of a machine format.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

var errNoRecords = errors.New("expected at least one record file")
