package triage

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/untrusted"
)

// panics reads the panics of Rust that end a process: the first one of its thread is the
// cause, and those that follow are of destructors and of the abort.
type panics struct {
	chain []panicked // of one thread, without another test between
	cause panicked   // the first panic of the log that does not pass on another's
	ended bool       // the chain aborted the process
	abort int        // the line that tells so
}

// panicked is one panic.
type panicked struct {
	thread string
	at     line
	says   []string // its message
	open   bool     // the message may go on
}

const (
	aborted     = "S-R03"
	unwrapped   = "S-R46"
	maxChain    = 8
	maxMessages = 4 // lines of a message
)

var (
	panicHead = regexp.MustCompile(`\bthread '([^']*)'(?: \(\d+\))? panicked at `)
	// passedPanic is what a thread panics with when another one did before.
	passedPanic = probe(`\bAny \{ \.\. \}|\bPoisonError\b|\b(RecvError|SendError|Disconnected|TryRecvError)\b|a scoped thread panicked|\bJoinError::Panic\b`)
	panicEnd    = probe(`non-unwinding panic\. aborting|panicked while (panicking|processing panic)|Fatal Python error: Aborted|SIGABRT|fatal runtime error: `)
)

func (p *panics) line(l line, node bool) {
	p.remember(l)
	if p.ended {
		return
	}
	n := len(p.chain)
	if n > 0 && p.chain[n-1].open {
		p.chain[n-1].message(l.text)
	}
	switch {
	case node || beginsStep(l.text) || ends(l.text):
		p.chain = p.chain[:0]
	case strings.Contains(l.text, "panicked at "):
		m := panicHead.FindStringSubmatch(l.text)
		if m == nil {
			return
		}
		if n > 0 && p.chain[0].thread != m[1] {
			p.chain = p.chain[:0]
		}
		if len(p.chain) < maxChain {
			p.chain = append(p.chain, panicked{thread: strings.Clone(m[1]), at: l, open: true})
		}
	case n > 0 && l.is(panicEnd):
		p.ended, p.abort = true, l.n
	}
}

// remember keeps the first panic that has a message of its own.
func (p *panics) remember(l line) {
	switch c := &p.cause; {
	case c.open:
		c.message(l.text)
		if len(c.says) > 0 && passedPanic.match(c.says[0]) {
			*c = panicked{}
		}
	case c.at.n == 0 && strings.Contains(l.text, "panicked at ") && panicHead.MatchString(l.text):
		*c = panicked{at: l, open: true}
	}
}

// tell makes a hit show the panic with its message.
func (p *panicked) tell(h *hit) {
	h.Line = p.at.n
	h.Excerpt = untrusted.Text(strings.Join(slices.Concat([]string{p.at.text}, p.says), "\n")).Cut(maxExcerpt)
}

// message takes a line below a panic's head.
func (p *panicked) message(text string) {
	if text == "" && len(p.says) == 0 {
		return
	}
	if text == "" || strings.HasPrefix(text, "note: ") || strings.HasPrefix(text, "stack backtrace:") || strings.Contains(text, "panicked at ") || panicEnd.match(text) || len(p.says) == maxMessages {
		p.open = false
		return
	}
	p.says = append(p.says, strings.Clone(text))
}

// ends reports whether a test ended with a line: a panic after it is of another one.
func ends(text string) bool {
	return text == "PASSED" || text == "FAILED" || text == "ok" || strings.HasPrefix(text, "test ") && strings.Contains(text, " ... ")
}

func (p *panics) end(sc *logScan) {
	// A thread that waited for the one that panicked is not the cause.
	if h := sc.found[unwrapped]; h != nil && h.log == sc.logs && p.cause.at.n > 0 && h.Line > p.cause.at.n && passedPanic.match(strings.SplitN(string(h.Excerpt), "\n", 2)[0]) {
		p.cause.tell(h)
	}
	if !p.ended || len(p.chain) == 0 {
		return
	}
	first := p.chain[0]
	if h := sc.found[aborted]; h != nil && h.log == sc.logs && h.Line >= first.at.n && h.Line <= p.abort {
		first.tell(h)
	}
	if len(p.chain) == 1 {
		return
	}
	// What a destructor says while the first panic unwinds is no cause.
	for _, h := range sc.hits {
		if h.log == sc.logs && h.Line >= p.chain[1].at.n && h.Line <= p.abort && h.rank > Root && h.rank < General {
			h.rank, h.own, h.Weak = General, General, true
		}
	}
}
