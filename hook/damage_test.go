package hook

import (
	"bytes"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"relais/auth/access"
	"relais/internal/store"
	"relais/internal/store/storetest"
)

// damage changes a text of hooks.db on the disk. The file may be open.
func (w *world) damage(text, changed string) {
	w.t.Helper()
	path := filepath.Join(w.dir, "hooks.db")
	data, err := os.ReadFile(path)
	w.must(err)
	if !bytes.Contains(data, []byte(text)) || len(text) != len(changed) {
		w.t.Fatalf("hooks.db does not have %q, or %q is not as long", text, changed)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	w.must(err)
	defer f.Close()
	for from := 0; ; {
		at := bytes.Index(data[from:], []byte(text))
		if at < 0 {
			return
		}
		_, err := f.WriteAt([]byte(changed), int64(from+at))
		w.must(err)
		from += at + len(text)
	}
}

// check returns what Check finds in the closed folder.
func (w *world) check() error {
	db, err := store.OpenReadOnly(filepath.Join(w.dir, "hooks.db"))
	w.must(err)
	defer db.Close()
	_, _, err = Check(db, access.OpenSealer(filepath.Join(w.dir, "secret.key")))
	return err
}

// A message whose record is damaged is dropped, counted and logged once, and holds up nothing, whenever the
// damage is found: before it is sent, after it was refused, or when the file is opened.
func TestDamagedMessage(t *testing.T) {
	for _, when := range []string{"before", "while", "closed"} {
		t.Run(when, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, net, logs := newWorld(t), newReceiver(), &bytes.Buffer{}
				w.options.Transport, w.options.Log = net, slog.New(slog.NewTextHandler(logs, nil))
				h := w.create("https://x.example/in", "")
				damage := sync.OnceFunc(func() { w.damage(`"group":"fr-1"`, `"group":"fr-9"`) })
				net.set("x.example", func(_ *http.Request, body string) (int, error) {
					if strings.Contains(body, "fr-1") && when == "while" {
						damage()
					}
					return 500, nil
				})
				w.happen("fr-1", "fr-1", "fr-2")
				w.start()
				time.Sleep(time.Second)
				switch when {
				case "before":
					damage()
				case "closed":
					w.close()
					damage()
					w.open()
					if n := len(w.s.Problems()); n != 2 {
						t.Errorf("got %d problems, want 2", n)
					}
					w.start()
				}
				net.set("x.example", nil)
				time.Sleep(24 * time.Hour)
				if got := net.numbers(t, "x.example", ""); !slices.Equal(got, []string{"3"}) {
					t.Errorf("got %q, want 3 alone", got)
				}
				if h := w.hook(h.ID); h.Dropped != 2 || h.DroppedWhy != damagedRecord || h.Pending != 0 || h.Failures != 0 {
					t.Errorf("got %+v, want 2 dropped", h)
				}
				lines := strings.Count(logs.String(), "\n")
				if text := logs.String(); lines > 5 || !strings.Contains(text, h.ID) || !strings.Contains(text, damagedRecord) {
					t.Errorf("got the log %s, want a line for each that is dropped", text)
				}
				if n := len(w.s.Problems()); n != 0 {
					t.Errorf("got %d problems, want none any more", n)
				}
				w.close()
				if err := w.check(); err != nil {
					t.Errorf("check: %v", err)
				}
			})
		})
	}
}

// A hook whose record is damaged is listed as that, gets nothing, and is deleted with its messages. The
// others go on.
func TestDamagedHook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, net := newWorld(t), newReceiver()
		w.options.Transport = net
		broken, sound := w.create("https://broken.example/in", ""), w.create("https://sound.example/in", "")
		net.set("broken.example", always(500))
		w.start()
		w.happen("fr-1", "fr-2")
		time.Sleep(time.Second)
		w.close()
		w.damage("https://broken.example", "https://wroken.example")
		w.open()
		w.start()
		w.happen("fr-3")
		time.Sleep(time.Hour)
		h := w.hook(broken.ID)
		if list := w.s.List(); len(list) != 2 || !h.Damaged || h.Enabled() || h.Pending != 2 || list[0].ID != broken.ID {
			t.Errorf("got %+v, want two hooks, the first one damaged", list)
		}
		if _, err := w.s.Test(t.Context(), broken.ID, w.options); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("a test got %v, want that the record is damaged", err)
		}
		if deleted, err := w.s.Delete(broken.ID); err != nil || deleted.Pending != 2 || deleted.ID != broken.ID {
			t.Errorf("deleting got %+v, %v, want the hook with 2 messages", deleted, err)
		}
		if list := w.s.List(); len(list) != 1 || list[0].ID != sound.ID || len(w.s.Problems()) > 0 {
			t.Errorf("got %+v, %v, want the other hook alone", list, w.s.Problems())
		}
		w.happen("fr-4")
		time.Sleep(time.Second)
		if got := net.numbers(t, "sound.example", ""); !slices.Equal(got, []string{"1", "2", "3", "4"}) {
			t.Errorf("the other hook got %q, want all four", got)
		}
		w.close()
		if err := w.check(); err != nil {
			t.Errorf("check: %v", err)
		}
	})
}

// The messages of a damaged hook may be damaged too.
func TestDamagedHookAndMessages(t *testing.T) {
	w := newWorld(t)
	h := w.create("https://broken.example/in", "")
	w.happen("fr-1", "fr-2")
	_, err := w.s.read(t.Context(), &w.options)
	w.must(err)
	w.close()
	w.damage("https://broken.example", "https://wroken.example")
	w.damage(`"group":"fr-1"`, `"group":"fr-9"`)
	w.open()
	_, err = w.s.Delete(h.ID)
	w.must(err)
	w.close()
	if err := w.check(); err != nil {
		t.Errorf("check: %v", err)
	}
}

// A damaged position in a journal is not the end of news: what the journal still has comes again.
func TestDamagedCursor(t *testing.T) {
	w := newWorld(t)
	h := w.create("https://x.example/in", "")
	w.happen("fr-1", "fr-1")
	storetest.Set(w.t, w.db, cursorsBucket, "things", []byte("\x00\x00\x00\x00\x00\x00\x00\x02"))
	w.damage("things\x00\x00\x00\x00\x00\x00\x00\x02", "things\x00\x00\x00\x00\x00\x00\x00\x01")
	w.happen("fr-1")
	for range 2 {
		_, err := w.s.read(t.Context(), &w.options)
		w.must(err)
	}
	if got := w.hook(h.ID).Pending; got == 0 || got > 3 {
		t.Errorf("got %d messages, want the last one, and no message twice", got)
	}
}

// A test leaves no connection open.
func TestTestCloses(t *testing.T) {
	w := newWorld(t)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }))
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	server.Config.ConnState = func(c net.Conn, state http.ConnState) {
		mu.Lock()
		defer mu.Unlock()
		open[c] = state != http.StateClosed
	}
	server.Start()
	defer server.Close()
	h := w.create(server.URL, "")
	if test, err := w.s.Test(t.Context(), h.ID, w.options); err != nil || !test.OK {
		t.Fatalf("got %+v, %v, want success", test, err)
	}
	closed := func() bool {
		mu.Lock()
		defer mu.Unlock()
		for _, is := range open {
			if is {
				return false
			}
		}
		return len(open) == 1
	}
	for deadline := time.Now().Add(10 * time.Second); !closed(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("got the connections %v, want one that is closed", open)
		}
	}
}
