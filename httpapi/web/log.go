package web

import (
	"bytes"
	"errors"
	"net/http"
	"time"

	"relais/auth/access"
	"relais/catalog"
	"relais/measure"
)

// logPath looks at the log of a phone.
const logPath = "/log"

// Bounds of a log.
const (
	maxLog         = 8 << 20  // bytes of the file
	maxLogForm     = 64 << 10 // bytes of the form in addition
	maxLogUnpacked = 64 << 20 // bytes of its tables together, and of what packs them
	maxLogRows     = 200_000
	logMemory      = 24 << 20 // bytes of the file, its rows and the page
	logTime        = time.Minute
	refusedLog     = 64 << 20 // bytes that are read of a form that is too large, so that its sender sees the answer
)

// A logError is a log that is not read: the status, the name of a text and its values.
type logError struct {
	status int
	name   string
	values []any
}

func (e *logError) Error() string { return e.name }

// logRoute answers the form, and what was sent with it.
func (p *Pages) logRoute() http.Handler {
	form := p.methods(p.asked, pagesPerMinute, p.logForm, http.MethodGet, http.MethodHead, http.MethodPost)
	read := p.methods(p.logs, logsPerMinute, p.readLog, http.MethodPost)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			read.ServeHTTP(w, r)
			return
		}
		form.ServeHTTP(w, r)
	})
}

func (p *Pages) logForm(w http.ResponseWriter, r *http.Request) {
	words := wordsFor(r)
	if p.Keyed {
		p.failWith(w, r, http.StatusForbidden, words["needsKey"])
		return
	}
	w.Header().Set("Cache-Control", "no-cache")
	p.render(w, r, http.StatusOK, "log.html", &logPage{Title: words["logTitle"]})
}

// readLog answers what the registers say of the cells of a log. It keeps nothing.
func (p *Pages) readLog(w http.ResponseWriter, r *http.Request) {
	words := wordsFor(r)
	w.Header().Set("Cache-Control", "no-store")
	page, err := p.lookAtLog(w, r)
	if bad, ok := errors.AsType[*logError](err); ok {
		if bad.status == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", "10")
		}
		page = &logPage{Title: words["logTitle"], Notice: words.Fill(bad.name, bad.values...)}
		p.render(w, r, bad.status, "log.html", page)
		return
	}
	if err != nil {
		status, text := p.failure(words, err, "")
		retryAfter(w.Header(), err)
		p.failWith(w, r, status, text)
		return
	}
	var text bytes.Buffer
	if p.execute(&text, w, r, http.StatusOK, "log.html", page) {
		_ = p.hold(r, 2*int64(text.Len())) // a slow reader holds no more than that; making a claim smaller always succeeds
		sendPage(w, r, http.StatusOK, text.Bytes())
	}
}

// hold makes bytes the memory that is reserved for a request, and reports whether there is room.
func (p *Pages) hold(r *http.Request, bytes int64) bool {
	return p.Reserve == nil || p.Reserve(r.Context(), bytes)
}

func (p *Pages) lookAtLog(w http.ResponseWriter, r *http.Request) (*logPage, error) {
	switch {
	case p.Keyed:
		return nil, &logError{http.StatusForbidden, "needsKey", nil}
	case !access.FromOwnPage(r.Header["Sec-Fetch-Site"]):
		return nil, &logError{http.StatusForbidden, "logForeign", nil}
	}
	// Not every ResponseWriter has deadlines; the server's own then hold.
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(logTime))
	data, err := logFile(r, func(bytes int64) bool { return p.hold(r, bytes) })
	if err != nil {
		return nil, err
	}
	_ = connection.SetReadDeadline(time.Time{}) // net/http would take it for the end of the connection
	defer func() { _ = connection.SetWriteDeadline(time.Now().Add(logTime)) }()
	if p.Turn != nil {
		turn, err := p.Turn(r.Context())
		if err != nil {
			return nil, err
		}
		defer turn.Pause()
	}
	env, q := p.Env(), &catalog.Heard{}
	log, err := measure.ReadLog(r.Context(), data, maxLogUnpacked, maxLogRows, env.Now, q.Add)
	if refused, ok := errors.AsType[*measure.RefusedError](err); ok {
		return nil, &logError{http.StatusUnprocessableEntity, "logRefused", []any{refused.Table}}
	}
	if err != nil {
		return nil, &logError{http.StatusUnprocessableEntity, "logUnreadable", nil}
	}
	found, err := env.Heard(r.Context(), q)
	if err != nil {
		return nil, err
	}
	return newLogPage(r, &log, q, &found), nil
}
