package demo

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"

	"github.com/tilegate/tilegate/bot/githubsim"
	"github.com/tilegate/tilegate/checks/memfs"
	"github.com/tilegate/tilegate/templates"
	"github.com/tilegate/tilegate/testdata"
)

const (
	ops      = "src/tilegym/ops/cutile_rs/"
	workflow = ".github/workflows/tilegym-gate.yml"
)

// portFiles are the files of the row_sum port, which the base does not have yet.
var portFiles = []string{ops + "row_sum.py", ops + "row_sum_kernel/kernel.rs", ops + "row_sum_kernel/ffi.rs"}

// edit replaces one text of a file; the text must occur exactly once.
type edit struct{ path, old, new string }

// unport takes the row_sum port out of the sample repository.
var unport = []edit{
	{ops + "cutile_kernels/src/lib.rs", "\nmod row_sum {\n    include!(\"../../row_sum_kernel/kernel.rs\");\n    include!(\"../../row_sum_kernel/ffi.rs\");\n}\n", ""},
	{ops + "__init__.py", "    from . import row_sum  # noqa: F401\n", ""},
}

// planted marks what the second pull request breaks: a comment of each of
// these rules has to stand on the line that holds the text.
var planted = []struct{ rule, path, text string }{
	{"R2", ops + "scale_add_kernel/kernel.rs", "core::f32::consts::LOG2_E"},
	{"R35", ops + "scale_add.py", "    )\n    return out"}, // the end of the unchecked call: its first line is off the diff
}

// shortcut is the second pull request: a constant that the GPU compiler does
// not take, a return code that nobody looks at, and an output that is cleared
// before each launch, which costs a second launch per call.
var shortcut = []edit{
	{ops + "scale_add_kernel/kernel.rs",
		"        let scaled: Tile<f32, { [BLOCK] }> =\n            mulf(x_f32, alpha_b, rounding::NearestEven, ftz::Disabled);\n",
		"        let log2e: Tile<f32, { [BLOCK] }> =\n            constant(core::f32::consts::LOG2_E, const_shape![BLOCK]);\n" +
			"        let mut x_up: Tile<f32, { [BLOCK] }> = x_f32;\n" +
			"        for _step in 0i32..8i32 {\n" +
			"            x_up = mulf(x_up, log2e, rounding::NearestEven, ftz::Disabled);\n" +
			"            x_up = divf(x_up, log2e, rounding::NearestEven, ftz::Disabled);\n" +
			"        }\n" +
			"        let scaled: Tile<f32, { [BLOCK] }> =\n            mulf(x_up, alpha_b, rounding::NearestEven, ftz::Disabled);\n"},
	{ops + "scale_add.py", "    check_rc(rc, _FFI_NAME)\n", ""},
	{ops + "scale_add.py", "        out = torch.empty(x.shape, dtype=x.dtype, device=x.device)\n", "        out = torch.zeros(x.shape, dtype=x.dtype, device=x.device)\n"},
}

// base builds the repository before both pull requests, and the port's files.
func base() (*memfs.FS, map[string][]byte, error) {
	mini, err := fs.Sub(testdata.TilegymMini, "tilegym-mini")
	if err != nil {
		return nil, nil, err
	}
	files := map[string][]byte{workflow: templates.Workflow}
	err = fs.WalkDir(mini, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[p], err = fs.ReadFile(mini, p)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	port := map[string][]byte{}
	for _, p := range portFiles {
		if files[p] == nil {
			return nil, nil, fmt.Errorf("the sample repository lacks %s", p)
		}
		port[p] = files[p]
		delete(files, p)
	}
	for _, e := range unport {
		port[e.path] = files[e.path]
		if files[e.path], err = e.apply(files[e.path]); err != nil {
			return nil, nil, err
		}
	}
	var out memfs.FS
	for p, data := range files {
		out.Add(p, data)
	}
	return &out, port, nil
}

func (e edit) apply(data []byte) ([]byte, error) {
	if n := strings.Count(string(data), e.old); n != 1 {
		return nil, fmt.Errorf("%s: expected the text once, found it %d times: %q", e.path, n, e.old)
	}
	return bytes.Replace(data, []byte(e.old), []byte(e.new), 1), nil
}

// openPulls opens the two sample pull requests.
func openPulls(repo *githubsim.Repo, port map[string][]byte) error {
	clean := githubsim.Changes{}
	for p, data := range port {
		clean[p] = githubsim.Text(string(data))
	}
	bad := githubsim.Changes{}
	for _, e := range shortcut {
		data, err := repo.Read("main", e.path)
		if err != nil {
			return err
		}
		if f := bad[e.path]; f != nil {
			data = f.Data
		}
		if data, err = e.apply(data); err != nil {
			return err
		}
		bad[e.path] = githubsim.Text(string(data))
	}
	for _, pr := range []struct {
		branch, title, body string
		changes             githubsim.Changes
	}{
		{"port-row-sum", "Port row_sum to cutile-rs", "One block per row, a masked loop over tiles.", clean},
		{"faster-scale-add", "scale_add: scale in base two", "Should be faster.", bad},
	} {
		if err := repo.CreateBranch(pr.branch, "main"); err != nil {
			return err
		}
		if _, err := repo.Commit(pr.branch, author, pr.title, pr.changes); err != nil {
			return err
		}
		if _, err := repo.OpenPull(githubsim.PullOptions{Title: pr.title, Body: pr.body, Author: author, Branch: pr.branch}); err != nil {
			return err
		}
	}
	return nil
}
