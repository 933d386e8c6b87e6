package httpapi

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"relais/auth/access"
	"relais/internal/tier"
)

// An answer that the client has costs a twentieth, one that is not ready nothing.
func TestCheapAnswers(t *testing.T) {
	tier.Slow(t)
	withinMinute()
	s := newServer(t)
	i := newClient(t, s, access.Server, access.ReadScopes, access.Limits{Minute: 5, Day: 100})
	send := func(target string, headers ...string) *httptest.ResponseRecorder {
		return get(t, s, target, append([]string{"X-API-Key", i.APIKey}, headers...)...)
	}
	left := func(w *httptest.ResponseRecorder, status, minute, day int) {
		t.Helper()
		h := w.Header()
		if w.Code != status || h.Get("X-RateLimit-Remaining") != strconv.Itoa(minute) ||
			h.Get("X-RateLimit-Remaining-Day") != strconv.Itoa(day) || len(h["X-Ratelimit-Remaining"]) != 1 {
			t.Fatalf("%d, %v left of the minute, %v of the day, want %d, %d and %d", w.Code,
				h["X-Ratelimit-Remaining"], h["X-Ratelimit-Remaining-Day"], status, minute, day)
		}
	}
	first := send("/markets")
	left(first, 200, 4, 99)
	tag := first.Header().Get("Etag")
	for range 20 { // twenty of them are one whole request
		left(send("/markets", "If-None-Match", tag), 304, 3, 98)
	}
	left(send("/markets", "If-None-Match", "*"), 304, 2, 97) // a twentieth more than that
	for range 50 {
		left(send("/antennas?market=CA"), 503, 2, 97)
	}
	left(send("/antennas?limit=0"), 400, 1, 96) // a wrong question costs one
	left(send("/markets"), 200, 0, 95)          // 19 twentieths are left: less than one
	left(send("/markets", "If-None-Match", tag), 429, 0, 95)
	left(send("/antennas?market=CA"), 429, 0, 95)

	// Also where nothing is loaded at all, and for what changes something.
	e := empty(t)
	body, contentType := form(part{"file", "photo.jpg", "x"})
	for range 3 {
		key, _ := testKeys.Load(e.Gate)
		w := postTo(t, e, key.(string), "/sites/90000010/photos", contentType, bytes.NewReader(body))
		wantError(t, w, http.StatusServiceUnavailable, "NOT_READY")
		if used := 1e9 - remaining(t, w); used != 0 {
			t.Errorf("an upload to a server that is not ready cost %d, want 0", used)
		}
	}
	if w := get(t, s, "/markets"); remaining(t, w) != 1e9-1 {
		t.Errorf("an answer cost %d, want 1", 1e9-remaining(t, w))
	}
}

func remaining(t *testing.T, w *httptest.ResponseRecorder) int {
	t.Helper()
	n, err := strconv.Atoi(w.Header().Get("X-RateLimit-Remaining-Day"))
	must(t, err)
	return n
}
