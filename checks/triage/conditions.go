package triage

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// conditions reads what early steps tell of the machine, the checkout and the
// environment. Each such line is harmless by itself, and the cause of an error that
// follows.
type conditions struct {
	maybe []int // notes that could match the present line

	inodes    bool // the table of df counts inodes
	full      line // a file system of the job is full
	noInodes  line // one has no inode left
	smallShm  line // the shared memory is what a container has by default
	bus       line // a process died as one does whose file could not grow
	gpus      int  // that a listing shows
	visible   line // CUDA_VISIBLE_DEVICES
	beyond    int  // the largest number that it names
	hidden    line // it names no GPU
	noSlices  line // MIG is on, without a slice
	bare      line // a container was made without the GPU
	handed    bool // one was made with it
	noBase    line // two commits have no common one
	pointer   line // a file of data has the size of an LFS pointer
	clock     line // a certificate is of the future
	proxy     line // the proxy refuses
	authority line // the authority of a certificate is not known

	had     map[string]string // versions that the installer removed, by package
	changes map[string]change // what it replaced them by, by package
	changed change            // the one that an error is about
	own     map[string]bool   // modules of packages that the job built
	kept    map[string]line   // packages that were there, by module
	lacks   []string          // modules that lack something
	foreign map[string]bool   // modules of which code outside of the checkout ran

	made    bool // a build went well
	removed []removal
	lost    removal // the one that an error is about
}

// change is a package that was moved to another version, and the error about it.
type change struct {
	at     line
	to     string // the whole change, in words
	failed string
}

// removal is a folder that was removed after a build, and the error about what was in it.
type removal struct {
	path   string
	at     line
	failed string
}

const (
	diskFull      = "S-R30"
	sharedMemory  = "S-R40"
	hiddenDevice  = "S-I43"
	hiddenByMIG   = "S-R115"
	bareContainer = "S-R145"
	lfsPointers   = "S-X19"
	wrongClock    = "S-X70"
	refusingProxy = "S-B110"
	unknownIssuer = "S-B45"
	movedPackage  = "S-I50"
	keptCopy      = "S-I51"
	removedBuild  = "S-X73"
	shortHistory  = "S-X24"
	noTests       = "S-I06"
	maxConditions = 512 // packages and folders that are remembered
)

var (
	noDevice  = []string{"S-R18", "S-R82"}
	noPackage = []string{"S-B25", "S-B45", "S-B46", "S-B55"}
	noImport  = []string{"S-I11", "S-I12", "S-I25", "S-I26", "S-I40", "S-I45", unnamedError}
)

// note is one kind of line that conditions takes.
type note struct {
	m    *matcher
	take func(c *conditions, l line, m []string)
}

var notes = sync.OnceValue(func() []note {
	at := func(of func(c *conditions) *line) func(*conditions, line, []string) {
		return func(c *conditions, l line, _ []string) {
			if p := of(c); p.n == 0 {
				*p = l
			}
		}
	}
	return []note{
		{compile(`^Filesystem\b.*\b(Inodes|Avail|Available)\b`), func(c *conditions, _ line, m []string) { c.inodes = m[1] == "Inodes" }},
		{compile(`^\S+ +[\d.]+[KMGTP]?i? +[\d.]+[KMGTP]?i? +([\d.]+)[KMGTP]?i? +(\d+)% /(\S*)$`), (*conditions).disk},
		{compile(`^(?:shm|tmpfs) +(?:64\.?0?M|65536) .*% /dev/shm$`), at(func(c *conditions) *line { return &c.smallShm })},
		{compile(`\b[Bb]us error\b|\bSIGBUS\b|\bsignal:? 7\b|: file truncated$`), at(func(c *conditions) *line { return &c.bus })},
		{compile(`^GPU (\d+): `), func(c *conditions, _ line, m []string) {
			if n, err := strconv.Atoi(m[1]); err == nil {
				c.gpus = max(c.gpus, n+1)
			}
		}},
		{compile(`\bCUDA_VISIBLE_DEVICES["']?[=:] ?["']?(\d[\d,]*)["']?$`), func(c *conditions, l line, m []string) {
			for v := range strings.SplitSeq(m[1], ",") {
				if n, err := strconv.Atoi(v); err == nil && n >= c.beyond {
					c.visible, c.beyond = l, n
				}
			}
		}},
		{compile(`^(?:export |- |-e )?CUDA_VISIBLE_DEVICES["']?[=:] ?(?:""|'')?$|\bCUDA_VISIBLE_DEVICES["']?[=:] ?["']?-1\b`), at(func(c *conditions) *line { return &c.hidden })},
		{compile(`\bNo MIG devices found\b`), at(func(c *conditions) *line { return &c.noSlices })},
		// A pointer has about 130 bytes, and no such file is as small.
		{compile(`^-rw\S+ +\d+ \S+ +\S+ +1(?:2[6-9]|3[0-6]) .*\.(?:pt|pth|bin|ckpt|safetensors|npy|npz|pkl|h5|onnx|cubin|parquet)$`), at(func(c *conditions) *line { return &c.pointer })},
		{compile(`\bdocker (?:create|run) `), (*conditions).container},
		{compile(`\bno merge base\b`), at(func(c *conditions) *line { return &c.noBase })},
		{compile(`certificate is not yet valid`), at(func(c *conditions) *line { return &c.clock })},
		{compile(`Tunnel connection failed: 40[37]|\b407 Proxy Authentication`), at(func(c *conditions) *line { return &c.proxy })},
		{compile(`certificate verify failed: (?:unable to get local issuer|self[- ]signed) certificate`), at(func(c *conditions) *line { return &c.authority })},
		{compile(`^Found existing installation: (\S+) (\S+)$`), func(c *conditions, _ line, m []string) { c.uninstalled(m[1], m[2]) }},
		{compile(`^Building (?:editable|wheel) for (\S+) `), func(c *conditions, _ line, m []string) {
			if c.own == nil {
				c.own = map[string]bool{}
			}
			if len(c.own) < maxConditions {
				c.own[moduleOf(m[1])] = true
			}
		}},
		{compile(`^Successfully installed (.+)`), func(c *conditions, l line, m []string) {
			for f := range strings.FieldsSeq(m[1]) {
				if i := strings.LastIndexByte(f, '-'); i > 0 {
					c.installed(f[:i], f[i+1:], l)
				}
			}
		}},
		{compile(`^Requirement already satisfied: ([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?(?:[=<>~!]\S+)? in \S*-packages \([^)]*\)$`), func(c *conditions, l line, m []string) {
			if c.kept == nil {
				c.kept = map[string]line{}
			}
			if len(c.kept) < maxConditions {
				c.kept[moduleOf(m[1])] = l
			}
		}},
		{compile(`cannot import name '\w+' from '([\w.]+)'|No module named '([\w.]+)'|\bmodule '([\w.]+)' has no attribute '`), func(c *conditions, l line, m []string) { c.missing(m[1]+m[2]+m[3], l) }},
		{compile(`undefined symbol: _ZN\d*K?\d+(?:c10|at|torch|caffe2)\d`), func(c *conditions, l line, _ []string) { c.missing("torch", l) }},
		{compile(`-packages/(\w+)/`), func(c *conditions, _ line, m []string) {
			if c.foreign == nil {
				c.foreign = map[string]bool{}
			}
			if len(c.kept) > 0 && len(c.foreign) < maxConditions {
				c.foreign[strings.Clone(m[1])] = true
			}
		}},
		{compile(`\bFinished .*\bprofile\b|^Successfully built \S|\bBuilt target \S`), func(c *conditions, _ line, _ []string) { c.made = true }},
		{compile(`^Removing (\S+/)$`), func(c *conditions, l line, m []string) {
			if c.made && len(c.removed) < maxConditions {
				c.removed = append(c.removed, removal{path: strings.Clone(m[1]), at: l})
			}
		}},
		{compile(`No such file or directory|\bnot found\b`), (*conditions).absent},
	}
})

// noteIndex finds the notes that could match a line.
var noteIndex = sync.OnceValue(func() *literalIndex {
	var all []*matcher
	for _, n := range notes() {
		all = append(all, n.m)
	}
	return indexOf(all)
})

func (c *conditions) line(l line) {
	if len(l.text) > 4096 {
		return
	}
	if m := uvChange(l.text); m != nil {
		if m[1] == "-" {
			c.uninstalled(m[2], m[3])
		} else {
			c.installed(m[2], m[3], l)
		}
	}
	c.maybe = noteIndex().candidates(l.text, c.maybe[:0])
	for _, i := range c.maybe {
		n := notes()[i]
		if m := n.m.re.FindStringSubmatch(l.text); m != nil {
			n.take(c, l, m)
		}
	}
}

var uvLine = regexp.MustCompile(`^([-+]) ([A-Za-z0-9][\w.-]*)==(\S+)$`)

// uvChange is a line of uv's list of changes, nil for another one.
func uvChange(text string) []string {
	if len(text) < 2 || text[0] != '-' && text[0] != '+' || text[1] != ' ' || !strings.Contains(text, "==") {
		return nil
	}
	return uvLine.FindStringSubmatch(text)
}

// jobsOwn are places in which a job writes; a full disk of data or of the system's
// images is none.
var jobsOwn = regexp.MustCompile(`^/(?:|tmp|home|root|var|opt|work\w*|__w|runner|actions-runner|builds?|scratch|github)(?:/|$)`)

// disk takes a row of df.
func (c *conditions) disk(l line, m []string) {
	left, _ := strconv.ParseFloat(m[1], 64)
	if used, _ := strconv.Atoi(m[2]); used < 100 && left > 0 || !jobsOwn.MatchString("/"+m[3]) {
		return
	}
	if c.inodes {
		c.noInodes = l
	} else {
		c.full = l
	}
}

// moduleOf is the module that a package is likely to bring.
func moduleOf(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "_", ".", "_").Replace(name))
}

func (c *conditions) uninstalled(name, version string) {
	if c.had == nil {
		c.had = map[string]string{}
	}
	if len(c.had) < maxConditions {
		c.had[moduleOf(name)] = strings.Clone(version)
	}
}

func (c *conditions) installed(name, version string, l line) {
	old := c.had[moduleOf(name)]
	if old == "" || old == version {
		return
	}
	if c.changes == nil {
		c.changes = map[string]change{}
	}
	c.changes[moduleOf(name)] = change{at: l, to: name + " " + old + " -> " + version}
}

// brings are packages by a module that has another name.
var brings = map[string][]string{
	"cuda": {"cuda_python", "cuda_bindings", "cuda_core"}, "cutlass": {"nvidia_cutlass_dsl", "nvidia_cutlass"}, "google": {"protobuf"},
	"yaml": {"pyyaml"}, "PIL": {"pillow"}, "triton": {"triton", "pytorch_triton"}, "torch": {"torch"}, "pkg_resources": {"setuptools"}, "tile": {"cuda_tile"},
}

// missing takes an error about a module that is not there or lacks something.
func (c *conditions) missing(module string, l line) {
	if l.warn || l.quote || len(c.changes) == 0 && len(c.kept) == 0 {
		return
	}
	top, _, _ := strings.Cut(module, ".")
	for _, name := range append([]string{moduleOf(top)}, brings[top]...) {
		if by, ok := c.changes[name]; ok && c.changed.failed == "" && !c.own[name] {
			by.failed = strings.Clone(l.text)
			c.changed = by
		}
		if c.kept[name].n > 0 && module != top || len(c.lacks) < maxConditions && strings.Contains(l.text, "has no attribute") {
			c.lacks = append(c.lacks, name)
		}
	}
}

// looksOn are programs that a clean-up asks for what may not be there.
var looksOn = regexp.MustCompile(`^(?:ls|cat|rm|find|cp|mv|tail|du|stat|tar|mkdir|chmod|chown): `)

// absent takes an error about a file that is not there.
func (c *conditions) absent(l line, _ []string) {
	if c.lost.failed != "" || l.warn || l.quote || looksOn.MatchString(l.text) {
		return
	}
	for _, r := range c.removed {
		if strings.Contains(l.text, r.path) {
			r.failed = strings.Clone(l.text)
			c.lost = r
			return
		}
	}
}

func (c *conditions) end(sc *logScan) {
	switch {
	case c.bus.n > 0 && c.full.n > 0:
		sc.causes(diskFull, nil, c.full, c.bus.text)
	case c.bus.n > 0 && c.smallShm.n > 0:
		sc.causes(sharedMemory, nil, c.smallShm, c.bus.text)
	}
	if h := sc.found[diskFull]; c.noInodes.n > 0 {
		sc.adds(h, c.noInodes.text)
	}
	// The step that looked for the base may have passed.
	if h := sc.found[shortHistory]; c.noBase.n > 0 && sc.found[noTests] != nil {
		delete(sc.found, shortHistory)
		sc.hits = slices.DeleteFunc(sc.hits, func(x *hit) bool { return x == h })
		sc.causes(shortHistory, []string{noTests}, c.noBase, "")
	}
	if sc.lacksDevice() {
		switch {
		case c.visible.n > 0 && c.gpus > 0 && c.beyond >= c.gpus:
			sc.causes(hiddenDevice, nil, c.visible, "")
		case c.hidden.n > 0:
			sc.causes(hiddenDevice, nil, c.hidden, "")
		case c.noSlices.n > 0:
			sc.causes(hiddenByMIG, nil, c.noSlices, "")
		case c.bare.n > 0 && !c.handed:
			sc.explains(bareContainer, noDevice, c.bare)
		}
	}
	if c.pointer.n > 0 {
		sc.causes(lfsPointers, []string{"S-I47", unnamedError}, c.pointer, "")
	}
	if c.clock.n > 0 {
		sc.causes(wrongClock, noPackage, c.clock, "")
	}
	if c.proxy.n > 0 {
		sc.causes(refusingProxy, noPackage, c.proxy, "")
	}
	if c.authority.n > 0 {
		sc.causes(unknownIssuer, []string{"S-B25", "S-B55"}, c.authority, "")
	}
	if c.changed.failed != "" {
		sc.causes(movedPackage, noImport, c.changed.at, c.changed.to)
		sc.adds(sc.found[movedPackage], c.changed.failed)
	}
	for _, name := range c.lacks {
		if c.kept[name].n > 0 && c.foreign[name] {
			sc.causes(keptCopy, nil, c.kept[name], "")
			break
		}
	}
	if c.lost.failed != "" {
		sc.causes(removedBuild, nil, c.lost.at, c.lost.failed)
	}
}

// lacksDevice reports whether something failed for want of a GPU, or all was skipped. A
// job that is meant to do without one skips a part.
func (sc *logScan) lacksDevice() bool {
	h := sc.found["S-R18"]
	return h != nil && !h.Skipped || sc.found["S-X12"] != nil || sc.found["S-R95"] != nil
}

// causes adds a match that leads over what it explains, with a text to be quoted.
func (sc *logScan) causes(id string, with []string, l line, text string) {
	for i, rows := 0, ready(); i < len(rows); i++ {
		row := &rows[i]
		if row.ID != id || !sc.wanted[i] {
			continue
		}
		sc.hit(row, &compiledPattern{Pattern: Pattern{With: with, Rank: Root}}, l)
		if text != "" {
			sc.adds(sc.found[id], text)
		}
	}
}

// adds quotes a text beside a hit of this log, unless it is there.
func (sc *logScan) adds(h *hit, text string) {
	if h != nil && h.log == sc.logs && !strings.Contains(h.Excerpt.Plain(), text) {
		h.quote(text)
	}
}

// container takes a command that makes a container. Images of NVIDIA ask for the GPU
// themselves.
func (c *conditions) container(l line, _ []string) {
	switch {
	case gpuOption.MatchString(l.text):
		c.handed = true
	case c.bare.n == 0:
		c.bare = l
	}
}

// gpuOption is what hands a GPU to a container.
var gpuOption = regexp.MustCompile(`(?i)--gpus|nvidia|--device|--privileged|cuda`)
