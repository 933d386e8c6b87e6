package mcp

import (
	"fmt"
	"net/http"
	"net/netip"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Bounds of the sessions that live at a time: of all, and of one person or, without one,
// of one address. A session lives as long as messages come, so that without the second
// whoever is patient would have them all.
const (
	maxSessions = 5000
	ownSessions = 500
)

const sessionHeader = "Mcp-Session-Id"

// owners are who began the sessions that live.
type owners struct {
	mu sync.Mutex
	of map[string]string // by the session's id
}

// begins tells whether a request begins a session.
func begins(r *http.Request) bool {
	return r.Method == http.MethodPost && r.Header.Get(sessionHeader) == "" && !standsAlone(r)
}

// ownerOf is by whom sessions are counted.
func ownerOf(c *Caller, address netip.Addr) string {
	if c != nil {
		return c.ID
	}
	return address.String()
}

// room tells whether the owner may begin a session; it has answered when not.
func (s *Server) room(w http.ResponseWriter, owner string, p peeked) bool {
	switch all, own := s.living(owner); {
	case own >= ownSessions:
		refuse(w, http.StatusTooManyRequests, p.id, overLimit, fmt.Sprintf("over %d sessions at a time: end those that are over, with DELETE", ownSessions))
	case all >= maxSessions:
		refuse(w, http.StatusServiceUnavailable, p.id, jsonrpc.CodeInternalError, "there are too many sessions at the moment: come back later")
	default:
		return true
	}
	return false
}

// living counts the sessions that live, and those of an owner. It forgets the owners of
// the others.
func (s *Server) living(owner string) (all, own int) {
	s.owners.mu.Lock()
	defer s.owners.mu.Unlock()
	of := map[string]string{}
	for session := range s.server.Sessions() {
		all++
		if by, known := s.owners.of[session.ID()]; known {
			of[session.ID()] = by
			if by == owner {
				own++
			}
		}
	}
	s.owners.of = of
	return all, own
}

// own notes who began the session of an answer, which is none where that did not begin.
func (s *Server) own(h http.Header, owner string) {
	if id := h.Get(sessionHeader); id != "" {
		s.owners.mu.Lock()
		defer s.owners.mu.Unlock()
		s.owners.of[id] = owner
	}
}
