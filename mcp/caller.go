package mcp

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"relais/api"
	"relais/auth/access"
	"relais/auth/account"
	"relais/internal/store"
)

// A caller is a person who signed in, or the client of an API key.
type caller struct {
	account.Person
	Scopes []account.Scope
}

// identify returns the owner of the token or key of a request, nil for a request without one.
// It reads the body only for clients that sign. Errors: account.ErrGrant, account.ErrTarget,
// account.ErrDisabled, account.ErrLost, store.ErrAway, those of package access, and a *bodyError.
func (s *Server) identify(r *http.Request, read func() ([]byte, error), now time.Time) (*caller, error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	switch {
	case len(r.Header["Authorization"]) == 0 && len(r.Header["X-Api-Key"]) == 0:
		return nil, nil
	case strings.EqualFold(scheme, "Bearer") && !access.LikeKey(token):
		if s.Failed(api.DataPeople) != nil {
			return nil, errNoPeople
		}
		person, scopes, err := s.verify(r.Context(), token, now)
		return &caller{person, scopes}, err
	}
	grant, err := s.Gate.Check(&access.Request{
		Time: now, Method: r.Method, Path: s.PublicPrefix + access.SentPath(r.URL), Address: s.Address(r),
		Authorization: r.Header["Authorization"], APIKey: r.Header["X-Api-Key"],
		Origin: r.Header["Origin"], FetchSite: r.Header["Sec-Fetch-Site"],
		Attestation: r.Header["X-Device-Attestation"], Signature: r.Header["X-Sq-Signature"],
		Scope: access.InternalAI,
		Body:  func(*access.Client) ([sha256.Size]byte, error) { return s.hashUnproven(s.Address(r), read) },
	})
	if s.NoteClient != nil {
		s.NoteClient(r.Context(), grant.Client, err)
	}
	if errors.Is(err, access.ErrRateLimited) {
		return nil, &quotaError{grant.Usage.RetryAfter(now)}
	} else if err != nil {
		return nil, err
	}
	if s.Failed(api.DataPeople) != nil {
		return nil, errNoPeople
	}
	person, err := s.Accounts.OfClient(grant.Client.ID, grant.Client.Name)
	scopes := account.Scopes
	if !grant.Client.Partner {
		scopes = []account.Scope{account.Read}
	}
	return &caller{person, scopes}, err
}

// verify returns the person of a token, also of one that another server has made just now.
func (s *Server) verify(ctx context.Context, token string, now time.Time) (account.Person, []account.Scope, error) {
	person, scopes, err := s.Accounts.Verify(token, s.Resource, now)
	if !errors.Is(err, account.ErrGrant) {
		return person, scopes, err
	}
	if err := s.Accounts.Fresh(ctx); err != nil {
		return person, nil, err
	}
	return s.Accounts.Verify(token, s.Resource, now)
}

// errNoPeople is the error for a credential while the accounts cannot be used.
var errNoPeople = errors.New("the accounts of people cannot be read")

// A quotaError is an access.ErrRateLimited with the time until the quota is renewed: that of
// the key, or that of failures of the address.
type quotaError struct{ wait time.Duration }

func (e *quotaError) Error() string { return access.ErrRateLimited.Error() }

func (e *quotaError) Unwrap() error { return access.ErrRateLimited }

// caller identifies the caller. It has answered when it returns false. A refused credential
// counts as a message of its address.
func (s *Server) caller(
	w http.ResponseWriter, r *http.Request, read func() ([]byte, error), address netip.Addr, now time.Time,
) (*caller, bool) {
	c, err := s.identify(r, read, now)
	if err == nil {
		return c, true
	}
	unknown := isAny(err, account.ErrGrant, account.ErrTarget, account.ErrDisabled,
		access.ErrInvalidKey, access.ErrKeyRequired, access.ErrSignature, access.ErrAttestation)
	quota, overQuota := errors.AsType[*quotaError](err)
	broken, isBody := errors.AsType[*bodyError](err)
	switch {
	case (unknown || isBody) && !s.countMessages(nil, address, 1, now):
		s.refuseTooMany(w, nil, now)
	case overQuota:
		seconds := max(1, int((quota.wait+time.Second-1)/time.Second))
		refuseOverLimit(w, nil, seconds, "the quota of the API key or of this address is used up")
	case isBody:
		if !errors.Is(err, errUnproven) {
			s.Gate.Failures.Add(address, now) // forged signatures would hold bodies at no cost otherwise
		}
		refuseBody(w, broken.error)
	case isAny(err, access.ErrUnavailable, account.ErrLost, errNoPeople):
		w.Header().Set("Retry-After", "60")
		http.Error(w, "this server cannot read its API keys or accounts at the moment; "+
			"its operator finds the cause in its log, or with relais check", http.StatusServiceUnavailable)
	case isAny(err, store.ErrAway, store.ErrRewound, store.ErrUnknown):
		s.Log.Warn("a credential that this server does not know cannot be checked", "error", err)
		w.Header().Set("Retry-After", "2")
		http.Error(w, "this server cannot reach the database that it shares, and does not know the token or key: "+
			"try again", http.StatusServiceUnavailable)
	case isAny(err, access.ErrScope, access.ErrOrigin, access.ErrAddress):
		http.Error(w, "the API key may not call tools: it needs the scope internal:ai, "+
			"and an origin and address of its client", http.StatusForbidden)
	case errors.Is(err, account.ErrReadOnly):
		http.Error(w, "the data folder of this server is read-only: an API key that never called tools "+
			"before cannot be used", http.StatusServiceUnavailable)
	case unknown:
		s.challenge(w, http.StatusUnauthorized, "invalid_token", "",
			"the token or key is unknown, expired, revoked, badly signed or for another service")
	default:
		s.Log.Error("checking a credential failed", "error", err)
		http.Error(w, "an internal error; the server's log has it", http.StatusInternalServerError)
	}
	return nil, false
}

func isAny(err error, targets ...error) bool {
	for _, target := range targets {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}
