package oauth

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"relais/auth/account"
)

// Bounds of a request, in bytes.
const (
	maxQuery = 8 << 10
	maxState = 2 << 10
)

// requestFields are the fields of an authorization request; others are ignored.
var requestFields = []string{"client_id", "redirect_uri", "response_type", "response_mode", "state", "scope",
	"code_challenge", "code_challenge_method", "ui_locales", "resource", "lang"}

// An authorization is what a program asks a person for.
type authorization struct {
	account.Authorization
	client *account.Client
	state  string
	query  url.Values // as asked, without ignored parameters
	lang   *texts
}

// authorize implements RFC 6749, 4.1.1: GET shows the page, POST has the person's decision.
func (h *Handler) authorize(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		h.decide(w, r)
		return
	}
	a, ok := h.askedFor(w, r, r.URL.RawQuery)
	if ok {
		h.consent(w, a, filled{}, http.StatusOK)
	}
}

// askedFor reads an authorization request. If the request is wrong, it answers with a page and returns
// false. If client and address are right, the page has a link that tells the program. Anybody can
// register an address, and a link to this server must not send people there (RFC 9700, 4.11.2).
func (h *Handler) askedFor(w http.ResponseWriter, r *http.Request, query string) (*authorization, bool) {
	a := &authorization{lang: languageOf(nil, r)}
	values, err := url.ParseQuery(query)
	if err != nil || len(query) > maxQuery {
		h.problem(w, a, a.lang.BadRequest, "", http.StatusBadRequest)
		return nil, false
	}
	a.lang, a.query = languageOf(values, r), url.Values{}
	for _, name := range requestFields {
		if values.Has(name) {
			a.query[name] = values[name]
		}
	}
	if why, status := h.identify(r.Context(), a); why != "" {
		if status == http.StatusServiceUnavailable {
			h.retryAfter(w, h.Now().Add(awayRetry))
		}
		h.problem(w, a, why, "", status)
		return nil, false
	}
	if err = h.parseGrant(a); err != nil {
		e := h.problemOf(err)
		back := a.answerURL(h.BaseURL, url.Values{"error": {e.code}, "error_description": {e.text}})
		h.problem(w, a, a.lang.BadRequest+" ("+e.Error()+")", back, http.StatusBadRequest)
		return nil, false
	}
	return a, true
}

// identify finds the client and checks the address, or returns a message for the person.
func (h *Handler) identify(ctx context.Context, a *authorization) (why string, status int) {
	if once(a.query, "client_id", "redirect_uri", "state") != nil || len(a.query.Get("state")) > maxState {
		return a.lang.BadRequest, http.StatusBadRequest
	}
	var err error
	a.client, err = h.client(ctx, a.query.Get("client_id"))
	switch {
	case passing(err) > 0:
		return a.lang.Away, http.StatusServiceUnavailable
	case err != nil:
		return a.lang.UnknownClient, http.StatusBadRequest
	}
	a.Client, a.Redirect, a.state = a.client.ID, a.query.Get("redirect_uri"), a.query.Get("state")
	if !a.client.Redirects(a.Redirect) {
		return a.lang.WrongRedirect, http.StatusBadRequest
	}
	return "", 0
}

// parseGrant reads the rest of the request.
func (h *Handler) parseGrant(a *authorization) error {
	if err := once(a.query, requestFields[:len(requestFields)-2]...); err != nil { // a resource may be there twice
		return err
	}
	q := a.query
	switch method := q.Get("code_challenge_method"); {
	case q.Get("response_type") == "":
		return invalid("response_type is missing")
	case q.Get("response_type") != "code":
		return refuse(http.StatusBadRequest, "unsupported_response_type", "response_type: only code")
	case q.Get("response_mode") != "" && q.Get("response_mode") != "query":
		return invalid("response_mode: only query")
	case q.Get("code_challenge") == "":
		return invalid("code_challenge is missing: PKCE is required")
	case method != "S256":
		return invalid("code_challenge_method: only S256")
	case !account.CheckChallenge(q.Get("code_challenge")):
		return invalid("code_challenge is not one of S256")
	}
	if err := h.checkResource(q); err != nil {
		return err
	}
	a.Challenge, a.Resource, a.Scopes = q.Get("code_challenge"), h.resource, scopesOf(q.Get("scope"))
	return nil
}

// scopesOf returns the scopes that a request asks for: the known ones, or all if it names none of them.
func scopesOf(text string) []account.Scope {
	if list := account.ParseScopes(text); len(list) > 0 {
		return list
	}
	return account.Scopes
}

// answerURL returns the program's address with an answer, the state of the request, and the issuer
// (RFC 9207).
func (a *authorization) answerURL(issuer string, answer url.Values) string {
	if a.state != "" {
		answer.Set("state", a.state)
	}
	answer.Set("iss", issuer)
	separator := "?"
	if strings.Contains(a.Redirect, "?") {
		separator = "&"
	}
	return a.Redirect + separator + answer.Encode()
}

// placeOf returns scheme and host of a program's address, as they are written there.
func placeOf(redirect string) string {
	scheme, rest, _ := strings.Cut(redirect, ":")
	host, ok := strings.CutPrefix(rest, "//")
	if !ok {
		return scheme + ":"
	}
	if end := strings.IndexAny(host, "/?"); end >= 0 {
		host = host[:end]
	}
	return scheme + "://" + host
}

// hostOf returns the name of a program that says none: its host or scheme.
func hostOf(redirect string) string {
	u, err := url.Parse(redirect)
	switch {
	case err != nil:
		return ""
	case u.Host != "":
		return u.Hostname()
	}
	return u.Scheme
}
