package githubsim

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

// workflow is the part of a workflow file that dispatching needs.
type workflow struct {
	path    string
	name    string
	runName string
	// dispatch is nil when the file has no workflow_dispatch trigger.
	dispatch map[string]workflowInput
	err      error // the file does not parse
}

type workflowInput struct {
	Required bool `yaml:"required"`
	Default  any  `yaml:"default"`
	Type     string
	Options  []string `yaml:"options"`
}

const workflowFolder = ".github/workflows/"

// readWorkflow reads a workflow file of a commit; nil when there is none.
func (r *Repo) readWorkflow(c *commit, file string) *workflow {
	p := workflowFolder + file
	e, found := c.files[p]
	if !found {
		return nil
	}
	w := &workflow{path: p}
	var doc struct {
		Name    string `yaml:"name"`
		RunName string `yaml:"run-name"`
		On      any    `yaml:"on"`
	}
	if w.err = yaml.Unmarshal(r.st.blob(e.id), &doc); w.err != nil {
		return w
	}
	w.name, w.runName = doc.Name, doc.RunName
	if w.name == "" {
		w.name = p
	}
	switch on := doc.On.(type) {
	case string:
		if on == "workflow_dispatch" {
			w.dispatch = map[string]workflowInput{}
		}
	case []any:
		if slices.Contains(on, any("workflow_dispatch")) {
			w.dispatch = map[string]workflowInput{}
		}
	case map[string]any:
		if _, triggered := on["workflow_dispatch"]; triggered {
			w.dispatch = map[string]workflowInput{}
			var inputs struct {
				On struct {
					Dispatch struct {
						Inputs map[string]workflowInput `yaml:"inputs"`
					} `yaml:"workflow_dispatch"`
				} `yaml:"on"`
			}
			if w.err = yaml.Unmarshal(r.st.blob(e.id), &inputs); w.err == nil {
				maps.Copy(w.dispatch, inputs.On.Dispatch.Inputs)
			}
		}
	}
	return w
}

// workflowFiles lists the workflow files of the default branch and numbers them.
func (r *Repo) workflowFiles() []string {
	var out []string
	c := r.st.commits[r.branches[r.defaultBranch]]
	for p := range c.files {
		ext := path.Ext(p)
		if path.Dir(p)+"/" == workflowFolder && (ext == ".yml" || ext == ".yaml") {
			out = append(out, path.Base(p))
		}
	}
	slices.Sort(out)
	for _, file := range out {
		if r.workflows[file] == 0 {
			r.workflows[file] = r.sim.nextID()
		}
	}
	return out
}

// findWorkflow finds a workflow of the default branch by file name or id.
func (r *Repo) findWorkflow(key string) (file string, found bool) {
	for _, f := range r.workflowFiles() {
		if f == key || strconv.FormatInt(r.workflows[f], 10) == key {
			return f, true
		}
	}
	return "", false
}

// maxInputs is how many inputs a dispatch may have, maxInputBytes how long
// they may be together.
const (
	maxInputs     = 25
	maxInputBytes = 65_535
)

// bind checks the inputs of a dispatch against the workflow and fills in
// defaults. It returns what GitHub would refuse.
func (w *workflow) bind(given map[string]any) (map[string]string, string) {
	if len(given) > maxInputs {
		return nil, fmt.Sprintf("Invalid request.\n\nNo more than %d properties are allowed; %d were supplied.", maxInputs, len(given))
	}
	out := map[string]string{}
	size := 0
	var unexpected []string
	for name, v := range given {
		if _, declared := w.dispatch[name]; !declared {
			unexpected = append(unexpected, fmt.Sprintf("%q", name))
			continue
		}
		switch v.(type) {
		case string, bool, float64:
		default:
			return nil, fmt.Sprintf("Invalid request.\n\nFor 'properties/%s', expected a string.", name)
		}
		out[name] = fmt.Sprint(v)
		size += len(name) + len(out[name])
	}
	if len(unexpected) > 0 {
		slices.Sort(unexpected)
		return nil, "Unexpected inputs provided: [" + strings.Join(unexpected, ", ") + "]"
	}
	if size > maxInputBytes {
		return nil, "inputs are too large."
	}
	for name, in := range w.dispatch {
		if _, set := out[name]; set {
			if in.Type == "choice" && !slices.Contains(in.Options, out[name]) {
				return nil, fmt.Sprintf("Provided value '%s' for input '%s' not in the list of allowed values", out[name], name)
			}
			continue
		}
		switch {
		case in.Default != nil:
			out[name] = fmt.Sprint(in.Default)
		case in.Required:
			return nil, fmt.Sprintf("Required input '%s' not provided", name)
		default:
			out[name] = ""
		}
	}
	return out, ""
}

// inputExpression is the only expression that this package evaluates in a
// run-name: an input.
var inputExpression = regexp.MustCompile(`\$\{\{\s*(?:github\.event\.)?inputs\.([A-Za-z_][A-Za-z0-9_-]*)\s*\}\}`)

// title is the run's display title.
func (w *workflow) title(inputs map[string]string) string {
	if w.runName == "" {
		return w.name
	}
	return inputExpression.ReplaceAllStringFunc(w.runName, func(m string) string {
		return inputs[inputExpression.FindStringSubmatch(m)[1]]
	})
}
