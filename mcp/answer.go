package mcp

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"relais/view"
)

// An answer takes what the library writes in pieces, and is sent as one when the request is
// done: every piece would wake the client up.
//
// What a tool answers goes past the library, which would encode it anew in each of its
// layers: it is given a mark instead, and the mark's places in what it writes are filled
// in here.
type answer struct {
	http.ResponseWriter
	mark string // that nobody can guess

	mu     sync.Mutex
	status int
	body   []byte
	text   []byte // that the tool answered; nil while it has not
}

// markHeader has the mark of a request's answer, for the handler of its tool. A client's
// own is taken out.
const markHeader = "X-Relais-Mark"

// longTurn is when a call that still waits for its answer lets others begin.
const longTurn = 2 * time.Second

// inTurn answers a request with do. While a call is answered, it has a turn: as many have one
// as there are processors, in the order in which they came. More would only take each other's
// time, and the last would wait longest. A turn ends before the answer is sent, since a client
// may be slow to read.
func (s *Server) inTurn(w http.ResponseWriter, r *http.Request, p peeked, do func(http.ResponseWriter)) {
	r.Header.Del(markHeader)
	if p.calls == 0 {
		do(w)
		return
	}
	select {
	case s.turns <- struct{}{}:
	case <-r.Context().Done():
		return
	}
	end := sync.OnceFunc(func() { <-s.turns })
	defer end()
	defer time.AfterFunc(longTurn, end).Stop()
	if p.messages > 1 || s.Fixture { // a batch, or a client that comes back for what the library kept
		do(&pieces{w, end})
		return
	}
	a := &answer{ResponseWriter: w, mark: rand.Text()}
	r.Header.Set(markHeader, a.mark)
	s.answers.Store(a.mark, a)
	defer s.answers.Delete(a.mark)
	do(a)
	end()
	a.send()
}

// A pieces is the writer of an answer that the client reads as it comes.
type pieces struct {
	http.ResponseWriter
	end func() // of the turn
}

// Write implements io.Writer.
func (p *pieces) Write(text []byte) (int, error) {
	p.end()
	return p.ResponseWriter.Write(text)
}

// Unwrap is for http.ResponseController.
func (p *pieces) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// result is a tool's answer as the library is given it.
func (s *Server) result(req *sdk.CallToolRequest, text []byte) *sdk.CallToolResult {
	if req.Extra != nil {
		if a, ok := s.answers.Load(req.Extra.Header.Get(markHeader)); ok {
			return a.(*answer).later(text)
		}
	}
	return resultOf(string(text), text)
}

func resultOf(text string, structured json.RawMessage) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}, StructuredContent: structured}
}

// later keeps what a tool answers, and returns a result with the mark in its places.
func (a *answer) later(text []byte) *sdk.CallToolResult {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text = text
	return resultOf(a.mark, []byte(`"`+a.mark+`"`))
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// FlushError is for http.ResponseController: there is nothing that could go out by itself.
func (a *answer) FlushError() error { return nil }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.status == 0 {
		a.status = status
	}
}

// Write implements io.Writer.
func (a *answer) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.body = append(a.body, p...)
	return len(p), nil
}

// send sends what was written, if anything was.
func (a *answer) send() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.status == 0 && len(a.body) == 0 { // the client or its session has gone
		return
	}
	body, err := a.filled(a.body)
	if err != nil {
		http.Error(a.ResponseWriter, "the answer could not be written", http.StatusInternalServerError)
		return
	}
	a.Header().Set("Content-Length", strconv.Itoa(len(body)))
	a.ResponseWriter.WriteHeader(cmp.Or(a.status, http.StatusOK))
	_, _ = a.ResponseWriter.Write(body) // who has gone has no use for it
}

// filled is p with what the tool answered where the mark is: as it is where the library has
// data, as a text elsewhere.
func (a *answer) filled(p []byte) ([]byte, error) {
	mark := []byte(`"` + a.mark + `"`)
	if a.text == nil || !bytes.Contains(p, mark) {
		return p, nil
	}
	quoted, err := view.JSON(string(a.text))
	if err != nil {
		return nil, err
	}
	full := make([]byte, 0, len(p)+len(quoted)+len(a.text))
	for {
		before, after, found := bytes.Cut(p, mark)
		full = append(full, before...)
		switch {
		case !found:
			return full, nil
		case bytes.HasSuffix(before, []byte(`"structuredContent":`)):
			full = append(full, a.text...)
		default:
			full = append(full, quoted...)
		}
		p = after
	}
}
