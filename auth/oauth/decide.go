package oauth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"net/http"
	"net/url"
	"time"

	"relais/auth/account"
	"relais/internal/system"
)

// A filled is a submitted form without the password, and the message about it.
type filled struct{ Typed, Problem string }

// decide handles a person's decision. The person signs in each time, because there are no sessions.
func (h *Handler) decide(w http.ResponseWriter, r *http.Request) {
	values, err := form(w, r)
	if err == nil {
		err = once(values, "request", "seal", "name", "password", "decision")
	}
	here := &authorization{lang: languageOf(nil, r)}
	if err != nil {
		h.problem(w, here, here.lang.BadRequest, "", h.problemOf(err).status)
		return
	}
	if !h.fromHere(r) {
		h.problem(w, here, here.lang.Foreign, "", http.StatusForbidden)
		return
	}
	a, ok := h.askedFor(w, r, values.Get("request"))
	if !ok {
		return
	}
	f := filled{Typed: values.Get("name")}
	if !h.sealed(r, values.Get("seal"), a.query.Encode()) {
		f.Problem = a.lang.Stale
		h.consent(w, a, f, http.StatusForbidden)
		return
	}
	switch values.Get("decision") {
	case "deny":
		h.leave(w, a, url.Values{"error": {"access_denied"}, "error_description": {"the person refused"}})
	case "allow":
		h.allow(w, r, a, f, values.Get("password"))
	default:
		h.consent(w, a, f, http.StatusBadRequest)
	}
}

// allow signs the person in and sends the program its code.
func (h *Handler) allow(w http.ResponseWriter, r *http.Request, a *authorization, f filled, password string) {
	person, err := h.Accounts.Login(r.Context(), f.Typed, password, h.Address(r))
	var code string
	if err == nil {
		code, err = h.Accounts.Authorize(person, a.Authorization)
	}
	if err == nil {
		h.leave(w, a, url.Values{"code": {code}})
		return
	}
	status := http.StatusForbidden
	switch {
	case errors.Is(err, account.ErrLogin), errors.Is(err, account.ErrNoAccount), errors.Is(err, account.ErrDisabled):
		f.Problem = a.lang.WrongLogin
		if h.Accounts.Incomplete() {
			f.Problem += " " + a.lang.Incomplete
		}
	case errors.Is(err, account.ErrLimited):
		status, f.Problem = http.StatusTooManyRequests, a.lang.Limited
		h.retryAfter(w, h.Accounts.LoginAgain())
	case errors.Is(err, account.ErrBusy):
		status, f.Problem = http.StatusServiceUnavailable, a.lang.Busy
		h.retryAfter(w, h.Now().Add(5*time.Second))
	case errors.Is(err, account.ErrReadOnly):
		status, f.Problem = http.StatusServiceUnavailable, a.lang.ReadOnly
	case system.Full(err):
		status, f.Problem = h.problemOf(err).status, a.lang.Full
		h.retryAfter(w, h.Now().Add(fullRetry))
	case passing(err) > 0:
		status, f.Problem = h.problemOf(err).status, a.lang.Away
		h.retryAfter(w, h.Now().Add(awayRetry))
	default: // a program that was forgotten meanwhile, too
		status, f.Problem = h.problemOf(err).status, a.lang.Failed
	}
	h.consent(w, a, f, status)
}

// fromHere reports whether a form was sent from this server's page, as far as the browser says. The
// page has Referrer-Policy no-referrer, with which browsers send Origin: null (Fetch, append a
// request Origin header).
func (h *Handler) fromHere(r *http.Request) bool {
	site, origin := r.Header["Sec-Fetch-Site"], r.Header["Origin"]
	if len(site) > 0 && (len(site) > 1 || site[0] != "same-origin") {
		return false
	}
	return len(origin) == 0 || len(origin) == 1 && (origin[0] == "null" || origin[0] == h.base.Scheme+"://"+h.base.Host)
}

const (
	cookieName = "relais_consent"
	sealLife   = 30 * time.Minute
)

// seal makes the token of a form, and the cookie to which it is bound.
func (h *Handler) seal(w http.ResponseWriter, request string) string {
	cookie := rand.Text()
	http.SetCookie(w, &http.Cookie{
		Name: h.cookieName(), Value: cookie, Path: h.base.Path + authorizePath, MaxAge: int(sealLife / time.Second),
		Secure: h.base.Scheme == "https", HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	ends := binary.BigEndian.AppendUint64(nil, uint64(h.Now().Add(sealLife).Unix()))
	return base64.RawURLEncoding.EncodeToString(h.sign(ends, cookie, request))
}

// cookieName returns the name of the cookie. Below a path, browsers must not take it from pages without TLS of the
// same host.
func (h *Handler) cookieName() string {
	if h.base.Path != "" && h.base.Scheme == "https" {
		return "__Secure-" + cookieName
	}
	return cookieName
}

// sign appends to an end time the code that binds it to a cookie and a request.
func (h *Handler) sign(ends []byte, cookie, request string) []byte {
	mac := hmac.New(sha256.New, h.key)
	mac.Write(ends)
	mac.Write([]byte(cookie + "\x00" + request)) // a cookie's value has no NUL
	return mac.Sum(ends)
}

// sealed reports whether this process, or one with the same key, made the form for this browser.
func (h *Handler) sealed(r *http.Request, seal, request string) bool {
	got, err := base64.RawURLEncoding.DecodeString(seal)
	cookie, missing := r.Cookie(h.cookieName())
	if err != nil || missing != nil || len(got) != 8+sha256.Size {
		return false
	}
	ends := got[:8:8]
	return hmac.Equal(got, h.sign(ends, cookie.Value, request)) && h.Now().Unix() < int64(binary.BigEndian.Uint64(ends))
}
