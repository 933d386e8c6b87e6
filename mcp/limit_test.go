package mcp

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"relais/auth/access"
	"relais/auth/account"
)

const pingBody = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// issue creates an API client that may use the tools; change may change it before.
func (w *world) issue(t *testing.T, change func(*access.Client)) *access.Issued {
	t.Helper()
	c := access.Client{Name: "Helper " + rand.Text(), Mode: access.Server, Scopes: []access.Scope{access.InternalAI},
		CIDRs:  []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")},
		Limits: access.Limits{Minute: 1 << 20, Day: 1 << 20}}
	if change != nil {
		change(&c)
	}
	issued, err := w.clients.Create(c)
	must(t, err)
	return issued
}

// A caller with a valid key or token is counted by it, not by an address from which others may
// have sent too much. Other callers are counted by address.
func TestLimitOfCredentials(t *testing.T) {
	withinMinute()
	w := serve(t, func(o *Options) { o.Minute = 1 })
	issued, token := w.issue(t, nil), w.token(t, "alice", account.Read)
	from := []string{"X-Test-Address", "192.0.2.77"}
	for range messagesPerCall {
		post(t, w, pingBody, from...)
	}
	for _, c := range []struct {
		name    string
		headers []string
		want    int
	}{
		{"no credential", nil, http.StatusTooManyRequests},
		{"a wrong key", []string{"X-API-Key", issued.APIKey + "x"}, http.StatusTooManyRequests},
		{"a wrong token", []string{"Authorization", "Bearer nothing"}, http.StatusTooManyRequests},
		{"a key", []string{"X-API-Key", issued.APIKey}, http.StatusOK},
		{"a token", []string{"Authorization", token}, http.StatusOK},
	} {
		t.Run(c.name, func(t *testing.T) {
			if resp, text := post(t, w, pingBody, append(c.headers, from...)...); resp.StatusCode != c.want {
				t.Errorf("status = %d, want %d: %s", resp.StatusCode, c.want, text)
			}
		})
	}
	for i := range messagesPerCall {
		want := http.StatusOK
		if i == messagesPerCall-1 { // the key has sent one before
			want = http.StatusTooManyRequests
		}
		resp, _ := post(t, w, pingBody, "X-API-Key", issued.APIKey, "X-Test-Address", fmt.Sprintf("192.0.2.%d", i+100))
		if resp.StatusCode != want {
			t.Errorf("message %d of the key from other addresses: status = %d, want %d", i+2, resp.StatusCode, want)
		}
	}
}

// A body that breaks off before its signature is checked counts as a failed authentication of
// the address, and only few such bodies are read at a time.
func TestBrokenBodyFails(t *testing.T) {
	w := serve(t, func(o *Options) {
		o.Address = func(*http.Request) netip.Addr { return netip.MustParseAddr("192.0.2.78") }
	})
	issued := w.issue(t, func(c *access.Client) { c.Mode, c.RequireSignature, c.CIDRs = access.Mobile, true, nil })
	server := w.tools
	send := func(body io.Reader) int {
		r := httptest.NewRequest(http.MethodPost, w.URL+Path, body)
		r.Header.Set("Authorization", "Bearer "+issued.APIKey)
		r.Header.Set("X-Sq-Signature", fmt.Sprintf("t=%d,v1=%s", time.Now().Unix(), strings.Repeat("0", 64)))
		rec := httptest.NewRecorder()
		server.ServeHTTP(rec, r)
		return rec.Code
	}
	addr := netip.MustParseAddr("192.0.2.78")
	withinMinute()
	if status := send(iotest.ErrReader(io.ErrUnexpectedEOF)); status != http.StatusBadRequest {
		t.Errorf("a broken body: status = %d, want 400", status)
	}
	if n := server.Gate.Failures.Count(addr, time.Now()); n != 1 {
		t.Errorf("%d failures after a broken body, want 1", n)
	}
	var bodies []*io.PipeWriter
	ended := make(chan int, maxUnprovenOfLine)
	for range maxUnprovenOfLine {
		out, in := io.Pipe()
		bodies = append(bodies, in)
		go func() { ended <- send(out) }()
		if _, err := in.Write([]byte("{")); err != nil { // once it is read, the body counts
			t.Fatal(err)
		}
	}
	if status := send(strings.NewReader("{}")); status != http.StatusServiceUnavailable {
		t.Errorf("one more unproven body: status = %d, want 503", status)
	}
	for _, in := range bodies {
		in.Close()
		if status := <-ended; status != http.StatusUnauthorized {
			t.Errorf("a forged signature: status = %d, want 401", status)
		}
	}
	if status := send(strings.NewReader("{}")); status != http.StatusUnauthorized {
		t.Errorf("a forged signature after that: status = %d, want 401", status)
	}
}

// One line with many addresses has the messages of twenty; other networks are not concerned.
func TestMessagesOfANetwork(t *testing.T) {
	withinMinute()
	w := serve(t, func(o *Options) { o.Minute = 1 })
	send := func(address string) int {
		resp, _ := post(t, w, pingBody, "X-Test-Address", address)
		return resp.StatusCode
	}
	for range 2 * addressesPerNetwork * messagesPerCall { // most are refused, and do not count for the network
		send("2001:db8:7:aaaa::1")
	}
	for i := range (addressesPerNetwork - 1) * messagesPerCall {
		if got := send(fmt.Sprintf("2001:db8:7:%x::1", i)); got != http.StatusOK {
			t.Fatalf("address %d of the network: status %d, want 200", i, got)
		}
	}
	for _, tt := range []struct {
		address string
		want    int
	}{{"2001:db8:7:ffff::1", 429}, {"2001:db8:8::1", 200}, {"192.0.2.1", 200}} {
		if got := send(tt.address); got != tt.want {
			t.Errorf("%s: status %d, want %d", tt.address, got, tt.want)
		}
	}
}
