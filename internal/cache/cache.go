// Package cache makes a value once for all who ask for it at the same time, and keeps the values that were asked for
// last. A key must always stand for the same value: nothing expires, and nothing is made again before it left.
package cache

import (
	"cmp"
	"context"
	"errors"
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// errPanicked is what waiters get when making the value panicked.
var errPanicked = errors.New("another request that was making the value failed")

// Options bound a Cache.
type Options[K comparable, V any] struct {
	Max     int              // number of values; 0 for no bound
	MaxSize int64            // sum of the values' sizes; a larger value is kept alone, none with 0
	Size    func(K, V) int64 // of a value, in any unit; nil for no bound
	Evicted func(K, V)       // called with each value that leaves, or nil; it must not use the Cache
	Serial  bool             // Make makes one value at a time
}

// A Cache keeps values by key. It may be used by several goroutines.
type Cache[K comparable, V any] struct {
	o      Options[K, V]
	turn   chan struct{} // full while a value is made, nil if several may be
	mu     sync.Mutex    // guards the rest
	values *simplelru.LRU[K, sized[V]]
	making map[K]*call[V]
	size   int64
}

type sized[V any] struct {
	value V
	size  int64
}

// A call makes a value. It ends when done is closed.
type call[V any] struct {
	done  chan struct{}
	value V
	err   error
}

// New returns an empty Cache.
func New[K comparable, V any](o Options[K, V]) *Cache[K, V] {
	c := &Cache[K, V]{o: o, making: map[K]*call[V]{}}
	lru, err := simplelru.NewLRU(cmp.Or(o.Max, math.MaxInt), func(k K, v sized[V]) {
		c.size -= v.size
		if c.o.Evicted != nil {
			c.o.Evicted(k, v.value)
		}
	})
	if err != nil {
		panic(err) // of the program: Max is negative
	}
	c.values = lru
	if o.Serial {
		c.turn = make(chan struct{}, 1)
	}
	return c
}

// Get returns the value of k if it is kept.
func (c *Cache[K, V]) Get(k K) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept, ok := c.values.Get(k)
	return kept.value, ok
}

// Make returns the value of k. The first caller makes it, also for those who ask meanwhile. The context that make
// gets does not end with that caller's. An error is not kept. Errors: those of make, and of ctx while another
// caller makes the value.
func (c *Cache[K, V]) Make(ctx context.Context, k K, make func(context.Context) (V, error)) (v V, err error) {
	kept, others, own := c.find(k)
	switch {
	case own != nil:
		defer c.settle(k, own)
		if c.turn != nil {
			c.turn <- struct{}{}
			defer func() { <-c.turn }()
		}
		own.value, own.err = make(context.WithoutCancel(ctx))
		return own.value, own.err
	case others == nil:
		return kept, nil
	}
	select {
	case <-others.done:
		return others.value, others.err
	case <-ctx.Done():
		return v, ctx.Err()
	}
}

// find returns the value of k, else the call that makes it, or own if the caller must make it.
func (c *Cache[K, V]) find(k K) (kept V, others, own *call[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.values.Get(k); ok {
		return v.value, nil, nil
	}
	if others = c.making[k]; others == nil {
		own = &call[V]{done: make(chan struct{}), err: errPanicked}
		c.making[k] = own
	}
	return kept, others, own
}

// settle ends a call. Its value is kept unless k was removed meanwhile.
func (c *Cache[K, V]) settle(k K, own *call[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(own.done)
	removed := c.making[k] != own
	if !removed {
		delete(c.making, k)
	}
	switch {
	case own.err != nil:
	case !removed:
		c.add(k, own.value)
	case c.o.Evicted != nil:
		c.o.Evicted(k, own.value)
	}
}

// Add keeps a value in place of an earlier one of k.
func (c *Cache[K, V]) Add(k K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(k, v)
}

func (c *Cache[K, V]) add(k K, v V) {
	c.values.Remove(k)
	size := int64(0)
	if c.o.Size != nil {
		size = c.o.Size(k, v)
	}
	c.size += size
	c.values.Add(k, sized[V]{v, size})
	c.shrink(int(min(1, c.o.MaxSize)))
}

// shrink removes values until the others fit or only so few are left.
func (c *Cache[K, V]) shrink(least int) {
	for c.o.Size != nil && c.size > c.o.MaxSize && c.values.Len() > least {
		c.values.RemoveOldest()
	}
}

// Reserve counts n more for a value to come, or less after it has come. It reports whether all fits.
func (c *Cache[K, V]) Reserve(n int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.size += n
	c.shrink(0)
	return c.size <= c.o.MaxSize
}

// Remove removes the value of k. One that is being made is returned to those who wait, and not kept.
func (c *Cache[K, V]) Remove(k K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.making, k)
	c.values.Remove(k)
}

// Clear removes all values, except those that are being made.
func (c *Cache[K, V]) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.values.Purge()
}

// Usage returns the number of values, and the sum of their sizes and of what is reserved.
func (c *Cache[K, V]) Usage() (values int, size int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.values.Len(), c.size
}
