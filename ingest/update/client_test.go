package update

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// once behaves in that way at the first request.
func once(f handler) handler {
	return func(w http.ResponseWriter, r *http.Request, nth int) bool { return nth == 1 && f(w, r, nth) }
}

// status answers with the status and the header.
func status(code int, header ...string) handler {
	return func(w http.ResponseWriter, _ *http.Request, _ int) bool {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		return true
	}
}

var servers = []struct {
	name   string
	behave handler
	words  string // "": all is well in the end
	most   int    // requests
	least  time.Duration
	limit  func(*Limits) // nil for those that no server on the same machine meets
}{
	{name: "500 then well", behave: once(status(500)), most: 2},
	{name: "429, later", behave: once(status(429, "Retry-After", "1")), most: 2, least: time.Second},
	{name: "429, much later", behave: status(429, "Retry-After", "86400"),
		words: "asks to be left alone for 24h0m0s", most: 1},
	{name: "404", behave: status(404), words: "404 Not Found", most: 1},
	{name: "redirect loop", behave: func(w http.ResponseWriter, r *http.Request, _ int) bool {
		http.Redirect(w, r, weekly, http.StatusFound)
		return true
	}, words: "over 10 redirects", most: 11},
	{name: "redirect to a file", behave: status(302, "Location", "file:///etc/passwd"),
		words: "not an http or https address", most: 1},
	{name: "redirect with a password", behave: func(w http.ResponseWriter, r *http.Request, _ int) bool {
		w.Header().Set("Location", "http://user:secret@"+r.Host+"/x")
		w.WriteHeader(302)
		return true
	}, words: "not an http or https address", most: 1},
	{name: "redirect to nowhere", behave: status(302, "Location", "http://[::1?key=secret"),
		words: weekly + " whose address cannot be read", most: 1},
	{name: "redirect without an address", behave: status(302), words: "302 Found", most: 1},
	{name: "endless", behave: func(w http.ResponseWriter, r *http.Request, _ int) bool {
		for _, err := w.Write([]byte("id;name\n")); err == nil; _, err = w.Write(make([]byte, 64<<10)) {
		}
		return true
	}, words: "over the 1048576 bytes that it may have", most: 1},
	{name: "too long", behave: status(200, "Content-Length", "1048577"),
		words: "1048577 bytes, over the 1048576", most: 1},
	{name: "larger than any disk", behave: status(200, "Content-Length", fmt.Sprint(int64(1)<<62)),
		words: "over the 1048576", most: 1},
	{name: "silent", behave: func(w http.ResponseWriter, r *http.Request, _ int) bool {
		w.Write([]byte("id"))
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return true
	}, words: "not done after", most: 100,
		limit: func(l *Limits) { l.Idle, l.Whole = 200*time.Millisecond, 2*time.Second }},
	{name: "header never", behave: func(w http.ResponseWriter, r *http.Request, _ int) bool {
		<-r.Context().Done()
		return true
	}, words: "timeout awaiting response headers", most: 3,
		limit: func(l *Limits) { l.Header = 200 * time.Millisecond }},
	{name: "drip", behave: func(w http.ResponseWriter, r *http.Request, _ int) bool {
		w.Header().Set("Etag", `"d"`)
		for r.Context().Err() == nil {
			w.Write([]byte("x"))
			http.NewResponseController(w).Flush()
			time.Sleep(20 * time.Millisecond)
		}
		return true
	}, words: "not done after 2s", most: 1,
		limit: func(l *Limits) { l.Whole = 2 * time.Second }},
	{name: "long HTML", behave: func(w http.ResponseWriter, r *http.Request, _ int) bool {
		w.Write([]byte("<html>" + strings.Repeat(" ", 1000)))
		http.NewResponseController(w).Flush()
		<-r.Context().Done() // the rest is not waited for
		return true
	}, words: "an HTML page", most: 1},
	{name: "304 unasked", behave: status(304), words: "it was not asked", most: 1},
	{name: "206 unasked", behave: status(206), words: "the server answers 206 Partial Content", most: 1},
	{name: "unknown coding", behave: func(w http.ResponseWriter, r *http.Request, _ int) bool {
		w.Header().Set("Content-Encoding", "br")
		w.Write([]byte("x"))
		return true
	}, words: `"br"`, most: 1},
}

// TestServers tries misbehaving servers: each answers so at the first request, or always.
func TestServers(t *testing.T) {
	for _, tt := range servers {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t)
			k.put(weekly, observatory(t, "2026-01-15"))
			k.behave(weekly, tt.behave)
			k.use(k.file("weekly", "url", weekly, ""))
			o := k.options()
			if tt.limit != nil {
				tt.limit(&o.Limits)
			}
			if tt.words != "" {
				o.Table.Files[0].MaxMB = 1
			}
			start := time.Now()
			r := k.runWith(o)
			took := time.Since(start)
			if tt.words == "" {
				k.want(r, Updated, "")
			} else {
				k.want(r, Failed, tt.words)
			}
			if took < tt.least {
				t.Errorf("took %s, want at least %s", took, tt.least)
			}
			k.mu.Lock()
			n := k.count[weekly]
			k.mu.Unlock()
			if n > tt.most {
				t.Errorf("%d requests, want at most %d", n, tt.most)
			}
		})
	}
}

// A stop in the middle of a download ends it and keeps the received part.
func TestStopped(t *testing.T) {
	k := newKit(t)
	text := observatory(t, "2026-01-15")
	k.put(weekly, text)
	part := filepath.Join(k.dir.Downloads(), "FR", "weekly", "SYNTHETIC_observatoire.csv")
	ctx, cancel := context.WithCancel(context.Background())
	k.behave(weekly, func(w http.ResponseWriter, r *http.Request, nth int) bool {
		if nth > 1 {
			return false
		}
		w.Header().Set("Etag", k.files[weekly].etag)
		w.Header().Set("Content-Length", fmt.Sprint(len(text)))
		w.Write(text[:100000])
		http.NewResponseController(w).Flush()
		for sizeOf(part) < 100000 && r.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
		<-r.Context().Done()
		return true
	})
	k.use(k.file("weekly", "url", weekly, ""))
	_, err := Run(ctx, k.options())
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	info, err := os.Stat(part)
	if err != nil || info.Size() != 100000 {
		t.Fatalf("info = %v, err = %v; want no error, info.Size() = 100000", info, err)
	}
	r := k.run()
	k.want(r, Updated, "")
	if r.Files[0].Resumed != 100000 {
		t.Errorf("%+v: r.Files[0].Resumed = %v, want 100000", r.Files[0], r.Files[0].Resumed)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		text string
		want time.Duration
	}{
		{"", 0},
		{"7", 7 * time.Second},
		{"-7", 0},
		{"x", 0},
		{"99999999999999", 0},
		{"Sat, 21 Nov 2026 12:01:00 GMT", time.Minute},
		{"Sat, 21 Nov 2026 11:01:00 GMT", 0},
	} {
		t.Run(tt.text, func(t *testing.T) {
			if got := retryAfter(tt.text, now); got != tt.want {
				t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
			}
		})
	}
}

// Redirects from https to http are refused, and errors do not contain the key of an
// address.
func TestAddresses(t *testing.T) {
	for _, tt := range []struct {
		to string
		ok bool
	}{
		{"https://b/x", true},
		{"http://a/x?key=secret", false},
	} {
		t.Run(tt.to, func(t *testing.T) {
			from, _ := http.NewRequest("GET", "https://a/?key=secret", nil)
			next, _ := http.NewRequest("GET", tt.to, nil)
			err := checkRedirect(next, []*http.Request{from})
			if (err == nil) != tt.ok || err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf(`tt.to = %s, err = %v; want (err == nil) = %v, no error or an error without "secret"`, tt.to,
					err, tt.ok)
			}
		})
	}
	k := newKit(t)
	k.use(k.file("a", "url", "/a?key=secret", ""), k.file("b", "stac", "/b?key=secret", "x"))
	k.behave("/a", func(http.ResponseWriter, *http.Request, int) bool { panic(http.ErrAbortHandler) })
	r := k.run()
	k.want(r, Failed, "404")
	if strings.Contains(r.Problem(), "secret") {
		t.Errorf(`r.Problem() = %v; want r.Problem() without "secret"`, r.Problem())
	}
}

func TestRoom(t *testing.T) {
	dir := t.TempDir()
	if err := checkSpace(dir, 1000); err != nil {
		t.Error(err)
	}
	if err := checkSpace(dir, 1<<60); err == nil || !strings.Contains(err.Error(), "twice the file is needed") {
		t.Errorf(`err = %v; want an error with "twice the file is needed"`, err)
	}
}
