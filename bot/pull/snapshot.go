package pull

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/google/go-github/v62/github"
)

// snapshot implements Snapshot.
type snapshot struct {
	reader  *GitHub
	info    Info
	takenAt time.Time
	// changedFiles is GitHub's count, -1 when not known.
	changedFiles int

	files     once[[]File]
	mergeBase once[string]
}

// once keeps the first result that is no error.
type once[T any] struct {
	mu    sync.Mutex
	done  bool
	value T
}

func (o *once[T]) get(load func() (T, error)) (T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done {
		return o.value, nil
	}
	value, err := load()
	if err != nil {
		var none T
		return none, err
	}
	o.value, o.done = value, true
	return value, nil
}

func (s *snapshot) Info() Info { return s.info }

func (s *snapshot) TakenAt() time.Time { return s.takenAt }

func (s *snapshot) client() *github.Client { return s.reader.clients.Read(s.info.Repo.Installation) }

func (s *snapshot) Head(ctx context.Context) (fs.FS, error) {
	return s.reader.tree(ctx, s.info.Repo, s.info.HeadSHA)
}

func (s *snapshot) MergeBase(ctx context.Context) (fs.FS, error) {
	sha, err := s.MergeBaseSHA(ctx)
	if err != nil {
		return nil, err
	}
	return s.reader.tree(ctx, s.info.Repo, sha)
}

func (s *snapshot) MergeBaseSHA(ctx context.Context) (string, error) {
	return s.mergeBase.get(func() (string, error) {
		comparison, err := s.compare(ctx, 1)
		if err != nil {
			return "", err
		}
		sha := comparison.GetMergeBaseCommit().GetSHA()
		if err := checkSHA(sha); err != nil {
			return "", fmt.Errorf("merge base of %s and %s in %s: %w", s.info.BaseSHA, s.info.HeadSHA, s.info.Repo, err)
		}
		return sha, nil
	})
}

func (s *snapshot) compare(ctx context.Context, perPage int) (*github.CommitsComparison, error) {
	r := s.info.Repo
	comparison, _, err := s.client().Repositories.CompareCommits(ctx, r.Owner, r.Name, s.info.BaseSHA, s.info.HeadSHA, &github.ListOptions{PerPage: perPage, Page: 1})
	return comparison, fail(err, "compare %s with %s in %s", s.info.BaseSHA, s.info.HeadSHA, r)
}

func (s *snapshot) BaseFile(ctx context.Context, path string) ([]byte, error) {
	r := s.info.Repo
	if !fs.ValidPath(path) || path == "." {
		return nil, fmt.Errorf("expected a path from the repository's root, found %q", path)
	}
	file, _, _, err := s.client().Repositories.GetContents(ctx, r.Owner, r.Name, path, &github.RepositoryContentGetOptions{Ref: s.info.BaseSHA})
	if err != nil {
		return nil, fail(err, "read %s of %s at %s", path, r, s.info.BaseSHA)
	}
	if file == nil || file.GetType() != "file" {
		return nil, fmt.Errorf("read %s of %s at %s: expected a regular file: %w", path, r, s.info.BaseSHA, ErrNotFound)
	}
	if file.GetEncoding() == "none" || int64(file.GetSize()) > s.reader.limits.File {
		return nil, fmt.Errorf("read %s of %s at %s: %d bytes: %w", path, r, s.info.BaseSHA, file.GetSize(), ErrTooLarge)
	}
	content, err := file.GetContent()
	if err != nil {
		return nil, fmt.Errorf("read %s of %s at %s: %w", path, r, s.info.BaseSHA, err)
	}
	return []byte(content), nil
}

func (s *snapshot) Files(ctx context.Context) ([]File, error) {
	return s.files.get(func() ([]File, error) {
		if s.info.Number == 0 {
			return s.comparedFiles(ctx)
		}
		return s.pullFiles(ctx)
	})
}

// maxPullFiles and maxComparedFiles are where GitHub's lists end without a word.
const (
	maxPullFiles     = 3000
	maxComparedFiles = 300
)

func (s *snapshot) pullFiles(ctx context.Context) ([]File, error) {
	r, client := s.info.Repo, s.client()
	rows, err := all(func(o github.ListOptions) ([]*github.CommitFile, *github.Response, error) {
		return client.PullRequests.ListFiles(ctx, r.Owner, r.Name, s.info.Number, &o)
	})
	if err != nil {
		return nil, fail(err, "list the files of %s#%d", r, s.info.Number)
	}
	// The list is that of the present head, whichever that is.
	pr, _, err := client.PullRequests.Get(ctx, r.Owner, r.Name, s.info.Number)
	if err != nil {
		return nil, fail(err, "read pull request %s#%d again", r, s.info.Number)
	}
	if pr.GetHead().GetSHA() != s.info.HeadSHA {
		return nil, fmt.Errorf("list the files of %s#%d at %s: %w, it is now %s", r, s.info.Number, s.info.HeadSHA, ErrMoved, pr.GetHead().GetSHA())
	}
	cut := len(rows) >= maxPullFiles || len(rows) < max(s.changedFiles, pr.GetChangedFiles())
	return s.finish(ctx, rows, cut)
}

func (s *snapshot) comparedFiles(ctx context.Context) ([]File, error) {
	comparison, err := s.compare(ctx, perPage)
	if err != nil {
		return nil, err
	}
	return s.finish(ctx, comparison.Files, len(comparison.Files) >= maxComparedFiles)
}

// finish turns GitHub's rows into files. What the rows leave open - a list that
// was cut, a row without lines and counts - is read from the two trees.
func (s *snapshot) finish(ctx context.Context, rows []*github.CommitFile, cut bool) ([]File, error) {
	files := make([]File, 0, len(rows))
	open := cut
	for _, row := range rows {
		f := fileOf(row)
		open = open || f.NoLines == OmittedUnknown
		files = append(files, f)
	}
	if !open {
		return files, nil
	}
	before, after, err := s.listings(ctx)
	if err != nil {
		if cut || !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrTooLarge) {
			return nil, err
		}
		return files, nil
	}
	for i := range files {
		if files[i].NoLines == OmittedUnknown {
			files[i].NoLines = s.reason(ctx, files[i], before, after)
		}
	}
	if cut {
		files = complete(files, before, after)
	}
	return files, nil
}

// listings returns the complete lists of both trees.
func (s *snapshot) listings(ctx context.Context) (before, after *listing, err error) {
	sha, err := s.MergeBaseSHA(ctx)
	if err != nil {
		return nil, nil, err
	}
	if before, err = s.reader.listing(ctx, s.info.Repo, sha); err != nil {
		return nil, nil, err
	}
	if after, err = s.reader.listing(ctx, s.info.Repo, s.info.HeadSHA); err != nil {
		return nil, nil, err
	}
	if before.cut || after.cut {
		return nil, nil, fmt.Errorf("list the files of %s at %s: GitHub cuts the list: %w", s.info.Repo, s.info.HeadSHA, ErrTooLarge)
	}
	return before, after, nil
}

// reason tells a row that truly has no lines from one whose lines GitHub left
// out, which it does without a sign once the lines of a list are too many.
func (s *snapshot) reason(ctx context.Context, f File, before, after *listing) Omission {
	previous := f.Path
	if f.Previous != "" {
		previous = f.Previous
	}
	old, had := before.files[previous]
	now, has := after.files[f.Path]
	switch {
	case now.mode == modeSubmodule || old.mode == modeSubmodule:
		return OmittedSubmodule
	case had && has && old.sha == now.sha && f.Previous != "":
		return OmittedRename
	case had && has && old.sha == now.sha:
		return OmittedMode
	case (!had || old.size == 0) && (!has || now.size == 0):
		return OmittedEmpty
	}
	if s.reader.want(f.Path) && has {
		if head, err := s.Head(ctx); err == nil {
			if data, err := fs.ReadFile(head, f.Path); err == nil && binary(data) {
				return OmittedBinary
			} else if err == nil {
				return OmittedLarge
			}
		}
	}
	return OmittedUnknown
}
