package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"relais/auth/account"
	"relais/internal/limit"
)

// The limits of a window: how many clients may be registered from one address (IPv6: one /64); how
// often invalid codes and tokens may be redeemed or revoked from one address; and how often those
// of one person may, from anywhere. More clients may be registered from one network (a /24 or a
// /48) and from one provider (a /16 or a /32), but fewer than are stored.
const (
	registerWindow         = time.Hour
	mostRegistered         = 60
	mostNetworkRegistered  = 120
	mostProviderRegistered = 400
	tokenWindow            = time.Minute
	mostTokens             = 60
)

// limited counts the registrations of an address before they are read.
func (h *Handler) limited(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		now := h.Now()
		address := h.Address(r)
		n, err := h.count(r.Context(), limit.Line(address), now, h.registered.Add(address, now), mostRegistered)
		if err == nil && n > mostRegistered {
			h.retryAfter(w, h.registered.End(now))
			err = refuse(http.StatusTooManyRequests, "temporarily_unavailable",
				"over %d registrations an hour from one address", mostRegistered)
		}
		if err != nil {
			h.fail(w, err)
			return
		}
		serve(w, r)
	}
}

// count returns how many clients were registered from a network, this one included: at all servers,
// unless those of this server are too many already.
func (h *Handler) count(ctx context.Context, from netip.Prefix, now time.Time, own, most int) (int, error) {
	if h.Registrations == nil || own > most {
		return own, nil
	}
	n, err := h.Registrations.Add(ctx, registerWindow, now, 1, "registration from "+from.String())
	if err != nil {
		return 0, err
	}
	return n[0], nil
}

var (
	responseTypes = []string{"code"}
	grantTypes    = []string{"authorization_code", "refresh_token"}
)

// A registration is the part of a client's metadata that is used (RFC 7591, 2). The rest, such as
// contacts, is ignored and not stored.
type registration struct {
	RedirectURIs  []string `json:"redirect_uris"`
	Name          string   `json:"client_name"`
	AuthMethod    *string  `json:"token_endpoint_auth_method"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
}

// parseRegistration reads a client's metadata. Its errors are those of RFC 7591, 3.2.2, and those
// of package account for names and addresses.
func parseRegistration(text []byte) (*registration, error) {
	bad := func(format string, args ...any) error {
		return refuse(http.StatusBadRequest, "invalid_client_metadata", format, args...)
	}
	r := &registration{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, bad("the body is not a JSON object of a client's metadata")
	}
	switch {
	case r.AuthMethod != nil && *r.AuthMethod != "none":
		return nil, bad("token_endpoint_auth_method %.50q: only none", *r.AuthMethod)
	case r.ResponseTypes != nil && !slices.Equal(r.ResponseTypes, responseTypes):
		return nil, bad("response_types: only code")
	case r.GrantTypes != nil && !slices.Contains(r.GrantTypes, grantTypes[0]):
		return nil, bad("grant_types: authorization_code is missing")
	}
	for _, g := range r.GrantTypes {
		if !slices.Contains(grantTypes, g) {
			return nil, bad("grant_types: %.50q is not one of %s", g, strings.Join(grantTypes, ", "))
		}
	}
	if r.Name = strings.TrimSpace(r.Name); r.Name == "" && len(r.RedirectURIs) > 0 {
		r.Name = hostOf(r.RedirectURIs[0])
	}
	return r, nil
}

// countNetworks counts a registration for the network and the provider of the address.
func (h *Handler) countNetworks(w http.ResponseWriter, r *http.Request) error {
	now := h.Now()
	network := limit.Network(limit.Line(h.Address(r)))
	for _, c := range []struct {
		of   netip.Prefix
		most int
	}{{network, mostNetworkRegistered}, {limit.Provider(network), mostProviderRegistered}} {
		n, err := h.count(r.Context(), c.of, now, h.networks.Add(c.of, now), c.most)
		if err != nil {
			return err
		}
		if n > c.most {
			h.retryAfter(w, h.networks.End(now))
			return refuse(http.StatusTooManyRequests, "temporarily_unavailable",
				"over %d registrations an hour from the network %s", c.most, c.of)
		}
	}
	return nil
}

// register implements RFC 7591 for anybody: a client can do nothing before a person authorizes it,
// and is removed if nobody does.
func (h *Handler) register(w http.ResponseWriter, r *http.Request) {
	text, err := body(w, r, "application/json")
	if err != nil {
		h.fail(w, err)
		return
	}
	m, err := parseRegistration(text)
	if err != nil {
		h.fail(w, err)
		return
	}
	if err := h.countNetworks(w, r); err != nil {
		h.fail(w, err)
		return
	}
	c, err := h.Accounts.Register(m.Name, m.RedirectURIs)
	if full, ok := errors.AsType[*account.FullError](err); ok {
		h.retryAfter(w, full.Until)
		err = refuse(http.StatusTooManyRequests, "temporarily_unavailable", "%v: try again later", full)
	}
	if err != nil {
		h.fail(w, err)
		return
	}
	reply(w, http.StatusCreated, map[string]any{
		"client_id":                  c.ID,
		"client_id_issued_at":        c.Created.Unix(),
		"client_name":                c.Name,
		"redirect_uris":              c.RedirectURIs,
		"token_endpoint_auth_method": "none",
		"grant_types":                grantTypes,
		"response_types":             responseTypes,
	})
}
