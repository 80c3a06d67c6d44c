package triage

import "strings"

// profile reads what a measured call launched, as TileGym prints it behind the name of
// the test case, and compares the candidate's calls with the others'.
type profile struct {
	inside bool
	at     line // the first of the candidate's calls with work of the framework
	found  bool
	ours   bool // the present call is the candidate's
	own    bool // it launched a kernel that is not the framework's
	host   line // its first launch of the framework
	other  bool // another backend has such launches, too
}

// extraLaunches is the signature of work beside the kernel.
const extraLaunches = "S-P13"

// slow are the signatures that say that a call takes too long.
var slow = []string{"S-P01", "S-P02", "S-P03", "S-P04", "S-P05", "S-P07", "S-P10", "S-P12"}

func (p *profile) line(sc *logScan, l line) {
	if !p.inside && !(strings.HasSuffix(l.text, "===") && strings.Contains(l.text, "=== CUPTI events (")) {
		return
	}
	switch {
	case strings.Contains(l.text, "=== CUPTI events ("):
		node := sc.console.open
		if i := strings.Index(l.text, ".py::"); i >= 0 {
			node, _, _ = strings.Cut(l.text[i:], " ")
		}
		p.inside, p.own, p.host = true, false, line{}
		p.ours = strings.Contains(node, "cutile_rs") || strings.Contains(node, ours)
		if node == "" {
			p.inside = false
		}
	case strings.HasPrefix(l.text, "=== end"):
		p.inside = false
		if !p.own || p.host.n == 0 {
			return
		}
		if !p.ours {
			p.other = true
		} else if !p.found {
			p.found, p.at = true, p.host
		}
	case strings.Contains(l.text, "total="):
		if name, _, _ := strings.Cut(l.text, " total="); !hostWork(name) {
			p.own = true
		} else if p.host.n == 0 {
			p.host = l
		}
	}
}

func (p *profile) end(sc *logScan) {
	if p.found && !p.other {
		sc.explains(extraLaunches, slow, p.at)
	}
}
