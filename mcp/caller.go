package mcp

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"
	"time"

	"relais/access"
	"relais/account"
)

// A Caller is somebody who signed in, or the client of an API key.
type Caller struct {
	account.Person
	Scopes []account.Scope
}

// identify finds whom the token or key of a request stands for, nil for a request
// without one. Errors: account.ErrGrant, account.ErrTarget and account.ErrDisabled, and
// those of access.
func (s *Server) identify(w http.ResponseWriter, r *http.Request, body []byte, now time.Time) (*Caller, error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	switch {
	case len(r.Header["Authorization"]) == 0 && len(r.Header["X-Api-Key"]) == 0:
		return nil, nil
	case strings.EqualFold(scheme, "Bearer") && !access.LikeKey(token):
		person, scopes, err := s.Accounts.Verify(token, s.Resource, now)
		return &Caller{person, scopes}, err
	}
	grant, err := s.Gate.Check(&access.Request{
		Time: now, Method: r.Method, Path: s.PublicPrefix + access.SentPath(r.URL), Address: s.Address(r),
		Authorization: r.Header["Authorization"], APIKey: r.Header["X-Api-Key"], Origin: r.Header["Origin"], FetchSite: r.Header["Sec-Fetch-Site"],
		Attestation: r.Header["X-Device-Attestation"], Signature: r.Header["X-Sq-Signature"], Scope: access.InternalAI,
		Body: func(*access.Client) ([sha256.Size]byte, error) { return sha256.Sum256(body), nil },
	})
	if s.Known != nil {
		s.Known(w, grant.Client, err)
	}
	if errors.Is(err, access.ErrRateLimited) {
		return nil, &quotaError{grant.Usage.RetryAfter(now)}
	} else if err != nil {
		return nil, err
	}
	person, err := s.Accounts.OfClient(grant.Client.ID, grant.Client.Name)
	return &Caller{person, account.Scopes}, err
}

// A quotaError is an access.ErrRateLimited, with the time until there is a quota again: the
// key's, or that of failures of the address.
type quotaError struct{ wait time.Duration }

func (e *quotaError) Error() string { return access.ErrRateLimited.Error() }

func (e *quotaError) Unwrap() error { return access.ErrRateLimited }

// caller is identify; it has answered when it says no.
func (s *Server) caller(w http.ResponseWriter, r *http.Request, body []byte, now time.Time) (*Caller, bool) {
	c, err := s.identify(w, r, body, now)
	is := func(list ...error) bool {
		for _, e := range list {
			if errors.Is(err, e) {
				return true
			}
		}
		return false
	}
	quota, spent := errors.AsType[*quotaError](err)
	switch {
	case err == nil:
		return c, true
	case spent:
		over(w, nil, max(1, int((quota.wait+time.Second-1)/time.Second)), "the API key's requests of this minute or day, or the address's failed ones, are used up")
	case is(access.ErrScope, access.ErrOrigin, access.ErrAddress):
		http.Error(w, "the API key may not call tools: it needs the scope internal:ai, and an origin and address of its client", http.StatusForbidden)
	case is(account.ErrReadOnly):
		http.Error(w, "this server's folder cannot be written to: an API key that is new to the tool server cannot sign in", http.StatusServiceUnavailable)
	case is(account.ErrGrant, account.ErrTarget, account.ErrDisabled, access.ErrInvalidKey, access.ErrKeyRequired, access.ErrSignature, access.ErrAttestation):
		s.challenge(w, http.StatusUnauthorized, "invalid_token", "", "the token or key is unknown, expired, revoked, not signed as it must be or not for this service")
	default:
		s.Log.Error("a credential could not be checked", "error", err)
		http.Error(w, "an internal error; the server's log has it", http.StatusInternalServerError)
	}
	return nil, false
}
