package httpapi

import (
	"math"
	"sync"

	"relais/access"
	"relais/endpoint"
	"relais/limit"
)

// Bounds of the answers that are under way. An answer is under way until its client has
// read it, which can take hours.
const (
	clientStreams = 4          // large answers of one client
	clientBytes   = 32 << 20   // of memory, for the answers of one client
	answerBytes   = 128 << 20  // of memory, for all answers: 32 streams
	streamBytes   = 4 << 20    // that an answer needs which is encoded while it is sent
	sentBytes     = chunkBytes // that sending needs, whatever is sent
	minCounted    = 32 << 10   // bytes of an answer below which it is not counted
)

// underway counts the answers that are under way, so that their memory is bounded however
// slowly they are read.
type underway struct {
	mu       sync.Mutex
	all      load
	byHolder map[string]load
}

func newUnderway() *underway { return &underway{byHolder: map[string]load{}} }

// A load is what answers need.
type load struct {
	streams int
	bytes   int64
}

func (l load) plus(o load) load { return load{l.streams + o.streams, l.bytes + o.bytes} }

// fits reports whether there is room for an answer beside those of now. A single answer
// may have more bytes than the bound.
func (l load) fits(now, most load) bool {
	sum := now.plus(l)
	return (l.streams == 0 || sum.streams <= most.streams) && (now.bytes == 0 || sum.bytes <= most.bytes)
}

// A share is what one holder may have under way.
type share struct {
	holder string
	most   load
}

// A reservation is one answer that is counted.
type reservation struct {
	underway *underway
	shares   []share
	load     load
}

// change has the answer count for l from now on, and reports whether it may.
func (h *reservation) change(l load) bool {
	h.underway.mu.Lock()
	defer h.underway.mu.Unlock()
	before := h.load
	h.set(load{}) // it is not in its own way
	ok := l.fits(h.underway.all, load{math.MaxInt, answerBytes})
	for _, s := range h.shares {
		ok = ok && l.fits(h.underway.byHolder[s.holder], s.most)
	}
	if !ok {
		l = before
	}
	h.set(l)
	return ok
}

func (h *reservation) set(l load) {
	more := load{l.streams - h.load.streams, l.bytes - h.load.bytes}
	h.load, h.underway.all = l, h.underway.all.plus(more)
	for _, s := range h.shares {
		if now := h.underway.byHolder[s.holder].plus(more); now != (load{}) {
			h.underway.byHolder[s.holder] = now
		} else {
			delete(h.underway.byHolder, s.holder)
		}
	}
}

// release ends the count. It may be called on nil, and more than once.
func (h *reservation) release() {
	if h == nil {
		return
	}
	h.underway.mu.Lock()
	defer h.underway.mu.Unlock()
	h.set(load{})
}

// shares are the holders for whom the answer of x counts: its client and, where one key is
// for many people, the visitor, who may have half of it.
func (x *exchange) shares() []share {
	visitor := share{"address " + limit.Subscriber(x.address).String(), load{clientStreams / 2, clientBytes / 2}}
	if x.client == nil {
		return []share{visitor}
	}
	client := share{x.client.ID, load{clientStreams, clientBytes}}
	if x.client.Mode == access.Server {
		return []share{client}
	}
	visitor.holder = x.client.ID + " " + visitor.holder
	return []share{client, visitor}
}

// reserve counts the answer of x, or counts it for something else than before, and reports
// whether there is room for it. A stream stays one.
func (x *exchange) reserve(l load) bool {
	h := x.reservation
	if h == nil {
		h = &reservation{underway: x.server.underway, shares: x.shares()}
	}
	l.streams = max(l.streams, h.load.streams)
	if !h.change(l) {
		return false
	}
	x.reservation = h
	return true
}

// reserveStream is count for a stream that is encoded while it is sent.
func (x *exchange) reserveStream(stream endpoint.Stream, size int64) bool {
	if size < 0 || size > maxHeld {
		return x.reserve(load{1, streamBytes})
	}
	if b, ok := stream.(endpoint.Bytes); ok {
		return x.reserveMemory(len(b))
	}
	return size < minCounted || x.reserve(load{0, sentBytes})
}

// reserveMemory is count for an answer that is in memory.
func (x *exchange) reserveMemory(size int) bool {
	return x.reservation == nil && size < minCounted || x.reserve(load{0, sentBytes + int64(size)})
}
