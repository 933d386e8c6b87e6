package mcp

import (
	"context"
	"crypto/rand"
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
	maxSessions     = 5000
	maxAnonymous    = 4000 // which leaves room for callers with a credential
	ownSessions     = 500
	unusedSession   = 10 * time.Second // after which a session without a second message is the first to end
	sessionHeader   = "Mcp-Session-Id"
	beginningHeader = "X-Relais-Session" // names the request that begins a session; a client's own is taken out
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

// begin makes room for a session that a request begins; it has answered when the owner has
// too many. The caller calls end when the request is done, before its answer is sent.
func (s *Server) begin(w http.ResponseWriter, r *http.Request, p peeked, o owner) (end func(), ok bool) {
	if s.sessions.of(o) >= ownSessions {
		s.sessions.keep(s.server.Sessions) // those that ended are not counted
	}
	if s.sessions.of(o) >= ownSessions {
		refuse(w, http.StatusTooManyRequests, p.id, overLimit,
			fmt.Sprintf("over %d sessions at a time: end those that are over, with DELETE", ownSessions))
		return nil, false
	}
	mark := rand.Text()
	r.Header.Set(beginningHeader, mark)
	b := &beginning{owner: o}
	s.beginnings.Store(mark, b)
	return func() {
		s.beginnings.Delete(mark)
		if r.Context().Err() != nil && !s.Fixture { // the client has gone, and does not learn the session's id
			s.sessions.end(b.session())
		}
	}, true
}

// noteSessions counts each session when its client is introduced: the answer may not have
// the session's id, as that of a client that has gone.
func (s *Server) noteSessions(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		session, ok := req.GetSession().(*sdk.ServerSession)
		if method != "initialize" || !ok || req.GetExtra() == nil {
			return next(ctx, method, req)
		}
		if v, ok := s.beginnings.Load(req.GetExtra().Header.Get(beginningHeader)); ok {
			b := v.(*beginning)
			for _, ended := range s.sessions.add(session.ID(), session, b.owner, time.Now()) {
				go ended.Close() // Close waits for what the session still answers
			}
			b.begun(session.ID())
		}
		return next(ctx, method, req)
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
