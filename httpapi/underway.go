package httpapi

import (
	"math"
	"sync"

	"relais/api/endpoint"
	"relais/auth/access"
	"relais/internal/limit"
)

// Bounds of the answers under way. An answer is under way until its client has read it,
// which can take hours.
const (
	clientStreams = 4          // large answers of one client
	clientBytes   = 32 << 20   // of memory, for the answers of one client
	answerBytes   = 128 << 20  // of memory, for all answers: 32 streams
	streamBytes   = 4 << 20    // of memory for an answer that is encoded while it is sent
	fileBytes     = 24 << 20   // of memory for a file that is made: over half of a client's, so it makes one at a time
	sentBytes     = chunkBytes // of memory for sending any answer
	minCounted    = 32 << 10   // bytes of the smallest answer that is counted
)

// underway counts the answers under way, to bound their memory even if they are read
// slowly.
type underway struct {
	mu       sync.Mutex
	all      load
	byHolder map[string]load
}

func newUnderway() *underway { return &underway{byHolder: map[string]load{}} }

// A load is what answers take up.
type load struct {
	streams int
	bytes   int64
}

func (l load) plus(o load) load { return load{l.streams + o.streams, l.bytes + o.bytes} }

// fits reports whether l may be added to the load now. A single answer may exceed the
// bound of bytes.
func (l load) fits(now, most load) bool {
	sum := now.plus(l)
	return (l.streams == 0 || sum.streams <= most.streams) && (now.bytes == 0 || sum.bytes <= most.bytes)
}

// A share is what one holder may have under way.
type share struct {
	holder string
	most   load
}

// A reservation is the load of one answer.
type reservation struct {
	underway *underway
	shares   []share
	load     load
}

// change sets the load to l if that fits, and reports whether it did.
func (h *reservation) change(l load) bool {
	h.underway.mu.Lock()
	defer h.underway.mu.Unlock()
	before := h.load
	h.set(load{}) // without its own old load
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

// release ends the reservation. It may be called on nil, and more than once.
func (h *reservation) release() {
	if h == nil {
		return
	}
	h.underway.mu.Lock()
	defer h.underway.mu.Unlock()
	h.set(load{})
}

// shares returns the holders that the answer of x counts for: its client and, where many
// people use one key, the visitor, who may have half of the client's share.
func (x *exchange) shares() []share {
	visitor := share{"address " + limit.Subscriber(x.address).String(), load{clientStreams / 2, clientBytes / 2}}
	switch {
	case x.client == nil:
		return []share{visitor}
	case x.keyless: // all readers of the map leave half to callers with a key
		visitor.holder = x.holder()
		return []share{{x.client.ID, load{math.MaxInt, answerBytes / 2}}, visitor}
	}
	client := share{x.client.ID, load{clientStreams, clientBytes}}
	if x.client.Mode == access.Server {
		return []share{client}
	}
	visitor.holder = x.client.ID + " " + visitor.holder
	return []share{client, visitor}
}

// holder is whom the work for x counts for: its client, or the address of a reader of the map.
func (x *exchange) holder() string {
	if x.keyless {
		return x.client.ID + " address " + limit.Subscriber(x.address).String()
	}
	return x.client.ID
}

// reserve sets the load of x's answer, and reports whether it fits. A stream stays a
// stream.
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

// reserveStream is reserve for a stream that is encoded while it is sent.
func (x *exchange) reserveStream(stream endpoint.Stream, size int64) bool {
	if size < 0 || size > maxHeld {
		return x.reserve(load{1, streamBytes})
	}
	if b, ok := stream.(endpoint.Bytes); ok {
		return x.reserveMemory(len(b))
	}
	return size < minCounted || x.reserve(load{0, sentBytes})
}

// reserveMemory is reserve for an answer that is in memory.
func (x *exchange) reserveMemory(size int) bool {
	return x.reservation == nil && size < minCounted || x.reserve(load{0, sentBytes + int64(size)})
}
