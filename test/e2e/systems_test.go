//go:build linux

package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/demo"
)

// A folder whose name has blanks, accents and brackets is filled, served, killed, served again, copied and put back, on
// whatever system RELAIS_BINARY is for: make windows runs this test, and others, on the Windows program.
func TestEverySystem(t *testing.T) {
	home := filepath.Join(t.TempDir(), "Été à Genève (démo)")
	files, err := demo.Write(filepath.Join(home, "fichiers du 15"), 120)
	must(t, err)
	dir := filepath.Join(home, "données")
	run(t, append([]string{"ingest", "--data", dir, "FR,DROM"}, files...)...)
	letIn(t, dir)
	photos := photographer(t, dir)
	rows := readCSV(t, files[0])

	s := serve(t, dir)
	s.hasSites(rows)
	fails(t, 1, "in use", "serve", "--data", dir, "--listen", "127.0.0.1:0")
	sent := mustSendPhoto(t, s, photos.APIKey, picture(640, 480), map[string]string{"license": "CC BY 4.0"})
	s.kill() // what was acknowledged is on disk

	s = serve(t, dir)
	s.hasSites(rows)
	s.key = photos.APIKey
	list := s.ask("/sites/90000010/photos")["data"].([]any)
	if len(list) != 1 || list[0].(object)["id"] != sent.Data.ID {
		t.Errorf("photos after a kill: got %v, want %s", list, sent.Data.ID)
	}
	image := s.get(sent.Data.ImageURL[strings.Index(sent.Data.ImageURL, "/media/"):]) // the port is another one
	if got := http.DetectContentType(image.body); got != "image/webp" {
		t.Errorf("the photo: got %s, want image/webp", got)
	}

	copied, restored := filepath.Join(home, "copie"), filepath.Join(home, "rendu")
	run(t, "backup", "--data", dir, copied) // while it is served
	run(t, "check", "--backup", copied)
	s.stop()
	run(t, "check", "--data", dir)
	run(t, "compact", "--data", dir)
	run(t, "restore", copied, "--data", restored)
	run(t, "check", "--data", restored)
	key, _ := keys.Load(dir)
	keys.Store(restored, key)
	s = serve(t, restored)
	s.hasSites(rows)
	s.stop()
}

// hasSites checks the number of sites of France, and the position of one, against the register's rows.
func (s *server) hasSites(rows []map[string]string) {
	s.t.Helper()
	supports := map[string]bool{}
	for _, row := range rows {
		if !strings.HasPrefix(row["sta_nm_dpt"], "97") {
			supports[row["sup_id"]] = true
		}
	}
	if got, want := s.meta("/antennas?limit=1")["total"], float64(len(supports)); got != want {
		s.t.Errorf("sites: got %v, want %v", got, want)
	}
}

// The demonstration is made, served and stopped, twice in one folder. TestDemo, which knows more of it, needs a Unix.
func TestDemoUnderWine(t *testing.T) {
	if !wine {
		t.Skip("for make windows: TestDemo shows it here")
	}
	dir := filepath.Join(t.TempDir(), "démo")
	for range 2 {
		s := start(t, nil, "demo", "--data", dir)
		s.isLoaded(dir)
		if a := s.get("/"); a.status != http.StatusOK {
			t.Errorf("/: got %s, want 200", a)
		}
		s.stop()
	}
}

// A pack is opened in a folder of any name, and nothing in it changes.
func TestPackOnEverySystem(t *testing.T) {
	c := makeCountry(t, 120)
	stick := filepath.Join(t.TempDir(), "Été à Genève (démo)")
	run(t, "pack", "--data", c.dir, "--area", "FR", stick)
	before := filesOf(t, stick)
	s := serve(t, filepath.Join(stick, "data"))
	if got := asked(s, "/antennas?market=FR&limit=1")["meta"].(object)["total"]; got == 0.0 {
		t.Errorf("sites: got %v, want some", got)
	}
	if a := s.get("/"); a.status != http.StatusOK || !strings.Contains(string(a.body), "<html") {
		t.Errorf("/: got %s, want a page", a)
	}
	s.stop()
	if diff := cmp.Diff(before, filesOf(t, stick)); diff != "" {
		t.Errorf("serving changed the pack (-before +after)\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(stick, "data", "serve.lock")); err == nil {
		t.Error("a lock was left in the pack")
	}
}
