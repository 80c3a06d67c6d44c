package triage

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// setup reads what stands beside what on a machine: packages that own the same files,
// parts of a compiler, what is otherwise than in the last good run, and who holds the
// memory. A loud error that follows has its cause there.
type setup struct {
	there   map[string]entry // packages that are there, by module
	fresh   map[string]bool  // those that this job installed and that were not there before
	missing []missed         // modules and libraries that were not found
	record  line             // the list of a package's files names one that makes it importable

	compared int          // the line that last compared this run with a good one
	same     int          // rows of that comparison in which nothing differs
	differ   []difference // rows in which something does
	sources  bool         // so do the sources
	before   map[string]string
	lists    [2]map[string]entry // versions of the good run, and of this one
	side     int                 // the list that the present line is of, from 1; 0 for none

	tool  string // whose version follows
	tools map[string]entry

	starved line // the machine had no memory, or far too much to do
	cores   float64
	offline bool // its network was down

	memory gpuMemory
	ids    []string // of GPUs and slices that are there
}

// entry is a version and the line that tells it.
type entry struct {
	version string
	at      line
}

type missed struct {
	name    string
	library bool
	at      line
}

// difference is what a comparison with a good run shows.
type difference struct {
	name, text string
	at         line
}

// gpuMemory is what a log tells of the GPU's memory beside PyTorch's message.
type gpuMemory struct {
	empty  bool // it was empty before the case
	alone  bool // the case fails by itself, too
	tooBig line // one process alone holds it, or asks for more than there is
	larger bool // it asks for more than there is
	inUse  line // of the GPU's memory much is in use
	hidden line // and no process is shown that uses it
}

// Signatures that such facts decide.
const (
	sharedFiles   = "S-I106"
	lostFiles     = "S-I107"
	movedCompiler = "S-J81"
	otherTools    = "S-J82"
	starvedRunner = "S-X124"
	largerGPU     = "S-R147"
	oneMoved      = "S-X125"
	lostRunner    = "S-R22"
	noMemory      = "S-R13"
)

const (
	comparedFor = 24  // lines after a comparison's head or row in which another may follow
	leftMemory  = 0.6 // GiB; with less a machine cannot work on
	stalledPart = 40  // percent of the time in which all processes wait for memory
	manyLoads   = 4   // times a machine's cores
	manyAnyway  = 64  // where these are not known
)

// ownFiles are packages that bring the same module under several names.
var ownFiles = map[string]string{
	"opencv_python": "cv2", "opencv_python_headless": "cv2", "opencv_contrib_python": "cv2", "opencv_contrib_python_headless": "cv2",
	"onnxruntime": "onnxruntime", "onnxruntime_gpu": "onnxruntime", "pynvml": "pynvml", "nvidia_ml_py": "pynvml",
	"triton": "triton", "pytorch_triton": "triton", "triton_nightly": "triton", "pytorch_triton_rocm": "triton",
	"tensorflow": "tensorflow", "tensorflow_cpu": "tensorflow", "tf_nightly": "tensorflow", "nvidia_cutlass": "cutlass", "nvidia_cutlass_dsl": "cutlass",
	"faiss_cpu": "faiss", "faiss_gpu": "faiss", "cupy": "cupy", "flashinfer": "flashinfer", "flashinfer_python": "flashinfer", "jwt": "jwt", "pyjwt": "jwt",
}

// forCUDA is a package that there is for each major version of CUDA.
var forCUDA = regexp.MustCompile(`^(?:nvidia_)?(?:cuda_)?(\w+?)_?(?:_cu|_cuda)1[1-9]\d*x?$`)

// filesOf names the files that a package owns beside others of another name, "" for none.
func filesOf(module string) string {
	if f := ownFiles[module]; f != "" {
		return f
	}
	if m := forCUDA.FindStringSubmatch(module); m != nil {
		return m[1]
	}
	return ""
}

// kernelCompilers are packages and programs that compile kernels.
var kernelCompilers = regexp.MustCompile(`^(nvidia_cutlass|cutlass|cute_dsl|triton|pytorch_triton|cuda_tile|cutile|tileiras|tilelang|apache_tvm|numba|llvm|mlir|warp_lang|helion|jax|taichi|tilus|nvidia_cuda_nvcc|nvidia_nvvm|nvcc|ptxas|libnvvm|nvvm|cuda_toolkit|cuda|toolkit|nvidia_cuda_nvrtc|nvidia_nvjitlink)`)

var (
	listedEntry = regexp.MustCompile(`^(?:[-+~] )?([A-Za-z0-9][\w.-]*)(?:==| {2,})(\d[\w.+!]*)(?: .*)?$|^(nvidia-[\w-]+) (\d[\w.+]*)$`)
	topModule   = probe(`No module named '?(\w+)'?$`)
	noLibrary   = probe(`\blib([A-Za-z]\w*?)(?:-\d[\d.]*)?\.so[\d.]*: cannot open shared object file`)
	pathRecord  = probe(`^\S+\.pth,sha256=`)

	goodRun    = probe(`\b[Ll]ast[ _-]?(?:known[ _-]?)?(?:green|good|pass\w*|success\w*|working|ok)\b|\b[Kk]nown[ _-]good\b|\b[Pp]revious (?:green|good|night\w*|passing|successful)\b|\bvs\.? (?:the )?last (?:run|night)`)
	compareRow = regexp.MustCompile(`^\|? ?([A-Za-z][\w ./()@-]*?)(?: ?[|:=] ?| +)(\S+?),?(?: {2,}| ?\| ?| ?(?:->|→|=>|vs\.?) ?)(\S+?)(?: +\(?\S+\)?)? ?\|?$|^([A-Za-z][\w.-]*): (\S+) (\S+)$`)
	sameRow    = regexp.MustCompile(`^\|? ?[A-Za-z][\w ./()@-]*?[ :=|]+(?:\S+ +)?\(?(?:same|unchanged|identical|equal)\)?(?: .*)?$`)
	thisRun    = probe(`(?i)\b(?:this|current|present|failing|failed|tonight\S*|today\S*|new) ?(?:[-_ ]?(?:run|night\w*|build|job|attempt))?\b[^:=]{0,40}[:/]|^\W*(?:this|current|failing|failed)[-_ ](?:run|build|job)\b|\bversions of this run\b`)
	onlyEntry  = regexp.MustCompile(`^[-*+]? ?([A-Za-z][\w.-]*)(?:==?|@|: ?| +)v?(\d[\w.+!-]*)(?: +\S+)?$`)
	freezeRow  = regexp.MustCompile(`^([-+<>]) ?([A-Za-z][\w.-]*)==(\S+)$`)
	outcome    = regexp.MustCompile(`(?i)\b(pass\w*|fail\w*|case\w*|tests?|time|duration|date|started|run|job|id|build|elapsed|at)\b`)
	ofSources  = regexp.MustCompile(`(?i)^(commit|sha|head|revision|rev|git\b.*|source\w*|tilegym|repo)$`)

	// internal is what a compiler says when it fails inside of itself.
	internal = regexp.MustCompile(`(?i)back-?end compilation failed|libNVVM failed|\bICE\b|internal (compiler )?error|InternalError|pass(manager)?(::run)? failed|PassManager|LLVM ERROR|\bassertion\b.*\bfailed|please (report|file)|segmentation fault|core dumped|unreachable executed|stack dump|signal 11|SIGSEGV|SIGABRT|failed to (translate|legalize|compile|lower)|verification failed|return code \d|codegen failed|exit status \d|unknown location`)

	toolOf   = probe(`^\W*(?:\S*/)?(tileiras|ptxas|libnvvm|nvvm|NVVM|nvcc)\b.*?(?:\brelease |\bV|\bv|\bversion |\bCUDA |\bcuda-)(\d+\.\d+)`)
	toolHead = probe(`^(?:\$ |\+ )?(?:\S*/)?(tileiras|ptxas|nvcc)(?:: NVIDIA| --version)`)
	toolTail = probe(`^Cuda compilation tools, release (\d+\.\d+)`)
	toolHome = probe(`\bCUDA_(?:HOME|PATH)\b\W{1,4}\S*/cuda-(\d+\.\d+)`)
	wheelOf  = probe(`\bnvidia/cuda_nvcc/(?:bin/ptxas|nvvm)\b`)

	coresOf     = probe(`\b(\d+) ?(?:vCPUs?|CPUs|cores)\b|\bnproc\W{1,3}(\d+)`)
	memoryLeft  = probe(`\b[Mm]em(?:ory)?[_ ]?(?:[Aa]vail\w*|[Ff]ree)(?:_bytes)?\b\W{0,4}([\d.]+) ?([kKMG])`)
	stalled     = probe(`\bpsi\w*full\w*[=: ]+([\d.]+)|\bfull avg10=([\d.]+)`)
	machineLoad = probe(`\bload(?:1|[_ ]?avg|[ _]average)?\d*[=: ]+(\d+(?:\.\d+)?)`)
	usedPart    = probe(`\b(?:mem|memory|RAM|ram)(?:_?used|_?usage| used| usage)?(?:_pct|_percent)?[=: ]+(9[6-9]|100)(?:\.\d+)? ?%`)
	freeRow     = probe(`^Mem: +\S+ +\S+ +\S+ +\S+ +\S+ +([\d.]+)([KMG])i?$`)
	killedIts   = probe(`Killed process \d+ \((?:Runner\.\w+|Runner|actions-runner|gitlab-runner|buildkite-agen\w*|dockerd|containerd\S*|kubelet|java|node)\)|systemd-oomd\S*: Killed \S*(?:runner|agent|docker)`)
	noLink      = probe(`\bnet=down\b|\b[Ll]ink (?:is )?[Dd]own\b|\bNO-CARRIER\b|carrier lost`)
	losesTouch  = regexp.MustCompile(`received a shutdown signal|lost communication|lost contact|did not respond|went offline|Cannot contact|ClosedChannel|[Aa]gent (was )?lost|stopped sending heartbeats`)

	identifier = probe(`\(?UUID: ?((?:MIG|GPU)-[\w/-]+)\)?`)
	namesGPU   = regexp.MustCompile(`\bCUDA_VISIBLE_DEVICES\W{1,3}((?:MIG|GPU)-[\w/-]+)`)

	memoryRow   = probe(`\b(\d+)MiB / +(\d+)MiB\b`)
	noProcess   = probe(`\b[Nn]o running processes found\b`)
	emptyBefore = probe(`(?i)\bbefore\b.*\ballocated[:= ]+0(?:\.0+)? ?(?:[KMG]i?B|B|bytes)?\b|\bmemory_allocated(?:\(\))? ?[:=] ?0\b`)
	failsAlone  = probe(`^(?:=+ )?[1-9]\d* (?:failed|error)s?, \d+ deselected\b|\b(?:alone|isolat\w+|by itself|(?:in a )?fresh process)\b.*\b(?:FAILED|fails|OOM|out of memory|OutOfMemory\w*)`)
	anotherHas  = regexp.MustCompile(`Process (\d+) has ([\d.]+) ([GM])iB memory in use`)
)

func (s *setup) line(l line) {
	if len(l.text) > 4096 || len(l.text) < 4 {
		return
	}
	s.runner(l)
	if !l.quote || l.text[0] == '#' {
		s.versionList(l)
	}
	if !l.quote || l.text[0] == '|' {
		s.comparison(l)
		s.holder(l)
	}
	if l.quote {
		return
	}
	s.packages(l)
	s.toolVersion(l)
	if l.is(identifier) && len(s.ids) < maxConditions {
		s.ids = append(s.ids, strings.Clone(identifier.re.FindStringSubmatch(l.text)[1]))
	}
	s.gpu(l)
}

// packages takes entries of lists of packages, and what was not found.
func (s *setup) packages(l line) {
	if strings.Contains(l.text, "==") || strings.Contains(l.text, "  ") || strings.HasPrefix(l.text, "nvidia-") {
		if m := listedEntry.FindStringSubmatch(l.text); m != nil && l.text[0] != '-' {
			s.put(m[1]+m[3], m[2]+m[4], l)
		}
	}
	if after, ok := strings.CutPrefix(l.text, "Successfully installed "); ok {
		for f := range strings.FieldsSeq(after) {
			if i := strings.LastIndexByte(f, '-'); i > 0 {
				s.put(f[:i], f[i+1:], l)
				if s.fresh == nil {
					s.fresh = map[string]bool{}
				}
				if len(s.fresh) < maxConditions {
					s.fresh[moduleOf(f[:i])] = true
				}
			}
		}
	}
	switch {
	case l.warn || len(s.missing) >= maxListed:
	case l.is(topModule):
		s.missing = append(s.missing, missed{strings.Clone(topModule.re.FindStringSubmatch(l.text)[1]), false, l})
	case l.is(noLibrary):
		s.missing = append(s.missing, missed{strings.ToLower(noLibrary.re.FindStringSubmatch(l.text)[1]), true, l})
	case l.is(pathRecord):
		s.record = l
	}
}

func (s *setup) put(name, version string, l line) {
	module := moduleOf(name)
	if filesOf(module) == "" && !kernelCompilers.MatchString(module) || strings.HasPrefix(version, "0.0.0") {
		return
	}
	if s.there == nil {
		s.there = map[string]entry{}
	}
	if len(s.there) < maxConditions {
		s.there[module] = entry{strings.Clone(version), l}
	}
}

// versionList takes a line of two lists of versions, of the last good run and of this one.
func (s *setup) versionList(l line) {
	good, now := l.is(goodRun), l.is(thisRun)
	switch {
	case good && !now:
		s.side = 1
	case now && !good:
		s.side = 2
	case s.side == 0:
		return
	}
	take := func(name, version string) {
		if outcome.MatchString(name) || machineParts.MatchString(name) && !strings.HasPrefix(name, "driver") {
			return
		}
		list := &s.lists[s.side-1]
		if *list == nil {
			*list = map[string]entry{}
		}
		if len(*list) < maxConditions {
			(*list)[moduleOf(name)] = entry{strings.Clone(version), l}
		}
	}
	if good || now {
		_, rest, _ := strings.Cut(l.text, ":")
		for _, f := range strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(" ,;", r) }) {
			if m := onlyEntry.FindStringSubmatch(f); m != nil {
				take(m[1], m[2])
			}
		}
		return
	}
	if m := onlyEntry.FindStringSubmatch(l.text); m != nil {
		take(m[1], m[2])
		return
	}
	s.side = 0
}

// compareLists adds what differs between the two lists.
func (s *setup) compareLists() {
	if len(s.differ) > 0 || len(s.lists[0]) < 2 || len(s.lists[1]) < 2 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(s.lists[1])) {
		old, now := s.lists[0][name], s.lists[1][name]
		switch {
		case old.version == "":
		case old.version == now.version:
			s.same++
		default:
			s.differ = append(s.differ, difference{name, name + " " + old.version + " -> " + now.version, now.at})
		}
	}
}

// comparison takes the rows of a comparison with the last good run.
func (s *setup) comparison(l line) {
	if l.is(goodRun) {
		s.compared = l.n
	}
	if s.compared == 0 || l.n-s.compared > comparedFor || len(s.differ) >= maxListed {
		return
	}
	if m := freezeRow.FindStringSubmatch(l.text); m != nil {
		s.frozen(l, m)
		return
	}
	if sameRow.MatchString(l.text) {
		s.same++
		s.compared = l.n
		return
	}
	m := compareRow.FindStringSubmatch(l.text)
	if m != nil && m[4] != "" {
		m = m[3:]
	}
	if m == nil || !strings.ContainsAny(m[2], "0123456789") || !strings.ContainsAny(m[3], "0123456789") || outcome.MatchString(m[1]) {
		return
	}
	s.compared = l.n
	name := strings.TrimSpace(m[1])
	// A sentence names the package last.
	if f := strings.Fields(name); len(f) > 2 {
		name = f[len(f)-1]
	}
	switch {
	case m[2] == m[3]:
		s.same++
	case ofSources.MatchString(name):
		s.sources = true
	default:
		s.differ = append(s.differ, difference{strings.Clone(name), name + " " + m[2] + " -> " + m[3], l})
	}
}

// frozen takes a line of the difference of two lists of packages.
func (s *setup) frozen(l line, m []string) {
	if s.before == nil {
		s.before = map[string]string{}
	}
	s.compared = l.n
	if m[1] == "-" || m[1] == "<" {
		if len(s.before) < maxConditions {
			s.before[moduleOf(m[2])] = strings.Clone(m[3])
		}
		return
	}
	if old := s.before[moduleOf(m[2])]; old != "" && old != m[3] {
		s.same++ // a list holds much that does not differ
		s.differ = append(s.differ, difference{strings.Clone(m[2]), m[2] + " " + old + " -> " + m[3], l})
	}
}

// only is the one thing that differs from the last good run.
func (s *setup) only() (difference, bool) {
	if len(s.differ) == 0 || s.same == 0 || s.sources {
		return difference{}, false
	}
	first := moduleOf(s.differ[0].name)
	for _, d := range s.differ[1:] {
		if o := moduleOf(d.name); !strings.HasPrefix(o, first) && !strings.HasPrefix(first, o) {
			return difference{}, false
		}
	}
	return s.differ[0], true
}

// toolVersion takes versions of the programs that make up a compiler.
func (s *setup) toolVersion(l line) {
	tell := func(tool, version string) {
		if s.tools == nil {
			s.tools = map[string]entry{}
		}
		tool = strings.TrimPrefix(strings.ToLower(tool), "lib")
		if _, ok := s.tools[tool]; !ok && len(s.tools) < 16 {
			s.tools[tool] = entry{strings.Clone(version), l}
		}
	}
	switch {
	case l.is(wheelOf):
		tell("nvcc's wheel", "12") // that of CUDA 13 lies elsewhere
		fallthrough
	case l.is(toolOf):
		if m := toolOf.re.FindStringSubmatch(l.text); m != nil {
			tell(m[1], m[2])
		}
	case l.is(toolHead):
		s.tool = strings.Clone(toolHead.re.FindStringSubmatch(l.text)[1])
	case s.tool != "" && l.is(toolTail):
		tell(s.tool, toolTail.re.FindStringSubmatch(l.text)[1])
		s.tool = ""
	case l.is(toolHome):
		tell("CUDA_HOME", toolHome.re.FindStringSubmatch(l.text)[1])
	}
}

// leastTiles is the first CUDA toolkit with a tile compiler.
const leastTiles = "13.1"

// olderTool is a part of the compiler that is of an older major version than tileiras.
func (s *setup) olderTool() (string, entry, bool) {
	tile, ok := s.tools["tileiras"]
	needs := "tileiras " + tile.version
	if !ok {
		if _, ok := s.there["cuda_tile"]; !ok {
			return "", entry{}, false
		}
		tile.version, needs = leastTiles, "cuda-tile needs at least "+leastTiles
	}
	older := func(of map[string]entry, takes func(name string) bool) (string, entry, bool) {
		for _, name := range slices.Sorted(maps.Keys(of)) {
			if major := majorOf(of[name].version); takes(name) && major > 0 && major < majorOf(tile.version) {
				return name + " " + of[name].version + ", " + needs, of[name], true
			}
		}
		return "", entry{}, false
	}
	if why, o, ok := older(s.tools, func(name string) bool { return name != "tileiras" }); ok {
		return why, o, true
	}
	return older(s.there, func(name string) bool { return strings.HasPrefix(name, "nvidia_cuda_nvcc_cu") })
}

// majorOf is the major number of a version, 0 where it has none.
func majorOf(version string) int {
	major, _, _ := strings.Cut(version, ".")
	n, _ := strconv.Atoi(major)
	return n
}

// runner takes figures of a machine that has nothing left to work with.
func (s *setup) runner(l line) {
	if l.is(coresOf) {
		if m := coresOf.re.FindStringSubmatch(l.text); s.cores == 0 {
			s.cores = number(m[1] + m[2])
		}
	}
	s.offline = s.offline || l.is(noLink)
	if s.starved.n > 0 {
		return
	}
	little := func(m []string) bool {
		switch v := number(m[1]); m[2] {
		case "G":
			return v <= leftMemory
		case "M":
			return v <= leftMemory*1024
		default:
			return v <= leftMemory*1024*1024
		}
	}
	switch {
	case l.is(memoryLeft) && little(memoryLeft.re.FindStringSubmatch(l.text)),
		l.is(freeRow) && little(freeRow.re.FindStringSubmatch(l.text)),
		l.is(usedPart), l.is(killedIts):
		s.starved = l
	case l.is(stalled):
		if m := stalled.re.FindStringSubmatch(l.text); number(m[1]+m[2]) >= stalledPart {
			s.starved = l
		}
	case l.is(machineLoad):
		many := float64(manyAnyway)
		if s.cores > 0 {
			many = manyLoads * s.cores
		}
		if number(machineLoad.re.FindStringSubmatch(l.text)[1]) >= many {
			s.starved = l
		}
	}
}

// holder takes the rows of nvidia-smi that show much memory in use, and no process: what
// holds it runs in another container.
func (s *setup) holder(l line) {
	switch {
	case l.is(memoryRow):
		if m := memoryRow.re.FindStringSubmatch(l.text); number(m[1]) >= mostOf*number(m[2]) {
			s.memory.inUse = l
		}
	case s.memory.inUse.n > 0 && l.n-s.memory.inUse.n <= comparedFor && l.is(noProcess):
		s.memory.hidden = s.memory.inUse
	}
}

// gpu takes what a log tells of the GPU's memory around a case that found none.
func (s *setup) gpu(l line) {
	s.memory.empty = s.memory.empty || l.is(emptyBefore)
	s.memory.alone = s.memory.alone || l.is(failsAlone)
	if s.memory.tooBig.n > 0 && s.memory.larger || !strings.Contains(l.text, "total capacity of ") {
		return
	}
	m, asked := outOfMemory.FindStringSubmatch(l.text), triedMemory.FindStringSubmatch(l.text)
	if m == nil || asked == nil || strings.Contains(l.text, "Process ") {
		return
	}
	total, free, wants := gib(m[1], m[2]), gib(m[3], m[4]), gib(asked[1], asked[2])
	used := 0.0
	for _, t := range byTorch.FindAllStringSubmatch(l.text, 1) {
		used = gib(t[1], t[2])
	}
	switch {
	case wants >= total && wants <= 4*total:
		s.memory.tooBig, s.memory.larger = l, true
	case s.memory.tooBig.n == 0 && used >= 0.6*(total-free) && used >= 0.25*total:
		s.memory.tooBig = l
	}
}

func (s *setup) end(sc *logScan) {
	s.compareLists()
	s.visible(sc)
	s.owners(sc)
	s.lost(sc)
	s.compiler(sc)
	if why, o, ok := s.olderTool(); ok {
		sc.causes(otherTools, []string{"S-J19", "S-J23", "S-J29", "S-J31", "S-J32", "S-J34"}, o.at, why)
	}
	if h := sc.found[lostRunner]; h != nil && h.log == sc.logs && s.starved.n > 0 && !s.offline && losesTouch.MatchString(h.Excerpt.Plain()) {
		sc.causes(starvedRunner, []string{lostRunner}, s.starved, h.Excerpt.Plain())
	}
	if s.memory.hidden.n > 0 {
		sc.explains(otherMemory, []string{noMemory, "S-R28"}, s.memory.hidden)
	}
	shared := slices.ContainsFunc([]string{otherMemory, keptMemory, fragments, "S-R36", "S-R58"}, func(id string) bool { return sc.found[id] != nil })
	if m := s.memory; m.tooBig.n > 0 && !shared && (m.empty || m.alone || m.larger) {
		sc.explains(largerGPU, []string{noMemory}, m.tooBig)
	}
}

// visible takes a match back that says that a GPU's identifier is an old one, where the
// machine shows it.
func (s *setup) visible(sc *logScan) {
	h := sc.found[hiddenDevice]
	if h == nil || h.log != sc.logs {
		return
	}
	m := namesGPU.FindStringSubmatch(h.Excerpt.Plain())
	if m == nil || !slices.ContainsFunc(s.ids, func(id string) bool { return strings.HasPrefix(id, m[1]) }) {
		return
	}
	delete(sc.found, hiddenDevice)
	sc.hits = slices.DeleteFunc(sc.hits, func(x *hit) bool { return x == h })
}

// owners tells of two packages that own the same files, when an error is about these.
func (s *setup) owners(sc *logScan) {
	names := slices.Sorted(maps.Keys(s.there))
	for i, a := range names {
		files := filesOf(a)
		if files == "" || sc.installs.removed[a].n > 0 {
			continue
		}
		for _, b := range names[i+1:] {
			if filesOf(b) != files || sc.installs.removed[b].n > 0 {
				continue
			}
			x, y := s.there[a], s.there[b]
			if y.at.n < x.at.n {
				x = y
			}
			for _, h := range sc.hits {
				if h.log != sc.logs || h.rank >= survived || h.Line == 0 || h.Line < x.at.n && h.Signature == movedPackage || !strings.Contains(strings.ToLower(h.Excerpt.Plain()), files) || slices.Contains([]string{lostFiles, movedPackage}, h.Signature) {
					continue
				}
				sc.causes(sharedFiles, nil, x.at, a+" "+s.there[a].version+", "+b+" "+s.there[b].version)
				sc.adds(sc.found[sharedFiles], h.Excerpt.Plain())
				return
			}
		}
	}
}

// lost tells of files of a package that went with another one, or with the package's
// older version.
func (s *setup) lost(sc *logScan) {
	for _, m := range s.missing {
		names := append([]string{moduleOf(m.name)}, brings[m.name]...)
		for _, name := range slices.Concat(slices.Sorted(maps.Keys(s.there)), slices.Sorted(maps.Keys(sc.installs.removed))) {
			if filesOf(name) == m.name {
				names = append(names, name)
			}
		}
		for _, name := range names {
			at, ok := s.there[name]
			if p := sc.installs.packages[name]; !ok && p.n > 0 {
				at, ok = entry{at: p}, true
			}
			if !ok || sc.early.own[name] || sc.installs.removed[name].n > 0 {
				continue
			}
			if why := s.tookAway(sc, name, m); why != "" {
				sc.causes(lostFiles, noImport, at.at, why)
				sc.adds(sc.found[lostFiles], m.at.text)
				return
			}
		}
	}
}

// tookAway says what took files of a package that is there, "" when nothing did.
func (s *setup) tookAway(sc *logScan, name string, m missed) string {
	for _, other := range slices.Sorted(maps.Keys(sc.installs.removed)) {
		if at := sc.installs.removed[other]; other != name && filesOf(other) != "" && filesOf(other) == filesOf(name) && at.n < m.at.n {
			return other + " was taken away"
		}
	}
	moved, ok := sc.early.changes[name]
	if !ok || m.library || moved.at.n > m.at.n {
		return ""
	}
	for _, other := range slices.Sorted(maps.Keys(s.fresh)) {
		if strings.HasPrefix(other, name+"_") && sc.early.had[other] == "" {
			return moved.to + ", beside " + other
		}
	}
	if s.record.n > 0 || s.there[name].at.n > m.at.n {
		return moved.to
	}
	return ""
}

var (
	// anyCompile are signatures of kernels that do not compile, whoever is at fault.
	anyCompile = []string{"S-J20", "S-J23", "S-J27", "S-J29", "S-J31", "S-J34", "S-J35", "S-J39", "S-J41", "S-J42", "S-J45", "S-J47", "S-J48", "S-J50", "S-J51", "S-J53", "S-J54", "S-J55", "S-J56", "S-J57", "S-J60", "S-J61", "S-B44", "S-B73"}
	// insideItself are those of a compiler that may have failed inside of itself.
	insideItself = []string{"S-J23", "S-J29", "S-J31", "S-J35", "S-J41", "S-J54", "S-J55", "S-J61"}
	// otherCompile are those that name another cause.
	otherCompile = []string{"S-J22", "S-J24", "S-J30", "S-J32", "S-J36", "S-J37", "S-J40", "S-I90", "S-J82"}
)

// failedImport are signatures of an import that failed.
var failedImport = slices.DeleteFunc(append(slices.Clone(noImport), "S-I22"), func(id string) bool { return id == unnamedError })

// machineParts are names of what is no package.
var machineParts = regexp.MustCompile(`(?i)^(host\w*|node|machine|runner|driver|image\b.*|kernel|gpu\w*|os|bios|vbios|firmware|fabric\w*)$`)

// names reports whether a match of this log names a cause, and not only that something
// is wrong.
func (sc *logScan) names(h *hit) bool {
	return h.log == sc.logs && h.rank < Weak && h.Line > 0 && (h.Stage != Correctness || h.rank == Root) && h.Signature != unnamedError && h.Signature != "S-X16"
}

// compiler tells of a compiler that moved to another version and fails since then.
func (s *setup) compiler(sc *logScan) {
	mine := func(id string) *hit {
		if h := sc.found[id]; h != nil && h.log == sc.logs && h.rank < survived {
			return h
		}
		return nil
	}
	if slices.ContainsFunc(otherCompile, func(id string) bool { return mine(id) != nil }) {
		return
	}
	if d, ok := s.only(); ok {
		some := func(ids []string) bool {
			return slices.ContainsFunc(ids, func(id string) bool { return mine(id) != nil })
		}
		compiler := kernelCompilers.MatchString(moduleOf(d.name)) || strings.HasPrefix(d.name, "torch") || strings.HasPrefix(d.name, "rust")
		switch {
		case compiler && some(anyCompile):
			sc.causes(movedCompiler, nil, d.at, d.text)
		case !machineParts.MatchString(d.name) && some(failedImport):
			sc.causes(movedPackage, nil, d.at, d.text)
		case !slices.ContainsFunc(sc.hits, sc.names):
			sc.causes(oneMoved, append([]string{"S-R24", "S-R26", "S-R79", unnamedError}, wrongValues...), d.at, d.text)
		}
		return
	}
	if len(s.differ) > 0 {
		return
	}
	var moved []string
	for _, name := range slices.Sorted(maps.Keys(sc.early.changes)) {
		if kernelCompilers.MatchString(name) && !sc.early.own[name] {
			moved = append(moved, name)
		}
	}
	if len(moved) == 0 || !strings.HasPrefix(moved[len(moved)-1], moved[0]) {
		return
	}
	for _, id := range insideItself {
		if h := mine(id); h != nil && h.Line > sc.early.changes[moved[0]].at.n && internal.MatchString(h.Excerpt.Plain()) {
			sc.causes(movedCompiler, []string{id}, sc.early.changes[moved[0]].at, sc.early.changes[moved[0]].to)
			sc.adds(sc.found[movedCompiler], h.Excerpt.Plain())
			return
		}
	}
}
