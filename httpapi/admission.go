package httpapi

import (
	"context"
	"errors"

	"relais/api"
	"relais/auth/access"
	"relais/internal/admit"
)

// A share is what the holders of a pool may have each.
type share struct {
	server  admit.Cost // a SERVER client
	public  admit.Cost // another client, all its visitors together
	visitor admit.Cost // of such a client
	unknown admit.Cost // all readers of the map together, and all callers who are not known
}

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

// ofAnswers is shared by answers. Callers who are not known leave half to callers with a key.
var ofAnswers = &share{server: admit.Cost{Places: clientStreams, Bytes: clientBytes},
	public:  admit.Cost{Places: clientStreams, Bytes: clientBytes},
	visitor: admit.Cost{Places: clientStreams / 2, Bytes: clientBytes / 2}, unknown: admit.Cost{Bytes: answerBytes / 2}}

// Bounds of the bodies that are held at a time.
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

var ofBodies = &share{server: nPlaces(maxClientBodies), public: nPlaces(maxPublicBodies), visitor: nPlaces(maxVisitBodies)}

func nPlaces(n int) admit.Cost { return admit.Cost{Places: n} }

// holders returns who something of r counts for: its client and, where many people use one key, the
// visitor and the visitor's network.
func (r *request) holders(client *access.Client, of *share) (group admit.Holder, members []admit.Holder) {
	switch {
	case client == nil:
		group = admit.Holder{Name: "anonymous", Most: of.unknown}
	case r.keyless:
		group = admit.Holder{Name: client.ID, Most: of.unknown}
	case client.Mode == access.Server: // its own addresses
		return admit.Holder{Name: client.ID, Most: of.server}, nil
	default:
		group = admit.Holder{Name: client.ID, Most: of.public}
	}
	return group, r.visitor(group.Name, of.visitor)
}

// visitor returns the holders who send r: a subscriber, who may hold most, and the network.
func (r *request) visitor(group string, most admit.Cost) []admit.Holder {
	line := admit.Line(r.address)
	return []admit.Holder{{Name: group + " " + line.String(), Most: most},
		{Name: group + " " + admit.Network(line).String()}}
}

// payer returns whose time computing something small for r takes: those of its holders who send it.
func (r *request) payer() admit.Payer {
	group, members := r.holders(r.client, ofAnswers)
	if members == nil {
		return admit.Payer{group.Name}
	}
	return admit.Payer{members[0].Name, members[1].Name}
}

// reserve makes cost what the answer holds, and reports whether there is room for it. A stream stays a
// stream.
func (w *answer) reserve(cost admit.Cost) bool {
	if w.claim == nil {
		group, members := w.request.holders(w.request.client, ofAnswers)
		w.claim = w.request.server.answers.Claim(group, members...)
	}
	cost.Places = max(cost.Places, w.claim.Cost().Places)
	return w.claim.Hold(cost)
}

// reserveMemory is reserve for an answer that is in memory.
func (w *answer) reserveMemory(size int) bool {
	return w.claim.Cost() == (admit.Cost{}) && size < minCounted || w.reserve(admit.Cost{Bytes: sentBytes + int64(size)})
}

// begin waits for a turn of one of the payers. Its errors are api.ErrTooManyWaiting and the context's.
func begin(ctx context.Context, turns *admit.Turns, payers func() []admit.Payer) (*admit.Turn, error) {
	turn, err := turns.Begin(ctx, payers)
	if errors.Is(err, admit.ErrBusy) {
		return nil, api.ErrTooManyWaiting
	}
	return turn, err
}

// one returns a payer who pays alone.
func one(p ...string) func() []admit.Payer {
	list := []admit.Payer{p}
	return func() []admit.Payer { return list }
}
