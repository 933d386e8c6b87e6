package mcp

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"relais/limit"
)

// Bounds of the sessions that live at a time: of all, of those that nobody known began, and
// of one person or, without one, of one address.
const (
	maxSessions   = 5000
	maxAnonymous  = 4000 // which leaves room for callers with a credential
	ownSessions   = 500
	sessionHeader = "Mcp-Session-Id"
)

// A session without a second message may be one whose client never got its id. After
// unusedIdle it is the first to end when sessions run out, after unusedTimeout it ends.
const (
	unusedIdle    = 10 * time.Second
	unusedTimeout = time.Minute
)

// begins reports whether a request begins a session.
func begins(r *http.Request) bool {
	return r.Method == http.MethodPost && r.Header.Get(sessionHeader) == "" && !standsAlone(r)
}

// ownerOf is by whom sessions are counted.
func ownerOf(c *Caller, address netip.Addr) owner {
	if c != nil {
		return owner{id: c.ID, known: true}
	}
	line := limit.Line(address)
	network := limit.Network(line)
	return owner{id: address.String(), network: network, provider: limit.Provider(network)}
}

// ownerKey is the key of a session's owner in the context of the request that begins it. The
// library keeps the values of that context for the session.
type ownerKey struct{}

// begin prepares a request that begins a session. It has answered when the owner has too many.
func (s *Server) begin(w http.ResponseWriter, r *http.Request, p peeked, o owner) (*http.Request, bool) {
	if s.sessions.count(o) >= ownSessions {
		s.sessions.keep(s.server.Sessions) // those that ended are not counted
	}
	if s.sessions.count(o) >= ownSessions {
		message := fmt.Sprintf("over %d sessions at a time: end those that are over, with DELETE", ownSessions)
		refuse(w, http.StatusTooManyRequests, p.id, overLimit, message)
		return nil, false
	}
	return r.WithContext(context.WithValue(r.Context(), ownerKey{}, o)), true
}

// noteSessions counts each session once its client is introduced.
func (s *Server) noteSessions(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, req)
		session, ok := req.GetSession().(*sdk.ServerSession)
		owner, begun := ctx.Value(ownerKey{}).(owner)
		if method != "initialize" || err != nil || !ok || !begun {
			return result, err
		}
		for _, ended := range s.sessions.add(session.ID(), session, owner, time.Now()) {
			go ended.Close() // Close waits for what the session still answers
		}
		time.AfterFunc(unusedTimeout, func() { s.sessions.endUnused(session.ID()) })
		return result, nil
	}
}

// use notes that a session is in use until end is called.
func (s *Server) use(r *http.Request) (end func()) {
	id := r.Header.Get(sessionHeader)
	switch r.Method {
	case http.MethodPost:
		s.sessions.use(id, time.Now(), 1)
		return func() { s.sessions.use(id, time.Now(), -1) }
	case http.MethodDelete:
		return func() { s.sessions.deleted(id, s.server.Sessions) }
	}
	return func() {}
}
