package integrity

import (
	"slices"

	"github.com/tilegate/tilegate/checks/syntax"
)

// slot is a name of a frame.
type slot struct {
	frame *frame
	name  string
}

// way is how a block can be left: under which condition, and with which values of the
// frame's names and of those of other frames.
type way struct {
	cond *term
	vars map[string]binding
	made []alteration
}

// loop is how much there was of a run when a loop of it began.
type loop struct {
	guards, altered, exits int
}

// attempt is a try block that runs: each value that a name had got in it may be what
// its handlers find.
type attempt struct {
	frame  *frame
	values map[slot][]binding
	order  []slot
}

// set gives a name of the frame a value, or the name of the function around it that it
// shares.
func (f *frame) set(name string, b binding) {
	if owner := f.nonlocal[name]; owner != nil {
		f.run.alter(slot{owner, name}, b)
		return
	}
	f.vars[name] = b
	f.run.got(slot{f, name}, b, f)
}

// alter gives a name of another frame a value.
func (r *run) alter(at slot, b binding) {
	r.altered = append(r.altered, alteration{at.frame, at.name, at.frame.vars[at.name]})
	r.put(at, b)
	r.got(at, b, nil)
}

// put is a value of a name, or none.
func (r *run) put(at slot, b binding) {
	if at.frame.outer == nil {
		r.s.forgetFunctions()
	}
	if b == (binding{}) {
		delete(at.frame.vars, at.name)
		return
	}
	at.frame.vars[at.name] = b
}

// forgetFunctions makes the side ask again for what functions do, since names of the module have
// got other values.
func (s *side) forgetFunctions() {
	clear(s.fnOf)
	clear(s.unentered)
}

// alteredModule takes back what a function changed that the module holds, and says what
// that was: the function is not called where it is a value.
func (r *run) alteredModule() (out []*term) {
	for _, a := range r.since(0) {
		if a.frame.outer == nil {
			out = append(out, r.u().raw("alters", a.name, a.frame.held(a.was)))
		}
	}
	for _, a := range slices.Backward(r.altered) {
		if a.frame.outer == nil {
			r.put(slot{a.frame, a.name}, a.was)
		}
	}
	return out
}

// got tells the try blocks that run of a value: those of a frame, or all.
func (r *run) got(at slot, b binding, only *frame) {
	for _, a := range r.attempts {
		if only != nil && a.frame != only {
			continue
		}
		if _, ok := a.values[at]; !ok {
			a.order = append(a.order, at)
		}
		if list := a.values[at]; len(list) == 0 || list[len(list)-1] != b {
			a.values[at] = append(list, b)
		}
	}
}

// since lists the names that were altered from an index on, with what they are now.
func (r *run) since(mark int) (out []alteration) {
	r.u().spend((len(r.altered) - mark) / 4)
	seen := map[slot]bool{}
	for _, a := range r.altered[mark:] {
		if at := (slot{a.frame, a.name}); !seen[at] {
			seen[at] = true
			out = append(out, alteration{a.frame, a.name, a.frame.vars[a.name]})
		}
	}
	return out
}

// meet gives the names of other frames than own what the ways left there, each under
// its condition, beside what is there now if the way that goes on is one of them.
func (r *run) meet(ways []way, mark int, goesOn bool, own *frame) {
	if !goesOn {
		r.undo(mark)
	}
	before := map[slot]binding{}
	for _, a := range r.altered[mark:] {
		if at := (slot{a.frame, a.name}); !has(before, at) {
			before[at] = a.was
		}
	}
	var order []slot
	seen := map[slot]bool{}
	made := make([]map[slot]binding, len(ways))
	for i, w := range ways {
		made[i] = make(map[slot]binding, len(w.made))
		for _, a := range w.made {
			at := slot{a.frame, a.name}
			made[i][at] = a.was
			if !seen[at] && a.frame != own {
				seen[at] = true
				order = append(order, at)
			}
		}
	}
	for _, a := range r.altered[mark:] {
		if at := (slot{a.frame, a.name}); a.frame != own && !seen[at] {
			seen[at] = true
			order = append(order, at)
		}
	}
	r.u().spend(len(order) * len(ways) / 4)
	for _, at := range order {
		now := at.frame.vars[at.name]
		v, known := now, goesOn
		for i, w := range slices.Backward(ways) {
			x, ok := made[i][at]
			if !ok {
				if x, ok = before[at]; !ok {
					x = now
				}
			}
			if !known {
				v, known = x, true
				continue
			}
			v = at.frame.choose(w.cond, x, v)
		}
		if v != now {
			r.alter(at, v)
		}
	}
}

func has[K comparable, V any](m map[K]V, k K) bool {
	_, ok := m[k]
	return ok
}

// choose is the one binding where the condition holds, else the other.
func (f *frame) choose(cond *term, x, y binding) binding {
	if x == y || x.t != nil && x.t == y.t {
		return x
	}
	at := x.at
	if x == (binding{}) {
		at = y.at
	}
	return binding{t: f.run.u().ite(cond, f.held(x), f.held(y)), at: at}
}

// ways are those in which a function returns.
func (f *frame) ways() []way {
	out := make([]way, len(f.returns))
	for i, r := range f.returns {
		out[i] = r.way
	}
	return out
}

// either evaluates two expressions of which a condition chooses, and joins what they
// leave.
func (f *frame) either(n syntax.Node, cond *term, a, b func() *term) (x, y *term) {
	f.branch(n, cond, func() flow { x = a(); return goesOn }, func() flow { y = b(); return goesOn })
	return x, y
}

// enterLoop begins a loop; what it returns ends it.
func (f *frame) enterLoop() func() {
	r, outer := f.run, f.loop
	f.loop = &loop{len(r.guards), len(r.altered), len(r.exits)}
	return func() { f.loop = outer }
}

// leaveLoop ends the way through a loop's body with break or continue.
func (f *frame) leaveLoop(n syntax.Node) {
	r := f.run
	r.leave(onReturn, n, f.mark)
	if f.loop != nil {
		r.u().spend(len(f.vars))
		r.exits[len(r.exits)-1].way = way{r.conditionSince(f.loop.guards), f.copyVars(), r.since(f.loop.altered)}
	}
}

// conditionSince is the condition of the guards from an index on.
func (r *run) conditionSince(from int) *term {
	var conds []*term
	for _, g := range r.guards[min(from, len(r.guards)):] {
		if g.kind == onCond || g.kind == onTry {
			conds = append(conds, g.t)
		}
	}
	return r.u().and(conds...)
}

// joinExits joins what the exits of a kind from an index on left with what is there
// now, and forgets these exits.
func (f *frame) joinExits(from int, kind string, how flow) flow {
	r := f.run
	var ways []way
	for _, e := range r.exits[from:] {
		if e.node.Is(kind) && e.way.vars != nil {
			ways = append(ways, e.way)
		}
	}
	r.exits = keepExits(r.exits, from, kind)
	if len(ways) == 0 {
		return how
	}
	r.meet(ways, f.loop.altered, how == goesOn, f)
	now, known := f.vars, how == goesOn
	for _, w := range slices.Backward(ways) {
		if known {
			r.u().spend(2 * len(now))
			now = f.join(w.cond, w.vars, now)
		} else {
			now, known = copyOf(w.vars), true
		}
	}
	f.vars = now
	if r.ended >= 0 && r.ended <= len(r.guards) && how == ends {
		r.ended = -1
	}
	return goesOn
}

// attempted executes a block that may end at any place, and tells what names hold
// where it does. Its last statement ends nothing once it has given its name a value.
func (f *frame) attempted(body syntax.Node, do func() flow) (how flow, broken func() []alteration) {
	r := f.run
	a := &attempt{frame: f, values: map[slot][]binding{}}
	before, mark := f.copyVars(), len(r.altered)
	r.attempts = append(r.attempts, a)
	how = do()
	r.attempts = r.attempts[:len(r.attempts)-1]
	start := map[slot]binding{}
	for _, b := range r.altered[mark:] {
		if at := (slot{b.frame, b.name}); !has(start, at) {
			start[at] = b.was
		}
	}
	list := body.NamedChildren()
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].IsComment() {
			continue
		}
		if left := list[i].NamedChild(0).Field("left"); list[i].Is("expression_statement") && list[i].NamedChild(0).Is("assignment") && left.Is("identifier") {
			if at := (slot{f, left.Text()}); len(a.values[at]) > 0 {
				a.values[at] = a.values[at][:len(a.values[at])-1]
			}
		}
		break
	}
	return how, func() (out []alteration) {
		for _, at := range a.order {
			was, ok := start[at]
			switch {
			case at.frame == f:
				was = before[at.name]
			case !ok:
				was = at.frame.vars[at.name]
			}
			kids := []*term{f.held(was)}
			for _, b := range a.values[at] {
				r.u().spend(len(kids) / 8)
				if t := f.held(b); !slices.Contains(kids, t) {
					kids = append(kids, t)
				}
			}
			b := was
			if len(kids) > 1 {
				b = binding{t: r.u().raw("partly", "", kids...), at: a.values[at][0].at}
			}
			out = append(out, alteration{at.frame, at.name, b})
		}
		return out
	}
}

// held is the term of a binding, which may be none.
func (f *frame) held(b binding) *term {
	if b == (binding{}) {
		return f.run.u().raw("unbound", "")
	}
	return f.value(b)
}

// rescue is what may follow a block that an exception ends.
type rescue struct {
	cond *term
	do   func() flow
}

// rescued executes a block and what follows it, and what may follow where it is ended,
// and joins what they leave.
func (f *frame) rescued(n, body, orElse syntax.Node, leave func(), rescues []rescue) flow {
	r := f.run
	if len(rescues) == 0 {
		how := f.block(body)
		if how == goesOn && orElse.Valid() {
			how = f.block(orElse)
		}
		leave()
		return how
	}
	before, mark := f.copyVars(), len(r.altered)
	how, broken := f.attempted(body, func() flow { return f.block(body) })
	if how == goesOn && orElse.Valid() {
		how = f.block(orElse)
	}
	leave()
	after, made := f.vars, r.undo(mark)
	left := broken()
	if how == ends {
		made = nil
	}
	ways := []way{{r.u().yes, after, made}}
	if how == ends {
		ways = nil
	}
	for _, h := range rescues {
		r.u().spend(len(before) / 2)
		f.vars = copyOf(before)
		for _, b := range left {
			if b.frame == f {
				r.put(slot{f, b.name}, b.was)
			} else {
				r.alter(slot{b.frame, b.name}, b.was)
			}
		}
		done := r.push(onCond, h.cond, n)
		got := h.do()
		if r.ended >= 0 && r.ended <= len(r.guards) {
			got = ends
		}
		done()
		vars, made := f.vars, r.undo(mark)
		if got == goesOn {
			ways = append(ways, way{h.cond, vars, made})
		}
	}
	f.vars = after
	for i, w := range ways {
		if i == 0 {
			f.vars = w.vars
			r.redo(w.made, nil)
			continue
		}
		f.vars = f.join(w.cond, w.vars, f.vars)
		r.redo(w.made, w.cond)
	}
	if len(ways) == 0 {
		return ends
	}
	return goesOn
}

// always executes a block that runs on whichever way the block before it is left: what
// it changes is changed on those that returned or left a loop since then, too.
func (f *frame) always(block syntax.Node, returns, exits int) flow {
	r := f.run
	before, mark := f.copyVars(), len(r.altered)
	how := f.block(block)
	made := r.since(mark)
	for i := range f.returns[returns:] {
		w := &f.returns[returns+i].way
		w.made = append(slices.Clip(w.made), made...)
	}
	for i := range r.exits[min(exits, len(r.exits)):] {
		w := &r.exits[exits+i].way
		if w.vars == nil {
			continue
		}
		w.made = append(slices.Clip(w.made), made...)
		for name, b := range f.vars {
			if before[name] != b {
				w.vars[name] = b
			}
		}
	}
	return how
}
