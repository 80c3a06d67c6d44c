package dispatch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/dispatch"
	"github.com/tilegate/tilegate/bot/pull"
	"github.com/tilegate/tilegate/checks/job"
)

func TestEndOf(t *testing.T) {
	step := func(c string) []pull.Step { return []pull.Step{{Conclusion: "success"}, {Conclusion: c}} }
	for name, c := range map[string]struct {
		j    pull.Job
		want dispatch.End
	}{
		"queued":                     {pull.Job{Status: "queued"}, dispatch.EndOpen},
		"running":                    {pull.Job{Status: "in_progress"}, dispatch.EndOpen},
		"success":                    {pull.Job{Status: "completed", Conclusion: "success"}, dispatch.EndJudge},
		"failed step":                {pull.Job{Status: "completed", Conclusion: "failure", Steps: step("failure")}, dispatch.EndJudge},
		"lost runner":                {pull.Job{Status: "completed", Conclusion: "failure", Steps: step("cancelled")}, dispatch.EndInfra},
		"no steps":                   {pull.Job{Status: "completed", Conclusion: "failure"}, dispatch.EndInfra},
		"step out of time":           {pull.Job{Status: "completed", Conclusion: "failure", Steps: step("timed_out")}, dispatch.EndTimedOut},
		"field-report 28: skipped":   {pull.Job{Status: "completed", Conclusion: "skipped"}, dispatch.EndSkipped},
		"cancelled":                  {pull.Job{Status: "completed", Conclusion: "cancelled"}, dispatch.EndCancelled},
		"timed out":                  {pull.Job{Status: "completed", Conclusion: "timed_out"}, dispatch.EndTimedOut},
		"neutral shows nothing":      {pull.Job{Status: "completed", Conclusion: "neutral"}, dispatch.EndInfra},
		"an unknown word is no pass": {pull.Job{Status: "completed", Conclusion: "splendid"}, dispatch.EndInfra},
	} {
		end, sentence := dispatch.EndOf(c.j)
		require.Equal(t, c.want, end, name)
		require.Equal(t, end != dispatch.EndJudge && end != dispatch.EndOpen, sentence != "", name)
	}
}

func TestNewRequestNamesWhatIsWrong(t *testing.T) {
	_, err := dispatch.NewRequest(job.Request{Dispatch: "01A", Kernels: []string{"a b"}})
	require.ErrorContains(t, err, "head_sha")
	require.ErrorContains(t, err, `"a b"`)
}
