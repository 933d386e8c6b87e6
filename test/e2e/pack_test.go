package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

// asked is what the page of a pack's server answers without a key.
func asked(s *server, path string) object {
	s.t.Helper()
	a := s.get("/map" + path)
	if a.status != http.StatusOK {
		s.t.Fatalf("%s: %s", path, a)
	}
	return a.object()
}

// A pack has the sites of its area as their source answers them, and what is known of them.
func TestPack(t *testing.T) {
	f := newPackedFolder(t)
	area := departmentOf(f.home)
	at := f.home["coordinates"].(object)
	for _, tt := range []struct {
		name string
		args []string
		in   func(site object) bool
		stop bool // the server first
	}{
		{"a department", []string{"--area", area}, func(s object) bool { return departmentOf(s) == area }, false},
		{"a disc", []string{fmt.Sprintf("--disc=%v,%v,80", at["lat"], at["lng"])},
			func(s object) bool { return metres(s, f.home) <= 80_000 }, false},
		{"a market, without a server", []string{"--area", "fr"}, func(object) bool { return true }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.stop {
				f.s.stop()
			}
			dir, p := f.pack(t, tt.args...)
			want := map[string]object{}
			for _, site := range f.sites {
				if tt.in(site) {
					want[site["siteKey"].(string)] = site
				}
			}
			f.check(t, dir, p, want, strings.Contains(tt.name, "disc"))
		})
	}
}

// check compares a pack with what it must have.
func (f *packedFolder) check(t *testing.T, dir string, p packed, want map[string]object, disc bool) {
	t.Helper()
	if len(want) == 0 || p.Contents.Markets[0].Sites != len(want) || p.Contents.Photos != 1 || p.Contents.Archives != 3 {
		t.Errorf("got %+v, want %d sites, a photo and three archives", p, len(want))
	}
	data := filepath.Join(dir, "data")
	if out, errs, code := relais(t, "check", "--data", data); code != 0 {
		t.Errorf("relais check: exit %d, want 0: %s%s", code, out, errs)
	}
	for _, secret := range append(f.secret, string(f.hidden)) {
		if holds(t, dir, []byte(secret)) {
			t.Errorf("the pack has %.40q", secret)
		}
	}
	if !holds(t, data, f.shown) {
		t.Error("the pack lacks the photo that is shown")
	}
	somebody := readOnly(t, dir)
	before := filesOf(t, dir)
	s := start(t, somebody, "serve", "--data", data)
	s.isLoaded(data)
	got := map[string]object{}
	for _, item := range pages(s, "/antennas?market=FR") {
		got[item["siteKey"].(string)] = item
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sites of the source (-), of the pack (+)\n%s", diff)
	}
	f.checkMeasures(t, s, want, p.Contents.Speedtests, disc)
	if a := s.get("/site/fr-90000010"); a.status != 200 || !strings.Contains(string(a.body), "/media/photos/") {
		t.Errorf("/site/fr-90000010: %d, want a page with a photo", a.status)
	}
	if a := s.get("/external/v1/antennas"); a.code() != "API_KEY_REQUIRED" {
		t.Errorf("/antennas without a key: %s, want API_KEY_REQUIRED", a)
	}
	s.stop()
	if diff := cmp.Diff(before, filesOf(t, dir)); diff != "" {
		t.Errorf("serving changed the pack (-before +after)\n%s", diff)
	}
	f.checkArchive(t, data, want)
}

// pages returns the items of all pages of a list.
func pages(s *server, path string) (items []object) {
	for offset := 0; ; offset += 1000 {
		page := asked(s, fmt.Sprintf("%s&limit=1000&offset=%d", path, offset))["data"].([]any)
		for _, item := range page {
			items = append(items, item.(object))
		}
		if len(page) < 1000 {
			return items
		}
	}
}

// checkMeasures checks that the speedtests are those in the disc, or nearest to a site of the area.
func (f *packedFolder) checkMeasures(t *testing.T, s *server, want map[string]object, counted int,
	disc bool) {
	t.Helper()
	nearest := func(test object) string {
		return slices.MinFunc(f.sites, func(a, b object) int {
			return int(math.Copysign(1, metres(a, test)-metres(b, test)))
		})["siteKey"].(string)
	}
	got := pages(s, "/speedtests?market=FR&days=30")
	if len(got) != counted || len(got) < len(want)*9/10 {
		t.Errorf("%d speedtests, the pack counts %d, want about %d", len(got), counted, len(want))
	}
	for _, test := range got[:min(len(got), 40)] {
		if !disc && want[nearest(test)] == nil || disc && metres(test, f.home) > 80_000 {
			t.Errorf("a speedtest nearest to %s, %.0f m from the centre, is not of the area", nearest(test),
				metres(test, f.home))
		}
	}
}

// checkArchive checks that archives have the supports of the area as the source's have them, and the one that
// is gone from it. A pack has no keys: a copy that is an ordinary folder answers.
func (f *packedFolder) checkArchive(t *testing.T, data string, want map[string]object) {
	t.Helper()
	if f.s.cmd.ProcessState != nil { // it was stopped
		return
	}
	dir := filepath.Join(t.TempDir(), "copy")
	if err := errors.Join(os.CopyFS(dir, os.DirFS(data)), os.Remove(filepath.Join(dir, "pack.json"))); err != nil {
		t.Fatal(err)
	}
	key := createClient(t, dir, "--name", "x", "--mode", "server", "--cidr", "127.0.0.1/32", "--scopes", "all-read")
	s := serve(t, dir)
	s.key = key.APIKey
	defer s.stop()
	for _, date := range []string{"2026-01-08", "2026-01-22"} {
		wanted := object{}
		for id, support := range f.s.ask("/anfr/archive/" + date + "?view=full")["data"].(object) {
			if want["fr-"+id] != nil || id == goneSupport {
				wanted[id] = support
			}
		}
		got := s.ask("/anfr/archive/" + date + "?view=full")["data"].(object)
		if diff := cmp.Diff(wanted, got); diff != "" || date == "2026-01-08" && got[goneSupport] == nil {
			t.Errorf("archive of the source (-), of the pack (+)\n%.2000s", diff)
		}
	}
}

// filesOf is the files of a folder with their sizes and times.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	list := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		list[path] = fmt.Sprint(info.Size(), info.ModTime(), info.Mode())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// What cannot be packed is said, and leaves nothing.
func TestBadPacks(t *testing.T) {
	c := makeCountry(t, 60)
	full := t.TempDir()
	filetest.Write(t, filepath.Join(full, "file"), []byte("mine"))
	empty := t.TempDir()
	dest := filepath.Join(t.TempDir(), "stick")
	for _, tt := range []struct {
		name, why string
		code      int
		args      []string
	}{
		{"no area", "--area or a --disc", 2, []string{dest}},
		{"both", "one of them", 2, []string{dest, "--area", "35", "--disc=1,2,3"}},
		{"an unknown area", "no market has it", 2, []string{dest, "--area", "Atlantis"}},
		{"a market without a register", "no market has it", 2, []string{dest, "--area", "PT"}},
		{"a disc of two numbers", "LAT,LON,KM", 2, []string{dest, "--disc=1,2"}},
		{"a disc of nothing", "LAT,LON,KM", 2, []string{dest, "--disc=48,2,0"}},
		{"a disc of not a number", "LAT,LON,KM", 2, []string{dest, "--disc=48,2,NaN"}},
		{"a disc off the globe", "LAT,LON,KM", 2, []string{dest, "--disc=91,2,10"}},
		{"a disc in the sea", "no site", 1, []string{dest, "--disc=0,0,10"}},
		{"a disc in the sea, to a folder", "no site", 1, []string{empty, "--disc=0,0,10"}},
		{"a full folder", "is not empty", 1, []string{full, "--area", "FR"}},
		{"in the data folder", "in the data folder", 1, []string{filepath.Join(c.dir, "stick"), "--area", "FR"}},
		{"a program that is a text", "not a program", 2, []string{dest, "--area", "FR", "--program-arm64", c.files[0]}},
		{"a program of another machine", "not for EM_", 2, []string{dest, "--area", "FR", "--program-" + otherArch(),
			ownProgram(t)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			why := strings.ReplaceAll(tt.why, "not for EM_", "not for ")
			fails(t, tt.code, why, append([]string{"pack", "--data", c.dir}, tt.args...)...)
			for _, dir := range []string{filepath.Dir(dest), empty} {
				if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
					t.Errorf("%s has %v, %v, want nothing", dir, entries, err)
				}
			}
		})
	}
	if _, err := os.Stat(filepath.Join(c.dir, "stick")); err == nil {
		t.Error("the data folder has the stick")
	}
	// A pack stays what it is.
	run(t, "pack", "--data", c.dir, "--area", "FR", dest)
	fails(t, 1, "is a pack", append([]string{"ingest", "--data", filepath.Join(dest, "data"), "fr,drom"}, c.files...)...)
	fails(t, 1, "cannot be written to", "client", "create", "--data", filepath.Join(dest, "data"), "--name", "x", "--mode", "server",
		"--cidr", "127.0.0.1/32", "--scopes", "all-read")
}

func otherArch() string {
	out, _ := exec.Command("uname", "-m").Output()
	if strings.Contains(string(out), "x86_64") {
		return "arm64"
	}
	return "amd64"
}

func ownProgram(t *testing.T) string {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Registers that may not be redistributed are left out of a pack, unless its maker says otherwise.
func TestPackLeavesRestrictedRegistersOut(t *testing.T) {
	dir := newFolder(t)
	list := filetest.New(t, "bipt.json", `[{"ID":"7","Status":"O","X":"104500","Y":"194000","Eigenaar1":"Proximus: 12AB",`+
		`"PostcodeGemeente":"9000 Gent","Adres":"Korenmarkt 1","Locatie":"-"}]`)
	if _, errs, code := relais(t, "ingest", "--data", dir, "BE", list); code != 0 {
		t.Fatalf("ingest: %s", errs)
	}
	dest := filepath.Join(t.TempDir(), "stick")
	fails(t, 1, "may not be redistributed", "pack", "--data", dir, "--area", "BE", dest)
	var p packed
	command(t, &p, "pack", "--data", dir, "--area", "BE", "--with-restricted", dest)
	if len(p.Contents.Markets) != 1 || p.Contents.Markets[0].Sites != 1 {
		t.Errorf("with --with-restricted: got %+v, want one site of BE", p)
	}
	text := string(filetest.Read(t, filepath.Join(dest, "start.sh")))
	if !strings.Contains(text, "--map-all") {
		t.Errorf("start.sh lacks --map-all, without which the map would not show them: %s", text)
	}
}

// The script of a pack serves it, also from a place where programs cannot run.
func TestStartScript(t *testing.T) {
	c := makeCountry(t, 40)
	dest := filepath.Join(t.TempDir(), "stick")
	run(t, "pack", "--data", c.dir, "--area", "FR", dest)
	for _, runs := range []bool{true, false} {
		if !runs {
			program := filepath.Join(dest, "relais-"+map[string]string{"arm64": "amd64", "amd64": "arm64"}[otherArch()])
			if err := os.Chmod(program, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		s := &server{t: t, cmd: exec.Command("sh", filepath.Join(dest, "start.sh"), "127.0.0.1:0"), log: &lockedBuffer{}}
		s.cmd.Env = slices.DeleteFunc(os.Environ(), func(e string) bool {
			return strings.HasPrefix(e, "DISPLAY=") || strings.HasPrefix(e, "WAYLAND_DISPLAY=")
		})
		temporary := t.TempDir()
		s.cmd.Env = append(s.cmd.Env, "TMPDIR="+temporary)
		s.cmd.Stderr = s.log
		if err := s.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if !waitFor(func() bool {
			if m := listening.FindStringSubmatch(s.log.String()); m != nil {
				s.base = "http://" + m[1]
			}
			return s.base != ""
		}) {
			t.Fatalf("start.sh does not listen: %s", s.log)
		}
		s.waitUntil("FR is loaded", func() bool { return s.version("FR") != "" })
		if n := len(asked(s, "/antennas?market=FR")["data"].([]any)); n == 0 {
			t.Error("the map has no sites")
		}
		s.stop()
		if entries, _ := os.ReadDir(temporary); len(entries) > 0 {
			t.Errorf("programs can run: %t: %v stay in the temporary folder", runs, entries)
		}
	}
	var text object
	if err := json.Unmarshal(filetest.Read(t, filepath.Join(dest, "data", "pack.json")), &text); err != nil {
		t.Error(err)
	}
}
