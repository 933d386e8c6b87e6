package oauth

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"relais/auth/account"
	"relais/internal/store"
	"relais/internal/system"
)

// An oauthError is an error as the RFCs define it.
type oauthError struct {
	status int
	code   string
	text   string // in ASCII, for developers
}

// When it is worth asking again after the cluster's database did not answer, or the disk was full.
const (
	awayRetry = 2 * time.Second
	fullRetry = time.Minute
)

func (e *oauthError) Error() string { return e.code + ": " + e.text }

func refuse(status int, code, format string, args ...any) *oauthError {
	return &oauthError{status, code, describe(fmt.Sprintf(format, args...))}
}

func invalid(format string, args ...any) *oauthError {
	return refuse(http.StatusBadRequest, "invalid_request", format, args...)
}

// describe keeps only the characters that an error_description may have (RFC 6749, 5.2).
func describe(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '"' || r == '\\':
			return '\''
		case r < ' ' || r > '~':
			return '?'
		}
		return r
	}, text)
}

// problemOf converts an error of package account. Other errors are logged and not shown.
func (h *Handler) problemOf(err error) *oauthError {
	var known *oauthError
	if system.Full(err) {
		h.Log.Warn("sign-in waits for the disk", "error", err)
		return refuse(http.StatusServiceUnavailable, "temporarily_unavailable", "no space left on device")
	}
	for _, p := range []struct {
		err    error
		status int
		code   string
	}{
		{account.ErrGrant, http.StatusBadRequest, "invalid_grant"},
		{account.ErrTarget, http.StatusBadRequest, "invalid_target"},
		{account.ErrScope, http.StatusBadRequest, "invalid_scope"},
		{account.ErrRedirect, http.StatusBadRequest, "invalid_redirect_uri"},
		{account.ErrNoClient, http.StatusBadRequest, "invalid_client"},
		{account.ErrMetadata, http.StatusBadRequest, "invalid_client_metadata"},
		{account.ErrLost, http.StatusServiceUnavailable, "temporarily_unavailable"},
		{account.ErrReadOnly, http.StatusServiceUnavailable, "temporarily_unavailable"},
		{store.ErrAway, http.StatusServiceUnavailable, "temporarily_unavailable"},
		{store.ErrRewound, http.StatusServiceUnavailable, "temporarily_unavailable"},
		{store.ErrUnknown, http.StatusServiceUnavailable, "temporarily_unavailable"},
	} {
		if !errors.Is(err, p.err) {
			continue
		}
		if passing(err) > 0 { // its text, such as a path or the database's address, is for the log
			h.Log.Warn("sign-in waits for the cluster", "error", err)
			return refuse(p.status, p.code, "%v", p.err)
		}
		return refuse(p.status, p.code, "%v", err)
	}
	if errors.As(err, &known) {
		return known
	}
	h.Log.Error("sign-in failed", "error", err)
	return refuse(http.StatusInternalServerError, "server_error", "the server failed")
}

// passing returns when it is worth asking again after an error of a full disk, or of a cluster whose
// database does not answer; 0 for another error.
func passing(err error) time.Duration {
	switch {
	case system.Full(err):
		return fullRetry
	case errors.Is(err, store.ErrAway), errors.Is(err, store.ErrRewound), errors.Is(err, store.ErrUnknown):
		return awayRetry
	}
	return 0
}

// fail answers with an error in JSON.
func (h *Handler) fail(w http.ResponseWriter, err error) {
	e := h.problemOf(err)
	if wait := passing(err); wait > 0 {
		h.retryAfter(w, h.Now().Add(wait))
	}
	reply(w, e.status, map[string]string{"error": e.code, "error_description": e.text})
}

// reply answers with a JSON object.
func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Pragma", "no-cache") // RFC 6749, 5.1
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v) // who went away misses nothing
}

// retryAfter sets Retry-After.
func (h *Handler) retryAfter(w http.ResponseWriter, at time.Time) {
	w.Header().Set("Retry-After", strconv.Itoa(max(1, int(at.Sub(h.Now())/time.Second)+1)))
}

// maxBody is the most bytes of a body.
const maxBody = 16 << 10

// body reads a body of a type.
func body(w http.ResponseWriter, r *http.Request, mediaType string) ([]byte, error) {
	got, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || got != mediaType || r.Header.Get("Content-Encoding") != "" {
		return nil, invalid("the body must be %s, as it is", mediaType)
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, refuse(http.StatusRequestEntityTooLarge, "invalid_request", "the body has over %d bytes", maxBody)
	case err != nil:
		return nil, invalid("the body could not be read")
	}
	return text, nil
}

const formType = "application/x-www-form-urlencoded"

// form reads the fields of a body. The query is ignored, because it ends up in logs.
func form(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	text, err := body(w, r, formType)
	if err != nil {
		return nil, err
	}
	values, err := url.ParseQuery(string(text))
	if err != nil {
		return nil, invalid("the body is not well formed")
	}
	return values, nil
}

// once fails if one of the named fields occurs twice (RFC 6749, 3.1 and 3.2).
func once(values url.Values, names ...string) error {
	for _, name := range names {
		if len(values[name]) > 1 {
			return invalid("%s is given %d times", name, len(values[name]))
		}
	}
	return nil
}
