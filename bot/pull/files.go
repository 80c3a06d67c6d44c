package pull

import (
	"bytes"
	"regexp"
	"sort"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
	"github.com/google/go-github/v62/github"
)

func fileOf(row *github.CommitFile) File {
	f := File{
		Path: row.GetFilename(), Previous: row.GetPreviousFilename(), Status: row.GetStatus(),
		Changes: row.GetChanges(), Patch: row.GetPatch(),
	}
	switch {
	case f.Patch != "" && submodulePatch.MatchString(f.Patch):
		f.NoLines = OmittedSubmodule
	case f.Patch != "":
		var ok bool
		if f.Commentable, f.HunkOf, ok = lines(f.Patch); !ok {
			f.NoLines = OmittedLarge
		}
	case f.Changes > 0:
		f.NoLines = OmittedLarge
	default:
		// A binary file, a file mode, an empty file, a pure rename, or a row
		// whose lines and counts GitHub left out.
		f.NoLines = OmittedUnknown
	}
	return f
}

// submodulePatch is the whole patch of a submodule that was added, moved or
// removed.
var submodulePatch = regexp.MustCompile(`^@@ [^\n]* @@\n(?:-Subproject commit [0-9a-f]{40,64}(?:-dirty)?\n?)?(?:\+Subproject commit [0-9a-f]{40,64}(?:-dirty)?\n?)?$`)

// lines returns the head-side lines inside the hunks of a patch, with the number
// of each one's hunk; false when the patch is damaged.
func lines(patch string) (commentable map[int]bool, hunkOf map[int]int, ok bool) {
	// The API sends hunks without a header and without the last line's end.
	text := "--- a/file\n+++ b/file\n" + strings.TrimSuffix(patch, "\n") + "\n"
	files, _, err := gitdiff.Parse(strings.NewReader(text))
	if err != nil || len(files) != 1 || len(files[0].TextFragments) == 0 {
		return nil, nil, false
	}
	commentable, hunkOf = map[int]bool{}, map[int]int{}
	for hunk, fragment := range files[0].TextFragments {
		at := int(fragment.NewPosition)
		for _, line := range fragment.Lines {
			if line.Op == gitdiff.OpDelete {
				continue
			}
			commentable[at], hunkOf[at] = true, hunk
			at++
		}
	}
	return commentable, hunkOf, true
}

// complete adds what a cut list lacks, from the difference of the two trees.
func complete(files []File, before, after *listing) []File {
	listed := map[string]bool{}
	for _, f := range files {
		listed[f.Path] = true
		if f.Status == "renamed" {
			listed[f.Previous] = true
		}
	}
	var more []File
	for path, now := range after.files {
		old, had := before.files[path]
		switch {
		case listed[path] || had && old.sha == now.sha && old.mode == now.mode:
		case had:
			more = append(more, File{Path: path, Status: "modified", NoLines: OmittedLarge})
		default:
			more = append(more, File{Path: path, Status: "added", NoLines: OmittedLarge})
		}
	}
	for path := range before.files {
		if _, has := after.files[path]; !has && !listed[path] {
			more = append(more, File{Path: path, Status: "removed", NoLines: OmittedLarge})
		}
	}
	sort.Slice(more, func(i, j int) bool { return more[i].Path < more[j].Path })
	return append(files, more...)
}

// binary judges as git does: a NUL byte near the start.
func binary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0
}
