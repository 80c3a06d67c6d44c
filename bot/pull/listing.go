package pull

import "context"

// HeadListing names the content of every file at the head, submodules and
// files that are not read included: its path to "mode id", as git identifies
// content. complete is false when GitHub did not list everything.
func (s *snapshot) HeadListing(ctx context.Context) (files map[string]string, complete bool, err error) {
	return s.reader.identities(ctx, s.info.Repo, s.info.HeadSHA)
}

// MergeBaseListing is HeadListing of the merge base.
func (s *snapshot) MergeBaseListing(ctx context.Context) (files map[string]string, complete bool, err error) {
	sha, err := s.MergeBaseSHA(ctx)
	if err != nil {
		return nil, false, err
	}
	return s.reader.identities(ctx, s.info.Repo, sha)
}

func (g *GitHub) identities(ctx context.Context, repo Repo, sha string) (map[string]string, bool, error) {
	list, err := g.listing(ctx, repo, sha)
	if err != nil {
		return nil, false, err
	}
	files := make(map[string]string, len(list.files))
	for name, e := range list.files {
		files[name] = e.mode + " " + e.sha
	}
	return files, !list.cut, nil
}
