//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"relais/internal/filetest"
	"relais/internal/outputtest"
)

// demonstrate shows the demonstration of a folder, and returns what it prints once it is
// loaded.
func demonstrate(t *testing.T, dir string, prepare func(*exec.Cmd)) (s *server, printed string) {
	t.Helper()
	var out outputtest.Buffer
	s = start(t, func(cmd *exec.Cmd) { cmd.Stdout = &out; prepare(cmd) }, "demo", "--data", dir)
	s.isLoaded(dir)
	s.waitUntil("all is printed", func() bool { return strings.Contains(out.String(), "Stop with") })
	key := regexp.MustCompile(`export KEY=(\S+)`).FindStringSubmatch(out.String())
	if key == nil {
		t.Fatalf("no key is printed: %s", &out)
	}
	s.key = key[1]
	return s, out.String()
}

func TestDemo(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "demo")
	// What a first run leaves that is killed while it ingests.
	left := filepath.Join(dir, "sources", "FR", "20260101T000000Z-1")
	must(t, errors.Join(os.MkdirAll(left, 0o755),
		os.WriteFile(filepath.Join(left, "observatoire.csv.zst"), nil, 0o644),
		os.WriteFile(filepath.Join(dir, "ingest.lock"), nil, 0o644)))
	began := time.Now().UTC()
	s, printed := demonstrate(t, dir, func(*exec.Cmd) {})
	lines := regexp.MustCompile(`curl -H "X-API-Key: \$KEY" '([^']+)'`).FindAllStringSubmatch(printed, -1)
	if len(lines) != 6 || !strings.HasPrefix(printed, "Open "+s.base+"/ ") || !strings.Contains(printed, "synthetic") {
		t.Errorf("printed: got %s, want a page to open first, and six requests that are called synthetic", printed)
	}
	for _, l := range lines {
		if err := s.succeeds(strings.TrimPrefix(l[1], s.base)); err != nil {
			t.Error(err)
		}
	}
	s.acrossMarkets()
	first := s.inTime()
	s.stop()

	// Of another version of relais: the demonstration is made again.
	snap := filepath.Join(dir, "snapshots", "FR.snap")
	text := filetest.Read(t, snap)
	text[8]++ // the version of the format
	replace(t, snap, text)
	s, _ = demonstrate(t, dir, func(*exec.Cmd) {})
	again := s.inTime()
	s.examples(t, dir)
	if today := time.Now().UTC().Format(time.DateOnly); today == began.Format(time.DateOnly) {
		if diff := cmp.Diff(first, again); diff != "" {
			t.Errorf("shown again on the same day: before (-), now (+):\n%s", diff)
		}
	}
	s.stop()
	onAStick(t, dir)
	fails(t, 1, "neither empty nor a demonstration", "demo", "--data", t.TempDir()+"/..", "--listen", "127.0.0.1:0")
}

// onAStick shows the demonstration from a folder that cannot be written to: keys are printed
// that work, and the folder stays as it is.
func onAStick(t *testing.T, dir string) {
	t.Helper()
	nobody := readOnly(t, dir)
	before := filetest.Read(t, filepath.Join(dir, "clients.db"))
	s, printed := demonstrate(t, dir, nobody)
	if want := "cannot be written to"; !strings.Contains(printed, want) {
		t.Errorf("printed: got %s, want %q", printed, want)
	}
	if got := len(s.list("/antennas?limit=2")); got != 2 {
		t.Errorf("antennas with the printed key: got %d, want 2", got)
	}
	s.stop()
	if after := filetest.Read(t, filepath.Join(dir, "clients.db")); !bytes.Equal(after, before) {
		t.Error("clients.db was changed")
	}
}

// acrossMarkets asks for a site of each market of the demonstration, in each way.
func (s *server) acrossMarkets() {
	s.t.Helper()
	for _, market := range []string{"FR", "DROM", "CA", "BE", "CH"} {
		list := s.list("/antennas?limit=1&offset=7&market=" + market)
		if len(list) != 1 {
			s.t.Errorf("%s: got %d sites, want 1", market, len(list))
			continue
		}
		site := list[0].(object)
		key := site["siteKey"].(string)
		if label := site["sourceLabel"].(string); !strings.Contains(label, "SYNTHETIC") {
			s.t.Errorf("%s: got the source %s, want SYNTHETIC in it", market, label)
		}
		for _, path := range []string{"/antennas/", "/sites/"} {
			if got := s.meta(path + url.PathEscape(key))["market"]; got != market {
				s.t.Errorf("%s%s: got the market %v, want %s", path, key, got, market)
			}
		}
		query := "market=" + market + "&sourceCode=" + url.QueryEscape(site["sourceCode"].(string))
		if got := s.list("/antennas/search?" + query); len(got) == 0 {
			s.t.Errorf("search with %s: got nothing", query)
		}
		if !strings.Contains(s.log.String(), market+": ") {
			s.t.Errorf("log: got %s, want a count of %s", s.log, market)
		}
	}
}

// inTime asks for what changes in time: each answer has something, and all of it says that it is
// made up. It returns how much there is.
func (s *server) inTime() map[string]int {
	s.t.Helper()
	found := map[string]int{}
	for _, tt := range []struct{ path, member string }{
		{"/outages?source=operator", "siteName"},
		{"/outages?source=community", "reason"},
		{"/sites-hs", "raison"},
		{"/outages/history", "detail"},
		{"/speedtests?limit=1000", "mobileOperator"},
		{"/speedtests/site?siteId=fr-90000001&bestOnly=true", "mobileOperator"},
		{"/coverage/points?technology=5G&limit=5000", "mobileOperator"},
		{"/coverage/points?operator=FREE&limit=5000", "mobileOperator"},
		{"/coverage/at?lat=46.205&lon=5.2258", "source"},
		{"/coverage/at?lat=16.24&lon=-61.53", "source"},
		{"/coverage/area?department=35", "source"},
	} {
		list := s.list(tt.path)
		found[tt.path] = len(list)
		for _, item := range list {
			if text := fmt.Sprint(item.(object)[tt.member]); !strings.Contains(text, "SYNTHETIC") {
				s.t.Fatalf("%s: got the %s %s, want SYNTHETIC in it", tt.path, tt.member, text)
			}
		}
		if len(list) == 0 {
			s.t.Errorf("%s: got nothing", tt.path)
		}
	}
	if got := s.feed("/sites-hs"); !strings.HasPrefix(got, "exists true, available true") {
		s.t.Errorf("feed: got %s, want it available", got)
	}
	states := map[any]int{}
	for _, o := range s.list("/outages?source=community") {
		states[o.(object)["state"]]++
	}
	days := states["confirmed"] // a second one if it was midnight meanwhile
	if days < 1 || days > 2 || states["reported"] != 2*days {
		s.t.Errorf("reports: got %v, want 1 confirmed and 2 reported, of each of one or two days", states)
	}
	s.editions(found)
	return found
}

// editions asks for the archives of the demonstration.
func (s *server) editions(found map[string]int) {
	s.t.Helper()
	dates := s.list("/anfr/archives")
	for _, date := range dates {
		path := "/anfr/archive/" + date.(string)
		for _, view := range []string{"changes", "full"} {
			var edition struct {
				Data map[string]json.RawMessage // read as objects, a hundred megabytes take ten seconds
				Meta struct{ SourceLabel string }
			}
			if err := json.Unmarshal(s.get("/external/v1"+path+"?view="+view).body, &edition); err != nil {
				s.t.Fatalf("%s: %v", path, err)
			}
			found[fmt.Sprint(view, " ", date)] = len(edition.Data)
			if label := edition.Meta.SourceLabel; !strings.HasPrefix(label, "SYNTHETIC") {
				s.t.Errorf("%s: got the source %s, want SYNTHETIC", path, label)
			}
		}
	}
	if len(dates) != 2 {
		s.t.Errorf("archives: got %v, want two", dates)
	}
	if got := found["full 2026-01-15"]; got != 20000 {
		s.t.Errorf("supports in the archive: got %d, want 20000", got)
	}
	if got := found["changes 2026-01-15"]; got == 0 || got > 2000 {
		s.t.Errorf("supports that changed: got %d, want 1 to 2000", got)
	}
}
