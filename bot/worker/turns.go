package worker

import "sync"

// depth says how much a look takes in.
type depth int

const (
	none depth = iota
	poll       // runs under way; everything when one of them has moved
	full       // everything
)

// turns lets one look at a target run at a time. A request that arrives during
// a look makes it look once more, so that no request is lost and none waits.
type turns struct {
	mu      sync.Mutex
	running map[string]depth // what was asked for meanwhile
}

// begin reports whether the caller may look; otherwise the running look will.
func (t *turns) begin(key string, d depth) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running == nil {
		t.running = map[string]depth{}
	}
	if asked, busy := t.running[key]; busy {
		t.running[key] = max(asked, d)
		return false
	}
	t.running[key] = none
	return true
}

// end returns what the caller must look at again; none ends its turn.
func (t *turns) end(key string) depth {
	t.mu.Lock()
	defer t.mu.Unlock()
	asked := t.running[key]
	if asked == none {
		delete(t.running, key)
	} else {
		t.running[key] = none
	}
	return asked
}

// leave ends a turn whatever was asked meanwhile; the caller's error brings
// the target back.
func (t *turns) leave(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.running, key)
}

// any reports whether a look is under way.
func (t *turns) any() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.running) > 0
}
