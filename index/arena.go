package index

import (
	"sync"
	"sync/atomic"

	"relais/site"
	"relais/snapshot"
)

// An arena holds one text for each site, in the order of the sites, so that the texts of
// consecutive sites are one slice. It is a list of shards. A shard is written when one of its
// texts is first asked for.
type arena struct {
	snap   *snapshot.Snapshot
	writer func() Encode // makes what writes a shard
	shards []arenaShard
	length atomic.Int64 // of all texts, 0 before all of them were read
}

// shardSites is the number of sites in a shard, a power of two. Who asks for the first text of a
// shard waits until all of it is written.
const (
	shardBits  = 10
	shardSites = 1 << shardBits
)

type arenaShard struct {
	writing sync.Mutex
	written atomic.Pointer[shard] // nil before it is asked for
}

type shard struct {
	text []byte
	end  [shardSites]int
}

func newArena(snap *snapshot.Snapshot, writer func() Encode) *arena {
	return &arena{snap: snap, writer: writer, shards: make([]arenaShard, ceilDiv(snap.Len(), shardSites))}
}

func ceilDiv(n, d int) int { return (n + d - 1) / d }

// text returns the text of site i.
func (a *arena) text(i uint32) []byte { return a.run(i, i+1) }

// run returns the texts of sites from to to-1 as one slice. They must be in one shard.
func (a *arena) run(from, to uint32) []byte {
	return a.shard(from>>shardBits).run(from, to)
}

func (s *shard) run(from, to uint32) []byte {
	k := from & (shardSites - 1)
	start := 0
	if k > 0 {
		start = s.end[k-1]
	}
	return s.text[start:s.end[(to-1)&(shardSites-1)]]
}

// shard returns a shard, which it writes and keeps if nobody has asked for it.
func (a *arena) shard(k uint32) *shard {
	s := &a.shards[k]
	if w := s.written.Load(); w != nil {
		return w
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	w := s.written.Load()
	if w == nil {
		w = a.write(int(k))
		s.written.Store(w)
	}
	return w
}

// all yields the texts of all sites, a shard at a time. It keeps no shard that it writes: an export
// would fill the memory with what nobody may ask for again.
func (a *arena) all(yield func(text []byte) bool) {
	length := int64(0)
	for k := range a.shards {
		w := a.shards[k].written.Load()
		if w == nil {
			w = a.write(k)
		}
		length += int64(len(w.text))
		if !yield(w.text) {
			return
		}
	}
	a.length.Store(length)
}

// writeAll writes all shards, on as many goroutines as GOMAXPROCS.
func (a *arena) writeAll() {
	jobs := make([]func(), len(a.shards))
	for k := range jobs {
		jobs[k] = func() { a.shard(uint32(k)) }
	}
	runParallel(jobs)
}

// buffers are for texts whose length is not known yet.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

func (a *arena) write(k int) *shard {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	text := (*buffer)[:0]
	w, appendText := &shard{}, a.writer()
	var s site.Site
	from := k * shardSites
	for i := from; i < min(from+shardSites, a.snap.Len()); i++ {
		a.snap.Site(i, &s)
		text = appendText(text, &s)
		w.end[i-from] = len(text)
	}
	w.text, *buffer = append(make([]byte, 0, len(text)), text...), text
	return w
}

// bytes returns the memory of the texts.
func (a *arena) bytes() (n int64) {
	for k := range a.shards {
		if w := a.shards[k].written.Load(); w != nil {
			n += int64(len(w.text))
		}
	}
	return n
}
