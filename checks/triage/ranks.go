package triage

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Signatures that the processes of one run decide together.
const (
	waitsLong   = "S-R86"
	unlikeCalls = "S-R75"
	stillBuilds = "S-R107"
	leavesEarly = "S-R109"
	crashed     = "S-R24"
)

// ranks reads what the processes of a distributed run tell: which of them wait in a
// collective until its time is over, and what the others were at.
type ranks struct {
	last  map[string]line // by process, its last line before the first time-out
	wrong map[string]line // by process, its first error before that
	waits map[string]work // by process, the collective that it waited in
	first line            // the first time-out
}

// work is a collective as a process tells of it.
type work struct {
	number, op, size string
	at               line
}

// maxRanks bounds the processes that are remembered.
const maxRanks = 64

var (
	// waited is the watchdog's word on a collective.
	waited = probe(`\[Rank (\d+)\] .*\bWorkNCCL\(SeqNum=(\d+), OpType=(\w+), NumelIn=(\d+)`)
	// building are the words of a process that compiles or tunes.
	building = probe(`\b[Aa]utotun(e|ing)\b|\b([Cc]ompiling|[Bb]uilding extension|[Tt]uning)\b|\b[Jj][Ii][Tt][- ]?compil|\b[Bb]enchmark\w* config|\b\d+ ?/ ?\d+ configs\b|^\[\d+/\d+\] .*\b(nvcc|c\+\+|g\+\+)\b`)
	built    = probe(`\b(done|finished|complete|completed|cache hit|hit)\b|\btook \d`)
	// leaving are the words of a process that does not come to the next collective.
	leaving = probe(`\b(exit(s|ing)?|leav(es|ing))\b|\bleft the (loop|group|job)\b|\bnothing (left|more|to do)\b|\bno (more |further )?(work|batch(es)?|data|tiles?|rows?|tokens?)\b|\b(is|are) (empty|exhausted)\b|\breturn(s|ing)? early\b|\bskip(s|ping) (the )?(collective|all[-_ ]?reduce|all[-_ ]?gather|barrier|sync)`)
	// ownError is the last line of a traceback, or a panic.
	ownError = probe(`^[\w.]*(Error|Exception|Exit|Interrupt|Assert\w*)\b *(:|$)|\bpanicked at |\bCUDA error\b|\bSegmentation fault\b`)
	// samePart are collectives of which all processes give as many elements.
	samePart = []string{"ALLREDUCE", "BROADCAST", "REDUCE", "_ALLGATHER_BASE", "_REDUCE_SCATTER_BASE"}
	// between are operations of two processes, or of several at once.
	between = []string{"SEND", "RECV", "COALESCED", "UNKNOWN"}
)

// line takes a line and the process that printed it, "" when the log does not tell.
func (r *ranks) line(l line, who string) {
	if l.is(waited) {
		m := waited.re.FindStringSubmatch(l.text)
		if r.waits == nil {
			r.waits = map[string]work{}
		}
		if r.first.n == 0 {
			r.first = l
		}
		if _, ok := r.waits[m[1]]; !ok && len(r.waits) < maxRanks {
			r.waits[m[1]] = work{m[2], m[3], m[4], l}
		}
		return
	}
	if who == "" || r.first.n > 0 || l.text == "" {
		return
	}
	if r.last == nil {
		r.last, r.wrong = map[string]line{}, map[string]line{}
	}
	if _, known := r.last[who]; !known && len(r.last) >= maxRanks {
		return
	}
	r.last[strings.Clone(who)] = l
	if _, ok := r.wrong[who]; !ok && !l.quote && l.is(ownError) {
		r.wrong[strings.Clone(who)] = l
	}
}

func (r *ranks) end(sc *logScan) {
	if r.first.n == 0 {
		return
	}
	// The watchdog aborts its own process, which is no crash.
	if h := sc.found[crashed]; h != nil && h.log == sc.logs && h.Line > r.first.n {
		h.rank, h.own, h.Weak = survived, survived, true
	}
	if w, ok := r.unlike(); ok {
		sc.explains(unlikeCalls, nil, w[0].at)
		if h := sc.found[unlikeCalls]; h != nil && h.Line == w[0].at.n {
			h.quote(w[1].at.text)
		}
		return
	}
	// What the one that did not come said last says more than that others waited.
	for _, who := range slices.Sorted(maps.Keys(r.last)) {
		if _, waits := r.waits[who]; waits {
			continue
		}
		l, failed := r.wrong[who]
		if !failed {
			l = r.last[who]
			switch {
			case l.is(building) && !l.is(built):
				sc.explains(stillBuilds, []string{waitsLong}, l)
			case l.is(leaving) && !l.quote:
				sc.explains(leavesEarly, []string{waitsLong}, l)
			}
		}
		if h := sc.found[waitsLong]; h != nil && h.log == sc.logs && !h.context {
			h.quote("rank " + who + ": " + l.text)
		}
	}
}

// unlike gives two processes that waited in different collectives at one number.
func (r *ranks) unlike() (two [2]work, ok bool) {
	var all []work
	for _, who := range slices.Sorted(maps.Keys(r.waits)) {
		if w := r.waits[who]; !slices.Contains(between, w.op) {
			all = append(all, w)
		}
	}
	for i, a := range all {
		for _, b := range all[:i] {
			if a.number == b.number && (a.op != b.op || a.size != b.size && slices.Contains(samePart, a.op)) {
				return [2]work{b, a}, true
			}
		}
	}
	return two, false
}

// speakerOf takes the process that printed a line off it: the rank as torchrun, Slurm
// and MPI put it first, or the name and number of a process. who is "" when there is
// none.
func speakerOf(s string) (who, rest string) {
	m := speaker.FindStringSubmatch(s)
	if m == nil {
		return "", s
	}
	for _, who := range m[1:] {
		if who != "" {
			return who, s[len(m[0]):]
		}
	}
	return "", s
}

// mayName says cheaply whether a process may stand before a line.
func mayName(s string) bool {
	switch s[0] {
	case '[':
		return len(s) > 1 && (s[1] == 'r' || s[1] == 'd' || s[1] == 't' || s[1] >= '0' && s[1] <= '9')
	case '(':
		return strings.Contains(s, " pid=")
	}
	return s[0] >= '0' && s[0] <= '9' && strings.Contains(s[:min(len(s), 6)], ": ")
}

// speaker are the forms of torchrun, mpirun, Ray and vLLM, and Slurm.
var speaker = regexp.MustCompile(`^(?:\[(?:rank|default|trainer)(\d+)\]:? ?|\[\d+,(\d+)\]<std(?:out|err)> ?: ?|\((\w+ rank=\d+|\w+) pid=\d+(?:, ip=[^)]*)?\) |(\d{1,4}): )`)
