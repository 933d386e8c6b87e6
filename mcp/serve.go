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
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"relais/api/view"
	"relais/auth/account"
	"relais/internal/admit"
)

// Headers for pages of other origins that the guard allows.
var (
	allowMethods = "POST"
	allowHeaders = strings.Join([]string{
		"Authorization", "X-API-Key", "Content-Type", "Accept",
		"Mcp-Session-Id", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Last-Event-Id",
	}, ", ")
	exposeHeaders = "WWW-Authenticate, Retry-After"
)

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if reason, err := s.guard.allows(r); err != nil {
		if s.NoteClient != nil {
			s.NoteClient(r.Context(), nil, err)
		}
		http.Error(w, reason, http.StatusForbidden)
		return
	}
	setCORS(w.Header(), r)
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	names, err := s.chosen(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	now, address := time.Now(), admit.Subscriber(s.Address(r))
	read := sync.OnceValues(func() ([]byte, error) { return io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody)) })
	caller, ok := s.caller(w, r, read, address, now)
	if !ok {
		return
	}
	if !s.countMessages(caller, address, 1, now) {
		s.refuseTooMany(w, nil, now)
		return
	}
	body, err := read()
	if err != nil {
		refuseBody(w, err)
		return
	}
	var sum bodySummary
	if r.Method == http.MethodPost && len(body) > 0 {
		if sum, err = s.summarize(body); err != nil {
			message := "the body must be a JSON-RPC message or a batch of them: " + err.Error()
			refuse(w, http.StatusBadRequest, nil, jsonrpc.CodeParseError, message)
			return
		}
		s.NoteTools(r.Context(), strings.Join(sum.tools, ","))
	}
	if !s.authorize(w, caller, sum) || !s.countBody(w, caller, address, sum, now) {
		return
	}
	r = r.WithContext(context.WithValue(r.Context(), chosenKey{}, names))
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.handOver(w, r, caller)
}

// setCORS lets a page of an origin that the guard allows read the answer.
func setCORS(h http.Header, r *http.Request) {
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
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		http.Error(w, fmt.Sprintf("a message must have at most %d bytes", maxBody), http.StatusRequestEntityTooLarge)
	case errors.Is(err, errUnproven):
		w.Header().Set("Retry-After", "5")
		http.Error(w, "too many messages of this address wait for their signatures to be checked: "+
			"try again in 5 seconds", http.StatusServiceUnavailable)
	default:
		http.Error(w, "the body could not be read", http.StatusBadRequest)
	}
}

// authorize reports whether the caller may send a body. It has answered when it returns false.
func (s *Server) authorize(w http.ResponseWriter, c *caller, sum bodySummary) bool {
	if c == nil {
		if !s.RequireAuth && len(sum.scopes) == 0 {
			return true
		}
		scopes := account.Scopes[:1]
		if slices.Contains(sum.scopes, account.Write) {
			scopes = account.Scopes
		}
		s.challenge(w, http.StatusUnauthorized, "", account.JoinScopes(scopes),
			"sign in: send an access token, or an API key with the scope internal:ai")
		return false
	}
	for _, scope := range sum.scopes {
		switch {
		case slices.Contains(c.Scopes, scope):
			continue
		case c.Client != "":
			http.Error(w, "only partners may submit: ask the operator of this service for an API key "+
				"made with relais client create --partner", http.StatusForbidden)
		default:
			s.challenge(w, http.StatusForbidden, "insufficient_scope", account.JoinScopes(account.Scopes),
				"the token does not have the scope "+string(scope))
		}
		return false
	}
	return true
}

// countMessages counts messages of any sort, and reports whether they are within the limits. A known caller
// is counted as a person, from whatever address the messages come; others by address and network.
func (s *Server) countMessages(c *caller, address netip.Addr, n int, now time.Time) bool {
	most := messagesPerCall * s.Minute
	if c != nil {
		return s.messages.Take(now, n, admit.Limit{Name: c.ID, Most: most})
	}
	network := admit.Network(admit.Line(address)).String()
	return s.messages.Take(now, n, admit.Of(address, most), admit.Limit{Name: network, Most: addressesPerNetwork * most})
}

// countBody counts the messages of a body, except the first, which was counted before the body was
// read, and its calls. It reports whether they are within the limits of the person or, for an anonymous
// caller, of the address; it has answered when it returns false.
func (s *Server) countBody(w http.ResponseWriter, c *caller, address netip.Addr, sum bodySummary, now time.Time) bool {
	calls := admit.Of(address, s.Minute)
	if c != nil {
		calls.Name = c.ID
	}
	if !s.countMessages(c, address, max(0, sum.messages-1), now) || !s.calls.Take(now, sum.calls, calls) {
		s.refuseTooMany(w, sum.id, now)
		return false
	}
	return true
}

// refuseTooMany refuses a message over a limit of the tool server.
func (s *Server) refuseTooMany(w http.ResponseWriter, id []byte, now time.Time) {
	refuseOverLimit(w, id, 60-now.Second(), fmt.Sprintf("over the limit of %d calls a minute", s.Minute))
}

// refuseOverLimit refuses a message over a limit that is reset in so many seconds.
func refuseOverLimit(w http.ResponseWriter, id []byte, seconds int, message string) {
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	message = fmt.Sprintf("%s: try again in %d seconds", message, seconds)
	refuse(w, http.StatusTooManyRequests, id, codeOverLimit, message)
}

// codeOverLimit is one of the error codes that JSON-RPC leaves to servers.
const codeOverLimit = -32000

// refuse answers a message with an error. The id is that of the message, nil if unknown.
func refuse(w http.ResponseWriter, status int, id []byte, code int, message string) {
	if len(id) == 0 {
		id = []byte("null")
	}
	text, _ := view.JSON(message) // never fails for a string
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, text)
}
