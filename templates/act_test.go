package templates_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/templates"
	"github.com/tilegate/tilegate/testdata"
)

// Stand-ins for the three actions of GitHub that the workflow uses: they work on
// folders of this machine. What they keep of the originals is what the workflow
// relies on, such as a download that fails for an artifact that is not there.
var standIns = map[string]string{
	"actions/checkout": `
inputs: {ref: {required: true}, path: {required: true}, fetch-depth: {required: true}, persist-credentials: {required: true}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {REF: "${{ inputs.ref }}", DESTINATION: "${{ inputs.path }}"}
      run: |
        rm -rf "$DESTINATION"
        git clone --quiet --no-checkout "$STANDIN_REPOSITORY" "$DESTINATION"
        git -C "$DESTINATION" checkout --quiet "$REF"
`,
	"actions/upload-artifact": `
inputs: {name: {required: true}, path: {required: true}, if-no-files-found: {default: warn}, retention-days: {default: "1"}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {NAME: "${{ inputs.name }}", SOURCE: "${{ inputs.path }}"}
      run: |
        if [ ! -d "$SOURCE" ]; then echo "::warning::no files in $SOURCE"; exit; fi
        mkdir "$STANDIN_ARTIFACTS/$NAME"
        cp -r "$SOURCE/." "$STANDIN_ARTIFACTS/$NAME"
`,
	"actions/download-artifact": `
inputs: {name: {required: true}, path: {required: true}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {NAME: "${{ inputs.name }}", DESTINATION: "${{ inputs.path }}"}
      run: |
        mkdir -p "$DESTINATION"
        cp -r "$STANDIN_ARTIFACTS/$NAME/." "$DESTINATION"
`,
}

// TestWorkflowRuns runs the workflow and the action with nektos/act in host
// mode: one kernel is sound, the other gives wrong results. It shows that a
// stage runs only after its own kernel's earlier stage succeeded.
func TestWorkflowRuns(t *testing.T) {
	act := os.Getenv("TILEGATE_ACT")
	if act == "" {
		t.Skip("TILEGATE_ACT is not set: .ci/act builds nektos/act and sets it")
	}
	dir := t.TempDir()
	repo, head := sampleRepository(t, dir)
	binary := filepath.Join(dir, "bin", "tilegate")
	command(t, "..", nil, "go", "build", "-o", binary, "./cmd/tilegate")
	artifacts := filepath.Join(dir, "artifacts")
	require.NoError(t, os.Mkdir(artifacts, 0o755))

	req := job.Request{
		Schema: job.RequestSchema, Dispatch: "01ACT", Repository: "o/r", HeadSHA: head, BaseSHA: head,
		Kernels: []string{"row_sum", "scale_add"}, Stages: job.Stages, Candidate: "cutile-rs", Reference: "cutile", GPU: "default",
		Rounds: job.Rounds{Min: 1, Max: 1}, Harness: "base",
	}
	text, err := json.Marshal(req)
	require.NoError(t, err)
	event, err := json.Marshal(map[string]any{"inputs": map[string]string{"request": string(text), "dispatch": req.Dispatch}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "event.json"), event, 0o600))

	python := strings.TrimSpace(command(t, dir, nil, "python3", "-c", "import sys; print(sys.executable)"))
	home := filepath.Join(dir, "home")
	require.NoError(t, os.Mkdir(home, 0o755))
	args := []string{
		"workflow_dispatch", "-W", ".github/workflows/tilegym-gate.yml", "-e", filepath.Join(dir, "event.json"),
		"-P", "ubuntu-latest=-self-hosted", "-P", "self-hosted=-self-hosted", "-P", "gpu=-self-hosted", "--no-cache-server",
		"--env", "STANDIN_REPOSITORY=" + repo, "--env", "STANDIN_ARTIFACTS=" + artifacts, "--env", "TILEGATE_PYTHON=" + hostPython(python),
		"--env", "CARGO_HOME=" + hostFolder("CARGO_HOME", ".cargo"), "--env", "RUSTUP_HOME=" + hostFolder("RUSTUP_HOME", ".rustup"),
	}
	for _, j := range parseWorkflow(t).Jobs {
		for _, s := range j.Steps {
			if s.Uses == "" {
				continue
			}
			name, ref, _ := strings.Cut(s.Uses, "@")
			folder := filepath.Join(dir, "actions", filepath.Base(name))
			require.NoError(t, os.MkdirAll(folder, 0o755))
			definition := []byte("name: " + name + "\ndescription: stand-in" + standIns[name])
			if name == "tilegate/tilegate" {
				definition, err = os.ReadFile("../action.yml")
				require.NoError(t, err)
			} else {
				require.Contains(t, standIns, name)
			}
			require.NoError(t, os.WriteFile(filepath.Join(folder, "action.yml"), definition, 0o600))
			args = append(args, "--local-repository", name+"@"+ref+"="+folder)
		}
	}
	cmd := exec.Command(act, args...)
	cmd.Dir = repo
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+home, "XDG_CONFIG_HOME="+home,
		"PATH="+filepath.Dir(binary)+string(os.PathListSeparator)+filepath.Dir(python)+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	log := string(out)
	require.Error(t, err, "a kernel with wrong results fails the run\n%s", log)

	list, err := os.ReadDir(artifacts)
	require.NoError(t, err)
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	assert.Equal(t, []string{
		"tilegate-01ACT-build-row_sum-default", "tilegate-01ACT-build-scale_add-default",
		"tilegate-01ACT-correctness-row_sum-default", "tilegate-01ACT-correctness-scale_add-default",
		"tilegate-01ACT-perf-row_sum-default",
	}, names, log)
	for _, kernel := range req.Kernels {
		for _, stage := range job.Stages {
			data, err := os.ReadFile(filepath.Join(artifacts, job.ArtifactName(req.Dispatch, stage, kernel, req.GPU), job.EvidenceFile))
			if kernel == "scale_add" && stage == job.Perf {
				assert.ErrorIs(t, err, fs.ErrNotExist)
				continue
			}
			require.NoError(t, err)
			e, err := job.ParseEvidence(data)
			require.NoError(t, err)
			assert.NoError(t, e.Belongs(req, stage, kernel))
			if kernel == "row_sum" {
				require.NotEmpty(t, e.Commands)
				for _, c := range e.Commands {
					assert.Zero(t, c.ExitCode, "%s: %s", stage, c.Name)
				}
			}
		}
	}
	assert.Contains(t, log, "perf (scale_add, default) is not run: correctness (scale_add, default): canary ended with exit code 1")
}

// sampleRepository makes a repository with the workflow and one wrong kernel.
func sampleRepository(t *testing.T, dir string) (repo, head string) {
	t.Helper()
	repo = filepath.Join(dir, "repository")
	mini, err := fs.Sub(testdata.TilegymMini, "tilegym-mini")
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(repo, mini))
	require.NoError(t, os.MkdirAll(filepath.Join(repo, ".github/workflows"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(repo, ".github/workflows/tilegym-gate.yml"), templates.Workflow, 0o600))
	kernel := filepath.Join(repo, "src/tilegym/ops/cutile_rs/scale_add_kernel/kernel.rs")
	text, err := os.ReadFile(kernel)
	require.NoError(t, err)
	wrong := strings.Replace(string(text), "addf(scaled, y_f32,", "addf(scaled, x_f32,", 1)
	require.NotEqual(t, string(text), wrong)
	require.NoError(t, os.WriteFile(kernel, []byte(wrong), 0o600))
	git := func(args ...string) string {
		env := []string{"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull}
		return strings.TrimSpace(command(t, repo, env, "git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...))
	}
	git("init", "-q", "-b", "main")
	git("remote", "add", "origin", "https://github.com/o/r")
	git("add", "-A")
	git("commit", "-q", "-m", "all")
	return repo, git("rev-parse", "HEAD")
}

func command(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.Output()
	require.NoError(t, err, "%s %v", name, args)
	return string(out)
}

// hostFolder is a folder of the user's own installation, which a scratch HOME
// would hide.
func hostFolder(variable, below string) string {
	if v := os.Getenv(variable); v != "" {
		return v
	}
	home, _ := os.UserHomeDir()
	return filepath.Join(home, below)
}

func hostPython(found string) string {
	if v := os.Getenv("TILEGATE_PYTHON"); v != "" {
		return v
	}
	return found
}
