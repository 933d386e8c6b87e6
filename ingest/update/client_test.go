package update

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var servers = []struct {
	name   string
	behave handler
	words  string // "": all is well in the end
	asked  int    // requests
}{
	{"500 then well", once(answering(500, "")), "", 2},
	{"404", answering(404, ""), "404 Not Found", 1},
	{"503", answering(503, ""), "503 Service Unavailable (after 3 tries)", 3},
	{"redirect loop", func(w http.ResponseWriter, r *http.Request, _ int) bool {
		http.Redirect(w, r, weekly, http.StatusFound)
		return true
	}, "over 10 redirects", 11},
	{"redirect to a file", answering(302, "", "Location", "file:///etc/passwd"), "not an http or https address", 1},
	{"redirect with a password", func(w http.ResponseWriter, r *http.Request, _ int) bool {
		w.Header().Set("Location", "http://user:secret@"+r.Host+"/x")
		w.WriteHeader(302)
		return true
	}, "not an http or https address", 1},
	{"redirect to nowhere", answering(302, "", "Location", "http://[::1?key=secret"),
		weekly + " whose address cannot be read", 1},
	{"redirect without an address", answering(302, ""), "302 Found", 1},
	{"endless", func(w http.ResponseWriter, r *http.Request, _ int) bool {
		for _, err := w.Write([]byte("id;name\n")); err == nil; _, err = w.Write(make([]byte, 64<<10)) {
		}
		return true
	}, "over the 1048576 bytes that it may have", 1},
	{"too long", answering(200, "", "Content-Length", "1048577"), "1048577 bytes, over the 1048576", 1},
	{"larger than any disk", answering(200, "", "Content-Length", fmt.Sprint(int64(1)<<62)), "over the 1048576", 1},
	{"long HTML", func(w http.ResponseWriter, r *http.Request, _ int) bool {
		w.Write([]byte("<html>" + strings.Repeat(" ", 1000)))
		http.NewResponseController(w).Flush()
		<-r.Context().Done() // the rest is not waited for
		return true
	}, "an HTML page", 1},
	{"304 unasked", answering(304, ""), "the server answers 304 Not Modified", 1},
	{"206 unasked", answering(206, ""), "the server answers 206 Partial Content", 1},
	{"unknown coding", answering(200, "x", "Content-Encoding", "br"), `"br"`, 1},
}

// TestServers tries misbehaving servers.
func TestServers(t *testing.T) {
	for _, tt := range servers {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t)
			k.put(weekly, observatory(t, "2026-01-15"))
			k.behave(weekly, tt.behave)
			k.use(k.file("weekly", "url", weekly, ""))
			o := k.options()
			status := Updated
			if tt.words != "" {
				o.Table.Files[0].MaxMB, status = 1, Failed
			}
			r := k.runWith(o)
			k.want(r, status, tt.words)
			if strings.Contains(r.Problem(), "secret") {
				t.Errorf("problem %q, want it without the secret", r.Problem())
			}
			if n := len(k.asked()); n != tt.asked {
				t.Errorf("%d requests, want %d", n, tt.asked)
			}
		})
	}
}

// A pipe is a listener whose connections need no network: a synctest bubble knows when
// they wait.
type pipe chan net.Conn

func (p pipe) Accept() (net.Conn, error) {
	c, open := <-p
	if !open {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p pipe) Close() error   { close(p); return nil }
func (p pipe) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (p pipe) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	p <- there
	return here, nil
}

// Waits are as long as the server asks or the limits say.
func TestWaits(t *testing.T) {
	limits := Limits{Header: time.Minute, Idle: 2 * time.Minute, Whole: 2 * time.Hour, Tries: 3, Pause: 4 * time.Second,
		MaxPause: 5 * time.Minute}
	const text = "id;name\n1;a\n"
	for _, tt := range []struct {
		name   string
		behave handler
		words  string // "": all is well in the end
		least  time.Duration
		most   time.Duration
	}{
		{"busy once", once(answering(500, "")), "", 4 * time.Second, 5 * time.Second},
		{"429, later", once(answering(429, "", "Retry-After", "60")), "", time.Minute, time.Minute},
		{"429, much later", answering(429, "", "Retry-After", "86400"), "asks to be left alone for 24h0m0s", 0, 0},
		{"busy", answering(503, ""), "503 Service Unavailable (after 3 tries)", 12 * time.Second, 15 * time.Second},
		{"no header", func(w http.ResponseWriter, r *http.Request, _ int) bool {
			<-r.Context().Done()
			return true
		}, "timeout awaiting response headers (after 3 tries)", 192 * time.Second, 195 * time.Second},
		{"silent", func(w http.ResponseWriter, r *http.Request, _ int) bool {
			w.Write([]byte(text))
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return true
		}, "no byte for 2m0s (after 3 tries)", 372 * time.Second, 375 * time.Second},
		{"a byte a minute", func(w http.ResponseWriter, r *http.Request, _ int) bool {
			for r.Context().Err() == nil {
				w.Write([]byte("x"))
				http.NewResponseController(w).Flush()
				select {
				case <-r.Context().Done():
				case <-time.After(time.Minute):
				}
			}
			return true
		}, "not done after 2h0m0s", 2 * time.Hour, 2 * time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				p, nth := make(pipe), 0
				s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if nth++; !tt.behave(w, r, nth) {
						w.Write([]byte(text))
					}
				})}
				go s.Serve(p)
				c := newClient("relais/test", limits, nil)
				c.guard.DialContext = p.dial
				var waits time.Duration
				c.retrying = func(_ error, wait time.Duration) { waits += wait }
				d := &download{client: c, dir: dir, remote: remote{URL: "http://h/x.csv"}, limit: 1 << 20}
				start := time.Now()
				err := d.run(t.Context())
				took := time.Since(start)
				if (tt.words == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.words) {
					t.Errorf("got %v, want %q", err, tt.words)
				}
				if took < tt.least || took > tt.most || waits > took {
					t.Errorf("took %s, with waits of %s; want between %s and %s", took, waits, tt.least, tt.most)
				}
				c.close()
				s.Close()
			})
		})
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

func TestRoom(t *testing.T) {
	dir := t.TempDir()
	if err := checkSpace(dir, 1000); err != nil {
		t.Error(err)
	}
	came := &intake{dir: dir, received: new(int64), advance: func(int) {}}
	came.n = 1 << 60
	_, err := came.Write([]byte("x")) // of an answer without a length
	for _, err := range []error{checkSpace(dir, 1<<60), err} {
		if err == nil || !strings.Contains(err.Error(), "twice the file is needed") {
			t.Errorf(`got %v, want an error with "twice the file is needed"`, err)
		}
	}
}

// The size in a catalogue is a hint: the answer's own length counts.
func TestCatalogueSize(t *testing.T) {
	k := newKit(t)
	k.put("/api", fmt.Appendf(nil, `{"resources":[{"url":"%s","filesize":1e14}]}`, weekly))
	k.put(weekly, observatory(t, "2026-01-15"))
	k.use(k.file("weekly", "data.gouv.fr", "/api", "observatoire"))
	k.want(k.run(), Updated, "")
}
