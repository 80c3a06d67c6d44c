package review_test

import (
	"context"
	"io/fs"
	"os"
	"path"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	sitter "github.com/tree-sitter/go-tree-sitter"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
	rust "github.com/tree-sitter/tree-sitter-rust/bindings/go"

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
// parsing the same files, one after the other, in one process.
func BenchmarkUpstream(b *testing.B) {
	dir := os.Getenv("TILEGYM_DIR")
	if dir == "" {
		b.Skip("TILEGYM_DIR is unset: it names a TileGym checkout to review")
	}
	seen := &recorder{FS: os.DirFS(dir), paths: map[string]bool{}}
	options := review.Options{Head: seen, Rules: all.Rules}
	_, err := review.Run(context.Background(), options)
	require.NoError(b, err)
	options.Head = os.DirFS(dir)

	langs := map[string]*sitter.Language{
		".rs": sitter.NewLanguage(rust.Language()),
		".py": sitter.NewLanguage(python.Language()),
	}
	size := int64(0)
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			size = 0
			for p := range seen.paths {
				src, err := fs.ReadFile(options.Head, p)
				if err != nil {
					continue // asked for and absent
				}
				size += int64(len(src))
				parser := sitter.NewParser()
				require.NoError(b, parser.SetLanguage(langs[path.Ext(p)]))
				parser.Parse(src, nil).Close()
				parser.Close()
			}
		}
		b.SetBytes(size)
	})
	b.Run("review", func(b *testing.B) {
		for b.Loop() {
			r, err := review.Run(context.Background(), options)
			require.NoError(b, err)
			require.Zero(b, r.Summary.Error)
		}
		b.SetBytes(size)
	})
}
