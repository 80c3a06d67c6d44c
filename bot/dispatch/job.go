package dispatch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tilegate/tilegate/bot/pull"
)

var errTooManyKernels = errors.New("request: over 65,535 bytes: ask for fewer kernels at once")

// End says how a job of a run ended, before its evidence is looked at.
type End string

// The ends of a job.
const (
	EndOpen      End = ""          // not completed
	EndJudge     End = "judge"     // success or failure: the evidence decides
	EndSkipped   End = "skipped"   // did not run
	EndCancelled End = "cancelled" // stopped by someone
	EndTimedOut  End = "timed_out" // stopped by a time limit
	EndInfra     End = "infra"     // the runner or GitHub failed
)

// EndOf classifies a job of a run. A failed job in which no step failed was
// not failed by what it ran: the runner was lost or never began.
func EndOf(j pull.Job) (End, string) {
	if j.Status != "completed" {
		return EndOpen, ""
	}
	where := ""
	if j.Runner != "" {
		where = " on runner `" + strings.ReplaceAll(j.Runner, "`", "'") + "`"
	}
	switch j.Conclusion {
	case "success":
		return EndJudge, ""
	case "failure":
		for _, s := range j.Steps {
			switch s.Conclusion {
			case "failure":
				return EndJudge, ""
			case "timed_out":
				return EndTimedOut, fmt.Sprintf("A step did not end in time%s.", where)
			}
		}
		return EndInfra, fmt.Sprintf("The job ended%s without a failed step: the runner was lost or did not start it.", where)
	case "skipped":
		return EndSkipped, "The job did not run: GitHub says skipped."
	case "cancelled":
		return EndCancelled, "The job was cancelled."
	case "timed_out":
		return EndTimedOut, fmt.Sprintf("The job did not end in time%s.", where)
	case "startup_failure", "stale":
		return EndInfra, fmt.Sprintf("GitHub could not run the job: %s.", j.Conclusion)
	}
	return EndInfra, fmt.Sprintf("The job ended with %q, which shows nothing.", j.Conclusion)
}
