package httpapi

import (
	"context"
	"maps"

	"relais/api"
	"relais/api/endpoint"
	"relais/catalog"
	"relais/index"
	"relais/internal/cache"
)

// pageCacheBytes is the memory of compressed answers, and of small ones as they are.
const pageCacheBytes = 32 << 20

// A cacheKey identifies an answer in one content coding.
type cacheKey struct {
	answerKey
	coding *coding
}

// pageCacheEntries bounds the number of answers of any size.
const pageCacheEntries = 20000

// newPageCache returns an empty cache of answers, up to a number of bytes.
func newPageCache(most int64) *cache.Cache[cacheKey, *packed] {
	return cache.New(cache.Options[cacheKey, *packed]{Max: pageCacheEntries, MaxSize: most, Size: cacheKey.entryBytes})
}

// entryBytes is about the memory of an entry, in which a small answer is the smaller part.
func (k cacheKey) entryBytes(p *packed) int64 {
	return int64(len(k.version) + len(k.question) + len(p.data) + 256)
}

// prepared holds answers of the current data that many clients ask for, compressed in advance.
type prepared map[cacheKey]*packed

// packed returns the compressed beginning of an answer: prepared, cached, or made
// now. It returns nil for an answer that is too large to hold.
func (s *Server) packed(a *endpoint.Answer, c *coding, asked answerKey) *packed {
	key := cacheKey{asked, c}
	if p := (*s.prepared.Load())[key]; p != nil {
		return p
	}
	if a.Size < 0 || a.Size > maxHeld {
		return nil
	}
	if p := s.cached(key); p != nil {
		return p
	}
	p, err := c.inMemory(a, false)
	if err != nil { // unlikely, as memory is written to; the answer is then streamed
		return nil
	}
	if asked.version != "" {
		s.pages.Add(key, p)
	}
	return p
}

// cached returns an answer that is prepared or in the cache, or nil.
func (s *Server) cached(key cacheKey) *packed {
	if key.version == "" {
		return nil
	}
	if p := (*s.prepared.Load())[key]; p != nil {
		return p
	}
	p, _ := s.pages.Get(key)
	return p
}

// answerFromCache sends an answer that is in memory, and reports whether there is one.
func (o *operation) answerFromCache(w *answer, r *request, asked answerKey) bool {
	s, c := r.server, negotiate(r.Header["Accept-Encoding"])
	p := s.cached(cacheKey{asked, c})
	if p == nil {
		p = s.cached(cacheKey{asked, identity})
		if p == nil || c != nil && len(p.data) >= minPacked {
			return false
		}
		c = identity
	}
	if o.succeed(w, r) {
		w.finish(w.sendPacked(p, c))
	}
	return true
}

// maxPrepared is the greatest number of sites of a market whose exports are prepared.
// Those of a larger market would take a minute of a core and hundreds of megabytes: they
// are compressed while they are sent.
const maxPrepared = 1_000_000

// Prepare compresses one by one the first tiles that a map asks for, and the whole exports of set,
// so that they need only be sent. It takes seconds and stops when ctx ends. It leaves out exports
// of markets of over a million sites.
func (s *Server) Prepare(ctx context.Context, set *index.Set) error {
	ready := prepared{}
	withKey := &api.Env{Catalog: catalog.Catalog{Set: set}}
	keyless := &api.Env{Catalog: catalog.Catalog{Set: set}}
	keyless.WithoutKey()
	for _, call := range api.FirstTiles(set) {
		for _, env := range []*api.Env{withKey, keyless} {
			if err := ready.add(ctx, env, call); err != nil {
				return err
			}
		}
	}
	s.publish(set, ready)
	for _, call := range api.WholeExports(set, maxPrepared) {
		if err := ready.add(ctx, withKey, call); err != nil {
			return err
		}
	}
	s.publish(set, ready)
	return nil
}

// publish makes the server send what is ready, unless set has been replaced.
func (s *Server) publish(set *index.Set, ready prepared) {
	if now := s.set.Load(); now != nil && now.Version == set.Version {
		s.prepared.Store(new(maps.Clone(ready)))
	}
}

// add adds the answer of a call in all codings. What a caller without a key may not have is left out.
func (ready prepared) add(ctx context.Context, env *api.Env, call *endpoint.Call[*api.Env]) error {
	asked := answerKey{env.Freshness(call).Version, call.Key}
	if ready[cacheKey{asked, codings[0]}] != nil {
		return nil
	}
	a, err := (&question{call, env, asked}).answer(ctx)
	if err != nil {
		if env.Keyless {
			return nil
		}
		return err
	}
	for _, c := range codings {
		p, err := c.inMemory(a.Stoppable(ctx), true)
		if err != nil {
			return err
		}
		p.prepared = true
		ready[cacheKey{asked, c}] = p
	}
	return nil
}
