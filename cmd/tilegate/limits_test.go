package main

import (
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/config"
	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/runner"
	"github.com/tilegate/tilegate/templates"
)

// TestTimeLimitsFitInside: a job has time for its commands and for what stands
// around them, and the App waits as long as the three jobs of a kernel may take.
func TestTimeLimitsFitInside(t *testing.T) {
	const around = 20 * time.Minute // checking out and moving evidence
	var w struct {
		Jobs map[string]struct {
			Timeout int `yaml:"timeout-minutes"`
		} `yaml:"jobs"`
	}
	require.NoError(t, yaml.Unmarshal(templates.Workflow, &w))
	all := time.Duration(0)
	for _, stage := range job.Stages {
		limit := time.Duration(w.Jobs[string(stage)].Timeout) * time.Minute
		assert.Equal(t, runner.DefaultLimits.Stage(stage)+around, limit, stage)
		all += limit
	}
	assert.LessOrEqual(t, all, config.Default().Deadlines.Run)
	l := runner.DefaultLimits
	least := time.Duration(config.Default().Perf.Rounds.Min)
	assert.LessOrEqual(t, l.Build+least*2*l.Perf, l.PerfStage)
}
