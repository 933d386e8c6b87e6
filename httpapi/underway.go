package httpapi

import (
	"relais/api/endpoint"
	"relais/auth/access"
	"relais/internal/admit"
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

// holders returns whom an answer to x counts for: its client and, where many people use one key, the
// visitor and the visitor's network. All readers of the map leave half to callers with a key, and so do
// callers who are not known.
func (x *exchange) holders() (group admit.Holder, members []admit.Holder) {
	group = admit.Holder{Name: "anonymous", Most: admit.Cost{Bytes: answerBytes / 2}}
	switch {
	case x.keyless:
		group.Name = x.client.ID
	case x.client != nil:
		group = admit.Holder{Name: x.client.ID, Most: admit.Cost{Places: clientStreams, Bytes: clientBytes}}
		if x.client.Mode == access.Server {
			return group, nil
		}
	}
	line := admit.Line(x.address)
	return group, []admit.Holder{
		{Name: group.Name + " " + line.String(), Most: admit.Cost{Places: clientStreams / 2, Bytes: clientBytes / 2}},
		{Name: group.Name + " " + admit.Network(line).String()},
	}
}

// payer returns whose time computing a quick answer to x takes: its client or, where many people use one key, the
// visitor and the visitor's network.
func (x *exchange) payer() admit.Payer {
	if x.client.Mode == access.Server {
		return admit.Payer{x.client.ID}
	}
	line := admit.Line(x.address)
	return admit.Payer{x.client.ID + " " + line.String(), x.client.ID + " " + admit.Network(line).String()}
}

// reserve makes cost what the answer to x holds, and reports whether there is room for it. A stream stays a
// stream.
func (x *exchange) reserve(cost admit.Cost) bool {
	if x.claim == nil {
		group, members := x.holders()
		x.claim = x.server.answers.Claim(group, members...)
	}
	cost.Places = max(cost.Places, x.claim.Cost().Places)
	return x.claim.Hold(cost)
}

// reserveStream is reserve for a stream that is encoded while it is sent.
func (x *exchange) reserveStream(stream endpoint.Stream, size int64) bool {
	if size < 0 || size > maxHeld {
		return x.reserve(admit.Cost{Places: 1, Bytes: streamBytes})
	}
	if b, ok := stream.(endpoint.Bytes); ok {
		return x.reserveMemory(len(b))
	}
	return size < minCounted || x.reserve(admit.Cost{Bytes: sentBytes})
}

// reserveMemory is reserve for an answer that is in memory.
func (x *exchange) reserveMemory(size int) bool {
	return x.claim.Cost() == (admit.Cost{}) && size < minCounted || x.reserve(admit.Cost{Bytes: sentBytes + int64(size)})
}
