//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/internal/filetest"
)

// An authority publishes one weekly file.
type authority struct {
	*httptest.Server
	mu   sync.Mutex
	text []byte
	slow bool // sends half of the file and then nothing, once
}

func newAuthority(t *testing.T) *authority {
	a := &authority{}
	a.Server = httptest.NewServer(a)
	t.Cleanup(func() { a.CloseClientConnections(); a.Close() })
	return a
}

func (a *authority) publish(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text = []byte(text)
}

// slowDown publishes a file, and sends a half of it at the next request.
func (a *authority) slowDown(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text, a.slow = []byte(text), true
}

func (a *authority) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/api/1/datasets/weekly/" {
		fmt.Fprint(w, `{"resources":[{"url":"/r/SYNTHETIC_observatoire.csv","title":"week"}]}`)
		return
	}
	a.mu.Lock()
	text, slow := a.text, a.slow
	a.slow = false
	a.mu.Unlock()
	w.Header().Set("Etag", fmt.Sprintf(`"%d-%s"`, len(text), dateIn(text)))
	if slow {
		w.Header().Set("Content-Length", fmt.Sprint(len(text)))
		w.Write(text[:len(text)/2])
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}

// dateIn is the date of a weekly file.
func dateIn(text []byte) string {
	before, _, _ := bytes.Cut(text, []byte("T12:00:00"))
	return string(before[max(0, len(before)-10):])
}

// table writes the table of sources that names the authority.
func (a *authority) table(t *testing.T) string {
	t.Helper()
	return filetest.New(t, "sources.json", fmt.Sprintf(`{"files":[{"name":"weekly","market":"FR","find":"data.gouv.fr","url":"%s/api/1/datasets/weekly/","match":"observatoire","licence":"made up"}]}`, a.URL))
}

// An updated file is a part of what relais update --json prints.
type updatedFile struct {
	Status string
	Bytes  int64
}

// updateState is what /readyz says of updates.
func (s *server) updateState() object {
	s.t.Helper()
	u, _ := s.readyz()["update"].(object)
	return u
}

func TestUpdate(t *testing.T) {
	c := makeCountry(t, 800)
	a := newAuthority(t)
	sources := a.table(t)
	size := int64(len(c.weekly(t, "2026-01-22")))
	update := func(want updatedFile) {
		t.Helper()
		var r struct {
			Sources []struct{ Files []updatedFile }
		}
		command(t, &r, "update", "--data", c.dir, "--sources", sources, "FR")
		if got := r.Sources[0].Files[0]; got != want {
			t.Errorf("update: got %+v, want %+v", got, want)
		}
	}
	a.publish(c.weekly(t, "2026-01-22"))
	update(updatedFile{"fetched", size})
	update(updatedFile{"unchanged", 0})
	a.publish("<!doctype html><title>Sorry</title>")
	fails(t, 1, "an HTML page", "update", "--data", c.dir, "--sources", sources, "FR")

	// In the background: the new file is fetched, loaded, and told of.
	s := serve(t, c.dir, "--update-every", "1s", "--sources", sources)
	s.waitUntil("/readyz says why", func() bool {
		problems, _ := s.updateState()["problems"].(object)
		return problems["FR"] != nil && problems["DROM"] != nil
	})
	if got := s.version("FR"); !strings.HasPrefix(got, "2026-01-22") {
		t.Errorf("version: got %s, want that of yesterday's data", got)
	}
	a.publish(c.weekly(t, "2026-01-29"))
	s.waitUntil("the new data is served", func() bool {
		u := s.updateState()
		return strings.HasPrefix(s.version("FR"), "2026-01-29") && u["problems"] == nil && u["lastRun"] != nil &&
			u["next"] != nil
	})
	metrics := string(s.get("/metrics").body)
	for _, want := range []string{`relais_update_last_success_timestamp_seconds{market="FR"}`,
		`relais_update_failures_total{market="DROM"}`} {
		if !strings.Contains(metrics, want) {
			t.Errorf("/metrics has no %s", want)
		}
	}

	// Stopped in the middle of a download, it ends and leaves nothing of it. The next begins again.
	a.slowDown(c.weekly(t, "2026-02-05"))
	part := filepath.Join(c.dir, "downloads", "FR", "weekly", "SYNTHETIC_observatoire.csv")
	s.waitUntil("a half is downloaded", func() bool {
		i, err := os.Stat(part)
		return err == nil && i.Size() > 0
	})
	s.stop()
	if _, err := os.Stat(filepath.Join(c.dir, "downloads")); err == nil {
		t.Error("downloads/ is left")
	}
	update(updatedFile{"fetched", size})
	if r := check(t, c.dir); !r.OK || len(r.Notes) > 0 {
		t.Errorf("check: got problems %q, notes %q; want none", r.problems(), r.Notes)
	}
}
