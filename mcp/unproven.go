package mcp

import (
	"crypto/sha256"
	"errors"
	"net/netip"
	"sync"

	"relais/internal/limit"
)

// The most bodies that are read at a time before their signatures are checked: of one address,
// of its network and in all.
const (
	maxUnprovenOfLine    = 2
	maxUnprovenOfNetwork = 8
	maxUnproven          = 256
)

// errUnproven is the error for a body that is not read because too many others are.
var errUnproven = errors.New("too many bodies whose signatures are not checked")

// A bodyError is an error of reading the body of a client that signs.
type bodyError struct{ error }

// Unwrap returns the cause.
func (e *bodyError) Unwrap() error { return e.error }

// unprovenBodies counts the bodies that are being read before their signatures are checked.
type unprovenBodies struct {
	mu    sync.Mutex
	by    map[netip.Prefix]int // addresses and networks
	total int
}

// begin reports whether one more body may be read. If so, the caller must call end.
func (u *unprovenBodies) begin(line, network netip.Prefix) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.total >= maxUnproven || u.by[line] >= maxUnprovenOfLine || u.by[network] >= maxUnprovenOfNetwork {
		return false
	}
	u.total++
	u.by[line]++
	u.by[network]++
	return true
}

func (u *unprovenBodies) end(networks ...netip.Prefix) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.total--
	for _, p := range networks {
		if u.by[p]--; u.by[p] == 0 {
			delete(u.by, p)
		}
	}
}

// hashUnproven reads the body of a client that signs and returns its SHA-256. Its errors are
// of type *bodyError.
func (s *Server) hashUnproven(addr netip.Addr, read func() ([]byte, error)) (sum [sha256.Size]byte, err error) {
	line := limit.Line(addr)
	network := limit.Network(line)
	if !s.unproven.begin(line, network) {
		return sum, &bodyError{errUnproven}
	}
	defer s.unproven.end(line, network)
	body, err := read()
	if err != nil {
		return sum, &bodyError{err}
	}
	return sha256.Sum256(body), nil
}
