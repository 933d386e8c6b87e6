package access

import (
	"net/netip"
	"sync/atomic"
)

// Hops notes senders of X-Forwarded-For, which show a wrong list of proxies. Nil notes nothing.
type Hops struct {
	unknown atomic.Pointer[netip.Addr]
	counts  [3]atomic.Int64
}

// SeenHops are the notes of Hops.
type SeenHops struct {
	// Unknown is the last sender of X-Forwarded-For that is not a trusted proxy, "" for none: the address
	// of a private network or of this machine, else only its network, because it may be a person's.
	Unknown string `json:"unknown,omitempty"`
	// Counts of requests: with that header from there; through trusted proxies, with and without it.
	FromUnknown int64 `json:"fromUnknown"`
	WithHeader  int64 `json:"withHeader"`
	NoHeader    int64 `json:"noHeader"`
}

// Note notes a request: the address that it came from, and its X-Forwarded-For.
func (h *Hops) Note(proxies Proxies, peer string, forwarded []string) {
	if h == nil || len(forwarded) == 0 && len(proxies) == 0 {
		return
	}
	addr := proxies.Client(peer, nil)
	trusted := Contains(proxies, addr)
	switch {
	case trusted && len(forwarded) > 0:
		h.counts[1].Add(1)
	case trusted:
		h.counts[2].Add(1)
	case len(forwarded) > 0:
		h.counts[0].Add(1)
		h.unknown.Store(&addr)
	}
}

// Seen returns the notes since the start.
func (h *Hops) Seen() (s SeenHops) {
	if h == nil {
		return s
	}
	s.FromUnknown, s.WithHeader, s.NoHeader = h.counts[0].Load(), h.counts[1].Load(), h.counts[2].Load()
	if addr := h.unknown.Load(); addr != nil {
		if s.Unknown = Shorten(*addr); addr.IsPrivate() || addr.IsLoopback() {
			s.Unknown = addr.String()
		}
	}
	return s
}
