package pull_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/pull"
)

// zipOf makes an archive from names and contents in turn.
func zipOf(t testing.TB, pairs ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		f, err := w.Create(pairs[i])
		require.NoError(t, err)
		_, err = f.Write([]byte(pairs[i+1]))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

func zipMode(t testing.TB, name string, mode fs.FileMode, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	h := &zip.FileHeader{Name: name, Method: zip.Deflate}
	h.SetMode(mode)
	f, err := w.CreateHeader(h)
	require.NoError(t, err)
	_, err = f.Write([]byte(content))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

var small = pull.Limits{ArtifactFile: 1000, ArtifactTotal: 2000, ArtifactFiles: 5, File: 1000, Tree: 2000, Archive: 1 << 20, Unpacked: 1 << 20}

func TestUnzipRefuses(t *testing.T) {
	bomb := zipOf(t, "a", strings.Repeat("0", 10_000_000))
	lying := bytes.Clone(bomb)
	// The sizes that the headers claim are not believed.
	central := bytes.Index(lying, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(lying[central+24:], 10)
	many := []string{}
	for i := range 6 {
		many = append(many, fmt.Sprint(i), "x")
	}
	flipped := zipOf(t, "evidence.json", "abcdefgh")
	flipped[bytes.Index(flipped, []byte("evidence.json"))+14] ^= 0xff
	encrypted := zipOf(t, "a", "x")
	encrypted[bytes.Index(encrypted, []byte("PK\x01\x02"))+10] = 99 // an unknown method
	tests := []struct {
		name string
		data []byte
		want error
	}{
		{"bomb", bomb, pull.ErrTooLarge},
		{"bomb with a small claim", lying, pull.ErrArchive},
		{"too much in total", zipOf(t, "a", strings.Repeat("a", 900), "b", strings.Repeat("b", 900), "c", strings.Repeat("c", 900)), pull.ErrTooLarge},
		{"too many files", zipOf(t, many...), pull.ErrTooLarge},
		{"path upwards", zipOf(t, "../evil", "x"), pull.ErrArchive},
		{"path upwards inside", zipOf(t, "a/../../evil", "x"), pull.ErrArchive},
		{"absolute path", zipOf(t, "/etc/passwd", "x"), pull.ErrArchive},
		{"backslashes", zipOf(t, `..\evil`, "x"), pull.ErrArchive},
		{"drive", zipOf(t, `C:\evil`, "x"), pull.ErrArchive},
		{"NUL", zipOf(t, "a\x00b", "x"), pull.ErrArchive},
		{"empty name", zipOf(t, "", "x"), pull.ErrArchive},
		{"only dots", zipOf(t, "./.", "x"), pull.ErrArchive},
		{"symbolic link", zipMode(t, "link", fs.ModeSymlink|0o777, "/etc/passwd"), pull.ErrArchive},
		{"device", zipMode(t, "dev", fs.ModeDevice|0o666, ""), pull.ErrArchive},
		{"twice", zipOf(t, "a", "1", "a", "2"), pull.ErrArchive},
		{"twice after cleaning", zipOf(t, "a", "1", "./a", "2"), pull.ErrArchive},
		{"file and folder", zipOf(t, "a", "1", "a/b", "2"), pull.ErrArchive},
		{"folder and file", zipOf(t, "a/b", "1", "a", "2"), pull.ErrArchive},
		{"damaged content", flipped, pull.ErrArchive},
		{"unknown method", encrypted, pull.ErrArchive},
		{"no zip", []byte("hello"), pull.ErrArchive},
		{"nothing", nil, pull.ErrArchive},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := pull.Unzip(test.data, small)
			assert.ErrorIs(t, err, test.want)
		})
	}
}

func TestUnzip(t *testing.T) {
	files, err := pull.Unzip(zipOf(t, "./evidence.json", "{}", "logs/", "", "logs/a.log", "text"), small)
	require.NoError(t, err)
	assert.Equal(t, "{}", read(t, files, "evidence.json"))
	assert.Equal(t, "text", read(t, files, "logs/a.log"))
	empty, err := pull.Unzip(zipOf(t), small)
	require.NoError(t, err)
	list, err := fs.ReadDir(empty, ".")
	require.NoError(t, err)
	assert.Empty(t, list)
}

const commit = "0123456789012345678901234567890123456789"

func wantRust(name string) bool { return strings.HasSuffix(name, ".rs") }

func TestUntar(t *testing.T) {
	data := archive(t, commit,
		&tar.Header{Name: "top/", Typeflag: tar.TypeDir, Mode: 0o755},
		file("top/a.rs", "a"), file("top/sub/b.rs", "bb"), file("top/other.py", "skipped"), file("top/empty.rs", ""),
		&tar.Header{Name: "top/dir.rs/", Typeflag: tar.TypeDir},
		&tar.Header{Name: "top/link.rs", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"},
		&tar.Header{Name: "top/hard.rs", Typeflag: tar.TypeLink, Linkname: "top/a.rs"},
		&tar.Header{Name: "top/fifo.rs", Typeflag: tar.TypeFifo},
		file("top/big.rs", strings.Repeat("x", 1001)),
		file("not-below.rs", "x"),
	)
	files, err := pull.Untar(bytes.NewReader(data), commit, wantRust, small)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{
		"a.rs": "a", "sub/b.rs": "bb", "empty.rs": "", "link.rs": "unread", "hard.rs": "unread", "fifo.rs": "unread", "big.rs": "unread",
	}, files)
}

func TestUntarRefuses(t *testing.T) {
	var zeros bytes.Buffer
	z := gzip.NewWriter(&zeros)
	w := tar.NewWriter(z)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "top/x.bin", Typeflag: tar.TypeReg, Size: 3 << 20}))
	_, err := w.Write(make([]byte, 3<<20))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, z.Close())
	tests := []struct {
		name string
		data []byte
		want error
	}{
		{"other commit", archive(t, strings.Repeat("f", 40), file("top/a.rs", "a")), pull.ErrArchive},
		{"path upwards", archive(t, commit, file("top/../../evil.rs", "x")), pull.ErrArchive},
		{"path upwards in a skipped file", archive(t, commit, file("top/../../evil.py", "x")), pull.ErrArchive},
		{"absolute path", archive(t, commit, file("top//etc/evil.rs", "x")), pull.ErrArchive},
		{"twice", archive(t, commit, file("top/a.rs", "1"), file("top/a.rs", "2")), pull.ErrArchive},
		{"twice below different folders", archive(t, commit, file("top/a.rs", "1"), file("pot/a.rs", "2")), pull.ErrArchive},
		{"file and folder", archive(t, commit, file("top/a.rs", "1"), file("top/a.rs/b.rs", "2")), pull.ErrArchive},
		{"too much in total", archive(t, commit, file("top/a.rs", strings.Repeat("a", 900)), file("top/b.rs", strings.Repeat("a", 900)), file("top/c.rs", strings.Repeat("a", 900))), pull.ErrTooLarge},
		{"bomb of skipped files", zeros.Bytes(), pull.ErrTooLarge},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := pull.Untar(bytes.NewReader(test.data), commit, wantRust, small)
			assert.ErrorIs(t, err, test.want)
		})
	}
	t.Run("compressed archive over its limit", func(t *testing.T) {
		limits := small
		limits.Archive = 50
		_, err := pull.Untar(bytes.NewReader(archive(t, commit, file("top/a.rs", "a"))), commit, wantRust, limits)
		assert.ErrorIs(t, err, pull.ErrTooLarge)
	})
}

func FuzzUnzip(f *testing.F) {
	f.Add(zipOf(f, "evidence.json", "{}", "a/b", "x"))
	f.Add(zipMode(f, "link", fs.ModeSymlink|0o777, "x"))
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	f.Fuzz(func(t *testing.T, data []byte) {
		files, err := pull.Unzip(data, small)
		if err != nil {
			return
		}
		total, count := int64(0), 0
		err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			content, err := fs.ReadFile(files, name)
			if err != nil || !fs.ValidPath(name) || int64(len(content)) > small.ArtifactFile {
				t.Fatalf("%q: %d bytes, %v", name, len(content), err)
			}
			total += int64(len(content))
			count++
			return nil
		})
		if err != nil || total > small.ArtifactTotal || count > small.ArtifactFiles {
			t.Fatalf("%d bytes in %d files, %v", total, count, err)
		}
	})
}

func FuzzUntar(f *testing.F) {
	f.Add(archive(f, commit, file("top/a.rs", "a"), &tar.Header{Name: "top/l.rs", Typeflag: tar.TypeSymlink, Linkname: "x"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		// Compressed here, so that the fuzzer reaches the reader of the tar file.
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(data)
		_ = z.Close()
		for _, packed := range [][]byte{data, b.Bytes()} {
			files, err := pull.Untar(bytes.NewReader(packed), commit, wantRust, small)
			if err != nil {
				continue
			}
			total := 0
			for name, content := range files {
				if !fs.ValidPath(name) || len(content) > int(small.File) {
					t.Fatalf("%q: %d bytes", name, len(content))
				}
				total += len(content)
			}
			if total > int(small.Tree)+len("unread")*len(files) {
				t.Fatalf("%d bytes", total)
			}
		}
	})
}

func FuzzPatch(f *testing.F) {
	f.Add("@@ -1,3 +1,4 @@ fn x\n a\n-b\n+c\n+d\n e\n\\ No newline at end of file")
	f.Add("@@ -0,0 +1 @@\n+Subproject commit 0123456789012345678901234567890123456789")
	f.Fuzz(func(t *testing.T, patch string) {
		commentable, hunkOf, ok := pull.Lines(patch)
		if !ok && (commentable != nil || hunkOf != nil) || len(commentable) != len(hunkOf) || len(commentable) > strings.Count(patch, "\n")+1 {
			t.Fatalf("%d lines, %d hunks, %v", len(commentable), len(hunkOf), ok)
		}
	})
}

func TestPatchLines(t *testing.T) {
	commentable, hunkOf, ok := pull.Lines("@@ -1,3 +1,4 @@ fn x\n a\n-b\n+c\n+d\n e\n@@ -10,2 +11,1 @@\n-gone\n last\n\\ No newline at end of file")
	require.True(t, ok)
	assert.Equal(t, map[int]bool{1: true, 2: true, 3: true, 4: true, 11: true}, commentable)
	assert.Equal(t, map[int]int{1: 0, 2: 0, 3: 0, 4: 0, 11: 1}, hunkOf)
	for _, damaged := range []string{"", "garbage", "@@ -1,3 +1,4 @@\n a\n", "@@ -x +y @@\n a\n", "@@ -1 +1 @@\n-a\n+b\n--- a/other\n+++ b/other\n@@ -1 +1 @@\n-a\n+b"} {
		_, _, ok := pull.Lines(damaged)
		assert.False(t, ok, "%q", damaged)
	}
}

func TestMarker(t *testing.T) {
	for body, want := range map[string]string{
		"text\n\n<!-- tilegate:summary v1 -->":           "tilegate:summary v1",
		"text\r\n<!-- tilegate:x -->\r\n \t\n":           "tilegate:x",
		"<!--tilegate:x-->":                              "tilegate:x",
		"<!-- tilegate:x -->\nafter":                     "",
		"text <!-- tilegate:x -->":                       "",
		"<!-- other:x -->":                               "",
		"<!-- tilegate:x --> --> ":                       "",
		"<!-- tilegate:x":                                "",
		"> <!-- tilegate:x -->":                          "",
		"":                                               "",
		"<!-- tilegate:a -->\n<!-- tilegate:b -->":       "tilegate:b",
		"<!-- tilegate:a --> and <!-- tilegate:fake -->": "",
	} {
		assert.Equal(t, want, pull.Marker(body), "%q", body)
	}
}
