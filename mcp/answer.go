package mcp

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"relais/view"
)

// An answer is written where the library writes a request's. While the request waits for
// it, it has a turn: as many have one as there are processors, in the order in which they
// came. More would only take each other's time, and the last would wait longest.
//
// What a tool answers goes past the library, which would encode it anew in each of its
// layers: it is given a mark instead, and the mark's places in what it writes are filled
// in here.
type answer struct {
	http.ResponseWriter
	end  func() // of the turn
	mark string // that nobody can guess

	mu   sync.Mutex
	text []byte // of the tool; nil: not yet, or not by its mark
}

// markHeader has the mark of a request's answer, for the handler of its tool. A client's
// own is taken out.
const markHeader = "X-Relais-Mark"

// longTurn is when a call that still waits for its answer lets others begin.
const longTurn = 2 * time.Second

// inTurn waits for a turn, and answers a request with do.
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
	a := &answer{ResponseWriter: w, end: sync.OnceFunc(func() { <-s.turns }), mark: rand.Text()}
	defer a.end()
	defer time.AfterFunc(longTurn, a.end).Stop()
	if p.messages == 1 && !s.Fixture { // whose clients come back for what the library kept
		r.Header.Set(markHeader, a.mark)
		s.answers.Store(a.mark, a)
		defer s.answers.Delete(a.mark)
	}
	do(a)
}

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

// Write implements io.Writer.
func (a *answer) Write(p []byte) (int, error) {
	a.end() // a client may be slow to read
	full, err := a.filled(p)
	if err != nil {
		return 0, err
	}
	if _, err := a.ResponseWriter.Write(full); err != nil {
		return 0, err
	}
	return len(p), nil
}

// filled is p with what the tool answered where the mark is: as it is where the library has
// data, as a text elsewhere.
func (a *answer) filled(p []byte) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
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
