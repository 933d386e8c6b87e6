package httpapi

import (
	"context"
	"io"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"relais/api"
	"relais/api/endpoint"
	"relais/index"
)

// pageCacheBytes is the memory of compressed pages.
const pageCacheBytes = 32 << 20

// A cache keeps the most recently used compressed answers, up to a number of bytes.
type cache struct {
	mu    sync.Mutex
	lru   *simplelru.LRU[cacheKey, *packed]
	bytes int
	most  int
}

// An answerKey identifies an answer apart from its request id: the version of the data
// and the canonical form of the question.
type answerKey struct{ version, question string }

// A cacheKey identifies an answer in one content coding.
type cacheKey struct {
	answerKey
	coding *coding
}

// cacheEntries bounds the number of entries of any size.
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

// prepared holds the whole exports of the current data, compressed in advance.
type prepared map[cacheKey]*packed

// packed returns the compressed beginning of an answer: prepared, cached, or made
// now. It returns nil for an answer that is too large to hold.
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
	if err != nil { // unlikely, as memory is written to; the answer is then streamed
		return nil
	}
	s.pages.put(key, p)
	return p
}

// maxPrepared is the greatest number of sites of a market whose exports are prepared.
// Those of a larger market would take a minute of a core and hundreds of megabytes: they
// are compressed while they are sent.
const maxPrepared = 1_000_000

// Prepare compresses the whole exports of set one by one, so that they need only be
// sent. It takes seconds and stops when ctx ends. It leaves out markets of over a million
// sites.
func (s *Server) Prepare(ctx context.Context, set *index.Set) error {
	env := &api.Env{Set: set}
	ready := prepared{}
	for _, call := range api.WholeExports(set, maxPrepared) {
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

// A stoppable is a stream that fails with its context's error once the context ends.
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
