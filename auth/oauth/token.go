package oauth

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"relais/auth/account"
	"relais/internal/admit"
)

// clientOf returns the id of the client that sent a form, which must show its secret if it has one: in
// the form or as HTTP Basic, whatever it registered.
func (h *Handler) clientOf(w http.ResponseWriter, r *http.Request, values url.Values) (string, error) {
	refused := func(why string) (string, error) {
		if len(r.Header["Authorization"]) > 0 {
			w.Header().Set("WWW-Authenticate", `Basic realm="clients"`) // RFC 6749, 5.2
		}
		return "", refuse(http.StatusUnauthorized, "invalid_client", "%s", why)
	}
	id, secret, ok := credentials(r, values)
	switch {
	case !ok:
		return refused("want client_id and client_secret in the body, or both as HTTP Basic")
	case values.Get("client_assertion") != "":
		return refused("client_assertion is not supported: send client_secret, or client_id alone without a secret")
	case id == "":
		return refused("client_id is missing")
	}
	c, err := h.client(r.Context(), id)
	switch {
	case passing(err) > 0:
		return "", err
	case err != nil:
		return refused("no such client, or it was forgotten: register")
	case c.Authenticates(secret):
		return id, nil
	case c.Secret == nil:
		return refused("the client has no secret: send client_id alone")
	}
	return refused("client_secret is missing or wrong")
}

// credentials returns the id and the secret of a form or of HTTP Basic, where both are encoded as in a
// form (RFC 6749, 2.3.1). It reports false if they are in both places or cannot be read.
func credentials(r *http.Request, values url.Values) (id, secret string, ok bool) {
	inForm := values.Get("client_id")
	if len(r.Header["Authorization"]) == 0 {
		return inForm, values.Get("client_secret"), true
	}
	id, secret, ok = r.BasicAuth()
	id, err1 := url.QueryUnescape(id)
	secret, err2 := url.QueryUnescape(secret)
	ok = ok && err1 == nil && err2 == nil && len(r.Header["Authorization"]) == 1 &&
		(inForm == "" || inForm == id) && !values.Has("client_secret")
	return id, secret, ok
}

// client returns a registered client, also one that another server has registered just now.
func (h *Handler) client(ctx context.Context, id string) (*account.Client, error) {
	c, err := h.Accounts.Client(id)
	if err == nil {
		return c, nil
	}
	if err := h.Accounts.Fresh(ctx); err != nil {
		return nil, err
	}
	return h.Accounts.Client(id)
}

// turnedIn reads the form of a request and counts the request. A valid code or token counts for its
// person, wherever it comes from. So a flood, or others behind the same address, cannot have it
// refused.
func (h *Handler) turnedIn(serve func(w http.ResponseWriter, r *http.Request, values url.Values)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		values, err := form(w, r)
		if h.tooMany(w, r, values) {
			return
		}
		if err != nil {
			h.fail(w, err)
			return
		}
		serve(w, r, values)
	}
}

// holder returns the owner of the valid code or token of a request, also of one that another server
// has made just now, or "" if it has no such one.
func (h *Handler) holder(ctx context.Context, values url.Values) (person string) {
	find := func() (asked bool) {
		for _, name := range []string{"code", "refresh_token", "token"} {
			if person == "" && values.Has(name) {
				person, asked = h.Accounts.Holder(values.Get(name)), true
			}
		}
		return asked
	}
	if find() && person == "" && h.Accounts.Fresh(ctx) == nil {
		find()
	}
	return person
}

// tooMany counts a request, and reports whether it was refused because of a limit.
func (h *Handler) tooMany(w http.ResponseWriter, r *http.Request, values url.Values) bool {
	now, limit, of := h.Now(), admit.Of(h.Address(r), mostTokens), "from one address"
	if person := h.holder(r.Context(), values); person != "" {
		limit.Name, of = person, "of one person"
	}
	if h.tokens.Take(now, 1, limit) {
		return false
	}
	h.retryAfter(w, h.tokens.End(now))
	h.fail(w, refuse(http.StatusTooManyRequests, "temporarily_unavailable", "over %d requests a minute %s", mostTokens,
		of))
	return true
}

// token implements RFC 6749, 4.1.3 and 6.
func (h *Handler) token(w http.ResponseWriter, r *http.Request, values url.Values) {
	t, err := h.exchange(w, r, values)
	if err != nil {
		h.fail(w, err)
		return
	}
	reply(w, http.StatusOK, map[string]any{
		"access_token":  t.Access,
		"token_type":    "Bearer",
		"expires_in":    int(account.AccessLife / time.Second),
		"refresh_token": t.Refresh,
		"scope":         account.JoinScopes(t.Scopes),
	})
}

func (h *Handler) exchange(w http.ResponseWriter, r *http.Request, values url.Values) (*account.Tokens, error) {
	if err := once(values, "grant_type", "client_id", "client_secret", "code", "redirect_uri", "code_verifier",
		"refresh_token", "scope"); err != nil {
		return nil, err
	}
	client, err := h.clientOf(w, r, values)
	if err != nil {
		return nil, err
	}
	if err := h.checkResource(values); err != nil {
		return nil, err
	}
	switch grant := values.Get("grant_type"); grant {
	case grantTypes[0]:
		return h.redeem(values, client)
	case grantTypes[1]:
		return h.refresh(values, client)
	case "":
		return nil, invalid("grant_type is missing")
	default:
		return nil, refuse(http.StatusBadRequest, "unsupported_grant_type", "grant_type %.50q", grant)
	}
}

// checkResource refuses the resource of another server (RFC 8707). Without a resource, this
// server's only one is meant.
func (h *Handler) checkResource(values url.Values) error {
	for _, resource := range values["resource"] {
		if strings.TrimSuffix(resource, "/") != h.resource { // some programs write URLs with a slash at the end
			return refuse(http.StatusBadRequest, "invalid_target", "resource %.200q: the only one is %s", resource,
				h.resource)
		}
	}
	return nil
}

func need(values url.Values, names ...string) error {
	for _, name := range names {
		if values.Get(name) == "" {
			return invalid("%s is missing", name)
		}
	}
	return nil
}

func (h *Handler) redeem(values url.Values, client string) (*account.Tokens, error) {
	if err := need(values, "code", "redirect_uri", "code_verifier"); err != nil {
		return nil, err
	}
	return h.Accounts.Redeem(account.Redemption{
		Code: values.Get("code"), Client: client, Redirect: values.Get("redirect_uri"),
		Verifier: values.Get("code_verifier"), Resource: h.resource,
	})
}

func (h *Handler) refresh(values url.Values, client string) (*account.Tokens, error) {
	if err := need(values, "refresh_token"); err != nil {
		return nil, err
	}
	return h.Accounts.Refresh(values.Get("refresh_token"), client, h.resource,
		account.ParseScopes(values.Get("scope")))
}

// revoke implements RFC 7009. An unknown token has ended, so revoking it succeeds.
func (h *Handler) revoke(w http.ResponseWriter, r *http.Request, values url.Values) {
	err := once(values, "token", "client_id", "client_secret")
	client := ""
	if err == nil {
		client, err = h.clientOf(w, r, values)
	}
	if err == nil {
		err = need(values, "token")
	}
	if err == nil {
		err = h.Accounts.Revoke(values.Get("token"), client)
	}
	if err != nil {
		h.fail(w, err)
		return
	}
	w.WriteHeader(http.StatusOK)
}
