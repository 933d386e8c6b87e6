package mcp

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"relais/auth/account"
)

var noon = time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)

// A fakeSession is a session that can be ended.
type fakeSession struct {
	name string
	*testing.T
}

func (f *fakeSession) Close() error { return nil }

// A testSessions is sessions with a clock. It keeps the names of those that ended.
type testSessions struct {
	*testing.T
	*sessions
	at    time.Time
	ended map[string]bool
}

func newTestSessions(t *testing.T) *testSessions {
	return &testSessions{t, newSessions(maxSessions, maxAnonymous), noon, map[string]bool{}}
}

func (h *testSessions) begin(name string, o owner) {
	for _, c := range h.add(name, &fakeSession{name, h.T}, o, h.at) {
		h.ended[c.(*fakeSession).name] = true
	}
}

// message notes a request of a session and its answer.
func (h *testSessions) message(name string) {
	h.noteUse(name, h.at, 1)
	h.noteUse(name, h.at, -1)
}

func anonymous(addr string) owner { return ownerOf(nil, netip.MustParseAddr(addr)) }

func person(id string) owner {
	return ownerOf(&caller{Person: account.Person{ID: id}}, netip.MustParseAddr("192.0.2.1"))
}

// readers begins sessions of 50 anonymous callers of different providers, and uses them.
func (h *testSessions) readers() (names []string) {
	for i := range 50 {
		name := fmt.Sprint("reader ", i)
		h.begin(name, anonymous(fmt.Sprintf("81.%d.7.9", i)))
		h.message(name)
		names = append(names, name)
	}
	return names
}

func (h *testSessions) mustLive(names ...string) {
	h.Helper()
	for _, name := range names {
		if h.ended[name] || h.byID[name] == nil {
			h.Errorf("the session %q was ended, want it to live", name)
		}
	}
}

// When sessions run out, the longest idle anonymous one ends. Known callers have reserved room.
func TestSessionsRunOut(t *testing.T) {
	h := newTestSessions(t)
	h.begin("mine", person("alice"))
	for i := range maxAnonymous {
		h.at = h.at.Add(time.Millisecond)
		h.begin(fmt.Sprint(i), anonymous(fmt.Sprintf("10.0.%d.%d", i/250, i%250)))
	}
	if len(h.ended) > 0 {
		t.Fatalf("%d sessions ended before they ran out, want 0", len(h.ended))
	}
	h.message("0")
	h.begin("newcomer", anonymous("10.0.0.1"))
	if len(h.ended) != 1 || !h.ended["1"] {
		t.Errorf("%v ended, want session 1, the longest idle", h.ended)
	}
	for i := range maxSessions - maxAnonymous - 1 {
		h.begin(fmt.Sprint("known ", i), person(fmt.Sprint(i)))
	}
	if len(h.ended) != 1 {
		t.Errorf("%d sessions ended while known callers had room, want still 1", len(h.ended))
	}
	h.begin("one more", person("bob"))
	h.mustLive("mine", "newcomer", "one more", "known 0")
	if len(h.ended) != 2 || len(h.byID) != maxSessions {
		t.Errorf("%d sessions ended and %d live, want 2 and %d", len(h.ended), len(h.byID), maxSessions)
	}
}

// A flood of sessions that are not used ends neither sessions in use nor those of newcomers.
func TestFloodOfSessions(t *testing.T) {
	h := newTestSessions(t)
	names := h.readers()
	for i := range 5400 {
		h.at = h.at.Add(time.Millisecond)
		h.begin(fmt.Sprint(i), anonymous(fmt.Sprintf("100.%d.%d.9", 64+i%9, i%90)))
	}
	h.begin("newcomer", anonymous("81.99.7.9"))
	h.mustLive(append(names, "newcomer")...)
	for i := range 60 { // a slower flood from many providers
		h.at = h.at.Add(time.Second)
		for j := range 9 {
			h.begin(fmt.Sprint("slow ", i, j), anonymous(fmt.Sprintf("%d.%d.7.9", 110+j, i)))
		}
		h.message("newcomer")
	}
	h.mustLive(append(names, "newcomer")...)
	if h.anonymous != maxAnonymous || len(h.byID) != maxAnonymous {
		t.Errorf("%d sessions live, %d anonymous; want %d of both", len(h.byID), h.anonymous, maxAnonymous)
	}
}

// A flood of sessions that are used ends its own sessions.
func TestFloodOfUsedSessions(t *testing.T) {
	h := newTestSessions(t)
	names := h.readers()
	for i := range 6000 {
		h.at = h.at.Add(time.Millisecond)
		name := fmt.Sprint(i)
		h.begin(name, anonymous(fmt.Sprintf("100.%d.%d.9", 64+i%9, i%90)))
		h.message(name)
	}
	h.at = h.at.Add(sessionTimeout / 2)
	h.begin("newcomer", anonymous("81.99.7.9"))
	h.begin("another", anonymous("100.64.0.8"))
	h.mustLive(append(names, "newcomer", "another")...)
}

// A session that timed out makes room before any live session ends.
func TestEndedSessions(t *testing.T) {
	h := newTestSessions(t)
	h.sessions = newSessions(3, 3)
	h.begin("old", anonymous("81.1.7.9"))
	h.message("old")
	h.at = h.at.Add(sessionTimeout + time.Second)
	h.begin("a", anonymous("10.0.0.1"))
	h.begin("b", anonymous("10.0.0.2"))
	h.begin("c", anonymous("10.0.0.3"))
	h.mustLive("a", "b", "c")
	if len(h.byNetwork) != 2 || len(h.byOwner) != 3 {
		t.Errorf("counts by network %v and by owner %v, want 2 and 3 entries", h.byNetwork, h.byOwner)
	}
}

// When all sessions are taken, newcomers still begin theirs, with and without a key, and a
// session in use stays.
func TestSessionsRunOutOverHTTP(t *testing.T) {
	w := serve(t, nil)
	w.tools.sessions = newSessions(20, 16)
	from := func(i int) string { return fmt.Sprintf("10.0.%d.%d", i/200, i%200) }
	used := session(t, w, "X-Test-Address", "203.0.113.9")
	for i := range 40 {
		session(t, w, "X-Test-Address", from(i))
	}
	issued := w.issue(t, nil)
	session(t, w, "X-API-Key", issued.APIKey)
	resp, text := post(t, w, callBody("capabilities_guide", "{}"), "Mcp-Session-Id", used, "X-Test-Address",
		"203.0.113.9")
	if resp.StatusCode != http.StatusOK {
		t.Errorf("the session in use: status = %d, want 200: %s", resp.StatusCode, text)
	}
	deadline := time.Now().Add(10 * time.Second)
	for living(w) != 17 && time.Now().Before(deadline) { // ended sessions close in the background
		time.Sleep(time.Millisecond)
	}
	if n := living(w); n != 17 {
		t.Errorf("%d sessions live, want 17: 16 anonymous ones and one of a key", n)
	}
}

func living(w *world) (n int) {
	for range w.tools.server.Sessions() {
		n++
	}
	return n
}

// A session whose client has gone when it begins lives on, since the client may have read its
// id. It ends soon, and is counted no more, if it is not used.
func TestGoneWhileBeginning(t *testing.T) {
	for _, c := range []struct {
		name string
		used bool
		live int
	}{
		{"never used", false, 0},
		{"used", true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := serve(t, nil)
			synctest.Test(t, func(t *testing.T) { w.beginAndLeave(t, c.used, c.live) })
		})
	}
}

// ids returns the ids of the sessions that are counted.
func (s *sessions) ids() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.byID))
}

// beginAndLeave begins a session whose client goes before it is answered, and requires that so
// many sessions live when it had time to be used.
func (w *world) beginAndLeave(t *testing.T, used bool, want int) {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	w.tools.server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if method == "initialize" {
				defer leave()
			}
			return next(ctx, method, req)
		}
	})
	send := func(ctx context.Context, body, id string) int {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, w.URL+Path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if id != "" {
			r.Header.Set(sessionHeader, id)
		}
		rec := httptest.NewRecorder()
		w.tools.ServeHTTP(rec, r)
		return rec.Code
	}
	send(ctx, initializeBody, "")
	synctest.Wait()
	ids := w.tools.sessions.ids()
	if len(ids) != 1 || living(w) != 1 {
		t.Fatalf("%d sessions live, %d are counted, want 1", living(w), len(ids))
	}
	if used {
		status := send(t.Context(), `{"jsonrpc":"2.0","method":"notifications/initialized"}`, ids[0])
		if status != http.StatusAccepted {
			t.Errorf("the second message: status %d, want 202", status)
		}
	}
	time.Sleep(unusedTimeout + time.Second)
	synctest.Wait()
	if n, counted := living(w), len(w.tools.sessions.ids()); n != want || counted != want {
		t.Errorf("%d sessions live, %d are counted, want %d", n, counted, want)
	}
	for session := range w.tools.server.Sessions() {
		session.Close()
	}
}
