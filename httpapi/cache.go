package httpapi

import (
	"context"
	"io"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"relais/endpoint"
	"relais/index"
	"relais/ops"
)

// pageCacheBytes is the memory of compressed pages.
const pageCacheBytes = 32 << 20

// A cache keeps the compressed answers that were asked for last, up to a number
// of bytes.
type cache struct {
	mu    sync.Mutex
	lru   *simplelru.LRU[cacheKey, *packed]
	bytes int
	most  int
}

// An answerKey names an answer but for its request id: the version of the data
// and the question in canonical form.
type answerKey struct{ version, question string }

// A cacheKey is an answer in a coding.
type cacheKey struct {
	answerKey
	coding *coding
}

// cacheEntries bounds the number of entries, whatever their size.
const cacheEntries = 20000

func newCache(most int) *cache {
	c := &cache{most: most}
	lru, err := simplelru.NewLRU(cacheEntries, func(_ cacheKey, p *packed) { c.bytes -= len(p.data) })
	if err != nil {
		panic(err) // the size is a constant
	}
	c.lru = lru
	return c
}

func (c *cache) get(k cacheKey) *packed {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, _ := c.lru.Get(k)
	return p
}

func (c *cache) put(k cacheKey, p *packed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lru.Contains(k) || len(p.data) > c.most/4 {
		return
	}
	c.bytes += len(p.data)
	c.lru.Add(k, p)
	for c.bytes > c.most {
		c.lru.RemoveOldest()
	}
}

// prepared holds the whole exports of the current data, compressed beforehand.
type prepared map[cacheKey]*packed

// packed returns the compressed beginning of an answer: prepared, kept, or made
// now. It is nil for an answer that is too large to hold.
func (s *Server) packed(stream endpoint.Stream, size int64, c *coding, a answerKey) *packed {
	key := cacheKey{a, c}
	if p := (*s.prepared.Load())[key]; p != nil {
		return p
	}
	if size < 0 || size > maxHeld {
		return nil
	}
	if p := s.pages.get(key); p != nil {
		return p
	}
	p, err := c.inMemory(stream, false)
	if err != nil { // memory does not fail to be written to; the plain way is left
		return nil
	}
	s.pages.put(key, p)
	return p
}

// maxPrepared is the number of sites up to which a market's exports are
// prepared: beyond it that would take a minute of a core and hundreds of megabytes,
// and they are compressed while they are sent.
const maxPrepared = 1_000_000

// Prepare compresses the whole exports of set, one after the other, so that
// asking for everything costs no more than sending it. It takes seconds and
// stops when ctx ends. Markets of over a million sites are left out.
func (s *Server) Prepare(ctx context.Context, set *index.Set) error {
	env := &ops.Env{Set: set}
	ready := prepared{}
	for _, call := range ops.WholeExports(set, maxPrepared) {
		result, err := call.Do(ctx, env)
		if err != nil {
			return err
		}
		stream, err := streamOf(result)
		if err != nil {
			return err
		}
		for _, c := range codings {
			p, err := c.inMemory(stoppable{stream, ctx}, true)
			if err != nil {
				return err
			}
			p.prepared = true
			ready[cacheKey{answerKey{env.Version(call.Op), call.Key}, c}] = p
		}
	}
	if now := s.set.Load(); now != nil && now.Version == set.Version {
		s.prepared.Store(&ready)
	}
	return nil
}

// A stoppable stream ends with its context's error when that is over.
type stoppable struct {
	endpoint.Stream
	ctx context.Context
}

// WriteTo implements endpoint.Stream.
func (s stoppable) WriteTo(w io.Writer) (int64, error) {
	return s.Stream.WriteTo(writerFunc(func(p []byte) (int, error) {
		if err := s.ctx.Err(); err != nil {
			return 0, err
		}
		return w.Write(p)
	}))
}

type writerFunc func(p []byte) (int, error)

// Write implements io.Writer.
func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
