package githubsim

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"net/http"
	"slices"
)

func (s *Sim) getTarball(c *request) answer {
	ref := c.PathValue("ref")
	if ref == "" {
		ref = c.repo.defaultBranch
	}
	x := c.repo.resolve(ref)
	if x == nil {
		return notFound()
	}
	return answer{status: http.StatusFound}.with("Location",
		fmt.Sprintf("%s/codeload/%s/%s", c.base, c.repo.fullName(), x.id))
}

// codeload serves the archive to which the tarball endpoint redirects.
func (s *Sim) codeload(c *request) answer {
	if c.repo == nil {
		return notFound()
	}
	x := c.repo.resolve(c.PathValue("sha"))
	if x == nil {
		return notFound()
	}
	data, err := archive(c.repo, x)
	if err != nil {
		return fail(http.StatusInternalServerError, err.Error())
	}
	return answer{status: http.StatusOK, raw: data, typ: "application/x-gzip"}
}

// archive packs a commit as `git archive` does for GitHub: one top folder, the
// commit id in a global header, submodules as empty folders.
func archive(r *Repo, x *commit) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	t := tar.NewWriter(z)
	top := fmt.Sprintf("%s-%s-%s/", r.owner.login, r.name, x.id[:7])
	headers := []*tar.Header{
		{Typeflag: tar.TypeXGlobalHeader, Name: "pax_global_header", PAXRecords: map[string]string{"comment": x.id}},
		{Typeflag: tar.TypeDir, Name: top, Mode: 0o775, ModTime: x.when},
	}
	for _, h := range headers {
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
	}
	for _, p := range slices.Sorted(maps.Keys(x.files)) {
		e := x.files[p]
		data := r.st.blob(e.id)
		h := &tar.Header{Typeflag: tar.TypeReg, Name: top + p, Mode: 0o664, Size: int64(len(data)), ModTime: x.when}
		switch e.mode {
		case ModeExecutable:
			h.Mode = 0o775
		case ModeSymlink:
			h.Typeflag, h.Linkname, h.Size, h.Mode, data = tar.TypeSymlink, string(data), 0, 0o777, nil
		case ModeSubmodule:
			h.Typeflag, h.Name, h.Size, h.Mode, data = tar.TypeDir, h.Name+"/", 0, 0o775, nil
		}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write(data); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
