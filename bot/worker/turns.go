package worker

import "sync"

// turns lets one look at a target run at a time. A request that arrives during
// a look makes it look once more, so that no request is lost and none waits.
type turns struct {
	mu      sync.Mutex
	running map[string]bool // true: look again
}

// begin reports whether the caller may look; otherwise the running look will.
func (t *turns) begin(key string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running == nil {
		t.running = map[string]bool{}
	}
	if _, busy := t.running[key]; busy {
		t.running[key] = true
		return false
	}
	t.running[key] = false
	return true
}

// end reports whether the caller must look again; otherwise its turn is over.
func (t *turns) end(key string) (again bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running[key] {
		t.running[key] = false
		return true
	}
	delete(t.running, key)
	return false
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
