package mcp

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"relais/internal/limit"
)

const sessionHeader = "Mcp-Session-Id"

// The most sessions at a time: of all callers, of anonymous callers, and of one person or, for
// an anonymous caller, of one address.
const (
	maxSessions  = 5000
	maxAnonymous = 4000 // which leaves room for known callers
	maxOwn       = 500
)

// A session without a second message may belong to a client that never received its id. After
// unusedIdle it is the first to end when sessions run out, and after unusedTimeout it ends.
const (
	unusedIdle    = 10 * time.Second
	unusedTimeout = time.Minute
)

// beginsSession reports whether a request begins a session.
func (s *Server) beginsSession(r *http.Request) bool {
	return r.Method == http.MethodPost && r.Header.Get(sessionHeader) == "" && !s.isStateless(r)
}

// ownerOf returns the owner whose sessions are counted together.
func ownerOf(c *caller, address netip.Addr) owner {
	if c != nil {
		return owner{id: c.ID, known: true}
	}
	line := limit.Line(address)
	network := limit.Network(line)
	return owner{id: address.String(), network: network, provider: limit.Provider(network)}
}

// ownerKey is the context key of a session's owner. The SDK keeps the context values of the
// request that begins a session for as long as the session lives.
type ownerKey struct{}

// beginSession prepares a request that begins a session. When the owner has too many sessions,
// it answers the request and returns false.
func (s *Server) beginSession(
	w http.ResponseWriter, r *http.Request, sum bodySummary, o owner,
) (*http.Request, bool) {
	if s.sessions.count(o) >= maxOwn {
		s.sessions.dropEnded(s.server.Sessions)
	}
	if s.sessions.count(o) >= maxOwn {
		message := fmt.Sprintf("over %d sessions at a time: end unused ones with DELETE", maxOwn)
		refuse(w, http.StatusTooManyRequests, sum.id, codeOverLimit, message)
		return nil, false
	}
	return r.WithContext(context.WithValue(r.Context(), ownerKey{}, o)), true
}

// countSessions is a middleware that counts each session once it is initialized.
func (s *Server) countSessions(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, req)
		session, ok := req.GetSession().(*sdk.ServerSession)
		owner, begins := ctx.Value(ownerKey{}).(owner)
		if method != "initialize" || err != nil || !ok || !begins {
			return result, err
		}
		for _, ended := range s.sessions.add(session.ID(), session, owner, time.Now()) {
			go ended.Close() // Close waits for the answers under way
		}
		time.AfterFunc(unusedTimeout, func() { s.sessions.endUnused(session.ID()) })
		return result, nil
	}
}

// noteUse notes that a request uses its session. The caller must call end when it is answered.
func (s *Server) noteUse(r *http.Request) (end func()) {
	id := r.Header.Get(sessionHeader)
	switch r.Method {
	case http.MethodPost:
		s.sessions.noteUse(id, time.Now(), 1)
		return func() { s.sessions.noteUse(id, time.Now(), -1) }
	case http.MethodDelete:
		return func() { s.sessions.dropDeleted(id, s.server.Sessions) }
	}
	return func() {}
}
