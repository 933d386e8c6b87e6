package mcp

import (
	"net/http"
	"strconv"
	"time"
)

// Headers of pages of our own origins.
const (
	allowMethods  = "GET, POST, DELETE"
	allowHeaders  = "Authorization, Content-Type, Accept, Mcp-Session-Id, Mcp-Protocol-Version, Last-Event-Id"
	exposeHeaders = "Mcp-Session-Id, WWW-Authenticate, Retry-After"
)

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if why, ok := s.guard.allows(r); !ok {
		http.Error(w, why, http.StatusForbidden)
		return
	}
	h := w.Header()
	if origin := r.Header.Get("Origin"); origin != "" {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", exposeHeaders)
		h.Add("Vary", "Origin")
	}
	if r.Method == http.MethodOptions {
		h.Set("Access-Control-Allow-Methods", allowMethods)
		h.Set("Access-Control-Allow-Headers", allowHeaders)
		h.Set("Access-Control-Max-Age", "600")
		w.WriteHeader(http.StatusNoContent)
		return
	}
	h.Set("Cache-Control", "no-store")
	now := time.Now()
	if s.messages.Add(s.Address(r), now) > messages*s.Minute {
		tooMany(w, now)
		return
	}
	if r.Method == http.MethodGet { // a stream that stays open
		_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
	}
	s.stream.ServeHTTP(w, r)
}

func tooMany(w http.ResponseWriter, now time.Time) {
	w.Header().Set("Retry-After", strconv.Itoa(wait(now)))
	http.Error(w, "too many messages from this address in this minute", http.StatusTooManyRequests)
}

// wait is the time to the next minute, in seconds.
func wait(now time.Time) int { return 60 - now.Second() }
