package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"relais/api"
	"relais/api/endpoint"
	"relais/auth/access"
)

// A noted is what the operation of these tests answers.
type noted struct {
	Number int64  `json:"number"`
	Sum    string `json:"sum"` // SHA-256 of the body, in hexadecimal
}

const maxNote = 1 << 20

// newNoteServer serves an operation that takes bodies and counts what it does; a body
// "fail" makes it fail.
func newNoteServer(t *testing.T) (*Server, *atomic.Int64) {
	t.Helper()
	s, done := newServer(t), &atomic.Int64{}
	s.mountOperations([]*endpoint.Op[*api.Env]{endpoint.New(endpoint.Decl{
		Name: "notes.add", Method: "POST", Path: "/notes", Scope: "photos:write", FailureName: "NOTE", Status: 201,
		Body:     &endpoint.Body{Type: "text/plain", MaxBytes: maxNote},
		Location: func(result any) string { return fmt.Sprint("http://relais.test/notes/", result.(*noted).Number) },
	}, func(r *api.Env, _ context.Context, _ *struct{}) (*noted, error) {
		n := done.Add(1)
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		if string(text) == "fail" {
			return nil, errors.New("failed on purpose")
		}
		sum := sha256.Sum256(text)
		return &noted{n, hex.EncodeToString(sum[:])}, nil
	})})
	return s, done
}

// writer makes a client that may write.
func writer(t *testing.T, s *Server, signs bool) *access.Issued {
	t.Helper()
	return limitedWriter(t, s, signs, access.Limits{Minute: 1000, Day: 1000})
}

func limitedWriter(t *testing.T, s *Server, signs bool, limits access.Limits) *access.Issued {
	t.Helper()
	i, err := s.Gate.Clients.Create(access.Client{Name: "writer " + rand.Text(), Mode: access.Server,
		Scopes: []access.Scope{access.PhotosWrite}, Partner: true, RequireSignature: signs,
		CIDRs: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")}, Limits: limits})
	must(t, err)
	return i
}

// post sends a note; signed is the body that the signature is made for, nil for no
// signature.
func post(t *testing.T, h http.Handler, i *access.Issued, at time.Time, body, signed []byte,
	headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	all := append([]string{"X-API-Key", i.APIKey, "Content-Type", "text/plain; charset=utf-8"}, headers...)
	if signed != nil {
		all = append(all, "X-Sq-Signature", access.Sign(i.SigningSecret, at, "POST", mount+"/notes", sha256.Sum256(signed)))
	}
	return send(t, h, "POST", mount+"/notes", body, all...)
}

// A signed request is done once, and its repetition gets the same answer under its
// own request id.
func TestSignedPostIsDoneOnce(t *testing.T) {
	s, done := newNoteServer(t)
	i, now := writer(t, s, true), time.Now()
	small, large := []byte("a note"), bytes.Repeat([]byte("0123456789abcdef"), maxNote/16)
	for n, text := range [][]byte{small, large, {}} {
		first := post(t, s, i, now, text, text)
		again := post(t, s, i, now, text, text, "X-Request-Id", "again")
		a, b := parse(t, first, 201), parse(t, again, 201)
		sum := sha256.Sum256(text)
		if a["sum"] != hex.EncodeToString(sum[:]) || a["sum"] != b["sum"] || a["number"] != b["number"] ||
			b["requestId"] != "again" || a["requestId"] == b["requestId"] {
			t.Errorf("got %v, then %v; want the sum %x twice, one number and two requestIds", a, b, sum)
		}
		if first.Header().Get("Location") == "" || first.Header().Get("Location") != again.Header().Get("Location") ||
			first.Header().Get("Idempotent-Replayed") != "" || again.Header().Get("Idempotent-Replayed") != "true" {
			t.Errorf("got headers %v, then %v; want one Location, and only the second replayed", first.Header(),
				again.Header())
		}
		if done.Load() != int64(n+1) {
			t.Errorf("done %d times after %d notes, want %d", done.Load(), n+1, n+1)
		}
	}
	wantError(t, post(t, s, i, now, []byte("b note"), small), 401, "SIGNATURE_REQUIRED")
	wantError(t, post(t, s, i, now, append(small, ' '), small), 401, "SIGNATURE_REQUIRED")
	wantError(t, post(t, s, i, now, small, nil), 401, "SIGNATURE_REQUIRED")
	if done.Load() != 3 {
		t.Errorf("done %d times, want 3", done.Load())
	}
	// What failed may be tried again.
	for range 2 {
		wantError(t, post(t, s, i, now, []byte("fail"), []byte("fail")), 500, "EXTERNAL_NOTE_FAILED")
	}
	if done.Load() != 5 {
		t.Errorf("done %d times, want 5", done.Load())
	}
	// Another signature, or none, is another request.
	parse(t, post(t, s, i, now.Add(time.Second), small, small), 201)
	plain := writer(t, s, false)
	for range 2 {
		parse(t, post(t, s, plain, now, small, nil), 201)
	}
	if done.Load() != 8 {
		t.Errorf("done %d times, want 8", done.Load())
	}
	var wg sync.WaitGroup
	for range maxClientBodies { // more at once would be too many
		wg.Go(func() {
			for range 5 {
				w := post(t, s, i, now.Add(2*time.Second), small, small)
				if o := parse(t, w, 201); fmt.Sprint(o["number"]) != "9" {
					t.Errorf("answer = %v, want number 9", o)
				}
			}
		})
	}
	wg.Wait()
	if done.Load() != 9 {
		t.Errorf("done %d times, want 9", done.Load())
	}
}

// Writes need the scope, the kind of body and a size.
func TestWhatIsNoBody(t *testing.T) {
	s, done := newNoteServer(t)
	i := writer(t, s, false)
	text := []byte("a note")
	now := time.Now()
	reader := newClient(t, s, access.Server, access.ReadScopes, access.DefaultLimits)
	wantError(t, post(t, s, reader, now, text, nil), 403, "INSUFFICIENT_SCOPE")
	wantError(t, post(t, s, i, now, text, nil, "Content-Type", "application/json"), 415, "UNSUPPORTED_MEDIA_TYPE",
		"text/plain")
	wantError(t, post(t, s, i, now, text, nil, "Content-Type", ""), 415, "UNSUPPORTED_MEDIA_TYPE")
	wantError(t, post(t, s, i, now, text, nil, "Content-Encoding", "gzip"), 415, "UNSUPPORTED_MEDIA_TYPE")
	large := make([]byte, maxNote+1)
	wantError(t, post(t, s, i, now, large, nil), 413, "PAYLOAD_TOO_LARGE", fmt.Sprint(maxNote))
	signing := writer(t, s, true)
	wantError(t, post(t, s, signing, now, large, large), 413, "PAYLOAD_TOO_LARGE")
	w := do(t, s, "GET", mount+"/notes")
	wantError(t, w, 405, "METHOD_NOT_ALLOWED", "POST")
	if w.Header().Get("Allow") != "POST, OPTIONS" {
		t.Errorf("Allow: %q, want POST, OPTIONS", w.Header().Get("Allow"))
	}
	if done.Load() != 0 {
		t.Errorf("done %d times, want 0", done.Load())
	}
	wantNoBodies(t, s)
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "relais-body-*")); err != nil || len(left) > 0 {
		t.Errorf("files of bodies: %v, %v, want none and no error", left, err)
	}
}

// dialling begins requests with notes, whose rest the caller writes.
func dialling(t *testing.T, s *Server, i *access.Issued) (dial func(head string) net.Conn) {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return func(head string) net.Conn {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		must(t, err)
		t.Cleanup(func() { c.Close() })
		c.SetDeadline(time.Now().Add(20 * time.Second))
		fmt.Fprintf(c, "POST %s/notes HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nContent-Type: text/plain\r\nConnection: close\r\n%s", mount, i.APIKey, head)
		return c
	}
}

func readAnswer(t *testing.T, c net.Conn) string {
	t.Helper()
	text, err := io.ReadAll(c)
	if len(text) < 12 {
		t.Fatalf("no answer: %q, %v, want len(text) at least 12", text, err)
	}
	_, body, _ := strings.Cut(string(text), "\r\n\r\n")
	status, _ := strconv.Atoi(string(text[9:12]))
	sawAnswer(status, []byte(body))
	return string(text)
}

// A body without a stated length is bounded as well, one that does not come times out, one
// that breaks off is refused, and a client holds no more than its share.
func TestBodiesThatDoNotBehave(t *testing.T) {
	s, done := newNoteServer(t)
	s.bodies.pace.piece, s.bodies.refused = 200*time.Millisecond, 300*time.Millisecond
	i := writer(t, s, false)
	dial := dialling(t, s, i)
	endless := dial("Transfer-Encoding: chunked\r\n\r\n")
	go func() { // it ends with the connection
		for {
			if _, err := fmt.Fprintf(endless, "8000\r\n%s\r\n", strings.Repeat("x", 0x8000)); err != nil {
				return
			}
		}
	}()
	if a := readAnswer(t, endless); !strings.Contains(a, "PAYLOAD_TOO_LARGE") {
		t.Errorf("without an end: %s, want PAYLOAD_TOO_LARGE in it", a)
	}
	if a := readAnswer(t, dial("Content-Length: 10\r\n\r\nabc")); !strings.HasPrefix(a, "HTTP/1.1 408") ||
		!strings.Contains(a, "REQUEST_TIMEOUT") {
		t.Errorf("without the rest: %s, want HTTP/1.1 408 at its start and REQUEST_TIMEOUT in it", a)
	}
	if a := readAnswer(t, dial("Transfer-Encoding: chunked\r\n\r\nzz\r\n")); !strings.Contains(a, "INVALID_PARAMETER") {
		t.Errorf("chunks without form: %s, want INVALID_PARAMETER in it", a)
	}
	cut := dial("Content-Length: 10\r\n\r\nabc")
	cut.(*net.TCPConn).CloseWrite()
	if a := readAnswer(t, cut); !strings.Contains(a, "INVALID_PARAMETER") {
		t.Errorf("broken off: %s, want INVALID_PARAMETER in it", a)
	}
	if done.Load() != 0 {
		t.Errorf("done %d times, want 0", done.Load())
	}
}

// Who is refused learns it before the body is sent, whether the client waits for a go-ahead or sends
// at once.
func TestEarlyRefusals(t *testing.T) {
	s, done := newNoteServer(t)
	s.bodies.pace.piece = 200 * time.Millisecond
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	open := writer(t, s, false)
	spent := limitedWriter(t, s, false, access.Limits{Minute: 1, Day: 1})
	post(t, s, spent, time.Now(), []byte("the only one"), nil)
	signed := newClient(t, s, access.Mobile, []access.Scope{access.PhotosWrite}, manyRequests)
	signature := fmt.Sprintf("X-Sq-Signature: t=%d,v1=%s\r\n", time.Now().Unix(), strings.Repeat("0", 64))
	for _, tt := range []struct {
		name, key, headers string
		want               int
	}{
		{"no key", "none", "Content-Type: text/plain\r\nContent-Length: 60000", 401},
		{"too large", open.APIKey, "Content-Type: text/plain\r\nContent-Length: 50000000", 413},
		{"another type", open.APIKey, "Content-Type: text/csv\r\nContent-Length: 60000", 415},
		{"another type, signed", signed.APIKey, signature + "Content-Type: text/csv\r\nContent-Length: 60000", 415},
		{"a spent quota", spent.APIKey, "Content-Type: text/plain\r\nContent-Length: 60000", 429},
		{"a pause", open.APIKey, "Content-Type: text/plain\r\nContent-Length: 60000", 408},
	} {
		for _, expect := range []string{"", "Expect: 100-continue\r\n"} {
			t.Run(tt.name+" "+expect, func(t *testing.T) {
				c, err := net.Dial("tcp", server.Listener.Addr().String())
				must(t, err)
				defer c.Close()
				c.SetDeadline(time.Now().Add(5 * time.Second)) // half of the time for the rest of a refused body
				fmt.Fprintf(c, "POST %s/notes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s%s\r\n\r\n", mount, tt.key, expect, tt.headers)
				if expect == "" {
					io.WriteString(c, "the beginning")
				}
				read := bufio.NewReader(c)
				r, err := http.ReadResponse(read, nil)
				if err == nil && r.StatusCode == http.StatusContinue && tt.want == 408 {
					r, err = http.ReadResponse(read, nil)
				}
				if err != nil {
					t.Fatalf("no answer: %v", err)
				}
				body, err := io.ReadAll(r.Body)
				if r.StatusCode != tt.want || err != nil {
					t.Errorf("got %s %s, %v, want %d", r.Status, body, err, tt.want)
				}
				sawAnswer(r.StatusCode, body)
			})
		}
	}
	if done.Load() != 1 {
		t.Errorf("done %d times, want 1", done.Load())
	}
}

func TestBodiesOverTheShare(t *testing.T) {
	s, done := newNoteServer(t)
	dial := dialling(t, s, writer(t, s, false))
	s.bodies.pace.piece = 5 * time.Second
	var held []net.Conn
	for range maxClientBodies {
		held = append(held, dial("Content-Length: 3\r\n\r\nab"))
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		bodies, _, _ := s.bodies.Held()
		if bodies.Places == maxClientBodies {
			break
		}
	}
	if a := readAnswer(t, dial("Content-Length: 3\r\n\r\nabc")); !strings.Contains(a, "BUSY") ||
		!strings.Contains(a, "Retry-After: ") {
		t.Errorf("more than its share: %s, want BUSY in it and %q in it", a, "Retry-After: ")
	}
	for _, c := range held {
		fmt.Fprint(c, "c")
		if a := readAnswer(t, c); !strings.HasPrefix(a, "HTTP/1.1 201") {
			t.Errorf("held: %s, want HTTP/1.1 201 at its start", a)
		}
	}
	if done.Load() != maxClientBodies {
		t.Errorf("done %d times, want %d", done.Load(), maxClientBodies)
	}
}

// A reading may have a body, which is signed too; it is bounded and not looked at.
func TestBodyOfAReading(t *testing.T) {
	s := newServer(t)
	i := newClient(t, s, access.Mobile, access.ReadScopes, access.DefaultLimits)
	for _, tt := range []struct {
		body, signed string
		status       int
	}{{"hello", "hello", 200}, {"hello", "", 401}, {"", "hello", 401}, {strings.Repeat("x", plainBody+1), "", 413}} {
		w := send(t, s, "GET", mount+"/markets", []byte(tt.body),
			credentials(i, "GET", mount+"/markets", time.Now(), []byte(tt.signed))...)
		if w.Code != tt.status {
			t.Errorf("%.10q signed as %.10q: %d %s, want %d", tt.body, tt.signed, w.Code, w.Body, tt.status)
		}
	}
}

// Neither the query nor the type of a body is signed. Who sees a request may have it
// refused before it arrives, which must not be its answer then.
func TestARefusalIsNotKept(t *testing.T) {
	s, done := newNoteServer(t)
	i := writer(t, s, true)
	body := []byte("taken in the end")
	at := time.Now()
	headers := []string{"X-API-Key", i.APIKey, "Content-Type", "text/plain", "X-Sq-Signature",
		access.Sign(i.SigningSecret, at, "POST", mount+"/notes", sha256.Sum256(body))}
	for _, tt := range []struct {
		name, query string
		headers     []string
	}{
		{"type", "", []string{"Content-Type", "application/json"}},
		{"coding", "", []string{"Content-Encoding", "gzip"}},
		{"parameters", "?nonsense=1", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := send(t, s, "POST", mount+"/notes"+tt.query, body, slices.Concat(headers, tt.headers)...)
			if w.Code < 400 || w.Code >= 500 || w.Header().Get("Idempotent-Replayed") != "" {
				t.Errorf("%s: status %d, header %v, %s; want 4xx, not replayed", tt.name, w.Code, w.Header(), w.Body)
			}
		})
	}
	first := post(t, s, i, at, body, body)
	if parse(t, first, 201); done.Load() != 1 || first.Header().Get("Idempotent-Replayed") != "" {
		t.Errorf("the true request after the refusals: done %d times, %v, want 1 and Idempotent-Replayed empty",
			done.Load(), first.Header())
	}
	if again := post(t, s, i, at, body, body); again.Code != 201 || done.Load() != 1 ||
		again.Header().Get("Idempotent-Replayed") != "true" {
		t.Errorf("the same again: %d, done %d times, %v, want 201, 1 and Idempotent-Replayed = true", again.Code,
			done.Load(), again.Header())
	}
}
