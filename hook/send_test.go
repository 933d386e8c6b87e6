package hook

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The vector that the Standard Webhooks libraries are tested with.
func TestSignatureOfTheSpecification(t *testing.T) {
	key, err := base64.StdEncoding.DecodeString("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	must(t, err)
	got := sign(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", `{"test": 2432232314}`)
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// received is a request that a receiver got.
type received struct {
	header http.Header
	body   string
}

// serving returns a server that keeps what it gets and answers by fn.
func serving(t *testing.T, fn http.HandlerFunc) (*httptest.Server, chan received) {
	got := make(chan received, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- received{r.Header, string(body)}
		fn(w, r)
	}))
	t.Cleanup(server.Close)
	return server, got
}

func send(t *testing.T, url string, private bool) outcome {
	t.Helper()
	o := Options{Private: private, Version: "1.2"}
	return o.sender(time.Now).send(t.Context(), &secrets{URL: url, Secret: []byte("key")}, "", "msg_1", `{"a":1}`)
}

// openssl computes the same signature.
func TestSignatureByOpenSSL(t *testing.T) {
	program, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("openssl is not installed")
	}
	server, got := serving(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(201) })
	if o := send(t, server.URL+"/in", true); o.why != "" || o.status != 201 {
		t.Fatalf("got %+v, want 201", o)
	}
	r := <-got
	h := r.header
	if h.Get("Content-Type") != "application/json" || h.Get("User-Agent") != "relais/1.2" || h.Get("Webhook-Id") != "msg_1" {
		t.Errorf("got the header %v", h)
	}
	c := exec.Command(program, "dgst", "-sha256", "-mac", "HMAC", "-macopt", "hexkey:"+hex.EncodeToString([]byte("key")),
		"-binary")
	c.Stdin = strings.NewReader(h.Get("Webhook-Id") + "." + h.Get("Webhook-Timestamp") + "." + r.body)
	sum, err := c.Output()
	must(t, err)
	if want := "v1," + base64.StdEncoding.EncodeToString(sum); h.Get("Webhook-Signature") != want {
		t.Errorf("got %s, openssl has %s", h.Get("Webhook-Signature"), want)
	}
}

// Redirects are not followed, and no proxy of the environment is used.
func TestRedirect(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		t.Setenv(name, "http://127.0.0.1:1")
	}
	other, elsewhere := serving(t, func(http.ResponseWriter, *http.Request) {})
	for _, status := range []int{301, 302, 303, 307, 308} {
		server, _ := serving(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, status) })
		o := send(t, server.URL, true)
		if want := fmt.Sprintf("the receiver answered %d; redirects are not followed", status); o.why != want {
			t.Errorf("%d: got %q, want %q", status, o.why, want)
		}
	}
	if len(elsewhere) > 0 {
		t.Error("a redirect was followed")
	}
	if p := newTransport(false).Proxy; p != nil {
		t.Error("the transport has a proxy")
	}
}

// Of a long answer little is read, and an endless header is refused.
func TestLongAnswer(t *testing.T) {
	written := make(chan int, 1)
	server, _ := serving(t, func(w http.ResponseWriter, r *http.Request) {
		n, chunk := 0, make([]byte, 64<<10)
		for range 10_000 { // 640 MB
			m, err := w.Write(chunk)
			n += m
			if err != nil {
				break
			}
		}
		written <- n
	})
	if o := send(t, server.URL, true); o.why != "" {
		t.Errorf("got %+v, want success: its status is known", o)
	}
	if n := <-written; n > 64<<20 {
		t.Errorf("%d bytes were taken", n)
	}
	header, _ := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		for i := range 1000 {
			w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 1000))
		}
	})
	if o := send(t, header.URL, true); o.why == "" {
		t.Error("a header of a megabyte was taken")
	}
}

// An address is refused when it is dialled, whatever its name is, and nothing reaches it.
func TestPrivateAddresses(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a private address was reached")
	}))
	server.TLS = &tls.Config{}
	server.StartTLS()
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	for _, host := range []string{"localhost", "127.0.0.1", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "127.1"} {
		o := send(t, "https://"+host+":"+port+"/", false)
		if o.why == "" || o.status != 0 {
			t.Errorf("%s: got %+v, want no connection", host, o)
		}
		if !strings.Contains(o.why, "is loopback") && !strings.Contains(o.why, "is this network") && host != "127.1" {
			t.Errorf("%s: got %q, want that it is not public", host, o.why)
		}
	}
	if o := send(t, "http://example.org/", false); !strings.Contains(o.why, "no TLS") {
		t.Errorf("without TLS: got %+v", o)
	}
}

// A name whose addresses are private is refused, although it is a name of DNS.
func TestPrivateNames(t *testing.T) {
	server := dnsServer(t, netip.MustParseAddr("10.1.2.3"), netip.MustParseAddr("fd00::5"))
	dialer := newDialer(false)
	dialer.Resolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server)
	}}
	s := &sender{client: &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}, now: time.Now}
	o := s.send(t.Context(), &secrets{URL: "https://hooks.example.org/", Secret: []byte("key")}, "", "msg_1", "{}")
	if !strings.Contains(o.why, "10.1.2.3 is private") && !strings.Contains(o.why, "fd00::5 is private") {
		t.Errorf("got %+v, want that the address is private", o)
	}
}

// dnsServer answers every question of DNS for A and AAAA with an address.
func dnsServer(t *testing.T, a, aaaa netip.Addr) string {
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { c.Close() })
	go func() {
		q := make([]byte, 512)
		for {
			n, from, err := c.ReadFrom(q)
			if err != nil {
				return
			}
			end := 12
			for end < n && q[end] != 0 {
				end += int(q[end]) + 1
			}
			end += 5 // the root, the type and the class
			if end > n {
				continue
			}
			address, kind := a.AsSlice(), q[end-3]
			if kind == 28 {
				address = aaaa.AsSlice()
			}
			r := append([]byte{q[0], q[1], 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0}, q[12:end]...)
			r = append(r, 0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 60, 0, byte(len(address)))
			if _, err := c.WriteTo(append(r, address...), from); err != nil {
				return
			}
		}
	}()
	return c.LocalAddr().String()
}

// What is said about a failure has no credentials of the address.
func TestNoCredentialsInErrors(t *testing.T) {
	for _, url := range []string{"http://user:hunter2@127.0.0.1:1/in?token=hunter2", "http://user:hunter2@no.such.invalid/hunter2"} {
		if o := send(t, url, true); o.why == "" || strings.Contains(o.why, "hunter2") {
			t.Errorf("got %+v, want an error without the password", o)
		}
	}
}
