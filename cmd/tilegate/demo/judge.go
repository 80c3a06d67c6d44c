package demo

import (
	"fmt"
	"strings"

	"github.com/tilegate/tilegate/bot/githubsim"
)

// judge compares what GitHub was told with what has to come out: a green gate
// for the port; for the other comments on the planted lines, a perf gap, and a
// red gate that says what would unblock it.
func (d *Demo) judge() (Result, error) {
	var r Result
	for i, n := range d.repo.Pulls() {
		pr, err := d.repo.Pull(n)
		if err != nil {
			return Result{}, err
		}
		gate := gateOf(pr)
		r.Gates = append(r.Gates, Gate{n, pr.Title, gate.Conclusion, gate.Title})
		problem := func(format string, args ...any) {
			r.Problems = append(r.Problems, fmt.Sprintf("#%d: ", n)+fmt.Sprintf(format, args...))
		}
		if len(pr.Comments) != 1 {
			problem("expected one summary comment, found %d", len(pr.Comments))
		}
		if i == 0 {
			d.judgeClean(pr, problem)
		} else {
			d.judgePlanted(pr, problem)
		}
	}
	return r, nil
}

func (d *Demo) judgeClean(pr githubsim.PullState, problem func(string, ...any)) {
	for _, c := range pr.Checks {
		if c.Conclusion != "success" {
			problem("%s: expected success, found %s: %s", c.Name, c.Conclusion, c.Title)
		}
	}
	if len(pr.ReviewComments) > 0 {
		problem("expected no review comment, found %d", len(pr.ReviewComments))
	}
}

func (d *Demo) judgePlanted(pr githubsim.PullState, problem func(string, ...any)) {
	want := map[string]string{
		gateName: "failure", "tilegym / rules": "failure", "tilegym / build": "success", "tilegym / correctness": "success", "tilegym / perf": "failure",
	}
	for _, c := range pr.Checks {
		if c.Conclusion != want[c.Name] {
			problem("%s: expected %s, found %s: %s", c.Name, want[c.Name], c.Conclusion, c.Title)
		}
	}
	for _, plant := range planted {
		data, err := d.repo.Read(pr.HeadSHA, plant.path)
		if err != nil {
			problem("%v", err)
			continue
		}
		line := strings.Count(string(data[:max(0, strings.Index(string(data), plant.text))]), "\n") + 1
		found := false
		for _, c := range pr.ReviewComments {
			found = found || c.Path == plant.path && c.Line == line && strings.Contains(c.Body, plant.rule)
		}
		if !found {
			problem("no comment of %s on %s:%d", plant.rule, plant.path, line)
		}
	}
	perf := checkOf(pr, "tilegym / perf")
	if !strings.Contains(perf.Title+perf.Summary, "MODERATE_GAP") && !strings.Contains(perf.Title+perf.Summary, "LARGE_GAP") {
		problem("the perf check names no gap: %s", perf.Title)
	}
	if gate := gateOf(pr); !strings.Contains(gate.Title+gate.Summary, "/tilegym") && !strings.Contains(gate.Title+gate.Summary, "push") {
		problem("the gate does not say what would unblock it: %s", gate.Title)
	}
}
