package oauth

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"relais/auth/account"
	"relais/internal/admit"
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

// countFrom counts a registration from a network. Errors: an *oauthError after too many, store.ErrAway.
func (h *Handler) countFrom(w http.ResponseWriter, r *http.Request, name string, from netip.Prefix, most int) error {
	now := h.Now()
	ok, err := h.registrations.Take(r.Context(), now, admit.Limit{Name: "registration from " + from.String(), Most: most})
	if err != nil || ok {
		return err
	}
	h.retryAfter(w, h.registrations.End(now))
	return refuse(http.StatusTooManyRequests, "temporarily_unavailable", "over %d registrations an hour from %s", most,
		name)
}

const noSecret = "none" // the authentication of a client without a secret

var (
	responseTypes = []string{"code"}
	grantTypes    = []string{"authorization_code", "refresh_token"}
	authMethods   = []string{noSecret, "client_secret_post", "client_secret_basic"}
)

// A registration is the part of a client's metadata that is used (RFC 7591, 2). The rest is ignored
// and not stored; the answer says what the client got.
type registration struct {
	RedirectURIs []string `json:"redirect_uris"`
	Name         string   `json:"client_name"`
	AuthMethod   any      `json:"token_endpoint_auth_method"`
	Scope        any      `json:"scope"`
}

// parseRegistration reads a client's metadata. Errors: those of RFC 7591, 3.2.2.
func parseRegistration(text []byte) (*registration, error) {
	r := &registration{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, refuse(http.StatusBadRequest, "invalid_client_metadata",
			"the body is not a JSON object of a client's metadata")
	}
	if r.Name = strings.TrimSpace(r.Name); r.Name == "" && len(r.RedirectURIs) > 0 {
		r.Name = hostOf(r.RedirectURIs[0])
	}
	return r, nil
}

// authMethod returns how the client authenticates: as it asked for, or without a secret.
func (r *registration) authMethod() string {
	if asked, _ := r.AuthMethod.(string); slices.Contains(authMethods, asked) {
		return asked
	}
	return noSecret
}

// store stores the client, and returns its secret, or "".
func (r *registration) store(accounts *account.Store) (c *account.Client, secret string, err error) {
	if r.authMethod() == noSecret {
		c, err = accounts.Register(r.Name, r.RedirectURIs)
		return c, "", err
	}
	return accounts.RegisterWithSecret(r.Name, r.RedirectURIs)
}

// answer says what a client got (RFC 7591, 3.2.1).
func (r *registration) answer(c *account.Client, secret string) map[string]any {
	scope, _ := r.Scope.(string)
	answer := map[string]any{
		"client_id":                  c.ID,
		"client_id_issued_at":        c.Created.Unix(),
		"client_name":                c.Name,
		"redirect_uris":              c.RedirectURIs,
		"token_endpoint_auth_method": r.authMethod(),
		"grant_types":                grantTypes,
		"response_types":             responseTypes,
		"scope":                      account.JoinScopes(scopesOf(scope)),
	}
	if secret != "" {
		answer["client_secret"], answer["client_secret_expires_at"] = secret, 0
	}
	return answer
}

// register implements RFC 7591 for anybody: a client can do nothing before a person authorizes it,
// and is removed if nobody does. Registrations of an address are counted before they are read.
func (h *Handler) register(w http.ResponseWriter, r *http.Request) {
	answer, err := h.registered(w, r)
	if err != nil {
		h.fail(w, err)
		return
	}
	reply(w, http.StatusCreated, answer)
}

func (h *Handler) registered(w http.ResponseWriter, r *http.Request) (answer any, err error) {
	line := admit.Line(h.Address(r))
	if err := h.countFrom(w, r, "one address", line, mostRegistered); err != nil {
		return nil, err
	}
	text, err := body(w, r, "application/json")
	if err != nil {
		return nil, err
	}
	m, err := parseRegistration(text)
	if err != nil {
		return nil, err
	}
	network, provider := admit.Network(line), admit.Provider(line)
	if err := h.countFrom(w, r, "the network "+network.String(), network, mostNetworkRegistered); err != nil {
		return nil, err
	}
	if err := h.countFrom(w, r, "the network "+provider.String(), provider, mostProviderRegistered); err != nil {
		return nil, err
	}
	c, secret, err := m.store(h.Accounts)
	if full, ok := errors.AsType[*account.FullError](err); ok {
		h.retryAfter(w, full.Until)
		err = refuse(http.StatusTooManyRequests, "temporarily_unavailable", "%v: try again later", full)
	}
	if err != nil {
		return nil, err
	}
	return m.answer(c, secret), nil
}
