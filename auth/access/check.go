package access

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"relais/internal/fold"
)

// A Gate lets requests through.
type Gate struct {
	Clients  *Clients
	Attestor *Attestor // nil refuses every attestation
	Failures *Failures
	Answers  Answers
	// Origin is the service's own, in canonical form. A page on it sends no Origin when it reads.
	Origin string
	// Unusable returns why keys cannot be looked up at the moment. It may be nil.
	Unusable func() error
}

// A Request is the part of an HTTP request that access depends on. The lists are the lines of the
// headers of the same names.
type Request struct {
	Time          time.Time
	Method        string
	Path          string // escaped, as it was sent, with a prefix that a proxy took off
	Address       netip.Addr
	Authorization []string
	APIKey        []string // X-API-Key
	Origin        []string
	FetchSite     []string // Sec-Fetch-Site
	Attestation   []string // X-Device-Attestation
	Signature     []string // X-Sq-Signature
	// Body returns the SHA-256 of the body that the client sends; nil for a request without a body.
	// Its error is returned as it is.
	Body  func(*Client) ([sha256.Size]byte, error)
	Scope Scope
}

// A Grant says who asks, as far as that is known, and what is left of the limits: those of the
// client, or of the visitor if less is left of them. Before a client is known they are the limits
// of the address.
type Grant struct {
	Client *Client // never to be changed
	Usage  Usage
	Charge Charge // of a request that was counted
	// Signature is the valid one, in hexadecimal; "" for a client that does not sign.
	Signature string
}

// Check reports whether a request may be answered. It decides in this order: key, mode, signature,
// quota, scope. With an error, the Grant has what was found until then. The error wraps one of the
// package's and adds details for the log, or is an error of the body.
func (g *Gate) Check(r *Request) (Grant, error) {
	key, err := g.key(r)
	if err != nil {
		return g.failed(r, Grant{}, err)
	}
	grant := Grant{Client: &key.Client, Usage: key.usage(r.Address, r.Time)}
	if err := g.mode(r, key); err != nil {
		return g.failed(r, grant, err)
	}
	if err := g.signed(r, key, &grant); err != nil {
		return g.failed(r, grant, err)
	}
	grant.Charge, err = key.charge(r.Address, r.Time)
	grant.Usage = key.usage(r.Address, r.Time)
	if err != nil {
		return grant, err
	}
	key.touch(r.Time)
	if !key.scopes[r.Scope] || r.Scope == PhotosWrite && !key.Partner {
		return grant, fmt.Errorf("%w: %s", ErrScope, r.Scope)
	}
	return grant, nil
}

// key finds the key that the request brings.
func (g *Gate) key(r *Request) (*liveKey, error) {
	bearer, err := bearer(r.Authorization)
	if err != nil {
		return nil, err
	}
	if len(r.APIKey) > 1 {
		return nil, fmt.Errorf("%w: %d headers X-API-Key", ErrInvalidKey, len(r.APIKey))
	}
	text := bearer
	if len(r.APIKey) == 1 && r.APIKey[0] != "" {
		if text = r.APIKey[0]; bearer != "" && bearer != text {
			return nil, fmt.Errorf("%w: two headers with different keys", ErrInvalidKey)
		}
	}
	if text == "" {
		return nil, ErrKeyRequired
	}
	if err := g.unusable(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	key := g.Clients.table.Load().find(text, r.Time)
	if key == nil {
		if key, err = g.ask(r, text); err != nil {
			return nil, err
		}
	}
	if key.Mode == Mobile && bearer == "" {
		return nil, &Hint{"the key is in the wrong header: a MOBILE client sends it as Authorization: Bearer KEY, " +
			"not in X-API-Key", ErrKeyRequired}
	}
	return key, nil
}

func (g *Gate) unusable() error {
	if g.Clients.failed != nil || g.Unusable == nil {
		return g.Clients.failed
	}
	return g.Unusable()
}

// ask looks for a key that another server may have made just now. Known keys never wait for this,
// and addresses that failed too often are not worth it. Errors: ErrInvalidKey, store.ErrAway.
func (g *Gate) ask(r *Request, text string) (*liveKey, error) {
	if _, _, ok := splitKey(text); !ok || !g.Clients.db.Shared() || g.Failures.Count(r.Address, r.Time) >= MaxFailures {
		return nil, ErrInvalidKey
	}
	if err := g.Clients.db.Fresh(context.Background()); err != nil {
		return nil, err
	}
	if key := g.Clients.table.Load().find(text, r.Time); key != nil {
		return key, nil
	}
	return nil, ErrInvalidKey
}

// bearer returns the key of the header Authorization, "" when it is missing.
func bearer(lines []string) (string, error) {
	const scheme = "Bearer "
	switch {
	case len(lines) == 0 || len(lines) == 1 && lines[0] == "":
		return "", nil
	case len(lines) > 1:
		return "", fmt.Errorf("%w: %d headers Authorization", ErrInvalidKey, len(lines))
	case len(lines[0]) < len(scheme) || !fold.EqualASCII(lines[0][:len(scheme)], scheme):
		return "", nil // of another kind, such as a proxy asks for
	}
	return strings.TrimSpace(lines[0][len(scheme):]), nil
}

// mode checks the rules of the client's mode: origin, address, attestation.
func (g *Gate) mode(r *Request, key *liveKey) error {
	if key.Mode == Browser && !g.originAllowed(r, key.Origins) {
		return fmt.Errorf("%w: %.100q", ErrOrigin, r.Origin)
	}
	if len(key.CIDRs) > 0 && !Contains(key.CIDRs, r.Address) {
		return ErrAddress
	}
	if key.RequireAttestation {
		if len(r.Attestation) != 1 {
			return fmt.Errorf("%w: %d headers X-Device-Attestation", ErrAttestation, len(r.Attestation))
		}
		if err := g.Attestor.check(r.Attestation[0], key.ID, r.Time); err != nil {
			return fmt.Errorf("%w: %v", ErrAttestation, err)
		}
	}
	return nil
}

// originAllowed reports whether the request is from a page of an allowed origin, in the form of ParseOrigin,
// which is the only one that browsers send. A browser sends no Origin when a page reads from its own origin,
// and says so in Sec-Fetch-Site.
func (g *Gate) originAllowed(r *Request, allowed []string) bool {
	if len(r.Origin) == 0 && len(r.FetchSite) == 1 && r.FetchSite[0] == "same-origin" {
		return slices.Contains(allowed, g.Origin)
	}
	return len(r.Origin) == 1 && slices.Contains(allowed, r.Origin[0])
}

// FromOwnPage reports whether a request comes from a page of this server or from the address bar,
// by the lines of its Sec-Fetch-Site. Browsers do not send it over plain HTTP, except on localhost.
func FromOwnPage(fetchSite []string) bool {
	return !slices.ContainsFunc(fetchSite, func(from string) bool { return from != "same-origin" && from != "none" })
}

// signed checks the signature of a client that signs. It checks the header's form, its time and the
// quota before it reads a body.
func (g *Gate) signed(r *Request, key *liveKey, grant *Grant) error {
	if !key.Signs() {
		return nil
	}
	if len(r.Signature) == 0 {
		return &Hint{"the signature is missing: the client signs every request in X-Sq-Signature", ErrSignature}
	}
	s, err := parseSignature(r.Signature)
	if err == nil {
		err = s.fresh(r.Time)
	}
	if err == nil {
		err = key.locked
	}
	if _, ok := errors.AsType[*Hint](err); ok {
		return err
	}
	if err != nil {
		return fmt.Errorf("%w: %v", ErrSignature, err)
	}
	body := EmptyBody
	if r.Body != nil {
		if err := key.spent(r.Address, r.Time); err != nil {
			return err
		}
		if body, err = r.Body(grant.Client); err != nil {
			return err
		}
	}
	if grant.Signature = s.matching(key.secret, r.Method, r.Path, body); grant.Signature == "" {
		return fmt.Errorf("%w: it is another request's or another secret's", ErrSignature)
	}
	return nil
}

// failed counts a failed authentication of the address that sent it. It refuses the address
// altogether after too many. A valid key never comes here.
func (g *Gate) failed(r *Request, grant Grant, err error) (Grant, error) {
	if !unauthenticated(err) {
		return grant, err
	}
	n := g.Failures.Add(r.Address, r.Time)
	if n > MaxFailures {
		grant.Usage, err = addressUsage(n, r.Time), ErrRateLimited
	} else if grant.Client == nil {
		grant.Usage = addressUsage(n, r.Time)
	}
	return grant, err
}

// Anonymous returns the state of an address's own limit.
func (g *Gate) Anonymous(addr netip.Addr, now time.Time) Usage {
	return addressUsage(g.Failures.Count(addr, now), now)
}

func unauthenticated(err error) bool {
	for _, e := range []error{ErrKeyRequired, ErrInvalidKey, ErrOrigin, ErrAddress, ErrAttestation, ErrSignature} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// addressUsage is the state of an address's own limit after n failures.
func addressUsage(n int, now time.Time) Usage {
	end := time.Unix((now.Unix()/minuteSeconds+1)*minuteSeconds, 0)
	return Usage{Minute: Window{Limit: MaxFailures, Remaining: max(0, MaxFailures-n), Reset: end}}
}
