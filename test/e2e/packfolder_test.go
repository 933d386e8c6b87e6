//go:build linux

package e2e

import (
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/internal/filetest"
)

// A packed is what relais pack --json prints.
type packed struct {
	Programs []string
	Contents struct {
		Markets []struct {
			Market string
			Sites  int
		}
		Archives, Photos, Speedtests int
		LeftOut                      []string
	}
}

// A packedFolder is a folder with everything that a pack may and may not have.
type packedFolder struct {
	country
	s      *server
	sites  []object // of FR
	home   object   // whose photos are packed
	secret []string // that no pack may have
	hidden []byte   // of the image of a hidden photo
	shown  []byte   // of one that is shown
}

// metres is the distance of two places, by a formula of its own.
func metres(a, b object) float64 {
	rad := func(o object, name string) float64 { return o["coordinates"].(object)[name].(float64) * math.Pi / 180 }
	h := math.Pow(math.Sin((rad(b, "lat")-rad(a, "lat"))/2), 2) +
		math.Cos(rad(a, "lat"))*math.Cos(rad(b, "lat"))*math.Pow(math.Sin((rad(b, "lng")-rad(a, "lng"))/2), 2)
	return 2 * 6371008.8 * math.Asin(math.Sqrt(h))
}

func departmentOf(site object) string { return site["administrativeArea"].(object)["code"].(string) }

// newPackedFolder makes and serves the folder.
func newPackedFolder(t *testing.T) *packedFolder {
	t.Helper()
	f := &packedFolder{country: makeCountry(t, 700)}
	changed := strings.Replace(f.weekly(t, "2026-01-22"), ";Projet approuvé", ";En service", 300)
	week := filepath.Join(t.TempDir(), "SYNTHETIC_observatoire_2026-01-22.csv")
	filetest.Write(t, week, []byte(changed))
	f.s = serve(t, f.dir)
	old := filepath.Join(t.TempDir(), "SYNTHETIC_observatoire_2026-01-08.csv")
	filetest.Write(t, old, []byte(withSupport(f.weekly(t, "2026-01-08"), "90000010", goneSupport)))
	run(t, "archive", "add", "--data", f.dir, week, old)
	for offset := 0; ; offset += 1000 {
		page := f.s.list(fmt.Sprintf("/antennas?limit=1000&offset=%d", offset))
		for _, item := range page {
			f.sites = append(f.sites, item.(object))
		}
		if len(page) < 1000 {
			break
		}
	}
	tests := "timestamp,lat,lng,download_mbps\n"
	for i, site := range f.sites {
		at := site["coordinates"].(object)
		tests += fmt.Sprintf("%s,%.6f,%.6f,%d\n", time.Now().Add(-time.Duration(i)*time.Minute).UTC().Format(time.RFC3339),
			at["lat"].(float64)+0.002, at["lng"].(float64)-0.001, 10+i)
	}
	run(t, "speedtest", "import", "--data", f.dir, "--market", "FR", filetest.New(t, "speedtests.csv", tests))
	f.plant(t)
	return f
}

// goneSupport was at the place of another until the register's edition.
const goneSupport = "99990010"

// withSupport adds to an observatoire a support with the rows of another.
func withSupport(text, support, added string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, ";"+support+";") {
			text += strings.ReplaceAll(strings.Replace(line, ";"+support+";", ";"+added+";", 1), ";0020", ";0021")
		}
	}
	return text
}

// plant adds what no pack may have, and photos.
func (f *packedFolder) plant(t *testing.T) {
	t.Helper()
	c := photographer(t, f.dir)
	mobile := newApp(t, f.dir)
	shown := mustSendPhoto(t, f.s, c.APIKey, picture(320, 240), nil).Data
	hidden := mustSendPhoto(t, f.s, c.APIKey, picture(480, 300), map[string]string{"description": "planted caption"}).Data
	image, _ := fetchImage(t, hidden.ImageURL)
	f.hidden = image.body[100:200]
	image, _ = fetchImage(t, shown.ImageURL)
	f.shown = image.body[100:200]
	call(t, http.DefaultClient, http.MethodPost, f.s.base+"/external/v1/photos/"+shown.ID+"/report",
		[]byte(`{"reason":"other","description":"planted report"}`), "Content-Type", "application/json",
		"X-API-Key", c.APIKey)
	run(t, "photo", "hide", "--data", f.dir, hidden.ID)
	reportOutage(t, f.dir, "SFR", "planted.person@example.org")
	newPerson(t, f.dir, "planted person", "planted password")
	f.home = f.s.one("/antennas/90000010")
	f.secret = []string{c.ID, mobile.ID, mobile.SigningSecret, c.APIKey, c.APIKey[len(c.APIKey)-20:], hidden.ID,
		"planted", "every test", string(filetest.Read(t, filepath.Join(f.dir, "secret.key")))}
}

// pack makes a pack.
func (f *packedFolder) pack(t *testing.T, args ...string) (dir string, p packed) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "stick")
	command(t, &p, append([]string{"pack", "--data", f.dir, dir}, args...)...)
	return dir, p
}
