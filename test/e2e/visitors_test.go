//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Ten thousand people look at a page behind a proxy. One of them asks without end: he alone is
// refused, and nobody's address is written down.
func TestVisitorsBehindAProxy(t *testing.T) {
	const visitors, limit, page = 10_000, 5, "https://map.example"
	c := makeCountry(t, 200)
	var client issued
	command(t, &client, "client", "create", "--data", c.dir, "--name", "Web map", "--mode", "browser", "--origin", page,
		"--scopes", "all-read", "--minute", "1000000", "--day", "1000000", "--visitor-day", fmt.Sprint(limit))
	s := serve(t, c.dir, "--trusted-proxy", "127.0.0.1/32")
	from := clientAt(t, "127.0.0.1")
	ask := func(address string) answer {
		return call(t, from, http.MethodGet, s.base+"/external/v1/markets", nil, "X-API-Key", client.APIKey, "Origin", page,
			"X-Forwarded-For", "192.0.2.1, "+address) // what the visitor claims comes first
	}
	const noisy = "203.0.113.66"
	served, refused := 0, 0
	for n := range visitors {
		address := netip.AddrFrom4([4]byte{198, 18, byte(n >> 8), byte(n)})
		if n%2 == 1 { // from a /64 of its own
			address = netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 0, 0, byte(n >> 8), byte(n), 15: 1})
		}
		if a := ask(address.String()); a.status != http.StatusOK || a.header.Get("X-RateLimit-Remaining-Day") != fmt.Sprint(limit-1) {
			t.Fatalf("visitor %d, %s: got %s, %s left of the day; want 200 and %d", n, address, a,
				a.header.Get("X-RateLimit-Remaining-Day"), limit-1)
		}
		if n%50 > 0 {
			continue
		}
		switch a := ask(noisy); {
		case a.status == http.StatusOK:
			served++
		case a.status == http.StatusTooManyRequests && a.code() == "RATE_LIMITED" &&
			a.header.Get("X-RateLimit-Limit-Day") == fmt.Sprint(limit) && a.header.Get("Retry-After") != "":
			refused++
		default:
			t.Fatalf("the noisy visitor: got %s, %v; want 200, or 429 with the limit %d", a, a.header, limit)
		}
	}
	if served != limit || served+refused != visitors/50 {
		t.Errorf("the noisy visitor: got %d answers and %d refusals, want %d and %d", served, refused, limit, visitors/50-limit)
	}
	if n := s.metric(`relais_quota_refusals_total{limit="day"} `); n != float64(refused) {
		t.Errorf("refusals in the metrics: got %v, want %d", n, refused)
	}
	s.stop()
	wantNowhere(t, c.dir, noisy)
	if strings.Contains(s.log.String(), noisy) {
		t.Errorf("the log has %s, want no whole address", noisy)
	}
}

// wantNowhere searches the files of a folder for an address as text, and quota.db also for its bytes:
// elsewhere any four bytes may be there by chance.
func wantNowhere(t *testing.T, dir, address string) {
	t.Helper()
	raw := netip.MustParseAddr(address).AsSlice()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(address)) || strings.HasSuffix(path, "quota.db") && bytes.Contains(text, raw) {
			t.Errorf("%s has the address %s", path, address)
		}
		return err
	})
	must(t, err)
}
