package mcp

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
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

// callerKey is the context key of the caller.
type callerKey struct{}

// handOver passes the request to the SDK: with the caller in the SDK's own form, and without
// the credential, which no tool must see.
func (s *Server) handOver(w http.ResponseWriter, r *http.Request, c *caller) {
	r.Header.Del("X-API-Key")
	if c == nil {
		r.Header.Del("Authorization")
		s.Stream.ServeHTTP(w, r)
		return
	}
	r.Header.Set("Authorization", "Bearer verified")
	s.signedIn.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, c)))
}

// verifiedToken is the SDK's token verifier. The token was already verified.
func verifiedToken(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
	c, ok := ctx.Value(callerKey{}).(*caller)
	if !ok {
		return nil, auth.ErrInvalidToken
	}
	return &auth.TokenInfo{UserID: c.ID, Extra: map[string]any{"caller": c}}, nil
}
