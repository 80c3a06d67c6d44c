package pull

import (
	"container/list"
	"sync"
)

// treeKey names a tree that cannot change. The installation is part of it: what
// one may read, another may not.
type treeKey struct {
	repo Repo
	sha  string
}

// cache keeps the values that were used last, up to a sum of costs.
type cache[K comparable, V any] struct {
	budget int64
	cost   func(V) int64

	mu    sync.Mutex
	used  int64
	order *list.List // of *cached, last used first
	items map[K]*list.Element
}

type cached[K comparable, V any] struct {
	key   K
	value V
}

func newCache[K comparable, V any](budget int64, cost func(V) int64) *cache[K, V] {
	return &cache[K, V]{budget: budget, cost: cost, order: list.New(), items: map[K]*list.Element{}}
}

func (c *cache[K, V]) get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[key]
	if !ok {
		var none V
		return none, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached[K, V]).value, true
}

func (c *cache[K, V]) put(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.items[key] != nil || c.cost(value) > c.budget {
		return
	}
	c.items[key] = c.order.PushFront(&cached[K, V]{key, value})
	c.used += c.cost(value)
	for c.used > c.budget {
		last := c.order.Back()
		old := c.order.Remove(last).(*cached[K, V])
		delete(c.items, old.key)
		c.used -= c.cost(old.value)
	}
}
