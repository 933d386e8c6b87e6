package httpapi

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"relais/auth/access"
)

// A sender is a client that sends a body at so many bytes a second, in pieces; it may
// pause once.
type sender struct {
	*httptest.ResponseRecorder
	rest     []byte
	piece    int
	rate     int
	pause    time.Duration // before the second piece
	deadline time.Time
}

func (s *sender) SetReadDeadline(t time.Time) error {
	s.deadline = t
	return nil
}

// Read implements io.Reader, for the body.
func (s *sender) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		return 0, io.EOF
	}
	n := min(len(s.rest), len(p), s.piece)
	takes := time.Duration(n)*time.Second/time.Duration(s.rate) + s.pause
	if left := time.Until(s.deadline); !s.deadline.IsZero() && left < takes {
		time.Sleep(max(0, left))
		return 0, os.ErrDeadlineExceeded
	}
	time.Sleep(takes)
	s.pause = 0
	copy(p, s.rest[:n])
	s.rest = s.rest[n:]
	return n, nil
}

// sendSlowly has a client send a note slowly from an address; a forged one has a signature of
// the right form.
func sendSlowly(s *Server, i *access.Issued, address string, forged bool, from *sender) {
	from.ResponseRecorder = httptest.NewRecorder()
	sum, text := sha256.Sum256(from.rest), from.rest
	r := httptest.NewRequest("POST", "http://relais.test"+mount+"/notes", from)
	r.ContentLength = int64(len(text))
	r.RemoteAddr = netip.AddrPortFrom(netip.MustParseAddr(address), 1).String()
	r.Header.Set("Content-Type", "text/plain")
	r.Header.Set("Authorization", "Bearer "+i.APIKey)
	switch {
	case forged:
		r.Header.Set("X-Sq-Signature", fmt.Sprintf("t=%d,v1=%s", time.Now().Unix(), strings.Repeat("0", 64)))
	case i.Signs():
		r.Header.Set("X-Sq-Signature", access.Sign(i.SigningSecret, time.Now(), "POST", mount+"/notes", sum))
	case i.Mode == access.Browser:
		r.Header.Set("Origin", allowedOrigin)
	}
	s.ServeHTTP(from, r)
}

// stalled is a body that comes one byte every five seconds.
func stalled() *sender {
	return &sender{rest: make([]byte, 1000), piece: 1, rate: 1, pause: 4 * time.Second}
}

// quick is a body that comes at once; no two are the same.
func quick(n int) *sender {
	return &sender{rest: fmt.Appendf(nil, "note %d", n), piece: 1 << 20, rate: 1 << 30}
}

func wantNoBodies(t *testing.T, s *Server) {
	t.Helper()
	if held, holders, _ := s.bodies.Held(); held.Places != 0 || holders != 0 {
		t.Errorf("%d bodies are held, by %d, want 0 and none", held.Places, holders)
	}
}

// Who has the key of an app and not the secret holds no places of its users: two bodies
// at a time from an address, few from its network, 30 seconds each, and each counts as
// a failed authentication.
func TestForgedBodies(t *testing.T) {
	s, _ := newNoteServer(t)
	app := newClient(t, s, access.Mobile, []access.Scope{access.PhotosWrite}, manyRequests)
	server := writer(t, s, false)
	synctest.Test(t, func(t *testing.T) {
		var forged []*sender
		forge := func(address string) *sender {
			from := stalled()
			forged = append(forged, from)
			go sendSlowly(s, app, address, true, from)
			synctest.Wait()
			return from
		}
		busy := func(from *sender) bool { return from.Code == 503 }
		for n := range 4 {
			if from := forge("203.0.113.9"); busy(from) != (n >= maxAddressUnproven) {
				t.Errorf("body %d of an address: got status %d, want 503 from body %d on", n, from.Code,
					maxAddressUnproven)
			}
		}
		for n := range 10 {
			// The network has 2 of 16, and gets more while it has at most half of what is left: up to 6.
			if from := forge(fmt.Sprintf("203.0.113.%d", 20+n)); busy(from) != (n >= 4) {
				t.Errorf("body %d of a network: got status %d, want 503 from body 4 on", n, from.Code)
			}
		}
		for n := range 5 {
			user := quick(n)
			if sendSlowly(s, app, "198.51.100.7", false, user); user.Code != 201 {
				t.Errorf("a user of the app: %d %s, want 201", user.Code, user.Body)
			}
		}
		for n := range 40 { // whatever the number of networks
			forge(fmt.Sprintf("2001:db8:%x::1", n))
		}
		known := quick(8)
		if sendSlowly(s, app, "198.51.100.7", false, known); known.Code != 201 {
			t.Errorf("a user whose address proved a signature today: %d %s, want 201", known.Code, known.Body)
		}
		partner := quick(9)
		if sendSlowly(s, server, "192.0.2.1", false, partner); partner.Code != 201 {
			t.Errorf("another client: %d %s, want 201", partner.Code, partner.Body)
		}
		began := time.Now()
		time.Sleep(sendPace.grace + 2*s.bodies.refused)
		synctest.Wait()
		late := 0
		for _, from := range forged {
			if from.Code == 408 {
				late++
			} else if from.Code != 503 {
				t.Errorf("a forged body: %d %s, want 503", from.Code, from.Body)
			}
		}
		if want := maxUnproven - keptUnproven; late != want {
			t.Errorf("%d bodies were too slow, want %d", late, want)
		}
		if n := s.Gate.Failures.Count(netip.MustParseAddr("203.0.113.9"), began); n != maxAddressUnproven {
			t.Errorf("%d failed authentications, want %d", n, maxAddressUnproven)
		}
		user := quick(10)
		if sendSlowly(s, app, "203.0.113.9", false, user); user.Code != 201 {
			t.Errorf("a user at the address: %d %s, want 201", user.Code, user.Body)
		}
	})
	wantNoBodies(t, s)
}

// A phone that is slow, or has no network for a while, is waited for; one that sends next
// to nothing is not.
func TestSlowPhone(t *testing.T) {
	s, _ := newNoteServer(t)
	app := newClient(t, s, access.Mobile, []access.Scope{access.PhotosWrite}, manyRequests)
	for _, tt := range []struct {
		name   string
		sender sender
		size   int
		status int
	}{
		{"3 kB/s", sender{piece: 1400, rate: 3000}, 700_000, 201},
		{"2.1 kB/s", sender{piece: 1400, rate: 2100}, 500_000, 201},
		{"9 seconds without network", sender{piece: 1400, rate: 5000, pause: 9 * time.Second}, 100_000, 201},
		{"11 seconds without network", sender{piece: 1400, rate: 5000, pause: 11 * time.Second}, 100_000, 408},
		{"1.5 kB/s", sender{piece: 1400, rate: 1500}, 500_000, 408},
		{"a byte a second", sender{piece: 1, rate: 1}, 100, 408},
		{"a byte a second, of few", sender{piece: 1, rate: 1}, 25, 201},
	} {
		synctest.Test(t, func(t *testing.T) {
			from := tt.sender
			from.rest = bytes.Repeat([]byte(tt.name[:1]), tt.size)
			if sendSlowly(s, app, "198.51.100.7", false, &from); from.Code != tt.status {
				t.Errorf("%s: status %d %s, want %d", tt.name, from.Code, from.Body, tt.status)
			}
		})
	}
	wantNoBodies(t, s)
}

// Slow bodies of one visitor of a page leave places for the others.
func TestSlowBodiesOfAVisitor(t *testing.T) {
	s, _ := newNoteServer(t)
	page := newClient(t, s, access.Browser, []access.Scope{access.PhotosWrite}, manyRequests)
	synctest.Test(t, func(t *testing.T) {
		for n := range 6 {
			from := stalled()
			go sendSlowly(s, page, fmt.Sprintf("2001:db8::%d", n), false, from) // of one /64
			synctest.Wait()
			if busy := from.Code == 503; busy != (n >= maxVisitBodies) {
				t.Errorf("body %d of a visitor: got status %d, want 503 from body %d on", n, from.Code,
					maxVisitBodies)
			}
		}
		other := quick(1)
		if sendSlowly(s, page, "203.0.113.9", false, other); other.Code != 201 {
			t.Errorf("another visitor: %d %s, want 201", other.Code, other.Body)
		}
		time.Sleep(sendPace.grace + 2*s.bodies.refused)
		synctest.Wait()
	})
	wantNoBodies(t, s)
}
