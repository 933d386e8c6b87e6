package oauth

import (
	"encoding/binary"
	"net/http"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"relais/internal/tier"
)

// tryRegister registers a program from an address.
func (w *world) tryRegister(addr netip.Addr) answer {
	w.Helper()
	before := w.address
	defer func() { w.address = before }()
	w.address = addr
	return w.do("POST", registerPath, `{"redirect_uris":["https://flood.example/cb"]}`, "Content-Type",
		"application/json")
}

// mustWait checks that a refused registration says when to come back.
func (w *world) mustWait(what string, a answer, most time.Duration) {
	w.Helper()
	w.want(what, a, http.StatusTooManyRequests, "temporarily_unavailable")
	if s, err := strconv.Atoi(a.Header.Get("Retry-After")); err != nil || s < 1 || s > int(most/time.Second)+1 {
		w.Errorf("%s: Retry-After %q", what, a.Header.Get("Retry-After"))
	}
}

// A flood of registrations does not take away the program that a person is about to let
// in, nor room from other networks; when there is room for none, newcomers are told when to
// come back.
func TestFloodOfRegistrations(t *testing.T) {
	tier.Slow(t)
	w := newWorld(t)
	client := w.register(callback)
	made := map[int]int{}
	flood := func(network byte, lines int) {
		for i := range lines {
			b := [16]byte{0x20, 1, 0xd, 0xb8 + network/4, 0, network}
			binary.BigEndian.PutUint16(b[6:], uint16(i))
			a := w.tryRegister(netip.AddrFrom16(b))
			if made[a.StatusCode]++; a.StatusCode != http.StatusCreated {
				w.mustWait("the flood", a, registerWindow)
			}
		}
	}
	flood(0, 1010)
	if made[http.StatusCreated] != 120 || made[http.StatusTooManyRequests] != 890 {
		t.Errorf("of 1010 registrations of a network: got %v, want 120 made and 890 refused", made)
	}
	if a := w.tryRegister(netip.MustParseAddr("198.51.100.7")); a.StatusCode != http.StatusCreated {
		t.Errorf("another network: %d %s, want %d", a.StatusCode, a.text, http.StatusCreated)
	}
	for network := range byte(12) {
		flood(network+1, 121)
	}
	if n := made[http.StatusCreated]; n != 998 { // with the two of others all that are kept
		t.Errorf("%d registrations of three providers, want 998", n)
	}
	w.mustWait("when all are new", w.tryRegister(netip.MustParseAddr("198.51.100.8")), 30*time.Minute)
	w.pass(15 * time.Minute)
	w.page(request(client, callback)) // is open before them
	w.pass(15 * time.Minute)
	if a := w.tryRegister(netip.MustParseAddr("198.51.100.9")); a.StatusCode != http.StatusCreated {
		t.Errorf("half an hour later: %d %s, want %d", a.StatusCode, a.text, http.StatusCreated)
	}
	if a := w.decided(request(client, callback)); a.StatusCode != http.StatusOK {
		t.Errorf("the person's decision: %d, want %d", a.StatusCode, http.StatusOK)
	}
}
