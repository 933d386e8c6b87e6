package mcp

import (
	"crypto/sha256"
	"errors"
	"net/netip"

	"relais/internal/admit"
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

// hashUnproven reads the body of a client that signs and returns its SHA-256. Its errors are
// of type *bodyError.
func (s *Server) hashUnproven(addr netip.Addr, read func() ([]byte, error)) (sum [sha256.Size]byte, err error) {
	holder := func(name string, most int) admit.Holder {
		return admit.Holder{Name: name, Most: admit.Cost{Places: most}}
	}
	visitor, network := admit.Visitor("unproven", addr)
	claim := s.unproven.Claim(holder("unproven", maxUnproven), holder(visitor, maxUnprovenOfLine),
		holder(network, maxUnprovenOfNetwork))
	if !claim.Hold(admit.Cost{Places: 1}) {
		return sum, &bodyError{errUnproven}
	}
	defer claim.Release()
	body, err := read()
	if err != nil {
		return sum, &bodyError{err}
	}
	return sha256.Sum256(body), nil
}
