package mcp

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// challenge refuses a request that needs a credential, or another one, and says where to
// get one (RFC 6750, RFC 9728).
func (s *Server) challenge(w http.ResponseWriter, status int, code, scope, message string) {
	fields := []string{fmt.Sprintf("resource_metadata=%q", s.Metadata)}
	if scope != "" {
		fields = append(fields, fmt.Sprintf("scope=%q", scope))
	}
	if code != "" {
		fields = append(fields, fmt.Sprintf("error=%q", code), fmt.Sprintf("error_description=%q", message))
	}
	w.Header().Set("WWW-Authenticate", "Bearer "+strings.Join(fields, ", "))
	http.Error(w, message, status)
}

// callerKey is the context key of the caller, which is missing for an anonymous one.
type callerKey struct{}

// handOver passes the request to the SDK with the caller in its context, and without the credential, which no
// tool must see.
func (s *Server) handOver(w http.ResponseWriter, r *http.Request, c *caller) {
	r.Header.Del("X-API-Key")
	r.Header.Del("Authorization")
	if c != nil {
		r = r.WithContext(context.WithValue(r.Context(), callerKey{}, c))
	}
	s.Stream.ServeHTTP(w, r)
}
