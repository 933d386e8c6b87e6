package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// An authority publishes one weekly file.
type authority struct {
	*httptest.Server
	mu   sync.Mutex
	text []byte
	slow bool // sends half of the file and then nothing
	sent []string
}

func newAuthority(t *testing.T) *authority {
	a := &authority{}
	a.Server = httptest.NewServer(a)
	t.Cleanup(func() { a.CloseClientConnections(); a.Close() })
	return a
}

func (a *authority) publish(text []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text = text
}

func (a *authority) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	text, slow := a.text, a.slow
	a.sent = append(a.sent, r.Header.Get("Range"))
	a.mu.Unlock()
	if r.URL.Path == "/api/1/datasets/weekly/" {
		fmt.Fprint(w, `{"resources":[{"url":"/r/SYNTHETIC_observatoire.csv","title":"week"}]}`)
		return
	}
	w.Header().Set("Etag", fmt.Sprintf(`"%d-%s"`, len(text), dateIn(text)))
	if slow && r.Header.Get("Range") == "" {
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
	path := filepath.Join(t.TempDir(), "sources.json")
	text := fmt.Sprintf(`{"files":[{"name":"weekly","market":"FR","find":"data.gouv.fr","url":"%s/api/1/datasets/weekly/","match":"observatoire","licence":"made up"}]}`, a.URL)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestUpdate(t *testing.T) {
	c := makeCountry(t, 800)
	weekly, err := os.ReadFile(c.files[0])
	if err != nil {
		t.Fatal(err)
	}
	of := func(date string) []byte {
		return bytes.ReplaceAll(weekly, []byte(";2026-01-15T12:00:00;"), []byte(";"+date+"T12:00:00;"))
	}
	a := newAuthority(t)
	sources := a.table(t)
	update := func(want int, words string) (r struct {
		Sources []struct {
			Status string
			Files  []struct {
				Status         string
				Bytes, Resumed int64
			}
		}
	}) {
		t.Helper()
		out, errs, code := relais(t, "update", "--data", c.dir, "--sources", sources, "--json", "FR")
		if code != want || !strings.Contains(errs, words) {
			t.Fatalf("update: exit %d, want %d with %q: %s%s", code, want, words, out, errs)
		}
		if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Sources) != 1 || len(r.Sources[0].Files) != 1 {
			t.Fatalf("%v: %s", err, out)
		}
		return r
	}
	a.publish(of("2026-01-22"))
	if r := update(0, ""); r.Sources[0].Status != "updated" || r.Sources[0].Files[0].Bytes != int64(len(weekly)) {
		t.Errorf("unexpected report %+v", r)
	}
	if r := update(0, ""); r.Sources[0].Status != "unchanged" || r.Sources[0].Files[0].Bytes != 0 {
		t.Errorf("unexpected report %+v", r)
	}
	a.publish([]byte("<!doctype html><title>Sorry</title>"))
	update(1, "an HTML page")

	// In the background: the new file is fetched, loaded, and told of.
	s := serve(t, nil, "serve", "--data", c.dir, "--update-every", "1s", "--sources", sources)
	state := func() object {
		_, o := s.get("/readyz")
		u, _ := o["update"].(object)
		return u
	}
	if !waitFor(func() bool { p, _ := state()["problems"].(object); return p["FR"] != nil && p["DROM"] != nil }) {
		t.Fatalf("/readyz says nothing of the poisoned file: %v %s", state(), s.log)
	}
	if v := s.version("FR"); !strings.HasPrefix(v, "2026-01-22") {
		t.Errorf("yesterday's data is gone: %s", v)
	}
	a.publish(of("2026-01-29"))
	if !waitFor(func() bool {
		return strings.HasPrefix(s.version("FR"), "2026-01-29") && state()["problems"] == nil &&
			state()["lastRun"] != nil && state()["next"] != nil
	}) {
		t.Fatalf("the new data is not served: %s %v %s", s.version("FR"), state(), s.log)
	}
	r, err := s.fetch("/metrics")
	if err != nil {
		t.Fatal(err)
	}
	var metrics bytes.Buffer
	metrics.ReadFrom(r.Body)
	r.Body.Close()
	for _, name := range []string{`relais_update_last_success_timestamp_seconds{market="FR"}`,
		`relais_update_failures_total{market="DROM"}`} {
		if !strings.Contains(metrics.String(), name) {
			t.Errorf("/metrics has no %s", name)
		}
	}

	// Stopped in the middle of a download, it ends, and the next goes on.
	a.mu.Lock()
	a.slow, a.text, a.sent = true, of("2026-02-05"), nil
	a.mu.Unlock()
	part := filepath.Join(c.dir, "downloads", "FR", "weekly", "SYNTHETIC_observatoire.csv")
	if !waitFor(func() bool { i, err := os.Stat(part); return err == nil && i.Size() == int64(len(weekly)/2) }) {
		t.Fatalf("no download under way: %s", s.log)
	}
	if code := s.stop(); code != 0 {
		t.Errorf("exit = %d, want 0", code)
	}
	if r := update(0, ""); r.Sources[0].Files[0].Resumed != int64(len(weekly)/2) {
		t.Errorf("unexpected report %+v", r)
	}
	if out, errs, code := relais(t, "check", "--data", c.dir, "--json"); code != 0 ||
		!strings.Contains(out, `"notes":[]`) {
		t.Errorf("check: %d %s%s", code, out, errs)
	}
}

func TestUpdateUse(t *testing.T) {
	a := newAuthority(t)
	sources, dir := a.table(t), t.TempDir()
	for _, tt := range []struct {
		args []string
		code int
		text string
	}{
		{[]string{"update", "--help"}, 0, "Examples:"},
		{[]string{"update", "--data", dir, "XX"}, 2, "one of FR"},
		{[]string{"update", "--data", dir, "--sources", sources, "CH"}, 1, "CH cannot be updated"},
		{[]string{"update", "--data", dir, "--sources", filepath.Join(dir, "none")}, 1, "no such file"},
		{[]string{"serve", "--data", dir, "--update-every", "24"}, 2, "update-every"},
		{[]string{"serve", "--data", dir, "--update-every", "1ms"}, 2, "--update-every"},
		{[]string{"update", "--data", dir, "--sources", sources}, 1, "FR,DROM: weekly: the answer is empty"},
	} {
		out, errs, code := relais(t, tt.args...)
		if code != tt.code || !strings.Contains(out+errs, tt.text) {
			t.Errorf("relais %s: exit %d, want %d with %q\n%s%s", strings.Join(tt.args, " "), code, tt.code, tt.text,
				out, errs)
		}
	}
}

// What cannot be written to cannot be kept fresh, and serve says so at once.
func TestUpdateReadOnly(t *testing.T) {
	c := makeCountry(t, 200)
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	nobody := readOnly(t, c.dir)
	for _, args := range [][]string{{"serve", "--listen", "127.0.0.1:0", "--update-every", "24h"}, {"update"}} {
		cmd := exec.Command(path, append(args, "--data", c.dir)...)
		nobody(cmd)
		out, err := cmd.CombinedOutput()
		if err == nil || cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "permission denied") ||
			args[0] == "serve" && !strings.Contains(string(out), "cannot be written to") {
			t.Errorf("%s on a read-only folder: %v %s", args[0], err, out)
		}
	}
}
