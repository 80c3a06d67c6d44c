package review_test

import (
	"context"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	sitter "github.com/tree-sitter/go-tree-sitter"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
	rust "github.com/tree-sitter/tree-sitter-rust/bindings/go"
	"golang.org/x/sync/errgroup"

	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules/all"
)

// recorder notes the sources that a review opens.
type recorder struct {
	fs.FS
	mu    sync.Mutex
	paths map[string]bool
}

func (r *recorder) Open(name string) (fs.File, error) {
	switch path.Ext(name) {
	case ".rs", ".py":
		r.mu.Lock()
		r.paths[name] = true
		r.mu.Unlock()
	}
	return r.FS.Open(name)
}

// BenchmarkUpstream compares a review of an upstream checkout with only
// parsing the same files, in one process and in turn, so that a loaded machine
// slows both alike. It reports the medians of the pairs:
//
//	parse-ms, review-ms  time of each
//	ratio                review against parsing, with the same parallelism
//	cpu-ratio            the same of the processor time
//
// Run it with -cpu 1 to compare without parallelism.
func BenchmarkUpstream(b *testing.B) {
	dir := os.Getenv("TILEGYM_DIR")
	if dir == "" {
		b.Skip("TILEGYM_DIR is unset: it names a TileGym checkout to review")
	}
	compareWithParsing(b, os.DirFS(dir))
}

func compareWithParsing(b *testing.B, tree fs.FS) {
	seen := &recorder{FS: tree, paths: map[string]bool{}}
	options := review.Options{Head: seen, Rules: all.Rules}
	_, err := review.Run(context.Background(), options)
	require.NoError(b, err)
	options.Head = tree

	var parse, full, ratio, cpu []float64
	for b.Loop() {
		p := measure(func() { parseOnly(b, tree, seen.paths) })
		r := measure(func() {
			r, err := review.Run(context.Background(), options)
			require.NoError(b, err)
			require.Zero(b, r.Summary.Error)
		})
		parse, full = append(parse, p.wall.Seconds()), append(full, r.wall.Seconds())
		ratio = append(ratio, r.wall.Seconds()/p.wall.Seconds())
		cpu = append(cpu, r.cpu.Seconds()/p.cpu.Seconds())
	}
	b.ReportMetric(1000*median(parse), "parse-ms")
	b.ReportMetric(1000*median(full), "review-ms")
	b.ReportMetric(median(ratio), "ratio")
	b.ReportMetric(median(cpu), "cpu-ratio")
}

// parseOnly reads and parses files and throws the trees away.
func parseOnly(tb testing.TB, tree fs.FS, paths map[string]bool) {
	langs := map[string]*sitter.Language{
		".rs": sitter.NewLanguage(rust.Language()),
		".py": sitter.NewLanguage(python.Language()),
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for p := range paths {
		g.Go(func() error {
			src, err := fs.ReadFile(tree, p)
			if err != nil {
				return nil // asked for and absent
			}
			parser := sitter.NewParser()
			defer parser.Close()
			if err := parser.SetLanguage(langs[path.Ext(p)]); err != nil {
				return err
			}
			parser.Parse(src, nil).Close()
			return nil
		})
	}
	require.NoError(tb, g.Wait())
}

// cost is what a run took: real time and the processor time of all threads.
type cost struct{ wall, cpu time.Duration }

// measure collects garbage first, so that no run pays for the one before it.
func measure(run func()) cost {
	runtime.GC()
	start, before := time.Now(), processorTime()
	run()
	return cost{time.Since(start), processorTime() - before}
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
