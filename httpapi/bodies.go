package httpapi

import (
	"sync"
	"time"

	"relais/auth/access"
	"relais/internal/limit"
)

// How many bodies are held at a time.
const (
	maxBodies       = 32 // in all
	maxClientBodies = 4  // for a SERVER client
	maxPublicBodies = 8  // for a BROWSER or MOBILE client, all its visitors together
	maxVisitBodies  = 2  // for one visitor of such a client

	// Bodies whose signature is not proven yet. Anybody can send them who has the key of a
	// MOBILE client, which is in its app.
	maxUnproven        = 24
	maxNetworkUnproven = 8 // from a /24, or a /48 of IPv6
	maxAddressUnproven = 2 // from one address, or a /64
)

// The time for a body.
const (
	bodyPause  = 10 * time.Second // for a piece
	bodyWhole  = 5 * time.Minute
	bodyWindow = 30 * time.Second // in which a body moves by bodyRate
	bodyRate   = 2000             // bytes a second
)

// bodies counts the bodies that are held, to bound their memory and files. A body whose
// signature is not proven yet does not count for its client: otherwise somebody without
// the secret could take the places of its users.
type bodies struct {
	pause, whole time.Duration // the longest time for one piece, and for the whole body
	refused      time.Duration // the longest time for the rest of a refused body

	mu       sync.Mutex
	held     int
	byHolder map[string]int
}

func newBodies() *bodies {
	return &bodies{pause: bodyPause, whole: bodyWhole, refused: refusedTime, byHolder: map[string]int{}}
}

// A place is one body in the counts of bodies.
type place struct {
	bodies  *bodies
	holders []holder
	proven  []holder // the holders once the signature is proven; nil for an unsigned body
}

// A holder may have at most so many bodies.
type holder struct {
	name string
	most int
}

// newPlace returns the place of a body that client sends.
func (b *bodies) newPlace(x *exchange, client *access.Client) *place {
	line := limit.Line(x.address)
	visitor := holder{client.ID + " " + line.String(), maxVisitBodies}
	switch {
	case client.Mode == access.Server: // the client's own addresses
		return &place{bodies: b, holders: []holder{{client.ID, maxClientBodies}}}
	case !client.Signs():
		return &place{bodies: b, holders: []holder{{client.ID, maxPublicBodies}, visitor}}
	}
	return &place{
		bodies: b,
		holders: []holder{{"unproven", maxUnproven}, {"unproven " + limit.Network(line).String(), maxNetworkUnproven},
			{"unproven " + line.String(), maxAddressUnproven}},
		proven: []holder{{client.ID, maxPublicBodies}, visitor},
	}
}

// acquire takes a place for a body. It returns nil when all places are taken.
func (b *bodies) acquire(x *exchange, client *access.Client) *place {
	p := b.newPlace(x, client)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held >= maxBodies || b.full(p.holders) || b.full(p.proven) {
		return nil
	}
	b.held++
	b.add(p.holders, 1)
	return p
}

func (b *bodies) full(holders []holder) bool {
	for _, h := range holders {
		if b.byHolder[h.name] >= h.most {
			return true
		}
	}
	return false
}

func (b *bodies) add(holders []holder, n int) {
	for _, h := range holders {
		if b.byHolder[h.name] += n; b.byHolder[h.name] == 0 {
			delete(b.byHolder, h.name)
		}
	}
}

// prove counts the body for its client from now on, because its signature is right.
func (p *place) prove() {
	if p.proven == nil {
		return
	}
	p.bodies.mu.Lock()
	defer p.bodies.mu.Unlock()
	p.bodies.add(p.holders, -1)
	p.bodies.add(p.proven, 1)
	p.holders, p.proven = p.proven, nil
}

func (p *place) release() {
	p.bodies.mu.Lock()
	defer p.bodies.mu.Unlock()
	p.bodies.held--
	p.bodies.add(p.holders, -1)
}

// bodyDeadlines computes how long a client may take for each piece of a body.
type bodyDeadlines struct {
	pause time.Duration
	end   time.Time // of the whole body
	since time.Time // start of the window in which the rate is measured
	moved int64     // bytes received before the window
}

func (b *bodies) newDeadlines(now time.Time) *bodyDeadlines {
	return &bodyDeadlines{pause: b.pause, end: now.Add(b.whole), since: now}
}

// next returns the deadline of the next piece. size is the number of bytes received so far.
func (p *bodyDeadlines) next(now time.Time, size int64) time.Time {
	if size-p.moved >= bodyRate*int64(bodyWindow/time.Second) {
		p.since, p.moved = now, size
	}
	next := now.Add(p.pause)
	for _, bound := range []time.Time{p.since.Add(bodyWindow), p.end} {
		if next.After(bound) {
			next = bound
		}
	}
	return next
}
