package templates_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/templates"
)

type step struct {
	ID    string            `yaml:"id"`
	Name  string            `yaml:"name"`
	Uses  string            `yaml:"uses"`
	Run   string            `yaml:"run"`
	Shell string            `yaml:"shell"`
	With  map[string]any    `yaml:"with"`
	Env   map[string]string `yaml:"env"`
}

type workflow struct {
	RunName string `yaml:"run-name"`
	On      struct {
		Dispatch struct {
			Inputs map[string]any `yaml:"inputs"`
		} `yaml:"workflow_dispatch"`
	} `yaml:"on"`
	Permissions map[string]string `yaml:"permissions"`
	Jobs        map[string]struct {
		Name        string         `yaml:"name"`
		Permissions map[string]any `yaml:"permissions"`
		Steps       []step         `yaml:"steps"`
		Timeout     int            `yaml:"timeout-minutes"`
	} `yaml:"jobs"`
}

func parseWorkflow(t *testing.T) workflow {
	t.Helper()
	var w workflow
	require.NoError(t, yaml.Unmarshal(templates.Workflow, &w))
	return w
}

// TestWorkflowKeepsTheContract compares the names that a run is found by with
// what the App looks for.
func TestWorkflowKeepsTheContract(t *testing.T) {
	w := parseWorkflow(t)
	fill := strings.NewReplacer("${{ inputs.dispatch }}", "01AB", "${{ matrix.kernel }}", "bmm", "${{ needs.plan.outputs.gpu }}", "h100", "${{ runner.temp }}", "/t").Replace
	assert.Equal(t, job.RunName("01AB"), fill(w.RunName))
	assert.Len(t, w.On.Dispatch.Inputs, 2)
	assert.Contains(t, w.On.Dispatch.Inputs, "request")
	assert.Contains(t, w.On.Dispatch.Inputs, "dispatch")
	assert.Equal(t, map[string]string{"contents": "read"}, w.Permissions)
	assert.Len(t, w.Jobs, 1+len(job.Stages))
	for _, stage := range job.Stages {
		j, ok := w.Jobs[string(stage)]
		require.True(t, ok, stage)
		assert.Equal(t, job.JobName(stage, "bmm", "h100"), fill(j.Name))
		assert.Empty(t, j.Permissions)
		assert.Positive(t, j.Timeout)
		last := j.Steps[len(j.Steps)-1]
		artifact := job.ArtifactName("01AB", stage, "bmm", "h100")
		assert.Equal(t, artifact, fill(last.With["name"].(string)))
		assert.Equal(t, "/t/evidence/"+artifact, fill(last.With["path"].(string)))
	}
}

// TestWorkflowIsSafe: inputs reach a script through the environment only,
// actions of others are pinned to a commit, and there is no secret.
func TestWorkflowIsSafe(t *testing.T) {
	assert.NotContains(t, string(templates.Workflow), "secrets.")
	assert.NotContains(t, string(templates.Workflow), "github.token")
	pinned := regexp.MustCompile(`^[\w-]+/[\w-]+@[0-9a-f]{40}$`)
	for name, j := range parseWorkflow(t).Jobs {
		for _, s := range j.Steps {
			assert.NotContains(t, s.Run, "${{", name)
			if s.Uses != "" && !strings.HasPrefix(s.Uses, "tilegate/tilegate@") {
				assert.Regexp(t, pinned, s.Uses)
			}
		}
	}
}

// checkInputs runs the first step of the workflow and returns its outputs, or
// what it printed when it refused.
func checkInputs(t *testing.T, request, dispatch string) (outputs map[string]string, refusal string) {
	t.Helper()
	s := parseWorkflow(t).Jobs["plan"].Steps[0]
	require.Equal(t, "python3 {0}", s.Shell)
	dir := t.TempDir()
	script, output := filepath.Join(dir, "script"), filepath.Join(dir, "output")
	require.NoError(t, os.WriteFile(script, []byte(s.Run), 0o600))
	require.NoError(t, os.WriteFile(output, nil, 0o600))
	cmd := exec.Command("python3", script)
	cmd.Env = append(os.Environ(), "REQUEST="+request, "DISPATCH="+dispatch, "LABELS="+s.Env["LABELS"],
		"GITHUB_REPOSITORY=o/r", "GITHUB_OUTPUT="+output)
	printed, err := cmd.CombinedOutput()
	text, readErr := os.ReadFile(output)
	require.NoError(t, readErr)
	if err != nil {
		assert.Empty(t, text, "a refused request has no outputs")
		return nil, string(printed)
	}
	outputs = map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		outputs[name] = value
	}
	return outputs, ""
}

func goodRequest() map[string]any {
	sha := strings.Repeat("ab", 20)
	return map[string]any{
		"schema": "tilegate.request/v1", "dispatch": "01AB", "repository": "o/r", "head_sha": sha, "base_sha": sha,
		"kernels": []string{"bmm", "row_sum", "bmm"}, "stages": []string{"build", "correctness"},
		"candidate": "cutile-rs", "reference": "cutile", "gpu": "default", "rounds": map[string]int{"min": 2, "max": 6}, "harness": "base",
		"unknown": "ignored",
	}
}

func TestWorkflowTakesARequestOfTheApp(t *testing.T) {
	text, err := json.Marshal(goodRequest())
	require.NoError(t, err)
	_, err = job.ParseRequest(text)
	require.NoError(t, err, "the same document is a request for tilegate")
	outputs, refusal := checkInputs(t, string(text), "01AB")
	require.Empty(t, refusal)
	assert.Equal(t, map[string]string{
		"kernels": `["bmm", "row_sum"]`, "labels": `["self-hosted", "gpu"]`, "gpu": "default", "head_sha": strings.Repeat("ab", 20),
		"build": "true", "correctness": "true", "perf": "false",
	}, outputs)
}

func TestWorkflowRefusesWhatIsNoRequest(t *testing.T) {
	sha := strings.Repeat("ab", 20)
	for _, c := range []struct {
		field string
		value any
		why   string
	}{
		{"schema", "tilegate.request/v2", "schema: "},
		{"dispatch", "01AC", "dispatch: expected the same"},
		{"dispatch", "01AB\n", "dispatch: "},
		{"dispatch", 1, "dispatch: "},
		{"repository", "o/other", "repository: "},
		{"head_sha", sha + "\n", "head_sha: "},
		{"head_sha", "main", "head_sha: "},
		{"base_sha", strings.ToUpper(sha), "base_sha: "},
		{"base_sha", nil, "base_sha: "},
		{"kernels", []string{}, "kernels: "},
		{"kernels", "bmm", "kernels: "},
		{"kernels", []string{"bmm", "$(id)"}, "kernels: "},
		{"kernels", []string{"../x"}, "kernels: "},
		{"kernels", []any{[]string{"bmm"}}, "kernels: "},
		{"stages", []string{"deploy"}, "stages: "},
		{"gpu", "h100, x", "gpu: expected a name"},
		{"gpu", "h100", "gpu: no labels for the class h100"},
		{"candidate", "a b", "candidate: "},
		{"reference", "", "reference: "},
	} {
		r := goodRequest()
		r[c.field] = c.value
		text, err := json.Marshal(r)
		require.NoError(t, err)
		_, refusal := checkInputs(t, string(text), "01AB")
		assert.Contains(t, refusal, "::error title=tilegate request::"+c.why, "%s = %v", c.field, c.value)
	}
	for _, text := range []string{"", "[]", "null", "{", `"x"`} {
		_, refusal := checkInputs(t, text, "01AB")
		assert.Contains(t, refusal, "::error title=tilegate request::expected", text)
	}
}

// TestActionIsConsistent checks what actionlint does not look at: each input
// reaches the program, nothing else is referred to, and no script holds an
// expression.
func TestActionIsConsistent(t *testing.T) {
	text, err := os.ReadFile("../action.yml")
	require.NoError(t, err)
	var a struct {
		Inputs map[string]struct {
			Description string `yaml:"description"`
			Required    bool   `yaml:"required"`
			Default     string `yaml:"default"`
		} `yaml:"inputs"`
		Outputs map[string]struct {
			Value string `yaml:"value"`
		} `yaml:"outputs"`
		Runs struct {
			Using string `yaml:"using"`
			Steps []step `yaml:"steps"`
		} `yaml:"runs"`
	}
	require.NoError(t, yaml.Unmarshal(text, &a))
	assert.Equal(t, "composite", a.Runs.Using)
	env := map[string]string{}
	ids := map[string]bool{}
	for _, s := range a.Runs.Steps {
		assert.NotContains(t, s.Run, "${{", s.Name)
		assert.Equal(t, "bash", s.Shell, s.Name)
		ids[s.ID] = true
		for name, value := range s.Env {
			env[name] = value
		}
	}
	for name, input := range a.Inputs {
		assert.NotEmpty(t, input.Description, name)
		variable := "INPUT_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		assert.Equal(t, "${{ inputs."+name+" }}", env[variable], "%s reaches the program", name)
	}
	for _, m := range regexp.MustCompile(`inputs\.([\w-]+)`).FindAllStringSubmatch(string(text), -1) {
		assert.Contains(t, a.Inputs, m[1])
	}
	for _, m := range regexp.MustCompile(`steps\.([\w-]+)\.outputs`).FindAllStringSubmatch(string(text), -1) {
		assert.True(t, ids[m[1]], m[1])
	}
	for _, stage := range job.Stages {
		for _, s := range parseWorkflow(t).Jobs[string(stage)].Steps {
			if strings.HasPrefix(s.Uses, "tilegate/tilegate@") {
				for name := range s.With {
					assert.Contains(t, a.Inputs, name, "an input that the workflow gives")
				}
			}
		}
	}
}
