package httpapi

import (
	"time"

	"relais/auth/access"
	"relais/internal/admit"
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
	keptUnproven       = 8 // of them, for addresses that have proved a signature today
	maxAddressUnproven = 2 // from one address, or a /64
)

// The time for a body.
const (
	bodyPause  = 10 * time.Second // for a piece
	bodyWhole  = 5 * time.Minute
	bodyWindow = 30 * time.Second // in which a body moves by bodyRate
	bodyRate   = 2000             // bytes a second
)

// bodies bounds the bodies that are held, their memory and files. A body whose signature is not proven yet
// does not count for its client: otherwise somebody without the secret could take the places of its users.
type bodies struct {
	*admit.Pool
	pause, whole time.Duration // the longest time for one piece, and for the whole body
	refused      time.Duration // the longest time for the rest of a refused body
	proven       *admit.Rate   // addresses that proved a signature today
}

func newBodies() *bodies {
	return &bodies{Pool: admit.NewPool(admit.Cost{Places: maxBodies}), pause: bodyPause, whole: bodyWhole,
		refused: refusedTime, proven: admit.NewRate(24 * time.Hour)}
}

// A place is one body that is held.
type place struct {
	*admit.Claim
	bodies *bodies
	x      *exchange
	client *access.Client
	signed bool // the signature is to be proven
}

func bodiesOf(name string, n int) admit.Holder {
	return admit.Holder{Name: name, Most: admit.Cost{Places: n}}
}

// acquire takes a place for a body that client sends. It returns nil when no place is free.
func (b *bodies) acquire(x *exchange, client *access.Client) *place {
	p := &place{bodies: b, x: x, client: client, signed: client.Mode != access.Server && client.Signs()}
	group, members := p.holders()
	p.Claim = b.Claim(group, members...)
	if p.signed {
		if !p.Room(admit.Cost{Places: 1}) {
			return nil
		}
		line, most := admit.Line(x.address), maxUnproven
		if b.proven.Count(x.start, line.String()) == 0 {
			most -= keptUnproven
		}
		p.Claim = b.Claim(bodiesOf("unproven", most), bodiesOf("unproven "+line.String(), maxAddressUnproven),
			admit.Holder{Name: "unproven " + admit.Network(line).String()})
	}
	if !p.Hold(admit.Cost{Places: 1}) {
		return nil
	}
	return p
}

// holders returns whom the body counts for once it is known who sends it.
func (p *place) holders() (group admit.Holder, members []admit.Holder) {
	if p.client.Mode == access.Server { // the client's own addresses
		return bodiesOf(p.client.ID, maxClientBodies), nil
	}
	line := admit.Line(p.x.address)
	return bodiesOf(p.client.ID, maxPublicBodies), []admit.Holder{
		bodiesOf(p.client.ID+" "+line.String(), maxVisitBodies), {Name: p.client.ID + " " + admit.Network(line).String()}}
}

// prove counts the body for its client from now on, because its signature is right.
func (p *place) prove() {
	if !p.signed {
		return
	}
	p.bodies.proven.Add(p.x.start, admit.Line(p.x.address).String(), 1)
	group, members := p.holders()
	p.Move(group, members...)
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
