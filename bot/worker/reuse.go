package worker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/checks/gate"
	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/tree"
	"github.com/tilegate/tilegate/checks/untrusted"
)

// listed is a snapshot that names the content of all files, also of those that
// it does not read.
type listed interface {
	HeadListing(ctx context.Context) (files map[string]string, complete bool, err error)
	MergeBaseListing(ctx context.Context) (files map[string]string, complete bool, err error)
}

// contents names, for each planned kernel, everything that its verdicts depend
// on beside the GPU host: every file of the head but documentation, workflows
// and what belongs to other kernels alone, the base's tests and reference when those judge, and the
// configuration. Nil when that is not known for certain.
func (l *look) contents(ctx context.Context, s *study, head *tree.Tree) (map[string]string, error) {
	snapshot, ok := l.snap.(listed)
	if !ok {
		return nil, nil
	}
	files, complete, err := snapshot.HeadListing(ctx)
	if err != nil || !complete {
		return nil, err
	}
	if s.Harness == "base" {
		base, complete, err := snapshot.MergeBaseListing(ctx)
		if err != nil || !complete {
			return nil, err
		}
		files = maps.Clone(files)
		for name, id := range base {
			// What the runner takes from the base: tests, reference ops, pytest's files.
			if !neutral(name) && !strings.Contains(name, "/cutile_rs/") {
				files["base:"+name] = id
			}
		}
	}
	// Wrappers and reference ops import each other, tests do not.
	owner := map[string]string{} // path -> the kernel that it belongs to alone
	for _, k := range head.Kernels {
		if k.Test != "" {
			owner[k.Test], owner["base:"+k.Test] = k.ID(), k.ID()
		}
	}
	names := slices.Sorted(maps.Keys(files))
	out := map[string]string{}
	for job, facts := range s.Kernels {
		k := head.Kernel(facts.ID)
		alone := unrelated(head, k)
		h := sha256.New()
		fmt.Fprintln(h, l.policy.digest, s.Harness, l.policy.ReferenceBackend(facts.Reference))
		for _, name := range names {
			if neutral(name) || owner[name] != "" && owner[name] != k.ID() || slices.ContainsFunc(alone, func(dir string) bool { return strings.HasPrefix(name, dir) }) {
				continue
			}
			fmt.Fprintln(h, name, files[name])
		}
		out[job] = hex.EncodeToString(h.Sum(nil)[:16])
	}
	return out, nil
}

// neutral reports whether a file has no part in building or running kernels.
func neutral(name string) bool {
	return path.Ext(name) == ".md" || strings.HasPrefix(name, "docs/") || strings.HasPrefix(name, ".github/") || name == "LICENSE"
}

// unrelated are the folders, each with a slash at its end, of the other kernels
// that no source of this one names.
func unrelated(head *tree.Tree, k *tree.Kernel) []string {
	var sources []byte
	for _, p := range []string{k.KernelRS, k.FFI, k.Wrapper} {
		src, err := head.Bytes(p)
		if p != "" && err != nil {
			return nil // what it names is not known
		}
		sources = append(append(sources, src...), '\n')
	}
	var dirs []string
	for _, other := range head.Kernels {
		if other != k && other.Dir != "" && !bytes.Contains(sources, []byte(path.Base(other.Dir))) {
			dirs = append(dirs, other.Dir+"/")
		}
	}
	return dirs
}

// environmentOf names the host that evidence comes from, as far as it bears on
// a verdict: not which machine of a class it was.
func environmentOf(e job.Evidence) string {
	data, err := json.Marshal(map[string]any{
		"gpu": e.GPUIdentity.Name, "driver": e.GPUIdentity.Driver, "capability": e.GPUIdentity.ComputeCapability, "tools": e.Tools, "timing": e.Timing,
	})
	if err != nil {
		return "" // strings and a map of strings always encode
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// reusable are the green results of all stages of a kernel with the same
// content on a GPU class whose hosts have not changed since; nil when one is
// missing.
func (l *look) reusable(ctx context.Context, kernel, gpu string) ([]store.Reused, error) {
	content := l.study.Contents[kernel]
	if content == "" {
		return nil, nil
	}
	key := kernel + "\n" + gpu
	if known, ok := l.reused[key]; ok {
		return known, nil
	}
	found, err := l.Store.Reusable(ctx, l.t.Repo, kernel, gpu, content)
	if err != nil {
		return nil, err
	}
	var green []store.Reused
	for _, stage := range job.Stages {
		i := slices.IndexFunc(found, func(r store.Reused) bool { return r.Stage == string(stage) && l.isGreen(stage, r.Result) })
		if i < 0 {
			green = nil
			break
		}
		green = append(green, found[i])
	}
	if l.reused == nil {
		l.reused = map[string][]store.Reused{}
	}
	l.reused[key] = green
	return green, nil
}

// isGreen reports whether a result opens the gate for its stage by itself.
func (l *look) isGreen(stage job.Stage, r store.Result) bool {
	j, err := l.resultState(gate.Job{Stage: stage}, r)
	if err != nil || j.State != gate.Done {
		return false
	}
	switch stage {
	case job.Build:
		return j.Verdict == gate.Pass
	case job.Correctness:
		return j.Verdict == gate.AllPass
	}
	return j.Verdict == gate.PerfDone && j.Comparable == gate.ComparableYes && !j.Incomplete
}

// reusedState is the state of a job whose verdict is taken from equal content.
func (l *look) reusedState(j gate.Job, reused []store.Reused) (gate.Job, error) {
	for _, r := range reused {
		if r.Stage != string(j.Stage) {
			continue
		}
		j, err := l.resultState(j, r.Result)
		j.Reused = untrusted.Text(fmt.Sprintf("run %d of %.7s", r.RunID, r.HeadSHA))
		return j, err
	}
	return j, nil
}
