//go:build linux

package e2e

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/internal/filetest"
)

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
	checkNames(t, dir)
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
	must(t, errors.Join(os.CopyFS(dir, os.DirFS(data)), os.Remove(filepath.Join(dir, "pack.json"))))
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

// filesOf is the files of a folder with their sizes, times, modes and checksums.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	list := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		sum := [sha256.Size]byte{}
		if info.Mode().IsRegular() {
			sum = sha256.Sum256(filetest.Read(t, path))
		}
		list[path] = fmt.Sprintf("%d %s %s %x", info.Size(), info.ModTime(), info.Mode(), sum)
		return nil
	})
	must(t, err)
	return list
}
