package mcp

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"relais/access"
	"relais/account"
	"relais/ops"
)

// A Caller is somebody who signed in, or the client of an API key.
type Caller struct {
	account.Person
	Scopes []account.Scope
}

// identify finds whom the token or key of a request stands for, nil for a request
// without one. It reads the body of a client that signs only. Errors: account.ErrGrant,
// account.ErrTarget, account.ErrDisabled and account.ErrLost, those of access, and a
// *bodyError.
func (s *Server) identify(w http.ResponseWriter, r *http.Request, read func() ([]byte, error), now time.Time) (*Caller, error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	switch {
	case len(r.Header["Authorization"]) == 0 && len(r.Header["X-Api-Key"]) == 0:
		return nil, nil
	case strings.EqualFold(scheme, "Bearer") && !access.LikeKey(token):
		if s.Failed[ops.DataPeople] != nil {
			return nil, errNoPeople
		}
		person, scopes, err := s.Accounts.Verify(token, s.Resource, now)
		return &Caller{person, scopes}, err
	}
	grant, err := s.Gate.Check(&access.Request{
		Time: now, Method: r.Method, Path: s.PublicPrefix + access.SentPath(r.URL), Address: s.Address(r),
		Authorization: r.Header["Authorization"], APIKey: r.Header["X-Api-Key"], Origin: r.Header["Origin"], FetchSite: r.Header["Sec-Fetch-Site"],
		Attestation: r.Header["X-Device-Attestation"], Signature: r.Header["X-Sq-Signature"], Scope: access.InternalAI,
		Body: func(*access.Client) ([sha256.Size]byte, error) { return s.unprovenBody(s.Address(r), read) },
	})
	if s.NoteClient != nil {
		s.NoteClient(r.Context(), grant.Client, err)
	}
	if errors.Is(err, access.ErrRateLimited) {
		return nil, &quotaError{grant.Usage.RetryAfter(now)}
	} else if err != nil {
		return nil, err
	}
	if s.Failed[ops.DataPeople] != nil {
		return nil, errNoPeople
	}
	if grant.Client.Mode == access.Browser { // made by an older version
		s.Log.Warn("a BROWSER client may not use the tool server: make a client of another mode", "client", grant.Client.ID, "name", grant.Client.Name)
		return nil, errBrowser
	}
	person, err := s.Accounts.OfClient(grant.Client.ID, grant.Client.Name)
	scopes := account.Scopes
	if !grant.Client.Partner {
		scopes = []account.Scope{account.Read}
	}
	return &Caller{person, scopes}, err
}

// errNoPeople says that nobody can be known, because the file of the accounts cannot be used.
var errNoPeople = errors.New("the accounts of people cannot be read")

// errBrowser refuses a key that every visitor of a page can read.
var errBrowser = errors.New("a BROWSER key may not call tools: every visitor of its pages would act as one account")

// A quotaError is an access.ErrRateLimited, with the time until there is a quota again: the
// key's, or that of failures of the address.
type quotaError struct{ wait time.Duration }

func (e *quotaError) Error() string { return access.ErrRateLimited.Error() }

func (e *quotaError) Unwrap() error { return access.ErrRateLimited }

// caller is identify; it has answered when it says no. A refused credential is counted as
// a message of its address.
func (s *Server) caller(w http.ResponseWriter, r *http.Request, read func() ([]byte, error), address netip.Addr, now time.Time) (*Caller, bool) {
	c, err := s.identify(w, r, read, now)
	is := func(list ...error) bool {
		for _, e := range list {
			if errors.Is(err, e) {
				return true
			}
		}
		return false
	}
	unknown := is(account.ErrGrant, account.ErrTarget, account.ErrDisabled, access.ErrInvalidKey, access.ErrKeyRequired, access.ErrSignature, access.ErrAttestation)
	quota, spent := errors.AsType[*quotaError](err)
	broken, unread := errors.AsType[*bodyError](err)
	switch {
	case err == nil:
		return c, true
	case (unknown || unread) && !s.withinMessages(nil, address, now):
		s.tooMany(w, nil, now)
	case spent:
		over(w, nil, max(1, int((quota.wait+time.Second-1)/time.Second)), "the API key's requests of this minute or day, or those of this address, are used up")
	case unread:
		if !errors.Is(err, errUnproven) {
			s.Gate.Failures.Add(address, now) // or a signature that nobody could make would hold bodies for nothing
		}
		refuseBody(w, broken.error)
	case is(access.ErrUnavailable, account.ErrLost, errNoPeople):
		w.Header().Set("Retry-After", "60")
		http.Error(w, "this server cannot read its API keys or accounts at the moment; its operator finds the cause in its log, or with relais check", http.StatusServiceUnavailable)
	case is(errBrowser):
		http.Error(w, errBrowser.Error(), http.StatusForbidden)
	case is(access.ErrScope, access.ErrOrigin, access.ErrAddress):
		http.Error(w, "the API key may not call tools: it needs the scope internal:ai, and an origin and address of its client", http.StatusForbidden)
	case is(account.ErrReadOnly):
		http.Error(w, "this server's folder cannot be written to: an API key that is new to the tool server cannot sign in", http.StatusServiceUnavailable)
	case unknown:
		s.challenge(w, http.StatusUnauthorized, "invalid_token", "", "the token or key is unknown, expired, revoked, not signed as it must be or not for this service")
	default:
		s.Log.Error("a credential could not be checked", "error", err)
		http.Error(w, "an internal error; the server's log has it", http.StatusInternalServerError)
	}
	return nil, false
}
