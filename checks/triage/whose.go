package triage

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// whose reads to whom files belong and who the job is, which tools stand on the path, and
// how much ran at once. A refusal, a version or a kill that follows has its cause there.
type whose struct {
	user, id string // of the job, "" when it is not known
	groups   line   // that the job's user is in
	folder   string // whose contents are listed
	listed   int    // the last line of that list
	owned    []owned
	refused  []refusal
	named    string // the last path that an error names, before its reason
	namedAt  int
	mounts   []mounted
	device   line   // a device file of the GPU that only a group may use
	group    string // that group
	fixed    line   // a folder that its owner may not write either
	made     string // the home of a user that was made without one

	tool  string // the last tool of a list of paths
	tools map[string]line
	at    string
	last  int

	killed   line // a compiler or linker that was killed
	kills    int
	parallel bool // several of them ran at once
	single   bool // one ran at a time
	workers  line // tests ran in several processes
	outOf    line // and the container's memory was used up
}

// owned is an entry of a list of files.
type owned struct {
	path, owner, mode, target string
	at                        line
}

type refusal struct {
	path string
	at   line
}

// mounted is a folder that a container was given.
type mounted struct {
	path string
	at   line
}

// Signatures that such facts decide.
const (
	othersFolder  = "S-X130"
	rootsFolder   = "S-X131"
	workersMemory = "S-X132"
	severalTools  = "S-X133"
	fixedFolder   = "S-X138"
	groupsDevice  = "S-X145"
	manyAtOnce    = "S-B200"
	noUser        = "S-X54"
)

// namedFor is the number of lines in which the reason of an error follows its path.
const namedFor = 5

// refusals are signatures of what a user may not do.
var refusals = []string{"S-R32", "S-B74", "S-B90", "S-B25", "S-X63", "S-X23", "S-B53", "S-B98", unnamedError}

var (
	fileEntry = probe(`^((?:drwx|dr-x|d--x|lrwx|-rwx|-rw-|-r--|-r-x|crw-|cr--)[rwxsStT-]{6})[.+@]? +\d+ +(\S+) +(\S+) +\d[\d.,KMGT]*(?: +\d+)? +(?:\w{3} +\d+ +[\d:]+|\d{4}-\d\d-\d\d [\d:.]+(?: [+-]\d{4})?) (\S+)(?: -> (\S+))?$`)
	folderOf  = probe(`^[$+>] ls -\w*l\w*(?: -\w+)* (/\S+)$`)
	jobsUser  = probe(`\buid=(\d+)(?:\(([^)\s]+)\))?`)
	givenUser = probe(`\bdocker (?:run|create|exec) .*(?:--user|-u)[ =](\w[\w-]*)`)
	mountOf   = probe(`\b(?:docker|podman) (?:run|create) `)
	mountPart = regexp.MustCompile(`(?:-v|--volume)[ =]["']?[^\s:"']+:(/[^\s:"']+)`)
	forbids   = probe(`[Pp]ermission denied|\bEACCES\b|Permission non accordée|PermissionError`)
	failing   = probe(`(?i)\b(?:failed|cannot|could not|unable)\b.*[ '"` + "`" + `(]/`)
	anyPath   = regexp.MustCompile(`(?:^|[\s'"` + "`" + `(=])(/[\w.@~+-][^\s'"` + "`" + `:,)]*)`)
	noHomeYet = probe(`^[$+>#]? ?(?:sudo )?useradd `)
	ownHome   = regexp.MustCompile(`\s(?:-\w*m\w*|--create-home)\b`)

	toolPath = probe(`^(?:[\w.+-]+ is )?(/\S*/)(nvcc|cargo|rustc|cmake|python3?|ptxas|g\+\+|gcc|clang|maturin|uv|git|tileiras|ninja)$`)

	toolKilled = probe(`\b(?:ld|lld|mold|ld\.\w+|collect2)\b.*\b(?:signal 9|SIGKILL|Killed)|'(?:cicc|ptxas|cudafe\+\+|cc1plus|nvlink)' died due to signal 9|Killed signal terminated program|rustc\S*.*\(signal: 9|rustc interrupted by SIGKILL|[Kk]illed process \d+ \((?:ld|lld|mold|rustc|cicc|cc1plus|ptxas|clang|cudafe)\S*\)|(?:cc1plus|c\+\+|g\+\+|clang)\b.*: Killed|LLVM ERROR: out of memory`)
	atOnce     = probe(`\bnproc\W{1,4}(?:[4-9]|\d\d+)\b|(?:-j|--jobs|--parallel|MAX_JOBS|BUILD_JOBS|NINJAJOBS|BUILD_PARALLEL_LEVEL)[ =:]*(?:[2-9]\b|\d\d+\b|\$\(nproc\))|\bdefault number of workers\b|\b(?:[4-9]|\d\d+) (?:vCPUs?|cores|CPUs)\b`)
	oneAtOnce  = probe(`(?:-j|--jobs|--parallel|MAX_JOBS|BUILD_JOBS|BUILD_PARALLEL_LEVEL)[ =:]*1(?:\s|$)`)
	manyTests  = probe(`\bpytest\b.* -n[ =]?(?:[2-9]|\d\d+|auto|logical)\b|^(?:created: )?(?:[2-9]|\d\d+)(?:/\d+)? workers\b|^gw\d+ \[\d+\] / gw`)
	groupKill  = probe(`^oom_kill [1-9]|\boom[-_]kill\b.*\b(?:pytest|python)|[Kk]illed process \d+ \((?:pytest|python)\S*\)|\bOOMKilled\b`)
	gpuDevice  = regexp.MustCompile(`^/dev/(?:nvidia\w*|kfd|dri/\S+)$`)
	ownFolders = regexp.MustCompile(`^/(?:tmp|var/tmp|dev/shm)/[^/]+/.`)
	notFiles   = regexp.MustCompile(`^/(?:dev|proc|sys)/|\.sock$|^/\.|^/bin/|^/usr/bin/`)
)

// needsTool are the signatures of what another version of a tool would do.
var needsTool = map[string][]string{
	"nvcc":    {"S-B87", "S-B104", "S-B89", "S-B88", "S-B48", "S-B56", "S-B109", "S-B30", "S-B108", "S-B203", "S-I65"},
	"cargo":   {"S-B24", "S-B91", "S-B02", "S-B26", "S-B58", "S-B77", "S-B54"},
	"cmake":   {"S-B72", "S-B106"},
	"python":  {"S-B75", "S-I39"},
	"maturin": {"S-B75", "S-B81"},
	"ptxas":   {"S-J32", "S-J34", "S-J19", "S-J22"},
	"gcc":     {"S-B48", "S-B30", "S-B88"},
	"git":     {"S-B177", "S-X36"},
	"uv":      {"S-X36", "S-B86", "S-B54"},
	"ninja":   {"S-B106", "S-X36"},
}

// familyOf is the tool by which needsTool knows a program.
var familyOf = map[string]string{"rustc": "cargo", "python3": "python", "g++": "gcc", "clang": "gcc", "tileiras": "ptxas"}

func (w *whose) line(l line) {
	if len(l.text) > 4096 || len(l.text) < 4 {
		return
	}
	switch {
	case l.is(fileEntry):
		w.entry(l, fileEntry.re.FindStringSubmatch(l.text))
		return
	case l.is(folderOf):
		w.folder, w.listed = strings.Clone(strings.TrimSuffix(folderOf.re.FindStringSubmatch(l.text)[1], "/")), l.n
		return
	case l.is(toolPath):
		w.onPath(l, toolPath.re.FindStringSubmatch(l.text))
		return
	case w.folder != "" && l.n > w.listed+1 && !strings.HasPrefix(l.text, "total "):
		w.folder = ""
	}
	if l.quote {
		return
	}
	if m := l.find(jobsUser); m != nil && w.id == "" {
		w.id, w.user, w.groups = strings.Clone(m[1]), strings.Clone(m[2]), l
	}
	if l.is(mountOf) {
		for _, m := range mountPart.FindAllStringSubmatch(l.text, 8) {
			if len(w.mounts) < maxListed {
				w.mounts = append(w.mounts, mounted{strings.Clone(m[1]), l})
			}
		}
	}
	if m := l.find(givenUser); m != nil {
		w.user, w.id = strings.Clone(m[1]), ""
		if _, err := strconv.Atoi(m[1]); err == nil {
			w.user, w.id = "", strings.Clone(m[1])
		}
	}
	if l.is(noHomeYet) && !ownHome.MatchString(l.text) {
		f := strings.Fields(l.text)
		w.made = "/home/" + strings.Clone(f[len(f)-1])
	}
	w.refusal(l)
	w.load(l)
}

// entry takes an entry of a list of files.
func (w *whose) entry(l line, m []string) {
	name := m[4]
	if gpuDevice.MatchString(name) && strings.HasSuffix(m[1], "---") && m[1][4] != '-' && w.device.n == 0 {
		w.device, w.group = l, strings.Clone(m[3])
	}
	if strings.HasPrefix(m[1], "dr-x") && m[2] != "root" && w.fixed.n == 0 {
		w.fixed = l
	}
	switch {
	case strings.HasPrefix(name, "/"):
	case w.folder != "":
		if name = path.Join(w.folder, name); m[4] == ".." {
			return
		}
		w.listed = l.n
	default:
		return
	}
	if len(w.owned) < maxConditions {
		l.text = strings.Clone(l.text)
		w.owned = append(w.owned, owned{strings.Clone(strings.TrimSuffix(name, "/")), strings.Clone(m[2]), strings.Clone(m[1]), strings.Clone(m[5]), l})
	}
}

// onPath takes a line of a list of the places of a tool.
func (w *whose) onPath(l line, m []string) {
	if w.tool == m[2] && w.at != m[1] && l.n-w.last <= 2 {
		tool := m[2]
		if f := familyOf[tool]; f != "" {
			tool = f
		}
		if w.tools == nil {
			w.tools = map[string]line{}
		}
		if _, ok := w.tools[tool]; !ok {
			l.text = strings.Clone(l.text)
			w.tools[tool] = l
		}
	}
	w.tool, w.at, w.last = strings.Clone(m[2]), strings.Clone(m[1]), l.n
}

// refusal takes an error about a path that the user may not use. Some programs tell the
// path first and the reason some lines later.
func (w *whose) refusal(l line) {
	if l.is(forbids) {
		paths := pathsOf(l.text)
		if len(paths) == 0 && w.named != "" && l.n-w.namedAt <= namedFor {
			paths = []string{w.named}
		}
		for _, p := range paths {
			if len(w.refused) < maxListed && !notFiles.MatchString(p) {
				w.refused = append(w.refused, refusal{strings.Clone(p), l})
			}
		}
		return
	}
	if l.is(failing) {
		if paths := pathsOf(l.text); len(paths) > 0 {
			w.named, w.namedAt = strings.Clone(paths[len(paths)-1]), l.n
		}
	}
}

func pathsOf(text string) []string {
	var all []string
	for _, m := range anyPath.FindAllStringSubmatch(text, 8) {
		all = append(all, m[1])
	}
	return all
}

// load takes what tells how much ran at once.
func (w *whose) load(l line) {
	w.parallel = w.parallel || l.is(atOnce)
	w.single = w.single || l.is(oneAtOnce)
	if l.is(toolKilled) {
		if w.kills++; w.killed.n == 0 {
			w.killed = l
		}
	}
	if l.is(manyTests) && w.workers.n == 0 {
		w.workers = l
	}
	if l.is(groupKill) && w.outOf.n == 0 {
		w.outOf = l
	}
}

// below reports whether a path is a folder or lies in it.
func below(file, folder string) bool {
	return folder != "" && (file == folder || strings.HasPrefix(file, folder+"/"))
}

// isRoot reports whether the job's user is known, and is root.
func (w *whose) isRoot() bool { return w.id == "0" || w.user == "root" }

// known reports whether it is known who the job's user is.
func (w *whose) known() bool { return w.id != "" || w.user != "" }

// another is the entry nearest to a path that belongs to another user and that this one
// may not write, if there is one.
func (w *whose) another(file string) (owned, bool) {
	var nearest owned
	for _, o := range w.owned {
		if below(file, o.path) && len(o.path) >= len(nearest.path) {
			nearest = o
		}
	}
	return nearest, nearest.path != "" && w.known() && !w.isRoot() && nearest.owner != w.user && nearest.owner != w.id && len(nearest.mode) == 10 && nearest.mode[8] != 'w'
}

func (w *whose) end(sc *logScan) {
	for _, r := range w.refused {
		if w.judge(sc, r) {
			break
		}
	}
	if h := sc.found["S-X23"]; h != nil && h.log == sc.logs && w.fixed.n > 0 && strings.Contains(h.Excerpt.Plain(), "EACCES") {
		sc.causes(fixedFolder, nil, w.fixed, h.Excerpt.Plain())
	}
	if w.device.n > 0 && w.groups.n > 0 && !w.isRoot() && !strings.Contains(w.groups.text, "("+w.group+")") {
		sc.causes(groupsDevice, []string{noGPU, "S-R32", "S-R82", "S-R95", "S-X12"}, w.device, w.groups.text)
	}
	for tool, at := range w.tools {
		for _, id := range needsTool[tool] {
			if h := sc.found[id]; h != nil && h.log == sc.logs && h.rank < survived {
				sc.causes(severalTools, nil, at, h.Excerpt.Plain())
				break
			}
		}
	}
	if w.killed.n > 0 && !w.single && (w.kills > 1 || w.parallel) {
		sc.causes(manyAtOnce, []string{"S-B27"}, w.killed, "")
	}
	if w.workers.n > 0 && w.outOf.n > 0 && w.killed.n == 0 {
		sc.causes(workersMemory, []string{"S-R24", "S-B27"}, w.outOf, w.workers.text)
	}
}

// judge tells why a path was refused, if that is known.
func (w *whose) judge(sc *logScan, r refusal) bool {
	if below(r.path, w.made) {
		sc.causes(noUser, refusals, r.at, "")
		return true
	}
	if below(r.path, "/root") && !w.isRoot() {
		sc.causes(rootsFolder, refusals, r.at, "")
		return true
	}
	for _, o := range w.owned {
		if o.path == r.path && below(o.target, "/root") {
			sc.causes(rootsFolder, refusals, o.at, r.at.text)
			return true
		}
	}
	if o, ok := w.another(r.path); ok {
		sc.causes(othersFolder, refusals, r.at, o.at.text)
		return true
	}
	// A program in /tmp may as well be refused by its mount.
	if ownFolders.MatchString(r.path) && !w.isRoot() && sc.found["S-B53"] == nil {
		sc.causes(othersFolder, refusals, r.at, "")
		return true
	}
	i := slices.IndexFunc(w.mounts, func(m mounted) bool { return below(r.path, m.path) })
	if i >= 0 && w.known() && !w.isRoot() {
		sc.causes(othersFolder, refusals, r.at, w.mounts[i].at.text)
	}
	return i >= 0
}
