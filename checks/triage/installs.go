package triage

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// installs reads what a job puts where: packages and programs that it installs and takes
// away, the interpreter and the machine that it runs on, and where its container and its
// tests lie. An error that follows contradicts one of these, and so has its cause there.
type installs struct {
	maybe []int // notes that could match the present line

	files    map[string]line // shared libraries that a listing shows, by their names
	missed   string          // a library that the loader does not find
	unlisted absence         // it is among them
	named    map[string]bool // minor versions of Python that PYTHONPATH names
	frames   map[string]bool // and those from which code ran
	half     line            // the installer found a package half removed
	halved   string          // its name without the first letter
	broken   absence
	partly   line   // a build went on without CUDA
	ignored  string // versions that another Python could have
	alone    line   // a container has no network
	lacks    line   // the first module that is missing
	archs    line   // the architectures that a build was for
	listed   []int
	ptx      bool // it holds PTX, too
	gpu      int  // the architecture of the machine's GPU, 0 when it is not known
	noImage  bool // the library has no code for the GPU

	packages map[string]line // installed or found, by module
	removed  map[string]line // taken away again
	built    map[string]bool // the job built it from its own sources
	editable map[string]bool // and left it where they are
	local    map[string]bool // modules whose code ran from the checkout
	elsewhere,
	takenAway,
	hidden,
	unbuilt absence
	extensions map[string]bool // compiled files that a listing shows, by the name before the dot

	parts        map[string]bool // top folders that a wheel's listing shows
	bare         absence         // a wheel was made without its module
	caches       map[string]line // wheels of this machine that came from the installer's cache
	stale        absence
	isolated     absence         // a build got another PyTorch than the one that runs
	inBuild      bool            // the packages for a build of its own are being fetched
	compile      map[string]line // versions of PyTorch that builds got
	ownEnv       line            // a build used the PyTorch of an environment of its own
	ownVersion   string          // the version of that one, where it is told
	version      string          // the one that runs
	homes        line            // code ran from the user's own packages
	shared       bool            // and from those of an environment
	foreignMinor string
	foreignPath  line // code ran from packages of another Python
	noPlugins    line // plugins are not loaded by themselves
	rust         line // Rust was installed

	programs map[string]line // in a folder that is not on the path
	exported line            // a folder was handed to the later steps
	unfound  absence

	python  int    // the minor version of Python 3, 0 when it is not known
	machine string // its processor
	wheel   absence
	index   bool // an index for one version of CUDA was named
	foreign absence
	release absence

	home    line // the container has another home folder
	noHome  string
	kernel  string   // that runs
	modules []string // kernels for which the driver's module was built
	module  line
	compat  line   // the libraries of a newer CUDA stand first
	driver  string // the error that they give
	secrets line   // the run gets none
	socket  bool   // the job's own container reaches the engine
	mounted line   // a container got a folder of the job's
	mtu     int    // the smallest of the machine's own links
	bridge  line   // a link of the engine that carries more
	size    int

	listing string // the step of an image's build that gets the lists of packages
	lists   line
	cached  line    // its result was taken from the cache
	gone    absence // a package of these lists is gone

	copyOf [2]string // two paths of one test module
	copies int       // paths that are still to come
	copied line
	ptxas  line // an assembler is too old for the GPU
	triton bool // and it is one that Triton calls
}

// absence is what was missed, and the line that tells why.
type absence struct {
	at     line
	why    string
	failed string
}

// Signatures that such facts decide.
const (
	otherPython   = "S-I81"
	takenOut      = "S-I82"
	sameTests     = "S-I86"
	noExtension   = "S-I91"
	otherTorch    = "S-I93"
	userPackages  = "S-I94"
	oldPackages   = "S-I95"
	noAutoload    = "S-I97"
	emptyWheel    = "S-I100"
	cachedWheel   = "S-I101"
	oldRust       = "S-B24"
	noCUDA        = "S-I102"
	notSearched   = "S-I104"
	halfRemoved   = "S-I103"
	noNetwork     = "S-X122"
	gpuInBuild    = "S-X123"
	otherArch     = "S-B131"
	noGPU         = "S-R18"
	failedLayer   = "S-B50"
	tritonPtxas   = "S-I90"
	hiddenPackage = "S-I40"
	notOnPath     = "S-X110"
	otherHome     = "S-X111"
	noSecrets     = "S-X113"
	packetSize    = "S-X114"
	noModule      = "S-X116"
	otherMount    = "S-X117"
	staleLists    = "S-B122"
	otherPlatform = "S-B123"
	otherIndex    = "S-B124"
	olderPython   = "S-B75"
	compatFirst   = "S-R117"
	isolatedBuild = "S-B76"
)

// fact is one kind of line that installs takes.
type fact struct {
	m    *matcher
	take func(s *installs, l line, m []string)
}

var allFacts = sync.OnceValue(func() []fact {
	first := func(of func(s *installs) *line) func(*installs, line, []string) {
		return func(s *installs, l line, _ []string) {
			if p := of(s); p.n == 0 {
				*p = l
			}
		}
	}
	return []fact{
		{compile(`^Successfully installed (.+)`), func(s *installs, l line, m []string) {
			for f := range strings.FieldsSeq(m[1]) {
				if i := strings.LastIndexByte(f, '-'); i > 0 {
					s.put(f[:i], l)
				}
			}
		}},
		{compile(`^Requirement already satisfied: ([A-Za-z0-9][\w.-]*).* in (?:\S*-packages|\./\S*)`), func(s *installs, l line, m []string) { s.put(m[1], l) }},
		{compile(`^Successfully uninstalled ([A-Za-z0-9][\w.-]*)-\d\S*$`), func(s *installs, l line, m []string) { s.drop(m[1], l) }},
		{compile(`^(?:\S+ )?Installed ([A-Za-z]\w*)-\d[\w.]*$`), func(s *installs, l line, m []string) {
			s.put(m[1], l)
			s.own(m[1], true, true)
		}},
		{compile(`^Building (editable|wheel) for (\S+) `), func(s *installs, _ line, m []string) { s.own(m[2], m[1] == "editable", true) }},
		{compile(`^Successfully built (.+)`), func(s *installs, _ line, m []string) {
			for f := range strings.FieldsSeq(m[1]) {
				s.own(strings.TrimSuffix(f, ","), false, true)
			}
		}},
		{compile(`\bpip3? install (?:\S+ )*(?:-e|--editable)\b`), func(s *installs, _ line, _ []string) { s.editable = set(s.editable, "*") }},
		{compile(`^((?:\S*/)?)(\w+)/__init__\.py:\d+: |^File "((?:\S*/)?)(\w+)/__init__\.py", line \d+`), func(s *installs, _ line, m []string) {
			if folder := m[1] + m[3]; !strings.Contains(folder, "-packages/") && !strings.Contains(folder, "/lib/python") {
				s.local = set(s.local, m[2]+m[4])
			}
		}},
		{compile(`No module named '?([\w.]+)'?$`), (*installs).noModule},
		{compile(`cannot import name '(_\w+)' from (?:partially initialized module )?'(\w+)'.*\(([^()]+)\)$`), (*installs).noName},
		{compile(`\b(\w+)\.(?:cpython-\d+\S*|abi3)\.so\b`), func(s *installs, _ line, m []string) { s.extensions = set(s.extensions, m[1]) }},

		{compile(`^(?:WARNING: )?The scripts? (.+) (?:is|are) installed in '([^']+)' which is not on PATH`), func(s *installs, l line, m []string) {
			for f := range strings.FieldsSeq(strings.NewReplacer(",", " ", " and ", " ").Replace(m[1])) {
				s.program(f, l)
			}
		}},
		{compile(`\b(?:[Bb]uil[dt]\w*|[Cc]ompil\w+|[Ii]nstall\w+)\b[^.]{0,40}\b(?:without (?:CUDA|GPU|kernels)|CPU[- ]only)\b|\b(?:nvcc|CUDA(?:_HOME)?|CUDA toolkit)\b.{0,30}\b(?:not found|missing)\b.{0,40}\b(?:skipp\w+|without|left out|disabled|stubs?)\b`), first(func(s *installs) *line { return &s.partly })},
		{compile(`Ignored the following versions that require a different python version: (.+)`), func(s *installs, _ line, m []string) { s.ignored = strings.Clone(m[1]) }},
		{compile(`--network[= ]none\b|\bnetwork_mode: "?none\b`), first(func(s *installs) *line { return &s.alone })},
		{compile(`\b(?:TORCH_CUDA_ARCH_LIST|CMAKE_CUDA_ARCHITECTURES|CUDA_ARCH(?:S|_LIST|ITECTURES)?)\b["']?(?::\w+)?[=:] ?["']?(\d[\d.;, a-zPTX+-]*)|(?:code|-arch)[= ](?:sm|compute)_(\d+)`), (*installs).architectures},
		{compile(`no kernel image is available|invalid device function|NO_BINARY_FOR_GPU|NoKernelImageForDevice`), func(s *installs, _ line, _ []string) { s.noImage = true }},
		{compile(`\bNVIDIA (?:GeForce |RTX |Tesla )?(?:RTX )?((?:PRO )?\w+(?: Ada)?)|\b(?:compute )?capability[: =(]+(\d+)[.,] ?(\d)`), func(s *installs, _ line, m []string) {
			if n := capabilities[m[1]]; n > 0 {
				s.gpu = n
			}
			if n, err := strconv.Atoi(m[2] + m[3]); err == nil {
				s.gpu = n
			}
		}},
		{compile(`^(?:\S+ +)*(?:\S*/)?(lib[\w+-]+\.so[.\d]*)$`), func(s *installs, l line, m []string) {
			if s.files == nil {
				s.files = map[string]line{}
			}
			if len(s.files) < maxConditions {
				s.files[strings.Clone(m[1])] = l
			}
		}},
		{compile(`\b(lib[\w+-]+\.so[.\d]*): cannot open shared object file`), func(s *installs, l line, m []string) {
			if s.missed == "" && !strings.HasPrefix(m[1], "libcuda.so") && !strings.Contains(l.text, "/"+m[1]) {
				s.missed, s.unlisted.failed = strings.Clone(m[1]), strings.Clone(l.text)
			}
		}},
		{compile(`^adding '([\w.-]+)/`), func(s *installs, _ line, m []string) { s.parts = set(s.parts, m[1]) }},
		{compile(`^Using cached ([A-Za-z0-9][\w.]*)-\d\S*-linux_\w+\.whl`), func(s *installs, l line, m []string) {
			if s.caches == nil {
				s.caches = map[string]line{}
			}
			if len(s.caches) < maxConditions {
				s.caches[moduleOf(m[1])] = l
			}
		}},
		{compile(`undefined symbol: _ZNK?\d+(?:c10|at|torch|caffe2)`), (*installs).otherBuild},
		{compile(`^Installing build dependencies: started|^Installing build dependencies\W*$`), func(s *installs, _ line, _ []string) { s.inBuild = true }},
		{compile(`^Installing build dependencies: finished|^Getting requirements to build`), func(s *installs, _ line, _ []string) { s.inBuild = false }},
		{compile(`\btorch-(\d+\.\d+)\.\d+\S*-cp\d`), func(s *installs, l line, m []string) {
			if !s.inBuild {
				s.version = strings.Clone(m[1])
				return
			}
			if s.compile == nil {
				s.compile = map[string]line{}
			}
			if len(s.compile) < 16 {
				s.compile[strings.Clone(m[1])] = l
			}
		}},
		// Headers of the folder that the installer makes for one build alone.
		{compile(`/(?:pip-build-env-|builds-v0/|build-env-)\S*/torch/(?:include|lib|share)\b|\btorch\b.*/(?:pip-build-env-|builds-v0/|build-env-)\S+`), func(s *installs, l line, _ []string) {
			if s.ownEnv.n == 0 {
				s.ownEnv = l
			}
		}},
		{compile(`(?i)\bbuild (?:environment|env|isolation|requirement)\b.*\btorch(?:==| |-)(\d+\.\d+)\.`), func(s *installs, l line, m []string) {
			if s.ownEnv.n == 0 {
				s.ownEnv = l
			}
			s.ownVersion = strings.Clone(m[1])
		}},
		{compile(`^Requirement already satisfied: torch\b.*\((\d+\.\d+)\.|^torch(?: +|==|: |\.__version__ ?=* ?)(\d+\.\d+)\.\d|^\+ torch==(\d+\.\d+)\.`), func(s *installs, _ line, m []string) { s.version = strings.Clone(m[1] + m[2] + m[3]) }},
		{compile(`^File "[^"]*/lib/python3\.(\d+)/((?:site|dist)-packages/)?`), (*installs).frame},
		{compile(`\bPYTHONPATH\b.*/python3\.(\d+)/`), func(s *installs, _ line, m []string) { s.named = set(s.named, m[1]) }},
		{compile(`Ignoring invalid distribution [~-](\w+)`), func(s *installs, l line, m []string) {
			if s.half.n == 0 {
				s.half, s.halved = l, strings.Clone(m[1])
			}
		}},
		{compile(`module '(\w+)[\w.]*' has no attribute|cannot import name '\w+' from '(\w+)|No module named '(\w+)|-packages/(\w+)/\S*: undefined symbol`), func(s *installs, l line, m []string) {
			if name := m[1] + m[2] + m[3] + m[4]; s.halved != "" && len(name) > 1 && strings.EqualFold(name[1:], s.halved) {
				s.broken.keep(s.half, "", l)
			}
		}},
		{compile(`\bPYTEST_DISABLE_PLUGIN_AUTOLOAD\W{1,3}\w`), first(func(s *installs) *line { return &s.noPlugins })},
		{compile(`^(?:info: +default toolchain set to|stable\S* installed - rustc)`), func(s *installs, l line, _ []string) { s.rust = l }},
		{compile(`^Rust is installed now\b`), func(s *installs, l line, _ []string) {
			s.rust = l
			s.program("cargo", l)
			s.program("rustc", l)
			s.program("rustup", l)
		}},
		{compile(`^(?:installing to|To add) (\S*/(?:\.local|\.cargo)/bin)\b`), func(s *installs, l line, _ []string) {
			s.program("uv", l)
			s.program("uvx", l)
		}},
		{compile(`>> ?["']?\$\{?GITHUB_PATH\b`), func(s *installs, l line, _ []string) { s.exported = l }},
		{compile(`(?:^|: )([\w.-]+): (?:command )?not found$`), (*installs).noProgram},

		{compile(`\bC?Python 3\.(\d+)\.\d+`), func(s *installs, _ line, m []string) { s.python, _ = strconv.Atoi(m[1]) }},
		{compile(`^(aarch64|x86_64)$|^Architecture: +(aarch64|x86_64)$|^Linux \S+ .* (aarch64|x86_64) (?:GNU/)?Linux$`), func(s *installs, _ line, m []string) { s.machine = strings.Clone(m[1] + m[2] + m[3]) }},
		{compile(`\bcp3(\d+)-(\w+)-(\w+)\.whl is not a supported wheel on this platform`), (*installs).unsupported},
		{compile(`/whl/(?:nightly/|test/)?(?:cu|rocm|xpu|cpu)\w*|(?:index-url|index)\S*[= ]\S*\b(?:cu\d{3}|rocm|cpu)\b`), func(s *installs, _ line, _ []string) { s.index = true }},
		{compile(`find a version that satisfies the requirement ([\w.-]+)==(\S+) \(from versions: ([^)]+)\)`), (*installs).noVersion},
		{compile(`there is no version of ([\w.-]+)==(\S+\+(?:cu|rocm|xpu|cpu)\w*)`), func(s *installs, l line, m []string) { s.tagged(l, m[2]) }},

		{compile(`\bdocker (?:create|run) .*\bHOME=(?:/github/home|/builds/\S+|/__w/\S+)`), first(func(s *installs) *line { return &s.home })},
		{compile(`rustup could not choose a version of`), func(s *installs, l line, _ []string) {
			if s.noHome == "" {
				s.noHome = strings.Clone(l.text)
			}
		}},
		{compile(`^(\d+\.\d+\.\d+-[\w.-]*(?:generic|azure|aws|gcp|lowlatency|amd64|x86_64|oracle|nvidia))$|^Linux \S+ (\d+\.\d+\.\d+-\S+) #`), func(s *installs, _ line, m []string) { s.kernel = strings.Clone(m[1] + m[2]) }},
		{compile(`^nvidia(?:-\w+)?/[\d.]+, (\d\S+), \w+: (?:installed|built)`), func(s *installs, l line, m []string) {
			if len(s.modules) < 16 {
				s.modules = append(s.modules, strings.Clone(m[1]))
			}
			s.module = l
		}},
		{compile(`\bLD_LIBRARY_PATH\b.*/cuda[^:]*/compat\b|^(?:Setting up|Inst|Unpacking) cuda-compat-\d`), first(func(s *installs) *line { return &s.compat })},
		{compile(`Error 803: |system has unsupported display driver`), func(s *installs, l line, _ []string) {
			if s.driver == "" {
				s.driver = strings.Clone(l.text)
			}
		}},
		{compile(`^Secret source: (?:None|Dependabot)$`), first(func(s *installs) *line { return &s.secrets })},
		{compile(`\bdocker create .*/var/run/docker\.sock`), func(s *installs, _ line, _ []string) { s.socket = true }},
		{compile(`\bdocker run .*(?:-v|--volume|--mount)[= ]\S*(?:/__w/|\$\{?PWD|\$\(pwd\)|\$\{?GITHUB_WORKSPACE|\$\{?CI_PROJECT_DIR|/builds/)`), first(func(s *installs) *line { return &s.mounted })},
		{compile(`^(?:\d+: )?([\w@.-]+): <.*> mtu (\d+)`), (*installs).link},

		{compile(`^E: Failed to fetch \S+ +404 +Not Found`), func(s *installs, l line, _ []string) {
			if s.cached.n > 0 {
				s.gone.keep(s.cached, "", l)
			}
		}},
		{compile(`^imported module '[\w.]+' has this __file__ attribute:$`), func(s *installs, l line, _ []string) {
			if s.copied.n == 0 {
				s.copied, s.copies = l, 2
			}
		}},
		{compile(`^(?:/\S+/)\w+\.py$`), func(s *installs, _ line, m []string) {
			if s.copies > 0 {
				s.copyOf[2-s.copies] = strings.Clone(m[0])
				s.copies--
			}
		}},
		{compile(`ImportPathMismatchError: \('[\w.]+', '([^']+)', (?:Posix|Windows)Path\('([^']+)'\)`), func(s *installs, l line, m []string) {
			if s.copied.n == 0 {
				s.copied = l
				s.copyOf = [2]string{strings.Clone(m[1]), strings.Clone(m[2])}
			}
		}},
		{compile(`Value '(?:sm|compute)_\d+\w?' is not defined for option '(?:gpu-name|gpu-architecture)'|sm_\d+\w?.? is not (?:a )?(?:supported|recognized|valid) (?:gpu|GPU|target|architecture|processor|value)`), first(func(s *installs) *line { return &s.ptxas })},
		{compile(`\btriton\S*(?:PTXASError|/backends/nvidia/bin/ptxas)|Internal Triton PTX codegen error|\bTRITON_PTXAS_PATH\b`), func(s *installs, _ line, _ []string) { s.triton = true }},
	}
})

// factIndex finds the facts that could match a line.
var factIndex = sync.OnceValue(func() *literalIndex {
	var all []*matcher
	for _, f := range allFacts() {
		all = append(all, f.m)
	}
	return indexOf(all)
})

func (s *installs) line(l line) {
	if strings.HasPrefix(l.text, "#") {
		s.layer(l)
	}
	if l.quote || len(l.text) > 4096 {
		return
	}
	s.change(l)
	s.maybe = factIndex().candidates(l.text, s.maybe[:0])
	for _, i := range s.maybe {
		f := allFacts()[i]
		if m := f.m.re.FindStringSubmatch(l.text); m != nil {
			f.take(s, l, m)
		}
	}
}

var (
	layerStep   = regexp.MustCompile(`^#(\d+) \[[^\]]*\] RUN .*\b(?:apt-get|apt|dnf|yum|apk) (?:-\S+ )*(?:update|makecache)\b`)
	layerCached = regexp.MustCompile(`^#(\d+) CACHED$`)
	installStep = regexp.MustCompile(`\b(?:install|add)\b`)
)

// layer takes a line of an image's build about one of its steps.
func (s *installs) layer(l line) {
	if m := layerStep.FindStringSubmatch(l.text); m != nil && !installStep.MatchString(l.text) {
		s.listing, s.lists = strings.Clone(m[1]), l
		s.lists.text = strings.Clone(l.text)
		return
	}
	if m := layerCached.FindStringSubmatch(l.text); m != nil && m[1] == s.listing {
		s.cached = s.lists
	}
}

// uvEntry is a line of uv's list of changes, with the place that a local package is from.
var uvEntry = regexp.MustCompile(`^([-+~]) ([A-Za-z0-9][\w.-]*)==\S+( \(from file:\S+\))?$`)

// change takes a line of uv's list of changes.
func (s *installs) change(l line) {
	if len(l.text) < 2 || l.text[1] != ' ' || !strings.Contains(l.text, "==") {
		return
	}
	switch m := uvEntry.FindStringSubmatch(l.text); {
	case m == nil:
	case m[1] == "-":
		s.drop(m[2], l)
	default:
		s.put(m[2], l)
		s.own(m[2], m[3] != "" && !strings.Contains(m[3], ".whl"), m[3] != "")
	}
}

// set adds a name to a set that may not be there yet, and that does not grow without end.
func set(names map[string]bool, name string) map[string]bool {
	if names == nil {
		names = map[string]bool{}
	}
	if len(names) < maxConditions {
		names[strings.Clone(name)] = true
	}
	return names
}

func (s *installs) put(name string, l line) {
	if s.packages == nil {
		s.packages = map[string]line{}
	}
	if len(s.packages) < maxConditions {
		s.packages[moduleOf(name)] = l
	}
	delete(s.removed, moduleOf(name))
}

func (s *installs) drop(name string, l line) {
	if s.removed == nil {
		s.removed = map[string]line{}
	}
	if len(s.removed) < maxConditions {
		s.removed[moduleOf(name)] = l
	}
}

// own takes a package that the job built from its sources.
func (s *installs) own(name string, inPlace, built bool) {
	if built {
		s.built = set(s.built, moduleOf(name))
	}
	if inPlace {
		s.editable = set(s.editable, moduleOf(name))
	}
}

// noModule takes an error about a module that is not there.
func (s *installs) noModule(l line, m []string) {
	if l.warn {
		return
	}
	if s.lacks.n == 0 {
		s.lacks = l
	}
	top, rest, inside := strings.Cut(m[1], ".")
	if inside {
		s.noExtension(top, path.Ext("."+rest), l)
		return
	}
	if top == "pkg_resources" {
		return // setuptools has it no more: that it is installed says nothing
	}
	for _, name := range append([]string{moduleOf(top)}, brings[top]...) {
		if at, ok := s.removed[name]; ok {
			s.takenAway.keep(at, "", l)
			continue
		}
		at, ok := s.packages[name]
		switch {
		case !ok || s.editable[name] || s.editable["*"]:
		case s.built[name] && len(s.parts) > 0 && !s.parts[top]:
			s.bare.keep(at, "", l)
		default:
			s.elsewhere.keep(at, "", l)
		}
	}
}

// frame takes a frame of a traceback in a library of Python.
func (s *installs) frame(l line, m []string) {
	s.frames = set(s.frames, m[1])
	minor, _ := strconv.Atoi(m[1])
	switch {
	case m[2] == "":
	case s.python > 0 && minor != s.python:
		s.foreignPath, s.foreignMinor = l, m[1]
	case strings.Contains(l.text, "/.local/lib/"):
		s.homes = l
	default:
		s.shared = true
	}
}

// otherBuild takes an error of an extension that was built against another PyTorch.
func (s *installs) otherBuild(l line, _ []string) {
	for _, name := range slices.Sorted(maps.Keys(s.caches)) {
		if strings.Contains(l.text, "/"+name+"/") {
			s.stale.keep(s.caches[name], "", l)
			return
		}
	}
	if s.ownEnv.n > 0 && (s.ownVersion == "" || s.ownVersion != s.version) {
		why := ""
		if s.version != "" {
			why = "PyTorch " + s.version + " runs"
		}
		s.isolated.keep(s.ownEnv, why, l)
	}
	for version, at := range s.compile {
		if len(s.compile) == 1 && s.version != "" && version != s.version {
			s.isolated.keep(at, "PyTorch "+s.version+" runs", l)
		}
	}
}

// noName takes an error about a part of a package that its own code imports.
func (s *installs) noName(l line, m []string) {
	if l.warn || strings.Contains(m[3], "-packages/") {
		return
	}
	s.local = set(s.local, m[2])
	s.noExtension(m[2], "."+m[1], l)
}

// noExtension takes an error about a compiled part that a package lacks.
func (s *installs) noExtension(module, part string, l line) {
	part = strings.TrimPrefix(part, ".")
	if !compiledPart.MatchString(part) && part != module && !s.extensions[part] || ofOthersModule.MatchString(module) || l.warn {
		return
	}
	name := moduleOf(module)
	at, installed := s.packages[name]
	switch {
	case installed && s.local[module] && !s.editable[name] && !s.editable["*"]:
		s.hidden.keep(at, "", l)
	case !s.extensions[part]:
		s.unbuilt.keep(l, "", l)
	}
}

// compiledPart is the name of a module that is likely to be compiled.
var compiledPart = regexp.MustCompile(`^_(?:C|c|ext|native|rust|cuda|core|lib|kernels?|ops|cpp|backend|bindings?)(?:_\w+)?$`)

// ofOthersModule is a package that the job does not build.
var ofOthersModule = regexp.MustCompile(`^` + thirdParty + `$`)

// keep remembers the first absence.
func (a *absence) keep(at line, why string, l line) {
	if a.at.n == 0 {
		at.text = strings.Clone(at.text)
		*a = absence{at, why, strings.Clone(l.text)}
	}
}

func (s *installs) program(name string, l line) {
	if s.programs == nil {
		s.programs = map[string]line{}
	}
	if len(s.programs) < maxConditions {
		s.programs[strings.Clone(name)] = l
	}
}

// noProgram takes an error about a program that the shell does not find.
func (s *installs) noProgram(l line, m []string) {
	switch at, ok := s.programs[m[1]]; {
	case ok:
		s.unfound.keep(at, "", l)
	case s.exported.n > 0 && s.exported.step == l.step:
		s.unfound.keep(s.exported, "", l)
	}
}

// unsupported takes a wheel that the installer refuses, and sees from its tags whether
// Python or the machine is what does not fit.
func (s *installs) unsupported(l line, m []string) {
	minor, _ := strconv.Atoi(m[1])
	fits := s.python == minor || m[2] == "abi3" && s.python > minor
	machine := s.machine != "" && (strings.HasSuffix(m[3], "x86_64") || strings.HasSuffix(m[3], "aarch64")) && !strings.HasSuffix(m[3], s.machine)
	switch {
	case machine:
		s.wheel.keep(l, "this machine is "+s.machine, l)
	case fits:
		s.wheel.keep(l, "Python 3."+strconv.Itoa(s.python)+" fits", l)
	}
}

// tagged takes a version that only the index of one build has.
func (s *installs) tagged(l line, version string) {
	if !s.index {
		s.foreign.keep(l, version, l)
	}
}

// tooNew is the first minor version of Python 3 for which many wheels of the year before
// are missing.
const tooNew = 14

// noVersion takes a version that is not there, with those that are.
func (s *installs) noVersion(l line, m []string) {
	if strings.Contains(m[2], "+cu") || strings.Contains(m[2], "+rocm") || strings.Contains(m[2], "+cpu") || strings.Contains(m[2], "+xpu") {
		s.tagged(l, m[2])
		return
	}
	if m[3] == "none" {
		if s.python >= tooNew {
			s.release.keep(l, "Python 3."+strconv.Itoa(s.python), l)
		}
		return
	}
	if slices.Contains(strings.FieldsFunc(s.ignored, func(r rune) bool { return strings.ContainsRune(" ;,", r) }), m[2]) {
		s.release.keep(l, "that version wants another Python", l)
		return
	}
	lowest, _, _ := strings.Cut(m[3], ",")
	if older(m[2], lowest) && s.python >= tooNew-1 && !s.index {
		s.release.keep(l, "the oldest one that Python 3."+strconv.Itoa(s.python)+" can have is "+lowest, l)
	}
}

// older compares the first three numbers of two versions.
func older(a, b string) bool {
	return slices.Compare(numbersOf(a), numbersOf(b)) < 0
}

var versionNumber = regexp.MustCompile(`\d+`)

func numbersOf(version string) []int {
	var all []int
	for _, f := range versionNumber.FindAllString(version, 3) {
		n, _ := strconv.Atoi(f)
		all = append(all, n)
	}
	return all
}

// link takes a link of the network.
func (s *installs) link(l line, m []string) {
	n, err := strconv.Atoi(m[2])
	switch name := m[1]; {
	case err != nil || name == "lo" || n < 576:
	case strings.HasPrefix(name, "docker") || strings.HasPrefix(name, "br-"):
		s.bridge, s.size = l, n
	case !strings.HasPrefix(name, "veth") && (s.mtu == 0 || n < s.mtu):
		s.mtu = n
	}
}

// capabilities are the architectures of GPUs by their names.
var capabilities = map[string]int{
	"V100": 70, "T4": 75, "A100": 80, "A30": 80, "A10": 86, "A10G": 86, "A40": 86, "3090": 86, "L4": 89, "L40": 89, "L40S": 89, "4090": 89,
	"H100": 90, "H200": 90, "H20": 90, "GH200": 90, "B200": 100, "GB200": 100, "B300": 103, "GB300": 103, "5090": 120, "PRO 6000": 120, "6000 Ada": 89, "GB10": 121,
}

var archNumber = regexp.MustCompile(`(\d+)(?:\.(\d))?`)

// architectures takes the architectures that a build is for.
func (s *installs) architectures(l line, m []string) {
	s.archs = l
	s.ptx = s.ptx || strings.Contains(m[1], "PTX") || strings.Contains(l.text, "code=compute_")
	for _, n := range archNumber.FindAllStringSubmatch(m[1]+" "+m[2], 32) {
		if arch, err := strconv.Atoi(n[1] + n[2]); err == nil && arch >= 30 && len(s.listed) < 64 {
			s.listed = append(s.listed, arch)
		}
	}
}

// otherArchs reports whether a library is for other architectures than the GPU's.
func (s *installs) otherArchs() bool {
	return s.gpu > 0 && len(s.listed) > 0 && !slices.ContainsFunc(s.listed, func(n int) bool {
		return n/10 == s.gpu/10 && n <= s.gpu || s.ptx && n <= s.gpu
	})
}

// failedInstalls are signatures of an installation that failed.
var failedInstalls = []string{"S-B55", "S-B29", "S-B84", "S-B75", "S-B76", "S-B25", "S-B123", "S-B124"}

// promote puts an installation first that failed in an earlier step, which went on all
// the same, when a module is missing later.
func (s *installs) promote(sc *logScan) {
	for _, h := range sc.hits {
		if h.log == sc.logs && h.step > 0 && h.step < s.lacks.step && h.rank < survived && slices.Contains(failedInstalls, h.Signature) {
			h.rank, h.own, h.Weak = Root, Root, false
		}
	}
}

func (s *installs) end(sc *logScan) {
	tell := func(id string, a absence, with ...string) {
		if a.at.n == 0 {
			return
		}
		sc.causes(id, with, a.at, a.why)
		if a.failed != a.at.text {
			sc.adds(sc.found[id], a.failed)
		}
	}
	fact := func(id string, l line, text string, with ...string) {
		if l.n > 0 {
			sc.causes(id, with, l, text)
		}
	}
	if sc.found[isolatedBuild] == nil {
		tell(otherPython, s.elsewhere, noImport...)
	}
	tell(takenOut, s.takenAway, noImport...)
	tell(hiddenPackage, s.hidden)
	if s.hidden.at.n == 0 {
		tell(noExtension, s.unbuilt)
	}
	if s.elsewhere.at.n == 0 && s.takenAway.at.n == 0 {
		s.promote(sc)
	}
	fact(noCUDA, s.partly, "", noSymbol, noExtension, "S-I09", "S-I07", "S-I01", "S-I24")
	fact(noNetwork, s.alone, "", "S-B25", "S-X52", "S-B55")
	if sc.found[noGPU] != nil && sc.found[failedLayer] != nil {
		at := sc.found[failedLayer]
		sc.causes(gpuInBuild, nil, line{n: at.Line, text: at.Excerpt.Plain(), step: at.step}, sc.found[noGPU].Excerpt.Plain())
	}
	if s.noImage && s.otherArchs() {
		fact(otherArch, s.archs, "", "S-J22")
	}
	s.unlisted.at = s.files[s.missed]
	tell(notSearched, s.unlisted, "S-I11", "S-I45", "S-I01")
	tell(emptyWheel, s.bare)
	tell(cachedWheel, s.stale)
	tell(otherTorch, s.isolated)
	if s.shared {
		fact(userPackages, s.homes, "", "S-I25", "S-I22", "S-I12", "S-I50", unnamedError)
	}
	if s.foreignPath.n > 0 && (s.named[s.foreignMinor] || s.frames[strconv.Itoa(s.python)]) {
		fact(oldPackages, s.foreignPath, "Python 3."+strconv.Itoa(s.python)+" runs", "S-I25", "S-I22", "S-I11", "S-I12", "S-I39", "S-I40", unnamedError)
	}
	tell(halfRemoved, s.broken)
	fact(noAutoload, s.noPlugins, "", "S-I38", "S-I37", "S-I14")
	// What a step found missing and then installed is no cause.
	if h := sc.found[oldRust]; h != nil && h.log == sc.logs && s.unfound.at.n == 0 && s.rust.n > h.Line && strings.Contains(h.Excerpt.Plain(), "not found") {
		h.rank, h.own, h.Weak, h.redeemed = survived, survived, true, true
	}
	tell(notOnPath, s.unfound)
	tell(staleLists, s.gone)
	tell(otherPlatform, s.wheel)
	tell(otherIndex, s.foreign)
	tell(olderPython, s.release)
	if s.noHome != "" && s.unfound.at.n == 0 {
		fact(otherHome, s.home, s.noHome)
	}
	if s.kernel != "" && !slices.Contains(s.modules, s.kernel) {
		fact(noModule, s.module, "the kernel is "+s.kernel, "S-R18", "S-R20")
	}
	if s.driver != "" {
		fact(compatFirst, s.compat, s.driver)
	}
	fact(noSecrets, s.secrets, "", "S-X21", "S-X32", "S-X34")
	if s.socket {
		fact(otherMount, s.mounted, "", "S-X33", "S-X28", "S-I14", "S-B26", "S-X22")
	}
	if s.mtu > 0 && s.size > s.mtu {
		fact(packetSize, s.bridge, "the machine's own link carries "+strconv.Itoa(s.mtu), "S-B25", "S-R25")
	}
	if sameFile(s.copyOf[0], s.copyOf[1]) {
		fact(sameTests, s.copied, s.copyOf[0]+" and "+s.copyOf[1])
	}
	if s.triton {
		fact(tritonPtxas, s.ptxas, "")
	}
}

// copyFolder is a folder that holds copies of a package and its tests.
var copyFolder = regexp.MustCompile(`-packages/|/build/|/\.?venv/|/dist/|/\.tox/|/\.nox/`)

// sameFile reports whether two paths are likely to name one test file: its copy, or the
// same tree at two places.
func sameFile(a, b string) bool {
	if a == "" || b == "" || a == b || path.Base(a) != path.Base(b) {
		return false
	}
	if copyFolder.MatchString(a) != copyFolder.MatchString(b) {
		return true
	}
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	tail := 0
	for tail < min(len(x), len(y)) && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	return tail >= 2 && x[1] != y[1]
}
