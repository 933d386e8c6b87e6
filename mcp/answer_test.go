package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// toolResult is what a body says that a tool answered.
func toolResult(t *testing.T, body string) (text string, structured json.RawMessage) {
	t.Helper()
	_, data, _ := strings.Cut(body, "data: {")
	data = "{" + data
	var message struct {
		Result struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(data), &message); err != nil || len(message.Result.Content) != 1 {
		t.Fatalf("%v: %q", err, body)
	}
	return message.Result.Content[0].Text, message.Result.StructuredContent
}

// An answer that goes past the library is the one that goes through it, as text and
// structured, whatever a client says of marks.
func TestAnswerPastTheLibrary(t *testing.T) {
	call := callBody("sites_search", `{"limit":50}`)
	through, past := serve(t, func(o *Options) { o.Fixture = true }), serve(t, nil)
	_, want := post(t, through, call, sessionHeader, session(t, through))
	wantText, wantStructured := toolResult(t, strings.ReplaceAll(want, through.URL, past.URL))
	if len(wantText) < 10_000 || wantText != string(wantStructured) {
		t.Fatalf("%d bytes of text, %d structured", len(wantText), len(wantStructured))
	}
	for _, mark := range []string{"", "structuredContent", strings.Repeat("A", 26)} {
		resp, got := post(t, past, call, sessionHeader, session(t, past), markHeader, mark)
		text, structured := toolResult(t, got)
		if resp.StatusCode != http.StatusOK || text != wantText || string(structured) != string(wantStructured) {
			t.Errorf("mark %q: %d, %.300s", mark, resp.StatusCode, got)
		}
	}
}

// Several calls in one body, which a version of the protocol allows, have each its own
// answer.
func TestAnswersOfABatch(t *testing.T) {
	w := serve(t, nil)
	one, two := callBody("sites_search", `{"limit":1}`), strings.Replace(callBody("sites_search", `{"limit":2}`),
		`"id":7`, `"id":8`, 1)
	_, body := post(t, w, "["+one+","+two+"]", sessionHeader, session(t, w), "Mcp-Protocol-Version", "2025-03-26")
	if n, m := strings.Count(body, `"returned":1,`), strings.Count(body, `"returned":2,`); n != 1 || m != 1 {
		t.Errorf("%d and %d answers: %.500s", n, m, body)
	}
}

// As many calls are answered at once as there are processors; one whose client has gone
// is not; and who is slow to read keeps nobody waiting.
func TestTurns(t *testing.T) {
	s := &Server{turns: make(chan struct{}, runtime.GOMAXPROCS(0))}
	var running, most atomic.Int32
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			s.inTurn(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, Path, nil),
				peeked{calls: 1, messages: 1}, func(http.ResponseWriter) {
					n := running.Add(1)
					for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
					}
					time.Sleep(time.Millisecond)
					running.Add(-1)
				})
		})
	}
	all.Wait()
	if int(most.Load()) > runtime.GOMAXPROCS(0) || len(s.turns) != 0 {
		t.Errorf("%d at once, %d turns are held", most.Load(), len(s.turns))
	}
	slow := writer(func() {
		if len(s.turns) != 0 {
			t.Error("a turn is held while the client reads")
		}
	})
	s.inTurn(slow, httptest.NewRequest(http.MethodPost, Path, nil), peeked{calls: 1, messages: 1},
		func(w http.ResponseWriter) {
			if len(s.turns) != 1 {
				t.Error("there is no turn")
			}
			_, _ = w.Write([]byte("x"))
		})
	for range cap(s.turns) {
		s.turns <- struct{}{}
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	s.inTurn(slow, httptest.NewRequestWithContext(gone, http.MethodPost, Path, nil), peeked{calls: 1, messages: 1},
		func(http.ResponseWriter) {
			t.Error("a client that has gone is answered")
		})
}

// An answer is sent as one, with its length, when the request is done; those of a batch as they
// come.
func TestAnswerIsWhole(t *testing.T) {
	s := &Server{turns: make(chan struct{}, 1)}
	for _, c := range []struct {
		messages int
		length   string
		flushed  bool
	}{{1, "8", false}, {2, "", true}} {
		w := httptest.NewRecorder()
		s.inTurn(w, httptest.NewRequest(http.MethodPost, Path, nil), peeked{calls: 1, messages: c.messages},
			func(to http.ResponseWriter) {
				to.Header().Set("Content-Type", "text/event-stream")
				to.WriteHeader(http.StatusAccepted)
				_, _ = to.Write([]byte("one "))
				if err := http.NewResponseController(to).Flush(); err != nil {
					t.Error(err)
				}
				_, _ = to.Write([]byte("two\n"))
				if early := w.Body.String(); (early != "") != c.flushed {
					t.Errorf("%d messages: %q is out before the end", c.messages, early)
				}
			})
		if w.Code != http.StatusAccepted || w.Body.String() != "one two\n" ||
			w.Header().Get("Content-Length") != c.length || w.Flushed != c.flushed {
			t.Errorf("%d messages: %d %q %v, flushed %t", c.messages, w.Code, w.Body, w.Header(), w.Flushed)
		}
	}
	// Nothing is made up where nothing was answered.
	s.inTurn(writer(func() { t.Error("something is sent") }), httptest.NewRequest(http.MethodPost, Path, nil),
		peeked{calls: 1, messages: 1}, func(http.ResponseWriter) {})
}

// A writer is told of each write.
type writer func()

func (w writer) Header() http.Header { return http.Header{} }

func (w writer) WriteHeader(int) { w() }

func (w writer) Write(p []byte) (int, error) {
	w()
	return len(p), nil
}

// A mark is filled in wherever the library writes it, also where it leaves one out.
func TestMarks(t *testing.T) {
	a := &answer{mark: "M"}
	for _, tt := range []struct{ p, want string }{
		{`{"text":"M"}`, `{"text":"{\"a\":\"é\"}"}`},
		{`{"structuredContent":"M"}`, `{"structuredContent":{"a":"é"}}`},
		{`{"structuredContent":"M","text":"M"}x`, `{"structuredContent":{"a":"é"},"text":"{\"a\":\"é\"}"}x`},
		{`{"text":"M","structuredContent":"M"}`, `{"text":"{\"a\":\"é\"}","structuredContent":{"a":"é"}}`},
		{`{"text":"other","structuredContent":{}}`, `{"text":"other","structuredContent":{}}`},
	} {
		t.Run(tt.p, func(t *testing.T) {
			a.text = nil
			if got, err := a.filled([]byte(tt.p)); err != nil || string(got) != tt.p {
				t.Errorf("before there is an answer: %s, %v", got, err)
			}
			a.later([]byte(`{"a":"é"}`))
			if got, err := a.filled([]byte(tt.p)); err != nil || string(got) != tt.want {
				t.Errorf("%s: %s, %v", tt.p, got, err)
			}
		})
	}
}
