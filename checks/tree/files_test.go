package tree_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"

	"github.com/tilegate/tilegate/checks/tree"
)

func TestFiles(t *testing.T) {
	fsys := fstest.MapFS{
		"a/x.rs":            {Data: []byte("x")},
		"a/b/y.rs":          {Data: []byte("y")},
		"a/b/y.py":          {Data: []byte("y")},
		"a/target/build.rs": {Data: []byte("z")},
		"c/z.rs":            {Data: []byte("z")},
	}
	tr := &tree.Tree{FS: fsys}
	rust := func(p string) bool { return strings.HasSuffix(p, ".rs") }
	assert.Equal(t, []string{"a/b/y.rs", "a/x.rs"}, tr.Files("a", rust))
	assert.Empty(t, tr.Files("missing", rust))
	assert.Len(t, tr.Files(".", rust), 3)
}
