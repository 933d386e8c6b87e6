package web

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"relais/api"
	"relais/api/endpoint"
)

// lookup returns a value for each parameter of a question.
func lookup(v url.Values) endpoint.Lookup {
	return func(p *endpoint.Param) (string, error) { return v.Get(p.Name), nil }
}

// publicError returns the error of a question as the API tells it.
func publicError(err error) *api.Error { return api.PublicError(&endpoint.Op[*api.Env]{}, err) }

// shownValues is how many allowed values an error of a page lists.
const shownValues = 20

// failure returns the status and the text of a page for the error of a question, which is logged if
// it is of this program. m is the name of the market that was asked for.
func (p *Pages) failure(w words, err error, m string) (status int, text string) {
	e := publicError(err)
	switch {
	case e.Status == http.StatusInternalServerError:
		p.Log.Error("a page failed", "error", e, "cause", errors.Unwrap(e))
		return http.StatusInternalServerError, w["later"]
	case e.Status == http.StatusUnauthorized: // a register that only callers with a key may have
		return http.StatusForbidden, w.Fill("restricted", m)
	case e.Status == http.StatusBadRequest:
		text = w.Fill("badValue", w.Parameter(e.Parameter))
		if n := len(e.Allowed); n > 0 && n <= shownValues {
			text += " " + w.Fill("goodValues", strings.Join(e.Allowed, ", "))
		}
		return e.Status, text
	case e.NotReady() && p.Env().Set == nil:
		return e.Status, w["dataLoading"]
	case e.NotReady():
		return e.Status, w.Fill("notLoaded", m)
	case e.Status == http.StatusNotFound:
		return e.Status, w["noSite"]
	}
	return e.Status, w["later"]
}

// Parameter returns the name of a parameter for people.
func (w words) Parameter(name string) string {
	if text := w["param."+name]; text != "" {
		return text
	}
	return name
}

// retryAfter tells a client when it is worth asking again.
func retryAfter(h http.Header, err error) {
	if e := publicError(err); e.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
}
