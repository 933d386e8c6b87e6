package mcp

import (
	"crypto/sha256"
	"errors"
	"net/netip"
	"sync"

	"relais/limit"
)

// Bounds of the bodies that are read at a time before their signature is proven: of one
// address, of its network and of all.
const (
	unprovenOfLine    = 2
	unprovenOfNetwork = 8
	unprovenInAll     = 256
)

// errUnproven is of a body that is not read, as too many unproven ones are.
var errUnproven = errors.New("too many bodies whose signature is not proven")

// A bodyError is why the body of a client that signs could not be read.
type bodyError struct{ error }

// Unwrap returns the cause.
func (e *bodyError) Unwrap() error { return e.error }

// unproven counts the bodies that are read before their signature is proven.
type unproven struct {
	mu  sync.Mutex
	by  map[netip.Prefix]int // addresses and their networks
	all int
}

// begin reports whether one more may be read; end has to be called then.
func (u *unproven) begin(line, network netip.Prefix) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.all >= unprovenInAll || u.by[line] >= unprovenOfLine || u.by[network] >= unprovenOfNetwork {
		return false
	}
	u.all++
	u.by[line]++
	u.by[network]++
	return true
}

func (u *unproven) end(networks ...netip.Prefix) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.all--
	for _, p := range networks {
		if u.by[p]--; u.by[p] == 0 {
			delete(u.by, p)
		}
	}
}

// unprovenBody reads the body of a client that signs, and returns its SHA-256. Its errors
// are *bodyError.
func (s *Server) unprovenBody(addr netip.Addr, read func() ([]byte, error)) (sum [sha256.Size]byte, err error) {
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
