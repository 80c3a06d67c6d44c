package triage

import (
	"slices"
	"strings"
	"sync"
)

// clue is a conclusion from lines that stand apart: a state that a step tells of, what
// another program did meanwhile, and the error. None of them says it by itself.
type clue struct {
	id    string
	facts []string // each of them matches some line; the first one is where the match stands
	// agree looks at what the facts captured, one match of each; nil when any will do.
	agree  func(found [][]string) bool
	denied string // a line that matches this speaks against the conclusion
	// inOrder says that each fact stands behind the one before it.
	inOrder bool
	with    []string // one of these signatures matched, too; any will do when there are none
}

// Signatures that clues decide.
const (
	emptiedCache  = "S-B160"
	uvPipSettings = "S-B162"
	olderThanCUDA = "S-B163"
	staleCrate    = "S-B164"
	forksModule   = "S-B166"
	lockedAddress = "S-B169"
	notRebuilt    = "S-I130"
	noGPUAsked    = "S-I131"
	mixedToolkits = "S-B109"
	replacedFlags = "S-B171"
	noUVM         = "S-B174"
	prunedEngine  = "S-B182"
	otherNames    = "S-I140"
	noTorchCUDA   = "S-I29"
	refusedGPU    = "S-R150"
	lostCache     = "S-X29"
	otherWheel    = "S-B201"
	submoduleKey  = "S-B204"
	lostProxy     = "S-B205"
	fromSources   = "S-B206"
	movedEditable = "S-I160"
	otherTorchNow = "S-I162"
	droppedGPU    = "S-J62"
	crashedInside = "S-X135"
	imagesDriver  = "S-X136"
	earlyEngine   = "S-X139"
	oneWorkFolder = "S-X140"
	smallTmp      = "S-X142"
	noTaker       = "S-X144"
	pendingMIG    = "S-B181"
	underSudo     = "S-X146"
	inactiveConda = "S-X66"
	aboveCheckout = "S-I165"
	cachedCPU     = "S-I166"
	readOnlyMount = "S-X147"
	sourcesOfRust = "S-B213"
	brokenHTTP2   = "S-B190"
	twoTorches    = "S-I163"
	placeholder   = "S-B208"
	notCheckedOut = "S-X35"
)

// Lines that several clues look for.
const (
	cacheFolder  = `(\S*(?:torchinductor\w*|torch_inductor|\.triton/cache|triton[-_]cache|inductor[-_]cache|tilelang[-_]cache|\.cache/cutile\w*|/target))(?:/\S*)?`
	restoredFrom = `\b[Cc]ache restored\b|\b[Cc]ache hit for\b|\b[Rr]estored (?:the )?(?:target|cache)\b`
)

var clues = []clue{
	{
		id:     emptiedCache,
		facts:  []string{`^[^$+>#].*(?:\brm -\w*r\w* (?:\S+ )*|\b(?:tmpreaper|tmpwatch|find|cargo (?:sweep|clean))\b.*?)` + cacheFolder + `|\bsystemd-tmpfiles\b.*?` + cacheFolder, `(?:[Ee]rror|fatal)\b.*?[Nn]o such file or directory\b.*?[:'"` + "`" + ` ](/\S+)|(?:[Ee]rror|fatal)\b.*?[ '"` + "`" + `(](~?/\S+?)['"` + "`" + `)]?: [Nn]o such file or directory`},
		agree:  func(f [][]string) bool { return inFolder(f[0][1]+f[0][2], f[1][1]+f[1][2]) },
		denied: `\b(?:nfs4?|lustre|cifs|ceph|beegfs|gpfs)\b`,
	},
	{
		id:    emptiedCache,
		facts: []string{`\b(?:systemd-tmpfiles\S*|tmpreaper|tmpwatch)\b.*?\b[Rr]emov\w* (?:\w+ )?["']?(/[^\s"']+)`, `^(/\S+): [Nn]o such file or directory|[Nn]o such file or directory: '(/[^']+)'`},
		agree: func(f [][]string) bool { return inFolder(f[0][1], f[1][1]+f[1][2]) },
	},
	{
		id:      prunedEngine,
		facts:   []string{`\bdocker (?:system|image|builder|buildx) prune\b|\b[Ii]mage ?GC\b.*\bremov`, `parent snapshot \S+ does not exist|failed to get state for index|^docker: .*No such image: \S|layer does not exist|content digest \S+: not found`},
		inOrder: true,
	},
	{
		id:    prunedEngine,
		facts: []string{`\bcontainer (\S+) (?:was )?removed by\b`, `No such container: (\S+)`},
		agree: func(f [][]string) bool { return f[0][1] == f[1][1] },
	},
	{
		id:    notOnPath,
		facts: []string{`^(?:\S+ +)*/\S+/bin/(nvcc|cargo|rustc|nsys|ncu|tileiras|ptxas|cmake|uv|cuobjdump|nvdisasm|compute-sanitizer)$`, `(?:^|[: ])(\w+): (?:command )?not found$`},
		agree: func(f [][]string) bool { return f[0][1] == f[1][1] },
	},
	{
		id:    lostCache,
		facts: []string{`[Ff]ailed to restore: |[Cc]ache service responded with [45]\d\d`},
		with:  []string{"S-B26", "S-B67", "S-B68", "S-X52"},
	},
	{
		id:    uvPipSettings,
		facts: []string{`^\[tool\.uv\.pip\]$|^\[pip\]$`, `^(?:extra-)?index-url *=|^find-links *=`, `\buv (?:-\S+ )*(?:sync|lock|run|add)\b`, `[Nn]o solution found|[Ff]ailed to (?:fetch|download)|was not found in the|AssertionError: (?:\d+\.\d+|\S*(?:cuda|torch))|^error: (?:[Dd]istribution|[Ff]ailed)|not compiled with CUDA`},
	},
	{
		id:    olderThanCUDA,
		facts: []string{`\b__cuda ?(?:[=@ ]|==) ?(\d+)\.(\d+)(?:=\w+)?\b`, `\b__cuda ?(?:>=|==) ?(\d+)(?:\.(\d+))?|\bcuda-version[= ]+=?(\d+)\.(\d+)`},
		agree: func(f [][]string) bool {
			return older(f[0][1]+"."+f[0][2], strings.Trim(f[1][1]+"."+f[1][2]+f[1][3]+"."+f[1][4], "."))
		},
		with: []string{"S-B97", "S-B84"},
	},
	{
		id:    olderThanCUDA,
		facts: []string{`\b__cuda ?[=@ ] ?(\d+)\.(\d+)(?:=\w+)?\b`, `\b(?:pytorch|jaxlib|tensorflow|libtorch|onnxruntime|faiss)\b.* (?:\S*[_-])?cpu_\w+`, `AssertionError|CUDA is not available|not compiled with CUDA|cuda\.is_available\(\).*False|No CUDA`},
		agree: func(f [][]string) bool { return older(f[0][1]+"."+f[0][2], leastConda) },
	},
	{
		id:    staleCrate,
		facts: []string{"cannot find \\w+ `(\\w+)` in crate `(\\w+)`|no `(\\w+)` in `(\\w+)`", restoredFrom, `\bFresh ([\w-]+) v\d`},
		agree: func(f [][]string) bool { return moduleOf(f[2][1]) == f[0][2]+f[0][4] },
	},
	{
		id:    staleCrate,
		facts: []string{"cannot find \\w+ `(\\w+)` in crate `(\\w+)`|no `(\\w+)` in `(\\w+)`", restoredFrom, `^(?:\S+:)?(?:\d+:)?pub (?:const |unsafe |async )*(?:fn|struct|enum|trait|type|const|static|mod|use) (?:\S+::)?(\w+)`},
		agree: func(f [][]string) bool { return f[2][1] == f[0][1]+f[0][3] },
	},
	{
		id:    forksModule,
		facts: []string{`^(?:\S+: +)?url = \.\./\S+`, `Repository not found|^fatal: repository '[^']*' not found`},
	},
	{
		id:    lockedAddress,
		facts: []string{`\b(?:UV_(?:DEFAULT_)?INDEX(?:_URL)?|PIP_INDEX_URL)\W{1,3}https?://([^/\s]+)`, `\buv (?:-\S+ )*(?:sync|run|export)\b.*--(?:frozen|locked)\b`, "[Ff]ailed to (?:fetch|download): `https?://([^/\\s]+)/"},
		agree: func(f [][]string) bool { return f[0][1] != f[2][1] },
	},
	{
		id:      notRebuilt,
		facts:   []string{`^Audited \d+ packages? in`, `No module named '\w+\._\w+'|\bmodule '\w+\._\w+' has no attribute|undefined symbol: [a-z]\w+|cannot import name '\w+' from '\w+\._\w+'`},
		denied:  `^(?:Built|Building) \S+ @ file:|^Building editable for`,
		inOrder: true,
	},
	{
		id:     notRebuilt,
		facts:  []string{restoredFrom, `^[+~] ([A-Za-z][\w.-]*)==\S+ \(from file:`, `No module named '(\w+)\._\w+'`},
		denied: `^(?:Built|Building) \S+ @ file:|^Building (?:editable|wheel) for`,
		agree: func(f [][]string) bool {
			return moduleOf(f[1][1]) == f[2][1] || strings.HasPrefix(f[2][1], moduleOf(f[1][1]))
		},
		inOrder: true,
	},
	{
		id:     noGPUAsked,
		facts:  []string{`^#SBATCH |\bTRES=cpu=`},
		denied: `--(?:gres|gpus|gpus-per-\w+)[= ]|gres/gpu|^#SBATCH -G|--exclusive`,
		with:   []string{"S-R18", "S-X12", "S-R95"},
	},
	{
		id:    mixedToolkits,
		facts: []string{`^nvidia-cuda-nvcc(?:-cu\d+)?(?: +|==)(\d+\.\d+)`, `^nvidia-nvvm(?:-cu\d+)?(?: +|==)(\d+\.\d+)`, `Unsupported \.version \d`},
		agree: func(f [][]string) bool { return f[0][1] != f[1][1] },
	},
	{
		id:    mixedToolkits,
		facts: []string{`^nvidia-cuda-runtime(?:-cu\d+)?(?: +|==)(\d+\.\d+)`, `\bCUDA_(?:HOME|PATH)\W{1,3}\S*/cuda-(\d+\.\d+)`, `nvJitLinkError|bad input:\S*/nvidia/`},
		agree: func(f [][]string) bool { return f[0][1] != f[1][1] },
	},
	{
		id:    noCUDA,
		facts: []string{`\b(?:nvcc|CUDA(?:_HOME)?|CUDA toolkit)\b.{0,30}\b(?:not found|missing)\b.{0,40}\b(?:skipp\w+|without|left out|disabled|stubs?)\b`, `no embedded (?:PTX|cubin|kernel)|CUDA_ERROR_NOT_FOUND|named symbol not found|\bempty (?:PTX|cubin)\b`},
	},
	{
		id:    replacedFlags,
		facts: []string{`^rustflags *= *\[`, `(?:^|[ $])(?:export |env )?RUSTFLAGS(?:: |=)["']?-`},
		with:  []string{"S-B59", "S-B23", "S-B100", "S-I11", "S-I104"},
	},
	{
		id:     noUVM,
		facts:  []string{`(?:^|\s)/dev/nvidia\d\b`, `CUDA unknown error|CUDA_ERROR_UNKNOWN|cuInit\S* .*999|initialization error`},
		denied: `nvidia-uvm\b`,
	},
	{
		id:    noUVM,
		facts: []string{`/dev/nvidia-uvm\b.*(?:No such file|ENOENT|[Nn]ot found|missing|does not exist|absent)|\bnvidia[-_]uvm\b.*(?:not loaded|not found|could not|missing|[Ff]ailed)|could not insert '?nvidia[-_]uvm`, noCUDAStart},
	},
	{
		id:     noUVM,
		facts:  []string{`^nvidia +\d{6,} +\d+`, unknownStart},
		denied: `\bnvidia[-_]uvm\b`,
	},
	{
		id:     noUVM,
		facts:  []string{`^(?:\S+ +)*nvidia\d(?: |$)`, `(?:^| )nvidiactl(?: |$)`, unknownStart},
		denied: `\bnvidia[-_]uvm\b`,
	},
	{
		id:    hiddenPackage,
		facts: []string{`(?:^|[ /])(\w+)/(_\w+)\.(?:cpython-\d+\S*|abi3)\.so\b`, missingPart, `-packages\b|\.whl\b|^Wheel\b|\bwheel contents\b`, `^rootdir: \S`},
		agree: func(f [][]string) bool {
			module, part, at := partOf(f[1])
			return module == f[0][1] && part == f[0][2] && !strings.Contains(at, "-packages/")
		},
		denied: editableInstall,
	},
	{
		id:    hiddenPackage,
		facts: []string{`^(?:[^"]*[ =:(])?/\S*-packages/(\w+)/__init__\.py\)?$`, missingPart, `^(?:\S*/)?(\w+)/__init__\.py:\d+: `},
		agree: func(f [][]string) bool {
			module, _, at := partOf(f[1])
			return module == f[0][1] && f[2][1] == module && !strings.Contains(f[2][0], "-packages/") && !strings.Contains(at, "-packages/")
		},
		denied: editableInstall,
	},
	{
		id:    otherNames,
		facts: []string{`Unable to dynamically load the "?(\w+)"? shared library`, `\blib(\w+)\.so\.\d[\d.]*`},
		agree: func(f [][]string) bool { return f[0][1] == f[1][1] && f[0][1] != "cuda" },
	},
	{
		id:    otherNames,
		facts: []string{`(?:ImportError|OSError|error while loading shared libraries|dlopen)\b.*\blib(\w+)\.so: cannot open shared object file`, `/lib(\w+)\.so\.\d[\d.]*(?: |$)`},
		agree: func(f [][]string) bool { return f[0][1] == f[1][1] && f[0][1] != "cuda" },
	},
	{
		id:    noTorchCUDA,
		facts: []string{`\b(?:libc10_cuda|libtorch_cuda)\.so: cannot open shared object`, `\btorch\b.*\d\+cpu\b`},
		with:  []string{"S-I80"},
	},
	{
		id:    refusedGPU,
		facts: []string{`^Successfully uninstalled ([A-Za-z][\w.-]*)-\d|^- ([A-Za-z][\w.-]*)==\d`, `-packages/(\w+)/`, `(?:Error|Exception)\b: .*(?:only support\w*|[Rr]equires?|[Nn]eeds?|at least)\b.*\b(?:compute capability|[Aa]mpere|[Hh]opper|[Bb]lackwell|sm_?\d\d)`},
		agree: func(f [][]string) bool { return moduleOf(f[0][1]+f[0][2]) == f[1][1] },
	},
	{
		id:    "S-R61",
		facts: []string{`\b(?:[Pp]ersistent|[Cc]ooperative|grid[-_ ]?(?:sync|barrier)|barrier)\w*\b.*?\bgrid ?[=:(]+ ?(\d+)\b`, `\b(\d{2,3}) (?:SMs|multiprocessors)\b`},
		agree: func(f [][]string) bool { return number(f[0][1]) > number(f[1][1]) },
		with:  []string{"S-C12", "S-R67", "S-R34", "S-R25"},
	},
	{
		id:    noModule,
		facts: []string{`^nouveau +\d+ +\d+|Kernel driver in use: (?:nouveau|vfio-pci)`},
		with:  []string{"S-R18", "S-R20", "S-R82", "S-R145"},
	},
	{
		id:    diskFull,
		facts: []string{`^\S+ +[\d.]+\w* +[\d.]+\w* +0\w* +100% (/\S*)$`, `(?:[Cc]ould not open output file|[Cc]annot (?:write|create)|[Ff]ailed to (?:write|create|open)|error writing|unable to open output file)\b.*?['" ](/[^'" :]+)`},
		agree: func(f [][]string) bool { return strings.HasPrefix(f[1][1], strings.TrimSuffix(f[0][1], "/")+"/") },
	},
	{
		id:    otherWheel,
		facts: []string{`\bFound C?Python 3\.(\d+) at \S+`, `-cp3(\d+)-cp3\d+\S*\.whl is not a supported wheel`},
		agree: func(f [][]string) bool { return f[0][1] == f[1][1] },
		with:  []string{"S-B75"},
	},
	{
		id:    otherWheel,
		facts: []string{`(?:[Dd]ownload\w*|artifact)\b.*-cp3(\d+)-cp3\d+\S*\.whl`, `^C?Python 3\.(\d+)\.\d+`, `-cp3(\d+)-cp3\d+\S*\.whl is not a supported wheel`},
		agree: func(f [][]string) bool { return f[0][1] == f[2][1] && f[1][1] != f[2][1] },
		with:  []string{"S-B75"},
	},
	{
		id:    severalTools,
		facts: []string{`^command '(/\S+)/bin/nvcc' failed|^error: command '(/\S+)/bin/nvcc' failed`, `(?:\bCUDA_(?:HOME|PATH)\W{1,4}|^)(/\S*/cuda(?:-[\d.]+)?)/?$`},
		agree: func(f [][]string) bool { return f[0][1]+f[0][2] != f[1][1] && strings.Contains(f[1][1], "cuda-") },
		with:  needsTool["nvcc"],
	},
	{
		id:    severalTools,
		facts: []string{`^(?:nvcc: )?Cuda compilation tools, release (\d+\.\d+)`, `\bCUDA_(?:HOME|PATH)\W{1,4}\S*/cuda-(\d+\.\d+)`},
		agree: func(f [][]string) bool { return f[0][1] != f[1][1] },
		with:  []string{"S-B87", "S-B104", "S-B89", "S-B88", "S-B48"},
	},
	{
		id:    severalTools,
		facts: []string{`^(?:cargo|rustc) (1\.\d+\.\d+)(?: \([^()]*(?:source tarball|Debian|Ubuntu)[^()]*\))?$`, `\(overridden by '\S*rust-toolchain|^\S+-\S+-linux-gnu \(.*(?:RUSTUP_TOOLCHAIN|default|active)`},
		with:  needsTool["cargo"],
	},
	{
		id:    otherPython,
		facts: []string{`\bFound C?Python 3\.\d+ at (/\S+)/bin/python`, `\bInstalled ([A-Za-z]\w*)-\d`, `([\w./~-]+)/bin/(?:python[\d.]*|pytest|py\.test)\b(?: |$)`, `No module named '(\w+)'`},
		agree: func(f [][]string) bool { return !strings.HasSuffix(f[0][1], f[2][1]) && f[1][1] == f[3][1] },
	},
	{
		id:    submoduleKey,
		facts: []string{`^Submodule .*\((?:ssh://)?git@([\w.-]+)[:/]|\b(?:url|git) ?= ?"?(?:ssh://)?git@([\w.-]+)[:/]|(?:Updating git repository|failed to load source for dependency).*ssh://git@([\w.-]+)/|Cloning into|Cloning ssh://git@([\w.-]+)/`, `(?:^|@)([\w.-]+): Permission denied \(publickey`},
		agree: func(f [][]string) bool { return f[0][1]+f[0][2]+f[0][3]+f[0][4] == f[1][1] },
	},
	{
		id:    submoduleKey,
		facts: []string{"git repository .?ssh://git@[\\w.-]+/|failed to clone into|ssh://git@[\\w.-]+/\\S+", `failed to authenticate when downloading repository|no authentication methods succeeded`},
		with:  []string{"S-X21", "S-B69", "S-B25"},
	},
	{
		id:     lostProxy,
		facts:  []string{`(?i)(?:^|[ "])https?_proxy["']?[=:] ?["']?https?://`, `(?i)Retrying.*connection broken by|Could not resolve host|Network is unreachable|Connection timed out|Temporary failure (?:in name resolution|resolving)|Failed to establish a new connection`, `\bdocker (?:build|buildx|run|create|compose)\b|ERROR: (?:failed to solve: )?process "/bin/sh|podman build`, `did not complete successfully|^(?:error|ERROR|fatal|E): |[Ee]xit (?:code|status):? [1-9]|returned a non-zero`},
		denied: `(?i)(?:--build-arg|-e|--env)[ =]["']?https?_proxy|ARG https?_proxy`,
	},
	{
		id:    fromSources,
		facts: []string{`(?i)pre-?(?:built|compiled) wheel not found|no (?:pre-?built|pre-?compiled|matching|compatible) wheel|building (?:it )?from source`, `^Building (?:wheel|editable) for \S+ .*still running|^Building \S+==\S+$`},
		with:  []string{"S-R25", "S-B20", "S-R142"},
	},
	{
		id:    fromSources,
		facts: []string{`^(?:Downloading|Using cached) \S+\.(?:tar\.gz|zip)(?: |$)`, `^Building wheel for \S+ .*still running`},
		with:  []string{"S-R25", "S-B20", "S-R142"},
	},
	{
		id:    movedEditable,
		facts: []string{placeOfEditable + `|^Editable project location: (/\S+)$`, `No module named '(\w+)'`, `cannot access '(/[^']+)'|^(?:ls|cd|stat): (/\S+): No such file`},
		agree: func(f [][]string) bool {
			at := f[0][2] + f[0][3]
			return (f[0][3] != "" || moduleOf(f[0][1]) == f[1][1]) && below(at, f[2][1]+f[2][2])
		},
	},
	{
		id:    movedEditable,
		facts: []string{placeOfEditable, `^rootdir: (/[^\s,]+)`, `No module named '(\w+)'|module '(\w+)' has no attribute|cannot import name '\w+' from '(\w+)`},
		agree: func(f [][]string) bool {
			name := moduleOf(f[0][1])
			return name == f[2][1]+f[2][2]+f[2][3] && !below(f[0][2], f[1][1]) && !below(f[1][1], f[0][2])
		},
	},
	{
		id:    otherTorchNow,
		facts: []string{`^(?:Successfully uninstalled torch-|- torch==|Found existing installation: torch )(\d\S*\+(?:cu|rocm)\d+)$`, `^Successfully installed .*\btorch-(\d\S*)|^\+ torch==(\d\S*)`},
		agree: func(f [][]string) bool { return f[0][1] != f[1][1]+f[1][2] },
		with:  []string{"S-I29", "S-I25", "S-J22", "S-R21"},
	},
	{
		id:    droppedGPU,
		facts: []string{`\b(?:Tesla |Quadro |NVIDIA )(?:[VP]100|P40|P4|P6|M\d\d?|K\d0|GV100|GP100|TITAN V|GeForce GTX (?:9|10)\d\d)\b|\bcompute capability\D{0,6}(?:[56]\.\d|7\.[02])`, `^nvidia-(?:cuda-)?(?:nvrtc|nvcc|runtime|nvvm)(?: +|==|-)13\.|\bcuda-toolkit(?: +|==)13\.|[Rr]elease 13\.\d|\+cu13\d\b|/cuda-13`},
		with:  []string{"S-J22", "S-B87", "S-J34", "S-J31", "S-B131", "S-B104"},
	},
	{
		id:    crashedInside,
		facts: []string{`\bsegfault at [0-9a-f]+ ip [0-9a-f]+ .*\bin ([\w.+-]+)\[|\btraps: .* in ([\w.+-]+\.so[\w.]*)\[`},
		with:  []string{"S-R24"},
	},
	{
		id:      imagesDriver,
		facts:   []string{`\bNVIDIA-SMI (\d+)\.\d|NVRM version: .*Kernel Module(?: for \S+)? +(\d+)\.\d`, `\b(?:docker|podman|srun|enroot|apptainer|singularity)\b.*\b(?:run|exec|start|container-image)\b`, `^NVML library version: (\d+)\.`},
		agree:   func(f [][]string) bool { return older(f[2][1], f[0][1]+f[0][2]) },
		inOrder: true,
	},
	{
		id:    imagesDriver,
		facts: []string{`/lib\S*/lib(?:nvidia-ml|cuda)\.so\.(\d{3}\.[\d.]+)$`, `(?:NVRM version: .*Kernel Module(?: for \S+)?|NVIDIA-SMI|[Dd]river [Vv]ersion:?) +(\d{3}\.[\d.]+)`},
		agree: func(f [][]string) bool { return f[0][1] != f[1][1] && older(f[0][1], f[1][1]) },
		with:  []string{"S-R20"},
	},
	{
		id:      earlyEngine,
		facts:   []string{`Cannot connect to the Docker daemon|dial unix \S*docker\.sock: connect: (?:no such file|connection refused)`, `API listen on |Daemon has completed initialization`},
		inOrder: true,
		with:    []string{"S-X120"},
	},
	{
		id:    oneWorkFolder,
		facts: []string{`\bRunner\.(?:Worker|Listener) (/\S+)(?: (.*))?$`, `\bRunner\.(?:Worker|Listener) (/\S+)(?: (.*))?$`},
		agree: func(f [][]string) bool { return f[0][0] != f[1][0] && f[0][1] == f[1][1] && f[0][2] != f[1][2] },
		with:  []string{"S-X23", "S-R60", "S-X30", "S-B170"},
	},
	{
		id:     smallTmp,
		facts:  []string{`^(?:tmpfs|\S+) +(?:\d{1,4}(?:\.\d+)?M|[1-9](?:\.\d+)?G)i? .* /tmp$`, `[Nn]o space left on device|\[Errno 28\]`},
		denied: ` 100% /\S*$`,
		with:   []string{"S-R30"},
	},
	{
		id:     noTaker,
		facts:  []string{`Waiting for a runner to pick up this job|\bRequested labels: `, `job was not acquired by Runner|[Nn]o runner matching|exceeded the maximum execution time while awaiting a runner|\bqueued\b.*\b(?:24|\d\d) ?h`},
		denied: `about to start running on|^Current runner version`,
	},
	{
		id:    otherWheel,
		facts: []string{`file://\S*-cp3(\d+)-cp3\d+|\bfrom (?:\./|dist/|target/wheels/|wheels/)\S*-cp3(\d+)-`, `matching Python (?:ABI|version|implementation)\b|\bis not compatible with this Python\b`},
		with:  []string{"S-B75", "S-B29", "S-B55"},
	},
	{
		id:    hiddenPackage,
		facts: []string{`_NamespacePath\(\['(/[^']*)/(\w+)'`, `module '(\w+)' has no attribute|cannot import name '\w+' from '(\w+)'|No module named '(\w+)\.`},
		agree: func(f [][]string) bool {
			return f[0][2] == f[1][1]+f[1][2]+f[1][3] && !strings.Contains(f[0][1], "-packages")
		},
	},
	{
		id:     hiddenPackage,
		facts:  []string{`cannot import name '\w+' from '(\w+)' \(unknown location\)`, `^Successfully installed (.+)|^\+ ([A-Za-z][\w.-]*)==\d`},
		agree:  func(f [][]string) bool { return strings.Contains(" "+moduleOf(f[1][1]+f[1][2])+"_", " "+f[0][1]+"_") },
		denied: editableInstall,
	},
	{
		id:    brokenHTTP2,
		facts: []string{`\bnghttp2\w*|\bHTTP/?2\b.*(?:framing|stream|error)|HTTP2 framing`, `^error: failed to (?:download|fetch|get)\b|^fatal: .*(?:early EOF|RPC failed)|^error: RPC failed`},
		with:  []string{"S-B25"},
	},
	{
		id:    twoTorches,
		facts: []string{`\blib(?:c10|torch)\w*\.so => (/\S+)/lib\w+\.so`, `\blib(?:c10|torch)\w*\.so => (/\S+)/lib\w+\.so`, `undefined symbol: _ZNK?\d+(?:c10|at|torch|caffe2)\d`},
		agree: func(f [][]string) bool { return f[0][1] != f[1][1] },
	},
	{
		id:      placeholder,
		facts:   []string{`\bRUN .*\b(?:echo|printf|touch)\b.*\b(?:main|lib)\.rs\b`, `\bCOPY .*\bsrc\b`, `\bFinished .*\bprofile\b.* in 0\.\d+s$`, `^(?:error|ERROR|FAILED|fatal)\b|\bFAILED\b|[Ee]xit (?:code|status):? [1-9]|not found`},
		inOrder: true,
	},
	{
		id:      underSudo,
		facts:   []string{`^(?:\S+ is )?/\S+/(nvcc|cargo|rustc|uv|cmake|nsys|ncu|ptxas|tileiras|maturin|python3?|conda)$`, `(?:^|[$+>;&] ?)sudo \S`, `(?:^|[: ])(\w+): (?:command )?not found$|: (\w+): No such file or directory$|sudo: (\w+): command not found`},
		agree:   func(f [][]string) bool { return f[0][1] == f[2][1]+f[2][2]+f[2][3] },
		denied:  `\bsudo (?:\S+ )*(?:env |PATH=)`,
		inOrder: true,
	},
	{
		id:     inactiveConda,
		facts:  []string{`\b(?:conda|mamba|micromamba) (?:env )?(?:create|update) `, `^Python [23]\.\d+\.\d+$|^/usr/bin/python3?$`},
		denied: `\b(?:conda|mamba|micromamba) (?:activate|run)\b|\bbash -e?l|CONDA_DEFAULT_ENV`,
		with:   []string{"S-I39", "S-I11", "S-I26", "S-B75"},
	},
	{
		id:    shortHistory,
		facts: []string{`\b0\.(?:1|0|0\.0|0\.1)\.(?:dev|post)\d+(?:\+g?[0-9a-f]+)?|\b0\+(?:unknown|untagged)|\b0\.0\.0\+unknown`},
		with:  []string{"S-B84", "S-B55", "S-I22", "S-B127"},
	},
	{
		id:    aboveCheckout,
		facts: []string{`^(?:rootdir|inifile): (?:/(?:\S*/)?(?:_work|builds|workspace|__w|tmp|root)|/home/[\w-]+|/)(?:/(?:setup\.cfg|pytest\.ini|tox\.ini|pyproject\.toml))?$`, `^configfile: \S|^inifile: \S`},
		with:  []string{"S-I14", "S-I38", "S-I37", "S-I85", "S-I06"},
	},
	{
		id:     cachedCPU,
		facts:  []string{restoredFrom, `\b\d+\.\d+\.\d+\+cpu\b`},
		denied: `^\+ torch==|^Successfully installed .*\btorch-`,
		with:   []string{"S-I29", noGPU},
	},
	{
		id:    readOnlyMount,
		facts: []string{`\b(?:docker|podman) (?:run|create) .*:(?:/\S+):ro\b|\b(?:docker|podman) .*\breadonly\b|\b(?:docker|podman) .*--read-only\b`, `Read-only file system`},
		with:  []string{"S-R30"},
	},
	{
		id:    sourcesOfRust,
		facts: []string{`^(?:Downloading|Using cached) \S+\.tar\.gz\b`, `Cargo, the Rust package manager, is not installed|This package requires Rust and Cargo|[Cc]an't find Rust compiler|Rust not found, installing`},
	},
	{
		id:    pendingMIG,
		facts: []string{`^Enabled, Disabled$|^Disabled, Enabled$`},
		with:  []string{"S-R18", "S-R95", "S-X12", "S-R28", "S-R115"},
	},
	{
		id:     notCheckedOut,
		facts:  []string{`^submodules: (?:false|'')?$`, `fatal error: ["']?(?:cutlass|cute|pybind11|fmt|dlpack|gtest|gmock|spdlog|nlohmann|flashinfer|catch2|benchmark|cccl|cub|thrust|googletest|json|mscclpp|composable_kernel)/\S+: No such file|does not (?:contain|appear to contain) \S*CMakeLists|failed to (?:read|load) .*/(?:third[_-]?party|vendor|extern\w*|submodules|deps)/`},
		denied: `git submodule (?:update|init)|^Submodule path `,
	},
}

const (
	// noCUDAStart is how CUDA fails to start on a machine of which the driver works.
	noCUDAStart = unknownStart + `|initialization error|No CUDA GPUs|CUDA-capable device|is_available\(\)\)? (?:is |== )?False`
	// unknownStart is how it fails without a reason.
	unknownStart = `CUDA unknown error|CUDA_ERROR_UNKNOWN|cuInit\b.*\b999|DriverError\(999`
	// missingPart is an error about a part that a package lacks.
	missingPart = `No module named '(\w+)\.(\w+)'|cannot import name '(\w+)' from (?:partially initialized module )?'(\w+)'.*?(?:\((/\S+)\))?$|cannot import name '\w+' from '(\w+)\.(\w+)'`
	// placeOfEditable is an entry of a list of packages with the folder that one is installed from.
	placeOfEditable = `^([A-Za-z][\w.-]*) +\d[\w.+]* +(/(?:home|work|__w|opt|builds|runner|srv|data|mnt|tmp|root|usr|actions|github|scratch|var|repo|src|code|app)\S*)$`
	editableInstall = `\bpip3? install (?:\S+ )*(?:-e|--editable)\b|^Building editable for|\bmaturin develop\b|\(from file:`
)

// partOf is the package, its part and the place that an error of missingPart names.
func partOf(m []string) (module, part, at string) {
	return m[1] + m[4] + m[6], m[2] + m[3] + m[7], m[5]
}

// leastConda is the version of CUDA below which conda-forge has no builds any more.
const leastConda = "12.0"

// inFolder reports whether a path that is missing lies in a folder that was emptied.
func inFolder(folder, file string) bool {
	folder = strings.TrimSuffix(strings.TrimSuffix(strings.Trim(folder, `'"`), "*"), "/")
	if rest, ok := strings.CutPrefix(folder, "~"); ok {
		return len(rest) > 1 && strings.Contains(file, rest+"/")
	}
	if rest, ok := strings.CutPrefix(folder, "$HOME"); ok {
		return len(rest) > 1 && strings.Contains(file, rest+"/")
	}
	return len(folder) > 1 && strings.Contains(file, folder)
}

// maxClues bounds the matches that are kept of one fact.
const maxClues = 12

// seenFact is a line that matches a fact.
type seenFact struct {
	at    line
	found []string
}

// evidence holds what the lines of a log show of the clues.
type evidence struct {
	maybe  []int
	facts  map[int][]seenFact // by number among all facts
	denied map[int]bool       // by number of the clue
}

// clueFact is one of the facts of all clues, or what denies one.
type clueFact struct {
	m    *matcher
	clue int
	deny bool
}

var allClueFacts = sync.OnceValue(func() []clueFact {
	var all []clueFact
	for i, c := range clues {
		for _, f := range c.facts {
			all = append(all, clueFact{m: compile(f), clue: i})
		}
		if c.denied != "" {
			all = append(all, clueFact{m: compile(c.denied), clue: i, deny: true})
		}
	}
	return all
})

// clueIndex finds the facts that could match a line.
var clueIndex = sync.OnceValue(func() *literalIndex {
	var all []*matcher
	for _, f := range allClueFacts() {
		all = append(all, f.m)
	}
	return indexOf(all)
})

// isLayer reports whether a line is the builder's own about a step of an image's build.
func isLayer(text string) bool {
	return len(text) > 1 && text[0] == '#' && text[1] >= '0' && text[1] <= '9'
}

func (e *evidence) line(l line) {
	if l.quote && !strings.HasPrefix(l.text, "#SBATCH ") && !isLayer(l.text) || len(l.text) > 4096 {
		return
	}
	e.maybe = clueIndex().candidates(l.text, e.maybe[:0])
	for _, i := range e.maybe {
		f := allClueFacts()[i]
		m := f.m.re.FindStringSubmatch(l.text)
		switch {
		case m == nil:
		case f.deny:
			if e.denied == nil {
				e.denied = map[int]bool{}
			}
			e.denied[f.clue] = true
		case len(e.facts[i]) < maxClues:
			if e.facts == nil {
				e.facts = map[int][]seenFact{}
			}
			for j := range m {
				m[j] = strings.Clone(m[j])
			}
			l.text = strings.Clone(l.text)
			e.facts[i] = append(e.facts[i], seenFact{l, m})
		}
	}
}

func (e *evidence) end(sc *logScan) {
	if len(e.facts) == 0 {
		return
	}
	next := 0
	for i, c := range clues {
		first := next
		next += len(c.facts)
		if c.denied != "" {
			next++
		}
		if e.denied[i] {
			continue
		}
		if seen := e.choose(c, first, nil); seen != nil {
			sc.causes(c.id, c.with, seen[0].at, "")
			for _, s := range seen[1:] {
				if len(c.with) == 0 || s.at.n != seen[0].at.n {
					sc.adds(sc.found[c.id], s.at.text)
				}
			}
		}
	}
}

// choose finds one line for each fact of a clue that go together, nil when there are none.
func (e *evidence) choose(c clue, first int, chosen []seenFact) []seenFact {
	n := len(chosen)
	if n == len(c.facts) {
		var found [][]string
		for _, s := range chosen {
			found = append(found, s.found)
		}
		if c.agree != nil && !c.agree(found) {
			return nil
		}
		return slices.Clone(chosen)
	}
	for _, s := range e.facts[first+n] {
		if c.inOrder && n > 0 && s.at.n < chosen[n-1].at.n {
			continue
		}
		if all := e.choose(c, first, append(chosen, s)); all != nil {
			return all
		}
	}
	return nil
}
