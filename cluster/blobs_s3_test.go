//go:build linux

package cluster

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"relais/internal/store"
	"relais/internal/tier"
)

// shortLimits let tests wait for what takes too long.
var shortLimits = s3Limits{connect: time.Second, header: 200 * time.Millisecond, stall: 200 * time.Millisecond,
	slowest: 64 << 10}

// newS3For returns a client of a store at a URL, with limits other than shortLimits if there are.
func newS3For(t testing.TB, url string, limits ...s3Limits) *s3Store {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "someone")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hush")
	at, err := parsePlace("s3://bucket/p?region=us-east-1&endpoint=" + url)
	must(t, err)
	s, err := newS3(at, append(limits, shortLimits)[0])
	must(t, err)
	return s
}

// An object is what a store sends for one.
func object(w http.ResponseWriter, body string) {
	sum := sha256.Sum256([]byte(body))
	w.Header().Set("X-Amz-Meta-Relais-Sha256", hex.EncodeToString(sum[:]))
	w.Header().Set("Last-Modified", "Mon, 23 Nov 2026 12:00:00 GMT")
	w.Header().Set("ETag", `"0123456789abcdef0123456789abcdef"`)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
}

func answer(status int, code string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		if r.Method != http.MethodHead {
			fmt.Fprintf(w, `<?xml version="1.0"?><Error><Code>%s</Code><Message>of the test</Message></Error>`, code)
		}
	}
}

func page(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		if r.Method != http.MethodHead {
			io.WriteString(w, "<!doctype html><title>A proxy</title><p>hello<br>you")
		}
	}
}

// silent never answers.
func silent(_ http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body) // the end of the connection is noticed only then
	<-r.Context().Done()
}

// hijacked writes bytes instead of an answer, and then again and again if there are such.
func hijacked(text, forever string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		_, err = io.WriteString(conn, text)
		for err == nil && forever != "" {
			_, err = io.WriteString(conn, forever)
		}
	}
}

const content = "the content of a blob"

// wrongStores are stores that answer slowly, wrongly or not at all to everything.
var wrongStores = []struct {
	name    string
	handler http.HandlerFunc
}{
	{"silent", silent},
	{"closed", hijacked("", "")},
	{"not HTTP", hijacked("SSH-2.0-OpenSSH_9.2\r\n", "")},
	{"endless headers", hijacked("HTTP/1.1 200 OK\r\n", "X-A: "+strings.Repeat("a", 1000)+"\r\n")},
	{"endless error", hijacked("HTTP/1.1 500 No\r\n\r\n<Error>", strings.Repeat("<a>", 10000))},
	{"endless 404", hijacked("HTTP/1.1 404 No\r\n\r\n<Error>", strings.Repeat("<a>", 10000))},
	{"page 200", page(200)},
	{"page 404", page(404)},
	{"page 500", page(500)},
	{"empty 200", func(http.ResponseWriter, *http.Request) {}},
	{"no bucket", answer(404, "NoSuchBucket")},
	{"denied", answer(403, "AccessDenied")},
	{"wrong key", answer(403, "InvalidAccessKeyId")},
	{"wrong region", answer(400, "AuthorizationHeaderMalformed")},
	{"busy", answer(503, "SlowDown")},
	{"internal", answer(500, "InternalError")},
	{"redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/elsewhere/"+r.URL.Path, http.StatusTemporaryRedirect)
	}},
}

func TestWrongStores(t *testing.T) {
	tier.Slow(t)
	for _, tt := range wrongStores {
		t.Run(tt.name, func(t *testing.T) {
			var requests atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				tt.handler(w, r)
			}))
			defer server.Close()
			s := newS3For(t, server.URL)
			for _, call := range []struct {
				name string
				do   func() error
			}{
				{"put", func() error { return s.put(t.Context(), "x", strings.NewReader(content), int64(len(content))) }},
				{"get", func() error { _, err := s.get(t.Context(), "x"); return err }},
				{"remove", func() error { return s.remove(t.Context(), []string{"x"}) }},
				{"check", func() error { return s.check(t.Context()) }},
			} {
				requests.Store(0)
				err := call.do()
				if !errors.Is(err, store.ErrAway) || errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s: got %v, want ErrAway", call.name, err)
				}
				if strings.Contains(fmt.Sprint(err), "hush") {
					t.Errorf("%s: %v shows the key", call.name, err)
				}
				if n := requests.Load(); n > 5 { // two tries of PUT and HEAD, and one more of Go
					t.Errorf("%s: got %d requests, want a few", call.name, n)
				}
			}
		})
	}
	t.Run("nobody listens", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		l.Close()
		if _, err := newS3For(t, "http://"+l.Addr().String()).get(t.Context(), "x"); !errors.Is(err, store.ErrAway) {
			t.Errorf("got %v, want ErrAway", err)
		}
	})
}

// What a store sends is verified.
func TestWrongObjects(t *testing.T) {
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		want    error // nil: the content
	}{
		{"right", func(w http.ResponseWriter, _ *http.Request) {
			object(w, content)
			io.WriteString(w, content)
		}, nil},
		{"missing", answer(404, "NoSuchKey"), fs.ErrNotExist},
		{"truncated", func(w http.ResponseWriter, _ *http.Request) {
			object(w, content)
			io.WriteString(w, content[:10])
		}, store.ErrAway},
		{"stalled", func(w http.ResponseWriter, r *http.Request) {
			object(w, content)
			io.WriteString(w, content[:10])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, store.ErrAway},
		{"other bytes", func(w http.ResponseWriter, _ *http.Request) {
			object(w, content)
			io.WriteString(w, strings.ToUpper(content))
		}, store.ErrDamaged},
		{"shorter object", func(w http.ResponseWriter, _ *http.Request) {
			object(w, content)
			w.Header().Set("Content-Length", "10")
			io.WriteString(w, content[:10])
		}, store.ErrAway},
		{"no length", func(w http.ResponseWriter, _ *http.Request) {
			object(w, content)
			w.Header().Del("Content-Length")
			w.(http.Flusher).Flush()
			io.WriteString(w, content)
		}, store.ErrAway},
		{"no sum", func(w http.ResponseWriter, _ *http.Request) {
			object(w, content)
			w.Header().Del("X-Amz-Meta-Relais-Sha256")
			io.WriteString(w, content)
		}, store.ErrAway},
		{"odd sum", func(w http.ResponseWriter, _ *http.Request) {
			object(w, content)
			w.Header().Set("X-Amz-Meta-Relais-Sha256", "abcd")
			io.WriteString(w, content)
		}, store.ErrAway},
		{"compressed", func(w http.ResponseWriter, _ *http.Request) {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			io.WriteString(z, content)
			z.Close()
			object(w, content)
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
			w.Write(b.Bytes())
		}, store.ErrAway},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(tt.handler)
			defer server.Close()
			s := newS3For(t, server.URL)
			var got []byte
			r, err := s.get(t.Context(), "x")
			if err == nil {
				got, err = io.ReadAll(r)
				r.Close()
			}
			if !errors.Is(err, tt.want) || err == nil && string(got) != content || err != nil && len(got) >= len(content) {
				t.Errorf("got %q and %v, want %v", got, err, tt.want)
			}
		})
	}
}

// A store that takes an object and has another one, or none, is not believed.
func TestWrongPuts(t *testing.T) {
	for _, tt := range []struct {
		name string
		head http.HandlerFunc
	}{
		{"missing", answer(404, "NoSuchKey")},
		{"other", func(w http.ResponseWriter, _ *http.Request) { object(w, strings.ToUpper(content)) }},
		{"shorter", func(w http.ResponseWriter, _ *http.Request) {
			object(w, content)
			w.Header().Set("Content-Length", "3")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodHead {
					tt.head(w, r)
				}
			}))
			defer server.Close()
			err := newS3For(t, server.URL).put(t.Context(), "x", strings.NewReader(content), int64(len(content)))
			if !errors.Is(err, store.ErrAway) || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got %v, want ErrAway", err)
			}
		})
	}
}

// What a store is sent: one try more after an error that may pass, the whole body, and its sums.
func TestPutAgain(t *testing.T) {
	var puts atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		switch {
		case r.Method == http.MethodHead:
			object(w, content)
		case puts.Add(1) == 1:
			answer(503, "SlowDown")(w, r)
		case err != nil || string(body) != content || r.URL.Path != "/bucket/p/x/y" ||
			r.Header.Get("Content-MD5") != "Q6XwM+z8o6+JnLbc6hvP+g==" ||
			r.Header.Get("X-Amz-Content-Sha256") != "3050dfab150d230d72db0866c67c2bb23958b48333d21608524d1a9f4698b5b0":
			t.Errorf("got %s with %q, %v, %v", r.URL.Path, body, r.Header, err)
		}
	}))
	defer server.Close()
	err := newS3For(t, server.URL).put(t.Context(), "x/y", strings.NewReader(content), int64(len(content)))
	if err != nil || puts.Load() != 2 {
		t.Errorf("got %v after %d, want none after 2", err, puts.Load())
	}
}

// A store that is slow but sends and takes something is waited for.
func TestSlowStore(t *testing.T) {
	tier.Slow(t)
	pause := shortLimits.stall / 4
	body := random(64 << 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodPut:
			for n := int64(1); n > 0; time.Sleep(pause) {
				n, _ = io.CopyN(io.Discard, r.Body, 8<<10)
			}
		case http.MethodHead:
			object(w, string(body))
		default:
			object(w, string(body))
			for i := 0; i < len(body); i += 8 << 10 {
				w.Write(body[i : i+8<<10])
				w.(http.Flusher).Flush()
				time.Sleep(pause)
			}
		}
	}))
	defer server.Close()
	s := newS3For(t, server.URL)
	if err := s.put(t.Context(), "x", bytes.NewReader(body), int64(len(body))); err != nil {
		t.Error(err)
	}
	r, err := s.get(t.Context(), "x")
	must(t, err)
	defer r.Close()
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, body) {
		t.Errorf("got %d bytes and %v, want %d", len(got), err, len(body))
	}
}

// One that sends a byte now and then is not waited for.
func TestSlowReader(t *testing.T) {
	limits := s3Limits{slowest: 1 << 30}
	r := &slowReader{ReadCloser: io.NopCloser(io.MultiReader(strings.NewReader("a"), strings.NewReader("b"))), limits: limits,
		waiting: time.Second}
	if n, err := r.Read(make([]byte, 10)); err == nil {
		t.Errorf("got %d bytes without an error", n)
	}
}

// A call ends with its context, whatever the store does.
func TestCancelled(t *testing.T) {
	began := make(chan bool, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began <- true
		silent(w, r)
	}))
	defer server.Close()
	s := newS3For(t, server.URL, s3Limits{connect: time.Hour, header: time.Hour, stall: time.Hour, slowest: 1})
	for name, call := range map[string]func(context.Context) error{
		"put":    func(ctx context.Context) error { return s.put(ctx, "x", strings.NewReader("a"), 1) },
		"get":    func(ctx context.Context) error { _, err := s.get(ctx, "x"); return err },
		"remove": func(ctx context.Context) error { return s.remove(ctx, []string{"x"}) },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-began; cancel() }()
		if err := call(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want context.Canceled", name, err)
		}
	}
}
