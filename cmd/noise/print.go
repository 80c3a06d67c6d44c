package main

import (
	"fmt"
	"strings"
)

func markdown(backend string, equal []equalCode, changes []change) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Equal code of %s against itself: INVESTIGATE in how many of the comparisons / comparisons in which any one config is more than 5 %% slower.\n\n", backend)
	b.WriteString("| card | op | configs (noisy inside a run) | repetitions | 1 round | 2 rounds | 3 rounds | plan, up to 6 | rounds per plan | worst geomean | worst config | launch counts that differ |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, e := range equal {
		perPlan := "-"
		if e.plan.compared > 0 {
			perPlan = fmt.Sprintf("%.2f", float64(e.asked)/float64(e.plan.compared))
		}
		fmt.Fprintf(&b, "| %s | %s | %d (%d) | %d | %v | %v | %v | %v | %s | %.4f | %.4f | %d of %d |\n", e.card, e.op, e.configs, e.twoSpeed, e.repetitions,
			e.rounds[0], e.rounds[1], e.rounds[2], e.plan, perPlan, e.worst, e.worstOne, e.changedLaunches, e.launchCounts)
	}
	if len(changes) == 0 {
		return b.String()
	}
	b.WriteString("\nChanged code against unmodified code: the same counts; here red is right wherever the pooled geomean is above 1.05.\n\n")
	b.WriteString("| card | change | op | configs | repetitions | pooled geomean | 1 round | plan, up to 3 | repetitions with changed launches |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range changes {
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %d | %.4f | %v | %v | %d |\n", c.card, c.set, c.op, c.configs, c.repetitions, c.pooled, c.single, c.plan, c.launches)
	}
	return b.String()
}
