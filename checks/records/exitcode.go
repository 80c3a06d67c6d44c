package records

import "fmt"

// The exit statuses of pytest.
const (
	PytestOK          = 0
	PytestFailed      = 1
	PytestInterrupted = 2 // interrupted, or a module could not be collected
	PytestInternal    = 3
	PytestUsage       = 4
	PytestNoTests     = 5
)

// ExitSentence says what an exit status of pytest means for the completeness of
// its run. Whole is true for statuses after which every selected test has run.
func ExitSentence(code int) (sentence string, whole bool) {
	switch code {
	case PytestOK:
		return "pytest exited 0: all tests that ran passed or were skipped", true
	case PytestFailed:
		return "pytest exited 1: some tests failed", true
	case PytestInterrupted:
		return "pytest exited 2: the run was interrupted or a module could not be collected", false
	case PytestInternal:
		return "pytest exited 3: internal error", false
	case PytestUsage:
		return "pytest exited 4: wrong usage or a missing file", false
	case PytestNoTests:
		return "pytest exited 5: no test was collected, nothing ran", false
	case 124:
		return "the run exited 124: it was stopped at its time limit", false
	case 137, -9:
		return fmt.Sprintf("the run exited %d: it was killed", code), false
	}
	return fmt.Sprintf("the run exited %d, which is no status of pytest: it did not end by itself", code), false
}
