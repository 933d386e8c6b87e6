package hook

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/auth/access"
	"relais/internal/errtest"
	"relais/internal/store"
	"relais/internal/store/storetest"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// A world is a folder with hooks and one other store, whose records are events.
type world struct {
	t       *testing.T
	dir     string
	db      *store.DB // of the hooks
	things  *store.DB
	s       *Store
	options Options
	stop    func()
	n       int
}

const things = "things" // key "site number" → anything

var newsOfThings = map[string]store.News{things: func(key, before, _ []byte) []byte {
	if before != nil {
		return nil
	}
	return key
}}

// thing is the data of an event.
type thing struct {
	Site string `json:"site"`
	N    string `json:"n"`
}

// eventsOf makes an event of a record: its key has the site and a number.
func eventsOf(_ context.Context, c Cause) ([]*Event, error) {
	site, n, _ := strings.Cut(c.Text, " ")
	return []*Event{{Kind: Photo, Type: "thing.made", ID: MessageID(c.Text), Group: site, At: c.At,
		Data: func(filter string) (any, error) {
			if filter != "" && filter != site {
				return nil, nil
			}
			return thing{site, n}, nil
		}}}, nil
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, dir: t.TempDir(),
		options: Options{Private: true, Version: "1", Log: slog.New(slog.DiscardHandler), Events: eventsOf}}
	w.open()
	t.Cleanup(func() { w.close() })
	return w
}

func (w *world) open() {
	w.t.Helper()
	sealer := access.OpenSealer(filepath.Join(w.dir, "secret.key"))
	if sealer.Err() != nil {
		w.must(sealer.Make())
	}
	w.things = storetest.Open(w.t, filepath.Join(w.dir, "things.db"), things)
	w.db = storetest.Open(w.t, filepath.Join(w.dir, "hooks.db"), Buckets...)
	w.s = NewStore(sealer, []Source{{Name: "things", DB: w.things, News: newsOfThings}}, time.Now)
	w.must(w.s.Open(w.db))
}

// start delivers until halt.
func (w *world) start() {
	ctx, cancel := context.WithCancel(context.Background())
	wait := w.s.Deliver(ctx, w.options)
	w.stop = func() {
		cancel()
		wait()
	}
}

func (w *world) halt() {
	if w.stop != nil {
		w.stop()
		w.stop = nil
	}
}

func (w *world) close() {
	w.halt()
	if w.db != nil {
		w.db.Close()
		w.things.Close()
		w.db = nil
	}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) create(url, filter string) *Issued {
	w.t.Helper()
	i, err := w.s.Create(Spec{URL: url, Events: []Kind{Photo}, Filter: filter, Private: true})
	w.must(err)
	return i
}

// happen puts records of sites, each in a commit of its own. They are numbered.
func (w *world) happen(sites ...string) {
	w.t.Helper()
	for _, site := range sites {
		w.n++
		key := fmt.Sprintf("%s %d", site, w.n)
		w.must(w.things.Update(func(tx *store.Tx) error { return tx.Bucket([]byte(things)).Put([]byte(key), []byte("v")) }))
	}
}

func (w *world) hook(id string) Hook {
	w.t.Helper()
	h, err := w.s.Find(id)
	w.must(err)
	return h
}

// A receiver is the network: it answers by host.
type receiver struct {
	mu     sync.Mutex
	got    map[string][]message // by host, what was answered with a 2xx
	tries  map[string]int
	answer map[string]func(r *http.Request, body string) (status int, err error)
}

func newReceiver() *receiver {
	return &receiver{got: map[string][]message{}, tries: map[string]int{},
		answer: map[string]func(*http.Request, string) (int, error){}}
}

// RoundTrip implements http.RoundTripper.
func (r *receiver) RoundTrip(q *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	answer := r.answer[q.URL.Host]
	r.tries[q.URL.Host]++
	r.mu.Unlock()
	status := 204
	if answer != nil {
		if status, err = answer(q, string(body)); err != nil {
			return nil, err
		}
	}
	if status/100 == 2 {
		r.mu.Lock()
		r.got[q.URL.Host] = append(r.got[q.URL.Host], message{waiting{ID: q.Header.Get("Webhook-Id")}, string(body)})
		r.mu.Unlock()
	}
	return &http.Response{StatusCode: status, Body: http.NoBody, Request: q, Header: http.Header{}}, nil
}

func (r *receiver) set(host string, answer func(*http.Request, string) (int, error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer[host] = answer
}

func always(status int) func(*http.Request, string) (int, error) {
	return func(*http.Request, string) (int, error) { return status, nil }
}
