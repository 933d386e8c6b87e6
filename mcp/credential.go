package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"relais/tools"
)

// What Options.Caller fails with. Any other error is internal.
var (
	// ErrCredential is the error of a token or key that does not count.
	ErrCredential = errors.New("the token or key is unknown, expired, revoked or not for this service")
	ErrScope      = errors.New("the key has not the scope internal:ai")
	ErrLimited    = errors.New("too many requests, or failed attempts: come back in the next minute")
)

// Scopes of access tokens.
const (
	ScopeRead  = "mcp:read"
	ScopeWrite = "mcp:write"
)

// A Caller is somebody who signed in.
type Caller struct {
	tools.Person
	Scopes  []string
	Expires time.Time // of the token; zero: it does not
}

// challenge refuses a request that needs a credential, or another one, and says where
// to get it (RFC 6750, RFC 9728).
func (s *Server) challenge(w http.ResponseWriter, status int, code, scope, message string) {
	fields := []string{fmt.Sprintf("resource_metadata=%q", s.BaseURL+metadataPath)}
	if scope != "" {
		fields = append(fields, fmt.Sprintf("scope=%q", scope))
	}
	if code != "" {
		fields = append(fields, fmt.Sprintf("error=%q", code), fmt.Sprintf("error_description=%q", message))
	}
	w.Header().Set("WWW-Authenticate", "Bearer "+strings.Join(fields, ", "))
	http.Error(w, message, status)
}

// metadataPath is where the metadata of this protected resource is (RFC 9728).
const metadataPath = "/.well-known/oauth-protected-resource/mcp"

// credential is the token or key of a request, "" for none.
func credential(r *http.Request) string {
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return token
	}
	return r.Header.Get("X-API-Key")
}

// callerKey is the key of a Caller in a context.
type callerKey struct{}

// handOver gives the request to the library, with the caller as the library knows one
// and without the credential, which no tool is to see.
func (s *Server) handOver(w http.ResponseWriter, r *http.Request, c *Caller) {
	r.Header.Del("X-API-Key")
	if c == nil {
		r.Header.Del("Authorization")
		s.stream.ServeHTTP(w, r)
		return
	}
	r.Header.Set("Authorization", "Bearer known")
	s.signedIn.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, c)))
}

// known is the library's token verifier: the token was verified already.
func known(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
	c, ok := ctx.Value(callerKey{}).(*Caller)
	if !ok {
		return nil, auth.ErrInvalidToken
	}
	return &auth.TokenInfo{UserID: c.ID, Scopes: c.Scopes, Expiration: c.Expires, Extra: map[string]any{"caller": c}}, nil
}
