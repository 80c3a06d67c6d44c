package triage

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/records"
)

// trials reads the rows of scripts that check one operation under several conditions,
// each with an error or a verdict, and what a switch of the environment changes. Which
// rows are wrong, and how their errors grow, tells the cause as the cases of tests do.
type trials struct {
	blocks   [][]trial
	last     int    // line of the last row
	heading  string // the line before the first row of the block
	before   string // the last line
	setting  string // what the last command sets, as NAME=value
	settings []switchSet
	since    int         // line of that command
	tuner    bool        // something is tuned
	configs  int         // how many configurations a tuner tries
	lists    []errorList // errors of equal calls, in one line
	product  bool        // matrix products are spoken of
	half     bool        // types of half precision are
	nans     [2]nanCount
	tuned    kernelSource
	on       line     // that says that TF32 is on
	cudnn    line     // that says that it is on for convolutions
	off      line     // that says that products of the library do without it
	dot      line     // shows a product of the kernel
	mma      line     // that names an instruction of TF32
	exactly  bool     // the kernel asks for exact products
	asserted bool     // a script ended with an assertion, or says that it failed
	raised   bool     // one with an assertion
	columns  []string // of a table with a column of errors
	column   int      // that column
	tabled   int      // the last line of the table
	headed   int      // last line that may be a row below a head with a column of errors
	runs     []runValue
	factors  []ratio // constant ratios of both sides
	sets     line    // on which both sides name different values of one setting
}

// trial is one row.
type trial struct {
	label   string
	err     float64 // NaN when none is told
	good    bool
	bad     bool
	heading string // of its block
	setting string
	at      line
}

// switchSet is how something ended while a switch was set.
type switchSet struct {
	name, value string
	good        bool
	at          line
}

// errorList are the errors of equal calls.
type errorList struct {
	values []float64
	at     line
}

// runValue is what one of several equal runs gave.
type runValue struct {
	n     int
	value float64
	at    line
}

// nanCount counts the values of one side that are no numbers.
type nanCount struct {
	told  bool
	count float64
	at    line
}

// kernelSource is what the source of a kernel shows that the log quotes.
type kernelSource struct {
	tuned, guarded, adds bool
	loads, stores        map[string]bool
	bare                 line // an access without a mask
	masked               bool // one with a mask, or with checked bounds
	guard                line // what lies behind an operand was overwritten
	block                int  // the block that the log tells of
	at                   line
}

// Signatures that trials decide.
const (
	tunedInto      = "S-C46"
	keptValues     = "S-C36"
	halfSums       = "S-C26"
	referenceNaN   = "S-C130"
	kernelTF32     = "S-C131"
	sumsOrder      = "S-C132"
	contracted     = "S-C133"
	staleCache     = "S-J80"
	compiledOnly   = "S-C77"
	freedEarly     = "S-R52"
	forcedTF32     = "S-C20"
	raggedShapes   = "S-C06"
	maxTrials      = 128
	maxBlocks      = 32
	trialGap       = 3 // lines between the rows of a block
	settingFor     = 16
	goodAndBad     = 30   // ratio between the errors of right and wrong rows
	noError        = 1e-9 // errors below are equal
	rightError     = 2e-2 // the largest error of a row that is right
	fewRows        = 3
	growthRange    = 8    // least ratio of the largest and the smallest size of a growth
	roundingOfSums = 3e-6 // error of a float32 sum over the root of its length
	tf32Low        = 5e-5 // the same of a product in TF32
	tf32High       = 3e-3
	leastTrials    = 3 // times the reference's value, from which on trials of a tuner may have added it
)

var (
	rowWord    = probe(`err|diff|delta|Diff|Err|PASS|FAIL|pass|fail|wrong|WRONG|match|correct|ratio|MATCH`)
	overRef    = probe(`/ ?\w*ref`)
	trialError = regexp.MustCompile(`(?:(?:\b|_)(?:err(?:or)?|diff(?:erence)?|delta|deviation)s?\b|\|[^|=]{1,48}\|)(?: ?\((?:max|abs|rel)\w*\))?\W{0,8}(?:is |of )?(-?\d[\d.]*(?:e[-+]?\d+)?)(?:$|[\s,;)|])`)
	trialRatio = regexp.MustCompile(`(?:/ ?(?:\w+_)?(?:ref\w*|want|expected|torch)|\bratio)\W{0,6}(\d[\d.]*)(?:$|[\s,;)])`)
	// endsBadly is how a script or a step says that it failed.
	endsBadly  = probe(`^AssertionError\b|^SystemExit: [1-9]|\bexit(?:ed with)? (?:code|status):? [1-9]\d*$|^make: \*\*\*|\b(?:FAIL|FAILED|WRONG|MISMATCH)\b`)
	errorHead  = probe(`(?i)(?:^|\s|\|)(?:max[ _-]?|mean[ _-]?)?(?:abs\w*[ _-]?|rel\w*[ _-]?)?(?:err(?:or)?|diff(?:erence)?)\s*\|?$`)
	longError  = regexp.MustCompile(`\b(?:err(?:or)?|diff(?:erence)?)s?\b[^\d=:]{1,48}[:=] ?(\d[\d.]*(?:e[-+]?\d+)?)$`)
	lastCell   = regexp.MustCompile(`^(\S.*?)[\s|]+(\d[\d.]*(?:e[-+]?\d+)?)\s*\|?$`)
	runOf      = probe(`^\W*(?:run|call|iter(?:ation)?|launch|attempt|repeat|rep|trial) ?[#_=]?(\d+)\b[^\d-]{1,32}(-?\d[\d.]*(?:e[-+]?\d+)?)$`)
	runNot     = regexp.MustCompile(`\b(?:ms|us|time|loss|lr|latency|err\w*|diff\w*|seconds|TFLOPS|GB/s|passed|failed|tokens?)\b`)
	everyValue = regexp.MustCompile(`\b(?:all|every|each|constant|everywhere|exactly)\b`)
	namedBoth  = probe(`\b(kernel|ours|wrapper|candidate|cutile\w*|triton|test|mine)\b[^,;=]{0,16}?\b(\w+) ?= ?([\w.+-]+)\W.*?\b(reference|ref|torch|expected|eager|baseline)\b[^,;=]{0,16}?\b(\w+) ?= ?([\w.+-]+)`)
	// notTrial and otherWord tell of lines that are no rows: the first by how they begin.
	notTrial  = regexp.MustCompile(`^(?:E |>|File |FAILED|ERROR|PASSED|Traceback|test |Greatest|Mismatched|\$ |\+ |def |assert|[\w.]*Error\b|[\w.]*Exception\b|=+ |\d+ (?:passed|failed)|#)`)
	otherWord = probe(`\.py|::|\bwarning\b|\bWARN`)
	setByName = regexp.MustCompile(`(?:^|[\s(])(?:export |env |-e |with )?([A-Z][A-Z0-9_]{4,})=(?:'([^']*)'|"([^"]*)"|([^\s:;,)]+))`)
	command   = regexp.MustCompile(`^(?:\$ |\+ |> |\[command\]|##\[command\])`)
	passedAll = regexp.MustCompile(`^(?:=+ )?[1-9]\d* passed\b(?:[^,]*| *, \d+ (?:skipped|warnings?|deselected)\b.*)$|^test result: ok|^OK$|^(?:all|ALL) (?:ok|OK|pass\w*|PASS\w*|match\w*|correct)\b|\b(?:passes|passed|PASSED|ok|OK|correct|clean|matches)\b`)
	// denial ends what stands before a word of success that is denied.
	denial     = regexp.MustCompile(`(?i)\b(?:not|no|none|never|nothing|neither|without|cannot|\w+n't|0 (?:of|/) ?\d+|0/\d+)\b[^.;:,]{0,24}$`)
	failedAll  = regexp.MustCompile(`\b[1-9]\d* failed\b|\bFAILED\b|\b(?:wrong|mismatch\w*|differs?|still fails|fails|failed|incorrect)\b`)
	sizeLabel  = regexp.MustCompile(`^(?:[A-Za-z_]+=)?(\d+)$`)
	configsOf  = regexp.MustCompile(`\b(\d+) (?:candidate )?config\w*\b|\bconfig\w*(?: tried| in (?:the )?list)?\W{1,4}(\d+)\b`)
	configName = regexp.MustCompile(`(?i)config|n_?cfg|trials`)
	listed     = probe(`(?:AssertionError: |\b(?:errs?|errors?|diffs?|max_?errs?|deltas?)\b[^\[\d]{0,24})\[([-\d.e+, ]+)\]`)
	halfWord   = regexp.MustCompile(`\b(?:b?fp?16|bfloat16|float16|half|bf16)\b`)
	productOf  = probe(`(?i)matmul|gemm|\bmm\b|bmm|linear|conv\dd|\bdot\b|einsum|attention|attn`)
	callLabel  = regexp.MustCompile(`^(?:call|run|iter(?:ation)?|launch|attempt|step|pass|invocation|replay|rep)[=_#]?(\d+)$`)
	callWord   = map[string]bool{"call": true, "run": true, "iter": true, "iteration": true, "launch": true, "attempt": true, "step": true, "pass": true, "invocation": true, "replay": true, "rep": true, "gpu": true, "cuda": true, "device": true}
	emptyWord  = map[string]bool{"max": true, "abs": true, "rel": true, "mean": true, "->": true, "=": true, "the": true, "with": true, "for": true, "at": true, "on": true, "by": true, "is": true, "-": true, "vs": true, "largest": true, "error": true, "err": true, "diff": true, "max_abs": true, "max_err": true}
)

// line takes a line; inCase says that it is of a JUnit file, whose text has no rows.
func (t *trials) line(l line, inCase bool) {
	if l.text == "" || len(l.text) > 400 {
		return
	}
	t.source(l)
	if l.quote && !(l.text[0] == '|' && strings.Count(l.text, "|") > 2) {
		return
	}
	t.asserted = t.asserted || !l.warn && l.is(endsBadly)
	t.raised = t.raised || strings.HasPrefix(l.text, "AssertionError")
	if strings.Contains(l.text, "utotun") {
		t.tuner = true
	}
	if strings.Contains(l.text, "onfig") {
		if m := configsOf.FindStringSubmatch(l.text); m != nil {
			t.configs = max(t.configs, int(number(m[1]+m[2])))
		}
	}
	t.product = t.product || l.is(productOf)
	t.half = t.half || strings.Contains(l.text, "16") && halfWord.MatchString(l.text) || strings.Contains(l.text, "half")
	if strings.IndexByte(l.text, '=') >= 0 {
		t.set(l)
	}
	t.tf32(l)
	if t.setting != "" && t.since > 0 && l.n > t.since && l.n <= t.since+settingFor {
		t.ends(l)
	}
	if strings.Contains(l.text, "[") && len(t.lists) < maxBlocks {
		if m := l.find(listed); m != nil {
			t.lists = append(t.lists, errorList{figures(m[1]), l})
		}
	}
	if strings.Contains(l.text, "nan") || strings.Contains(l.text, "NaN") {
		t.nan(l)
	}
	if m := l.find(runOf); m != nil && !runNot.MatchString(l.text) && len(t.runs) < maxTrials {
		t.runs = append(t.runs, runValue{int(number(m[1])), number(m[2]), l})
	}
	if t.sets.n == 0 && strings.Contains(l.text, "=") {
		if m := l.find(namedBoth); m != nil && m[2] == m[5] && m[3] != m[6] && number(m[3]) != number(m[6]) && settings.MatchString(m[2]) {
			t.sets = l
		}
	}
	if !inCase {
		t.row(l)
	}
	t.before = l.text
}

// row takes a row.
func (t *trials) row(l line) {
	if t.head(l) {
		return
	}
	cells := t.cells(l)
	if !strings.ContainsAny(l.text, "0123456789=") && l.is(errorHead) {
		t.headed, t.last = l.n+trialGap, 0
		return
	}
	headed := l.n <= t.headed
	if len(l.text) > 160 || !headed && cells == nil && !l.is(rowWord) && !l.is(overRef) && !strings.HasSuffix(l.text, "ok") && !strings.HasSuffix(l.text, "OK") || l.is(otherWord) || notTrial.MatchString(l.text) {
		return
	}
	r := trial{err: math.NaN(), setting: t.setting, at: l}
	cut := len(l.text)
	for i, e := range []*regexp.Regexp{trialError, trialRatio, longError} {
		m := e.FindStringSubmatchIndex(l.text)
		if m == nil {
			continue
		}
		r.err, cut = math.Abs(number(strings.TrimRight(l.text[m[2]:m[3]], "."))), m[0]
		if i == 2 {
			cut = m[2]
		}
		if i == 1 && everyValue.MatchString(l.text) && len(t.factors) < maxTrials {
			t.factors = append(t.factors, ratio{r.err, l})
		}
		break
	}
	if m := lastCell.FindStringSubmatchIndex(l.text); m != nil && headed && math.IsNaN(r.err) {
		r.err, cut = number(l.text[m[4]:m[5]]), m[3]
		t.headed = l.n + trialGap
	}
	r.good, r.bad = rowRight.MatchString(l.text), rowWrong.MatchString(l.text) || badWord.MatchString(l.text)
	if r.bad {
		r.good = false
	}
	if m := rowVerdict.FindStringIndex(l.text); m != nil && (r.good || r.bad) {
		cut = min(cut, m[0])
	}
	if cells != nil {
		r.err, r.label = number(cells[t.column]), t.labelOf(cells)
		t.tabled = l.n
	} else if cut < 2 || math.IsNaN(r.err) && (!r.good && !r.bad || ofTimes.MatchString(l.text)) {
		return
	} else {
		r.label = strings.Clone(l.text[:cut])
	}
	if len(t.blocks) == 0 || l.n > t.last+trialGap && t.setting == "" || len(t.blocks[len(t.blocks)-1]) >= maxTrials {
		if len(t.blocks) == maxBlocks {
			return
		}
		t.blocks = append(t.blocks, nil)
		t.heading = t.before
	}
	r.heading = t.heading
	t.last = l.n
	b := &t.blocks[len(t.blocks)-1]
	*b = append(*b, r)
}

// ofTimes is a row whose verdict is about times.
var ofTimes = regexp.MustCompile(`\d ?(?:us|µs|ms|ns|TFLOPS|GB/s)\b.*[+-]\d+(?:\.\d+)? ?%|\d ?(?:us|µs|ms|ns)\b.*\d ?(?:us|µs|ms|ns)\b`)

var rowVerdict = regexp.MustCompile(`\b(?:ok|OK|pass(?:ed|es)?|PASS(?:ED)?|match(?:es)?|right|correct|BAD|bad|FAIL(?:ED)?|fail(?:ed|s)?|wrong|WRONG|MISMATCH|mismatch|differs?|incorrect)\b`)

// head takes the head of a table with a column of errors.
func (t *trials) head(l line) bool {
	if len(l.text) > 160 || strings.ContainsAny(l.text, "0123456789=") || !strings.Contains(l.text, "rr") && !strings.Contains(l.text, "iff") {
		return false
	}
	cells := tableCells(l.text)
	at := slices.IndexFunc(cells, errorHead.re.MatchString)
	if at < 1 || len(cells) < 3 || len(cells) > 10 {
		return false
	}
	t.columns, t.column, t.tabled, t.last = nil, at, l.n, 0
	for _, c := range cells {
		t.columns = append(t.columns, strings.Clone(c))
	}
	return true
}

// tableCells are the cells of a row: between bars, or between gaps.
func tableCells(text string) []string {
	if strings.HasPrefix(text, "|") {
		cells := strings.Split(strings.Trim(text, "| "), "|")
		for i, c := range cells {
			cells[i] = strings.TrimSpace(c)
		}
		return cells
	}
	return cellGap.Split(strings.TrimSpace(text), -1)
}

// cells are those of a row of the present table, nil for another line.
func (t *trials) cells(l line) []string {
	if len(t.columns) == 0 || l.n > t.tabled+trialGap || l.n == t.tabled {
		return nil
	}
	cells := tableCells(l.text)
	if len(cells) != len(t.columns) || math.IsNaN(number(cells[t.column])) {
		return nil
	}
	return cells
}

var limitHead = regexp.MustCompile(`(?i)\b[ar]?tol\w*\b|limit|allowed|result|status|verdict|\bok\b|pass|time|\bms\b|speed`)

// labelOf are the cells that tell of the condition.
func (t *trials) labelOf(cells []string) string {
	var label []string
	for i, c := range cells {
		if h := t.columns[i]; i != t.column && !limitHead.MatchString(h) && !errorHead.re.MatchString(h) {
			if _, ok := size(c); ok && !strings.ContainsAny(h, " (") {
				c = h + "=" + c
			}
			label = append(label, c)
		}
	}
	return strings.Join(label, " ")
}

// set takes a command, or a remark, with a switch of the environment.
func (t *trials) set(l line) {
	m := setByName.FindStringSubmatch(l.text)
	isCommand := command.MatchString(l.text)
	if m == nil {
		if isCommand {
			t.setting = ""
		}
		return
	}
	name := m[1] + "=" + m[2] + m[3] + m[4]
	if !isCommand {
		if good, bad := passes(l.text), failedAll.MatchString(l.text); good != bad {
			t.note(name, good, l)
		}
		if !strings.HasSuffix(l.text, ":") && !strings.HasPrefix(l.text, m[1]) && !strings.HasPrefix(l.text, "export ") && !strings.HasPrefix(l.text, "with ") {
			return
		}
	}
	t.setting, t.since = strings.Clone(name), l.n
}

// passes reports whether a line tells that all is well, and does not deny it.
func passes(text string) bool {
	at := passedAll.FindStringIndex(text)
	return at != nil && !denial.MatchString(text[:at[0]])
}

// ends takes a line below a command that tells how it ended.
func (t *trials) ends(l line) {
	if command.MatchString(l.text) {
		if !strings.Contains(l.text, t.setting) {
			t.setting = ""
		}
		return
	}
	if notTrial.MatchString(l.text) && !passes(l.text) && !failedAll.MatchString(l.text) || strings.Contains(l.text, "::") {
		return
	}
	if good, bad := passes(l.text), failedAll.MatchString(l.text); good || bad {
		t.note(t.setting, good && !bad, l)
		t.since = 0
	} else if m := trialError.FindStringSubmatch(l.text); m != nil {
		switch e := number(m[1]); {
		case e == 0:
			t.note(t.setting, true, l)
		case e > rightError:
			t.note(t.setting, false, l)
		}
	}
}

func (t *trials) note(name string, good bool, l line) {
	n, v, _ := strings.Cut(name, "=")
	if len(t.settings) < maxTrials {
		t.settings = append(t.settings, switchSet{strings.Clone(n), strings.Clone(v), good, l})
	}
}

// switches are switches of the environment that take one cause away, by their names.
var switches = []struct {
	name, value *regexp.Regexp
	id          string
}{
	{regexp.MustCompile(`TF32|MATMUL_PRECISION`), regexp.MustCompile(`^(?i:0|false|highest|float32|off|ieee)$`), inexactReference},
	{regexp.MustCompile(`^(TORCH_COMPILE_DISABLE|TORCHDYNAMO_DISABLE)$`), regexp.MustCompile(`^(?i:1|true)$`), compiledOnly},
	{regexp.MustCompile(`^PYTORCH_NO_(CUDA|HIP)_MEMORY_CACHING$`), regexp.MustCompile(`^1$`), freedEarly},
	{regexp.MustCompile(`(?i)^(\w*_)?(DISABLE_)?(AUTO_?TUN(E|ING|E_CONFIGS)|N_?CONFIGS|CONFIGS|MAX_CONFIGS)(_DISABLE)?$`), regexp.MustCompile(`^(?i:0|1|off|false)$`), tunedInto},
	{regexp.MustCompile(`^(TRITON_ALWAYS_COMPILE|TORCHINDUCTOR_FORCE_DISABLE_CACHES|CUDA_CACHE_DISABLE|CUPY_CACHE_DISABLE|\w*(DISABLE|NO)_\w*CACHE\w*)$`), regexp.MustCompile(`^(?i:1|true)$`), staleCache},
	{regexp.MustCompile(`^CUDA_LAUNCH_BLOCKING$`), regexp.MustCompile(`^1$`), otherStream},
	{regexp.MustCompile(`^TRITON_INTERPRET$`), regexp.MustCompile(`^1$`), interpreted},
	{regexp.MustCompile(`FMA|FP_FUSION|FMAD`), regexp.MustCompile(`^(?i:0|false|off|no)$`), contracted},
}

var nanSides = regexp.MustCompile(`(?i)\b(out\w*|ours?|kernel\w*|candidate|cutile\w*|triton\w*|flash\w*|fused\w*|test|got|actual|result|mine|y|o)\b|\b(ref\w*|torch\w*|eager\w*|math|fallback|baseline|expected|sdpa|naive|golden|want|unfused|pytorch)\b`)

var nanCounts = regexp.MustCompile(`\b[Nn]a[Nn]s?\b(?: (?:values|elements|rows|entries|count|in|of|the|for))*(?: ([A-Za-z_]\w*)(?: [A-Za-z_]\w*)?)?\W{0,6}(\d+)\b|\b(\d+)(?: ?/ ?\d+| of \d+)? (?:rows of |values are |elements are |rows are )?(?:all )?[Nn]a[Nn]s?\b|\b(?:[Nn]o|without) [Nn]a[Nn]s?\b`)

// nan takes a line that tells how many values of a side are no numbers.
func (t *trials) nan(l line) {
	if notTrial.MatchString(l.text) && !strings.Contains(l.text, "Error: ") {
		return
	}
	for part := range strings.FieldsFuncSeq(strings.ReplaceAll(l.text, "   ", ";"), func(r rune) bool { return r == ';' || r == ',' || r == '|' }) {
		sides := nanSides.FindAllStringSubmatch(part, 8)
		m := nanCounts.FindStringSubmatch(part)
		if m == nil || len(sides) == 0 {
			continue
		}
		side := 0
		ours := slices.ContainsFunc(sides, func(s []string) bool { return s[1] != "" })
		theirs := slices.ContainsFunc(sides, func(s []string) bool { return s[2] != "" })
		if ours == theirs {
			// "fallback output": what is told of whose it is counts.
			ours = false
		}
		if !ours {
			side = 1
		}
		count := 0.0
		if m[2]+m[3] != "" {
			count = number(m[2] + m[3])
		}
		n := &t.nans[side]
		n.told, n.count = true, math.Max(n.count, count)
		if count > 0 || n.at.n == 0 {
			n.at = l
		}
	}
}

var (
	kernelLoads  = regexp.MustCompile(`\btl\.load\((\w+)`)
	kernelStores = regexp.MustCompile(`\btl\.store\((\w+)`)
)

// source takes a line of a kernel's source.
func (t *trials) source(l line) {
	s := &t.tuned
	switch {
	case strings.Contains(l.text, "triton.autotune("):
		s.tuned, s.at = true, l
	case strings.Contains(l.text, "restore_value") || strings.Contains(l.text, "reset_to_zero"):
		s.guarded = true
	}
	s.masks(l)
	switch {
	case !s.tuned:
	case strings.Contains(l.text, "tl.atomic_add("):
		s.adds = true
	case strings.Contains(l.text, "tl.load(") || strings.Contains(l.text, "tl.store("):
		if s.loads == nil {
			s.loads, s.stores = map[string]bool{}, map[string]bool{}
		}
		if m := kernelLoads.FindStringSubmatch(l.text); m != nil && len(s.loads) < maxTrials {
			s.loads[strings.Clone(m[1])] = true
		}
		if m := kernelStores.FindStringSubmatch(l.text); m != nil && len(s.stores) < maxTrials {
			s.stores[strings.Clone(m[1])] = true
		}
	}
}

var (
	access     = probe(`\btl\.(?:load|store)\(`)
	aMask      = regexp.MustCompile(`\bmask ?=|\bboundary_check ?=|, *mask\w*\s*[,)]`)
	blockSize  = probe(`\b(?:BLOCK|block|TILE|tile)\w* ?= ?(\d+)\b`)
	guardWords = probe(`\b(?:[Gg]uard|[Cc]anary|[Ss]entinel|[Rr]ed-?zone)\b.*\b(?:changed|overwritten|corrupt\w*|clobbered|not intact)\b`)
	// wholeAccess is an access of one element, which needs no mask.
	wholeAccess = regexp.MustCompile(`\btl\.(?:load|store)\(\w+(?:, \w+)?\)`)
)

// masks takes a line with an access to memory in a kernel's source, or with its block.
func (s *kernelSource) masks(l line) {
	if l.is(access) && !wholeAccess.MatchString(l.text) && strings.Count(l.text, "(") == strings.Count(l.text, ")") {
		if aMask.MatchString(l.text) {
			s.masked = true
		} else if s.bare.n == 0 {
			s.bare = l
		}
	}
	if s.guard.n == 0 && l.is(guardWords) {
		s.guard = l
	}
	if s.block == 0 && l.is(blockSize) {
		s.block = int(number(blockSize.re.FindStringSubmatch(l.text)[1]))
	}
}

// tellMasks tells of cases that fail and of which each has a size that fills no block,
// while others pass, where the source shows accesses without a mask, or something behind an
// operand was overwritten.
func (t *trials) tellMasks(sc *logScan) {
	s := &t.tuned
	if s.masked || s.bare.n == 0 && s.guard.n == 0 {
		return
	}
	block := leastBlock
	if s.block > block {
		block = s.block
	}
	ids := records.NewIDParser()
	ragged := func(k *shownCase) bool {
		return slices.ContainsFunc(apartSizes(ids.Parse(k.class, k.name).Params), func(p string) bool {
			n, ok := size(p)
			return ok && n > 1 && n%block != 0
		})
	}
	culprit := sc.console.culprit()
	failed, passed := 0, sc.console.passed
	for _, k := range sc.console.order {
		switch {
		case k.bad() && !ragged(k):
			// What fails after an access to other memory may follow from it.
			if culprit == nil || !culprit.stray || k == culprit {
				return
			}
		case k.bad():
			failed++
		case k.passed && ragged(k):
			return
		case k.passed:
			passed++
		}
	}
	if failed == 0 || passed == 0 {
		return
	}
	at, text := s.bare, "what fails has a size that is no multiple of the block, and the source has no mask"
	if at.n == 0 {
		at, text = s.guard, "what fails has a size that is no multiple of the block"
	}
	sc.causes(raggedShapes, nil, at, text)
}

// leastBlock is the block that is taken where the log tells of none.
const leastBlock = 16

// spoils reports whether a tuned kernel changes what it reads, and nobody restores it.
func (s *kernelSource) spoils() bool {
	if !s.tuned || s.guarded {
		return false
	}
	for p := range s.stores {
		if s.loads[p] {
			return true
		}
	}
	return s.adds
}

// scriptFailed are what says that a script found wrong values.
var scriptFailed = append([]string{"S-X16", unnamedError, "S-X41"}, wrongValues...)

func (t *trials) end(sc *logScan) {
	sc.broken = sc.broken || t.raised
	tell := func(id, what string, l line) {
		if what != "" {
			l.text = what
		}
		with := scriptFailed
		if t.asserted {
			with = nil
		}
		sc.explains(id, with, l)
	}
	t.judgeSettings(tell)
	t.judgeLists(tell)
	if t.tuned.spoils() {
		tell(tunedInto, "", t.tuned.at)
	}
	if t.nans[1].count > 0 && t.nans[0].told && t.nans[0].count == 0 {
		tell(referenceNaN, "", t.nans[1].at)
	}
	t.tellTF32(sc)
	t.tellMasks(sc)
	t.judgeRuns(tell)
	t.judgeFactors(tell)
	if m := sc.multiple; t.tuner && !m.mixed && m.factor >= leastTrials && (m.strong || len(m.pairs) >= fewRows || m.listed >= fewRows) {
		tell(tunedInto, fmt.Sprintf("the values are %g times the reference's, and a tuner tries configurations: each trial adds to the output", m.factor), m.at)
	}
	if t.sets.n > 0 {
		tell(otherSetting, "", t.sets)
	}
	for _, b := range t.blocks {
		t.judge(b, tell)
	}
}

// judgeSettings tells of a switch with which all is right.
func (t *trials) judgeSettings(tell func(string, string, line)) {
	for _, s := range switches {
		var with []switchSet
		for _, k := range t.settings {
			if s.name.MatchString(k.name) && s.value.MatchString(k.value) {
				with = append(with, k)
			}
		}
		if len(with) == 0 || slices.ContainsFunc(with, func(k switchSet) bool { return !k.good }) {
			continue
		}
		tell(s.id, fmt.Sprintf("it passes with %s=%s", with[0].name, with[0].value), with[0].at)
	}
}

// judgeLists tells of equal calls of which the first alone, or all but the first, is off.
func (t *trials) judgeLists(tell func(string, string, line)) {
	for _, r := range t.lists {
		t.calls(r.values, r.at, tell)
	}
}

// calls tells of the errors of equal calls.
func (t *trials) calls(errs []float64, at line, tell func(string, string, line)) {
	if len(errs) < fewRows {
		return
	}
	rest := slices.Max(errs[1:])
	switch low := slices.Min(errs[1:]); {
	case errs[0] > goodAndBad*math.Max(rest, noError) && t.tuner:
		tell(tunedInto, fmt.Sprintf("the first call is off by %.3g, the later ones by %.3g at most, and a tuner works in the first", errs[0], rest), at)
	case low > goodAndBad*math.Max(errs[0], noError) && low > rightError:
		tell(keptValues, fmt.Sprintf("the first call is off by %.3g, the later ones by %.3g or more", errs[0], low), at)
	}
}

// words are the words of a label that tell a condition.
func (r trial) words() []string {
	label := equalsSign.ReplaceAllString(r.label, "=")
	var words []string
	if r.setting != "" {
		words = append(words, strings.ReplaceAll(r.setting, "-", "_"))
	}
	for w := range strings.FieldsFuncSeq(label, func(c rune) bool { return strings.ContainsRune(" \t,;|", c) }) {
		w = strings.Trim(w, "()[]{}'\"`*>-:")
		w = strings.ReplaceAll(w, "-", "_")
		if w == "" || emptyWord[strings.ToLower(w)] {
			continue
		}
		if n := len(words); n > 0 && (callWord[strings.ToLower(words[n-1])] && sizeLabel.MatchString(w) || aTool.MatchString(words[n-1]) && aVersion.MatchString(w)) {
			words[n-1] += "=" + w
			continue
		}
		if n := len(words); n > 0 && strings.HasSuffix(words[n-1], "RTX") && sizeLabel.MatchString(w) {
			words[n-1] = "RTX_" + w
			continue
		}
		words = append(words, w)
	}
	return words
}

var equalsSign = regexp.MustCompile(`\s*=\s*`)

// judge tells what the rows of one block tell.
func (t *trials) judge(rows []trial, tell func(string, string, line)) {
	if len(rows) < 2 {
		return
	}
	if measured := slices.DeleteFunc(slices.Clone(rows), func(r trial) bool { return math.IsNaN(r.err) }); len(measured) > 1 {
		rows = measured // the others sum up
	}
	t.judgeCalls(rows, tell)
	if t.judgeConfigs(rows, tell) || t.judgeGrowth(rows, tell) {
		return
	}
	if !classify(rows) {
		return
	}
	if t.judgeCopies(rows, tell) || judgeOption(rows, tell) || judgeWith(rows, tell) {
		return
	}
	ids := records.NewIDParser()
	var cases []Case
	for _, r := range rows {
		if !r.good && !r.bad {
			continue
		}
		id := ids.Parse("", "check["+strings.Join(r.words(), "-")+"]")
		c := Case{ID: id, Failed: r.bad, params: apartSizes(id.Params), line: r.at.n}
		if r.bad {
			unknown := math.NaN()
			c.unlike = true
			c.Compared = &Comparison{Matched: unknown, Ref: Range{unknown, unknown}, Test: Range{unknown, unknown}, MaxAbs: r.err, MaxRel: unknown, RTol: unknown, AllowedAbs: unknown, AllowedRel: unknown}
		}
		cases = append(cases, c)
	}
	run := casesRun(cases)
	for i, all := 0, ready(); i < len(all); i++ {
		row := &all[i]
		if row.Records == nil || row.Stage != Correctness && row.ID != "S-R73" || notOfRows[row.ID] || len(rows) < fewRows && !ofTwoRows[row.ID] {
			continue
		}
		if seen := row.Records(run); seen != nil {
			at := slices.IndexFunc(rows, func(r trial) bool { return r.at.n == seen.line })
			if at < 0 {
				at = slices.IndexFunc(rows, func(r trial) bool { return r.bad })
			}
			tell(row.ID, seen.What, rows[at].at)
		}
	}
}

// notOfRows are signatures that need more than rows tell.
var notOfRows = map[string]bool{"S-C10": true, "S-C16": true, "S-C17": true, "S-C19": true, "S-C43": true, "S-C07": true, sumsOrder: true}

// ofTwoRows are signatures that a row with and one without a word decide.
var ofTwoRows = map[string]bool{keptValues: true, tunedInto: true, compiledOnly: true, "S-C23": true, "S-C37": true, "S-C48": true, "S-R73": true, "S-C160": true, "S-C161": true, "S-C162": true}

// judgeCopies tells of rows of which those are right in which an operand is made
// contiguous, and those of a view wrong.
func (t *trials) judgeCopies(rows []trial, tell func(string, string, line)) bool {
	copied, views := 0, 0
	var at line
	for _, r := range rows {
		made := strings.Contains(r.label, "contiguous()") || strings.Contains(r.label, "contiguous") && !notPacked.MatchString(r.label)
		view := !made && aView.re.MatchString(r.label)
		switch {
		case r.good && made:
			copied++
		case r.bad && view:
			views++
			at = r.at
		case r.bad && made, r.good && view:
			return false
		}
	}
	if copied == 0 || views == 0 {
		return false
	}
	tell(viewOperand, "", at)
	return true
}

// judgeOption tells of rows that differ in the value of a setting alone: with one value
// they agree with the reference, so the two sides mean another one.
func judgeOption(rows []trial, tell func(string, string, line)) bool {
	key, right, wrong := "", "", line{}
	for _, r := range rows {
		words := r.words()
		i := slices.IndexFunc(words, func(w string) bool { k, _, ok := strings.Cut(w, "="); return ok && settings.MatchString(k) })
		if i < 0 || len(words) > 2 {
			return false
		}
		k, v, _ := strings.Cut(words[i], "=")
		if key != "" && k != key {
			return false
		}
		key = k
		switch {
		case r.good && right != "":
			return false
		case r.good:
			right = v
		case r.bad:
			wrong = r.at
		}
	}
	if right == "" || wrong.n == 0 {
		return false
	}
	tell(otherSetting, fmt.Sprintf("the values agree with %s=%s alone", key, right), wrong)
	return true
}

// classify says which rows are right and which wrong, and reports whether there are
// both.
func classify(rows []trial) bool {
	bad := slices.ContainsFunc(rows, func(r trial) bool { return r.bad })
	good := slices.ContainsFunc(rows, func(r trial) bool { return r.good })
	if bad && !good {
		for i, r := range rows {
			rows[i].good = !r.bad && !math.IsNaN(r.err)
			good = good || rows[i].good
		}
	}
	if bad || good {
		return bad && good
	}
	var errs []float64
	for _, r := range rows {
		if !math.IsNaN(r.err) {
			errs = append(errs, math.Max(r.err, noError))
		}
	}
	slices.Sort(errs)
	gap, limit := 1.0, 0.0
	for i := 1; i < len(errs); i++ {
		if f := errs[i] / errs[i-1]; f > gap {
			gap, limit = f, errs[i-1]
		}
	}
	if gap < goodAndBad || limit > rightError {
		return false
	}
	for i, r := range rows {
		if !math.IsNaN(r.err) {
			rows[i].good, rows[i].bad = r.err <= limit, r.err > limit
		}
	}
	return true
}

// judgeCalls tells of rows that number equal calls.
func (t *trials) judgeCalls(rows []trial, tell func(string, string, line)) {
	by := map[string][]trial{}
	var names []string
	for _, r := range rows {
		words := r.words()
		i := slices.IndexFunc(words, func(w string) bool { return callLabel.MatchString(strings.ToLower(w)) })
		if i < 0 || math.IsNaN(r.err) {
			continue
		}
		key := strings.Join(slices.Delete(slices.Clone(words), i, i+1), " ")
		if by[key] == nil {
			names = append(names, key)
		}
		by[key] = append(by[key], r)
	}
	for _, key := range names {
		var errs []float64
		for _, r := range by[key] {
			errs = append(errs, r.err)
		}
		t.calls(errs, by[key][0].at, tell)
	}
}

// lengthError is a row with the number that its label tells.
type lengthError struct {
	n, err float64
	at     line
}

// seriesOf are the rows by the one number that differs between their labels.
func seriesOf(rows []trial) (name string, points []lengthError) {
	var first []string
	place := -1
	for _, r := range rows {
		if math.IsNaN(r.err) {
			continue
		}
		words := r.words()
		if first == nil {
			first = words
		}
		if len(words) != len(first) {
			return "", nil
		}
		for i, w := range words {
			if w != first[i] && place >= 0 && place != i {
				return "", nil
			}
			if w != first[i] {
				place = i
			}
		}
	}
	if place < 0 {
		return "", nil
	}
	for _, r := range rows {
		if math.IsNaN(r.err) {
			continue
		}
		w := r.words()[place]
		n, ok := size(w)
		if v := number(value(w)); !ok && !math.IsNaN(v) && v > 0 {
			n, ok = int(v), true
		}
		if !ok {
			return "", nil
		}
		points = append(points, lengthError{float64(n), r.err, r.at})
		name, _, _ = strings.Cut(w, "=")
	}
	slices.SortStableFunc(points, func(a, b lengthError) int { return cmp.Compare(a.n, b.n) })
	if place > 0 && strings.Trim(name, "0123456789") == "" {
		name = first[place-1]
	}
	return name, points
}

// judgeConfigs tells of errors or ratios that grow with the number of configurations
// that a tuner tries.
func (t *trials) judgeConfigs(rows []trial, tell func(string, string, line)) bool {
	var some []trial
	for _, r := range rows {
		if configName.MatchString(r.setting + " " + r.label) {
			some = append(some, r)
		}
	}
	_, p := seriesOf(some)
	if len(p) < 2 || len(p) < fewRows && !t.tuner {
		return false
	}
	first, last := p[0], p[len(p)-1]
	if last.n <= first.n || last.err <= first.err {
		return false
	}
	slope := (last.err - first.err) / (last.n - first.n)
	for _, q := range p {
		if math.Abs(first.err+slope*(q.n-first.n)-q.err) > 0.1*last.err {
			return false
		}
	}
	tell(tunedInto, fmt.Sprintf("with %g configurations it is %.4g, with %g it is %.4g: each trial of the tuner adds as much", first.n, first.err, last.n, last.err), first.at)
	return true
}

// judgeGrowth tells of errors that grow with the length of a sum: how fast, and how large
// they are, says whether it is rounding.
func (t *trials) judgeGrowth(rows []trial, tell func(string, string, line)) bool {
	name, p := seriesOf(rows)
	if len(p) < fewRows || callWord[strings.ToLower(name)] || configName.MatchString(name) {
		return false
	}
	first, last := p[0], p[len(p)-1]
	if first.err <= 0 || last.n < growthRange*first.n || last.err <= first.err {
		return false
	}
	for i := 1; i < len(p); i++ {
		if p[i].err < 0.8*p[i-1].err || p[i].err > goodAndBad*p[i-1].err {
			return false
		}
	}
	slope := math.Log(last.err/first.err) / math.Log(last.n/first.n)
	part := last.err / math.Sqrt(last.n)
	text := strings.Join([]string{rows[0].heading, rows[0].label}, " ")
	half := halfWord.MatchString(text) || t.half && !strings.Contains(text, "32") || !t.half && !strings.Contains(text, "32") && coarse(p)
	told := fmt.Sprintf("from %g to %g the error grows from %.3g to %.3g, as the length to the power of %.1f", first.n, last.n, first.err, last.err, slope)
	switch {
	case slope < 0.25:
		return false
	case !half && part <= roundingOfSums && slope <= 1.1:
		tell(sumsOrder, told+": no more than float32 rounds", last.at)
	case !half && t.product && part >= tf32Low && part <= tf32High && slope <= 0.75:
		tell(kernelTF32, told+": as much as TF32 rounds", last.at)
	case half && slope >= 0.75:
		tell(halfSums, told, last.at)
	default:
		return false
	}
	return true
}

// coarse reports whether all errors are steps of a type of half precision: powers of two,
// as far as they are printed.
func coarse(points []lengthError) bool {
	return !slices.ContainsFunc(points, func(p lengthError) bool {
		step := math.Exp2(math.Round(math.Log2(p.err)))
		return p.err < halfStep || math.Abs(p.err-step) > .01*step
	})
}

// halfStep is a step of bfloat16 next to 1.
const halfStep = 1.0 / 256

// orderOfSums is S-C132: every case that fails is off by some rounding steps of float32
// relative to its values, and the test allows an absolute error below.
func orderOfSums(run Run) *Seen {
	var first *Case
	for _, c := range slices.Concat(run.Cases, run.Others) {
		if !c.Failed {
			continue
		}
		x := c.Compared
		if x == nil || !(x.AllowedAbs > 0) || !(x.MaxAbs > x.AllowedAbs) || !(x.MaxRel <= stepsOfSums*spacing["float32"]) || !(x.MaxRel > 0) {
			return nil
		}
		if t := dtype(c.params); t != "" && t != "float32" {
			return nil
		}
		if first == nil {
			first = &c
		}
	}
	if first == nil {
		return nil
	}
	x := first.Compared
	return &Seen{What: fmt.Sprintf("%s is off by %.2g of the value at most, %.1f rounding steps of float32, and the test allows %.2g in all", first.ID.Config(), x.MaxRel, x.MaxRel/spacing["float32"], x.AllowedAbs), log: first.log, line: first.line}
}

// judgeRuns tells of equal runs of which some give one value and some another, and not
// from one of them on.
func (t *trials) judgeRuns(tell func(string, string, line)) {
	turns, equal := 0, false
	for i, r := range t.runs {
		if i > 0 && r.n != t.runs[i-1].n+1 {
			return
		}
		for _, o := range t.runs[:i] {
			equal = equal || o.value == r.value
		}
		if i > 0 && r.value != t.runs[i-1].value {
			turns++
		}
	}
	if len(t.runs) >= fewRows && equal && turns > 1 {
		tell(nondeterminism, fmt.Sprintf("%d equal runs give one value and then another, and the first again", len(t.runs)), t.runs[1].at)
	}
}

// judgeFactors tells of outputs that are a constant times the reference's.
func (t *trials) judgeFactors(tell func(string, string, line)) {
	var off []ratio
	for _, r := range t.factors {
		if math.Abs(r.value-1) > fullRight {
			off = append(off, r)
		}
	}
	if len(off) == 0 || slices.ContainsFunc(off, func(r ratio) bool { return !near(r.value, off[0].value) }) {
		return
	}
	p := pairs{at: off[0].at}
	p.factor(off[0].value, "all values")
	for _, c := range p.found {
		tell(c.id, c.at.text, off[0].at)
	}
}

// stepsOfSums are the rounding steps by which two orders of a sum may differ.
const stepsOfSums = 16

// tf32 takes a line that tells of the precision of products of float32.
func (t *trials) tf32(l line) {
	if t.dot.n == 0 && l.is(kernelDot) {
		t.dot = l
	}
	if l.is(exactDot) {
		t.exactly = true
	}
	if !l.is(tf32Word) {
		return
	}
	if t.mma.n == 0 && tf32Instruction.MatchString(l.text) {
		t.mma = l
	}
	if kernelWord.MatchString(l.text) && !torchSetting.MatchString(l.text) {
		return
	}
	if t.off.n == 0 && tf32Off.MatchString(l.text) {
		t.off = l
	}
	for _, m := range tf32On.FindAllStringSubmatch(l.text, 4) {
		switch cudnn := strings.Contains(m[0], "cudnn"); {
		case cudnn && t.cudnn.n == 0:
			t.cudnn = l
		case !cudnn && t.on.n == 0:
			t.on = l
		}
	}
}

// tellTF32 tells of products of float32 that are off by as much as TF32 rounds: where a
// line says that TF32 is on it is the reference that rounds, and where it is off, or the
// reference is exact, it is the kernel.
func (t *trials) tellTF32(sc *logScan) {
	exact := sc.printed.exact
	coarse := exact[0] >= leastTF32 && exact[0] <= tf32Error && exact[0] > farFromExact*exact[1] && exact[1] > 0 && !sc.printed.inexact
	on, off := t.on.n > 0, t.off.n > 0
	if !on && !off && !coarse && t.cudnn.n == 0 && t.mma.n == 0 {
		return
	}
	wrong, first, conv, named := 0, line{}, true, false
	passed := sc.console.passed > 0
	for _, k := range sc.console.order {
		ids := records.NewIDParser()
		id := ids.Parse(k.class, k.name)
		typ := dtype(id.Params)
		op := strings.ToLower(id.Kernel + id.Test)
		if !k.bad() {
			passed = passed || k.passed
			// A case of float32 of the same test that passes says that it is not the type.
			named = named || k.passed && typ == "float32" && isOp(op, products...)
			continue
		}
		if typ != "" && typ != "float32" || !isOp(op, products...) && t.dot.n == 0 {
			return
		}
		conv = conv && isOp(op, "conv")
		for _, x := range k.compared {
			if !(x.MaxAbs >= leastTF32 && x.MaxAbs <= tf32Error) || x.AllowedAbs > x.MaxAbs {
				return
			}
			if first.n == 0 {
				first = x.at
			}
			wrong++
		}
	}
	switch {
	case wrong == 0:
	case on:
		sc.explains(forcedTF32, wrongValues, t.on)
	case t.cudnn.n > 0 && conv && !coarse:
		sc.explains(forcedTF32, wrongValues, t.cudnn)
	case t.exactly || named && !coarse:
	case coarse || off && (t.dot.n > 0 || passed) || t.mma.n > 0:
		text := "the errors of float32 are as large as TF32 rounds"
		if coarse {
			text += fmt.Sprintf("; the kernel is off by %.3g from the exact values, the reference by %.3g", exact[0], exact[1])
		}
		at := first
		for _, l := range []line{t.off, t.dot, t.mma} {
			if l.n > 0 {
				text += "; line " + fmt.Sprint(l.n) + ": " + l.text
			}
		}
		sc.explains(kernelTF32, wrongValues, at)
		if h := sc.found[kernelTF32]; h != nil && h.Line == at.n {
			sc.adds(h, text)
		}
	}
}

// farFromExact is how many times the error of the reference the kernel's must be, to be
// that of another precision.
const farFromExact = 20

// leastTF32 is the smallest error of a product that speaks of TF32.
const leastTF32 = 2e-4

var (
	tf32Word = probe(`TF32|tf32|matmul_precision|fp32_precision`)
	// torchSetting is a setting of the tensor library's by its name, whatever else the line
	// names.
	torchSetting = regexp.MustCompile(`\bfloat32_matmul_precision\b|\b(?:matmul|cudnn)\.(?:allow_tf32|fp32_precision)\b|\bNVIDIA_TF32_OVERRIDE\b`)
	// tf32Instruction is a product of TF32 in what a kernel was compiled to.
	tf32Instruction = regexp.MustCompile(`\b(?:mma|wgmma\w*|tcgen05)\.\S*tf32|\bHMMA\.\S*TF32`)
	// tf32On is what says that products of the tensor library take TF32.
	tf32On = regexp.MustCompile(`\bNVIDIA_TF32_OVERRIDE[=:] ?1\b|\b(?:[\w.]*cudnn[\w.]*[. ])?allow_tf32\b[^,;]{0,4}[=: ] ?[Tt]rue\b|matmul_precision\W{1,4}(?:high|medium)\b|matmul\.fp32_precision\W{1,4}tf32\b`)
	// tf32Off is what says that its products of matrices do not.
	tf32Off = regexp.MustCompile(`\bNVIDIA_TF32_OVERRIDE[=:] ?0\b|\bmatmul\.allow_tf32\b[^,;]{0,4}[=: ] ?[Ff]alse\b|(?:^|[^.\w])allow_tf32\b[^,;]{0,4}[=: ] ?[Ff]alse\b|matmul_precision\W{1,4}highest\b|matmul\.fp32_precision\W{1,4}ieee\b|\b(?:[Tt]orch|reference|ref|eager)\b.{0,16}\b(?:TF32|tf32)\W{1,3}(?:off|False|false|disabled|0)\b`)
	// kernelDot is a product in the source of a kernel.
	kernelDot = probe(`\btl\.dot\(|\bct\.mma\(|\bwmma::mma_sync`)
	// exactDot is what asks for products that do not round.
	exactDot = probe(`input_precision\W{1,4}(?:ieee|tf32x3)|\bF32_DEFAULT\W{1,4}(?:ieee|tf32x3)|tl\.dot\(.*allow_tf32 ?= ?False`)
)
var kernelWord = regexp.MustCompile(inKernel)

// numbered are words of cases that number equal calls.
var numbered = regexp.MustCompile(`^(?:call|run|iter(?:ation)?|launch|attempt|step|pass|invocation|replay|repeat|rep|round|trial)[=_]?(\d+)$`)

// laterCalls is S-C36 by numbers: of cases that number equal calls the first passes, and
// all others are wrong.
func laterCalls(run Run) *Seen {
	for _, f := range run.functions {
		by := map[string][]Case{}
		var names []string
		for _, c := range f {
			i := slices.IndexFunc(c.params, func(p string) bool { return numbered.MatchString(strings.ToLower(p)) })
			if i < 0 {
				continue
			}
			key := strings.Join(slices.Delete(slices.Clone(c.params), i, i+1), "-")
			if by[key] == nil {
				names = append(names, key)
			}
			by[key] = append(by[key], c)
		}
		for _, key := range names {
			g := by[key]
			if len(g) < fewRows || g[0].Failed || slices.ContainsFunc(g[1:], func(c Case) bool { return !c.Failed || !c.maybeWrong() }) {
				continue
			}
			return at(g, "the first of %d equal calls passes, and all later ones are wrong", len(g))
		}
	}
	return nil
}
