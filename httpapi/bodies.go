package httpapi

import (
	"sync"
	"time"

	"relais/access"
	"relais/limit"
)

// How many bodies are held at a time.
const (
	maxBodies       = 32 // in all
	maxClientBodies = 4  // for a SERVER client
	maxPublicBodies = 8  // for a BROWSER or MOBILE client, all its visitors together
	maxVisitBodies  = 2  // for one visitor of such a client

	// Of bodies whose signature is yet to be proven: anybody who has the key of a MOBILE
	// client, which is in its app, can send them.
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

// bodies counts the bodies that are held, so that their memory and their files are
// bounded, whoever sends them. Those whose signature is not proven yet are not counted
// for the client, so that nobody without the secret takes the places of its users.
type bodies struct {
	pause, whole time.Duration // that a client may take for a piece, and for a body
	refused      time.Duration // for the rest of a body that was refused

	mu       sync.Mutex
	held     int
	byHolder map[string]int
}

func newBodies() *bodies {
	return &bodies{pause: bodyPause, whole: bodyWhole, refused: refusedTime, byHolder: map[string]int{}}
}

// A place is what a body counts for.
type place struct {
	bodies  *bodies
	holders []holder
	proven  []holder // for which it counts when its signature is proven; nil when it need not be
}

// A holder has a number of bodies at most.
type holder struct {
	name string
	most int
}

// newPlace is what a body that a client sends from an address counts for.
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

// acquire finds a place for a body, nil for none.
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

// prove has the body count for its client: the signature is right.
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

func (p *place) giveBack() {
	p.bodies.mu.Lock()
	defer p.bodies.mu.Unlock()
	p.bodies.held--
	p.bodies.add(p.holders, -1)
}

// A bodyDeadlines says how long a client may take for what comes next of a body.
type bodyDeadlines struct {
	pause time.Duration
	end   time.Time // of the whole body
	since time.Time // when the window of the rate began
	moved int64     // bytes that had come then
}

func (b *bodies) newDeadlines(now time.Time) *bodyDeadlines {
	return &bodyDeadlines{pause: b.pause, end: now.Add(b.whole), since: now}
}

// next is when the next piece of a body must be there, of which size bytes have come.
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
