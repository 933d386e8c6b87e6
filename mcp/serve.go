package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"relais/account"
	"relais/limit"
	"relais/view"
)

// Headers of pages of our own origins.
const (
	allowMethods  = "GET, POST, DELETE"
	allowHeaders  = "Authorization, X-API-Key, Content-Type, Accept, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-Id"
	exposeHeaders = "Mcp-Session-Id, WWW-Authenticate, Retry-After"
)

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if why, ok := s.guard.allows(r); !ok {
		http.Error(w, why, http.StatusForbidden)
		return
	}
	share(w.Header(), r)
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	now, address := time.Now(), limit.Subscriber(s.Address(r))
	read := sync.OnceValues(func() ([]byte, error) { return io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody)) })
	caller, ok := s.caller(w, r, read, address, now)
	if !ok {
		return
	}
	if !s.withinMessages(caller, address, now) {
		s.tooMany(w, nil, now)
		return
	}
	body, err := read()
	if err != nil {
		refuseBody(w, err)
		return
	}
	var p peeked
	if r.Method == http.MethodPost && len(body) > 0 {
		if p, err = s.peek(body); err != nil {
			refuse(w, http.StatusBadRequest, nil, jsonrpc.CodeParseError, "the body is no JSON-RPC message, or one of a batch is none: "+err.Error())
			return
		}
	}
	if !s.may(w, caller, p) || !s.within(w, caller, address, p, now) {
		return
	}
	if begins(r) {
		if r, ok = s.begin(w, r, p, ownerOf(caller, address)); !ok {
			return
		}
	}
	defer s.use(r)()
	r.Body = io.NopCloser(bytes.NewReader(body))
	if r.Method == http.MethodGet {
		var cancel context.CancelFunc
		r, cancel = s.open(w, r)
		defer cancel()
	}
	s.handOver(w, r, caller)
}

// open is a request whose stream stays open, until the client or the server ends.
func (s *Server) open(w http.ResponseWriter, r *http.Request) (*http.Request, context.CancelFunc) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
	ctx, cancel := context.WithCancel(r.Context())
	go func() {
		defer cancel()
		select {
		case <-s.Ending:
		case <-ctx.Done():
		}
	}()
	return r.WithContext(ctx), cancel
}

// share lets a page of an origin that the guard allows read the answer.
func share(h http.Header, r *http.Request) {
	h.Set("Cache-Control", "no-store")
	origin := r.Header.Get("Origin")
	if origin == "" {
		return
	}
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", exposeHeaders)
	if r.Method == http.MethodOptions {
		h.Set("Access-Control-Allow-Methods", allowMethods)
		h.Set("Access-Control-Allow-Headers", allowHeaders)
		h.Set("Access-Control-Max-Age", "600")
	}
}

func refuseBody(w http.ResponseWriter, err error) {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		http.Error(w, fmt.Sprintf("a message has at most %d bytes", maxBody), http.StatusRequestEntityTooLarge)
		return
	case errors.Is(err, errUnproven):
		w.Header().Set("Retry-After", "5")
		http.Error(w, "the messages of this address whose signatures are still to be checked are too many: come back in a moment", http.StatusServiceUnavailable)
		return
	}
	http.Error(w, "the body could not be read", http.StatusBadRequest)
}

// may tells whether the caller may send what was peeked at.
func (s *Server) may(w http.ResponseWriter, c *Caller, p peeked) bool {
	if c == nil {
		if !s.RequireAuth && len(p.needs) == 0 {
			return true
		}
		scopes := account.Scopes[:1]
		if slices.Contains(p.needs, account.Write) {
			scopes = account.Scopes
		}
		s.challenge(w, http.StatusUnauthorized, "", account.JoinScopes(scopes), "sign in: an access token, or an API key with the scope internal:ai")
		return false
	}
	for _, scope := range p.needs {
		if !slices.Contains(c.Scopes, scope) && c.Client != "" {
			http.Error(w, "this API client is no partner and may not submit: whoever runs the service makes one with relais client create --partner", http.StatusForbidden)
			return false
		}
		if !slices.Contains(c.Scopes, scope) {
			s.challenge(w, http.StatusForbidden, "insufficient_scope", account.JoinScopes(account.Scopes), "the token does not have the scope "+string(scope))
			return false
		}
	}
	return true
}

// withinMessages counts a message and reports whether it is within the limit. A caller
// who is known is counted as that person, wherever the message comes from: what others at
// the address do counts for nobody known.
func (s *Server) withinMessages(c *Caller, address netip.Addr, now time.Time) bool {
	if c != nil {
		return s.messagesOf.Add(c.ID, now) <= messages*s.Minute
	}
	return s.messages.Add(address, now) <= messages*s.Minute
}

// within counts the messages of a body but the first, which was counted before it was
// read, and its calls, and reports whether they are within the limits: those of the
// person or, without one, of the address.
func (s *Server) within(w http.ResponseWriter, c *Caller, address netip.Addr, p peeked, now time.Time) bool {
	for range p.messages - 1 {
		if !s.withinMessages(c, address, now) {
			s.tooMany(w, p.id, now)
			return false
		}
	}
	for range p.calls {
		n := 0
		if c != nil {
			n = s.byPerson.Add(c.ID, now)
		} else {
			n = s.byAddress.Add(address, now)
		}
		if n > s.Minute {
			s.tooMany(w, p.id, now)
			return false
		}
	}
	return true
}

// tooMany refuses what is over a limit of the tool server's.
func (s *Server) tooMany(w http.ResponseWriter, id []byte, now time.Time) {
	over(w, id, 60-now.Second(), fmt.Sprintf("over the limit of %d calls a minute", s.Minute))
}

// over refuses what is over a limit, for so many seconds.
func over(w http.ResponseWriter, id []byte, seconds int, message string) {
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	refuse(w, http.StatusTooManyRequests, id, overLimit, fmt.Sprintf("%s: come back in %d seconds", message, seconds))
}

// overLimit is one of the error codes that JSON-RPC leaves to servers.
const overLimit = -32000

// refuse answers a message with an error; id may be nil.
func refuse(w http.ResponseWriter, status int, id []byte, code int, message string) {
	if len(id) == 0 {
		id = []byte("null")
	}
	text, _ := view.JSON(message) // it fails for no text
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, text)
}
