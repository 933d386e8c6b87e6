package httpapi

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"relais/api/view"
	"relais/demo"
	"relais/geo"
	"relais/index"
	"relais/ingest"
	"relais/internal/folder"
	"relais/market"
	"relais/snapshot"
)

// belgium ingests the demonstration's files of Belgium that have one of these in their names as if they were not
// synthetic.
func belgium(t *testing.T, names ...string) *index.Set {
	t.Helper()
	var files []string
	for _, set := range demo.Sets {
		if set.Markets[0] != market.BE {
			continue
		}
		all, err := set.Write(t.TempDir(), 150)
		must(t, err)
		for _, path := range all {
			name := strings.TrimPrefix(filepath.Base(path), "SYNTHETIC_")
			for _, part := range names {
				if strings.Contains(name, part) {
					files = append(files, filepath.Join(filepath.Dir(path), name))
					must(t, os.Rename(path, files[len(files)-1]))
				}
			}
		}
	}
	dir := folder.Dir(t.TempDir())
	_, err := ingest.Run(t.Context(), ingest.Options{Dir: dir, Markets: []market.Code{market.BE}, Paths: files, Now: time.Now()})
	must(t, err)
	// The texts of a snapshot are in the order of adding, and name its version: they are added in the order of the sites.
	snap, err := snapshot.ReadFile(dir.Snapshot("BE"), market.BE)
	must(t, err)
	b, err := snapshot.Select(snap, func(int) bool { return true })
	must(t, err)
	_, err = b.Write(dir.Snapshot("BE"))
	must(t, err)
	var set *index.Set
	index.NewLive(dir, view.Summaries, slog.New(slog.DiscardHandler), func(s *index.Set) { set = s }).Refresh()
	return set
}

// Callers without a key get the bytes that they would get if the folder had no antennas from sources without a licence,
// also the tags. With a key there are the antennas, and the sites of Brussels.
func TestRowsThatNeedPermission(t *testing.T) {
	register, all := belgium(t, "zndant"), belgium(t, "zndant", "flanders-antennas", "brussels-antennas")
	o := mapServer(t, MapOpen).Options
	serve := func(set *index.Set, mapAll bool) *Server {
		o.MapAll = mapAll
		s, err := New(o)
		must(t, err)
		s.SetData(set)
		return withPages(t, s)
	}
	with, without, shown := serve(all, false), serve(register, false), serve(all, true)
	be := all.Market(market.BE)
	key := func(i int) string { return "be-" + register.Market(market.BE).Snap.ID(i) }
	targets := []string{"/map/tiles/BE.json", "/map/markets", "/map/antennas?market=BE&limit=500",
		"/map/antennas?market=BE&generation=4G", "/map/antennas?market=BE&technology=LTE%20800",
		"/map/antennas?market=BE&lat=50.85&lng=4.35&radiusKm=20",
		"/map/antennas/" + key(3), "/map/antennas/be-bru-900", "/map/find?q=bru-900", "/map/find?q=Brussel", "/map/find?q=5G",
		"/map/find?q=DMO&market=BE", "/map/changes?market=BE", "/map/outages?market=BE",
		"/", "/search?market=BE", "/search?market=BE&generation=5G", "/search?q=DMO001", "/near?lat=50.85&lng=4.35", "/at/50.85,4.35",
		"/stats?market=BE",
		"/site/be-bru-900", "/go?plmn=20601&enb=1", "/log",
		"/ogc/collections", "/ogc/collections/sites-BE", mount + "/ogc/collections"}
	for i := range register.Market(market.BE).Len() {
		if i%10 == 0 {
			targets = append(targets, "/map/antennas/"+key(i), "/site/"+key(i), "/site/"+key(i)+".png")
		}
	}
	lat, lng := be.Snap.Positions()
	for i := range lat {
		if at := (geo.Point{Lat: geo.Degrees(lat[i]), Lng: geo.Degrees(lng[i])}); i%10 == 0 {
			for _, z := range []int{0, 5, 9, 12, 14} {
				targets = append(targets, "/map"+tileNear(market.BE, at, z)+"?layers=dots,sites,sectors,places")
			}
		}
	}
	must(t, with.Prepare(t.Context(), all))
	differ := 0
	for _, target := range targets {
		if path, ok := strings.CutPrefix(target, "/map"); ok {
			get(t, with, path) // answers with a key must not be given without one
		}
		got, want := askOf(t, with, target), askOf(t, without, target)
		if got != want {
			t.Errorf("%s without a key:\n%.1500s\nwant what the register alone gives:\n%.1500s", target, got, want)
		}
		if strings.HasPrefix(target, "/map/") && askOf(t, shown, target) != want {
			differ++
		}
	}
	if differ < len(targets)/3 {
		t.Errorf("only %d of %d answers are others with --map-all", differ, len(targets))
	}
	if public := all.Public().Market(market.BE); public.Snap.Version != register.Market(market.BE).Snap.Version || public.Public != nil {
		t.Errorf("version %s of the public set, want %s of the register", public.Snap.Version, register.Market(market.BE).Snap.Version)
	}
	if register.Public() != register || all.Public().Whole() != all {
		t.Error("there is a second set where nothing is withheld")
	}
	for target, want := range map[string]string{"/antennas/be-bru-900": `"siteKey":"be-bru-900"`,
		"/antennas?market=BE&limit=1000": "LTE 800", "/markets": fmt.Sprintf(`"sites":%d`, be.Len())} {
		if w := get(t, with, target); w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s with a key: status %d without %s: %.300s", target, w.Code, want, w.Body)
		}
	}
	// A style names tiles that need a key, and says nothing of the rows.
	v, text := styleOf(t, with, "?market=BE&technology=LTE%20800")
	if len(v.Sources) != 2 || bytes.Contains(text, []byte(be.Snap.SourceDate)) || bytes.Contains(text, []byte(be.Snap.Version)) {
		t.Errorf("style %.600s; want one for the tiles of a key without date and version", text)
	}
	for _, filter := range []string{"technology", "band"} {
		w := do(t, with, "GET", mount+"/style.json?market=BE&"+filter+"=NONE")
		message, _ := parse(t, w, 400)["error"].(string) // the rest has a random id
		if strings.Contains(message, "800") || strings.Contains(w.Body.String(), `allowed":`) {
			t.Errorf("%s: %s; want an error that does not list the systems", filter, message)
		}
	}
}

// An edition that has the antennas, and one in which sites are new, change for callers without a key what they change of the
// register alone, except for systems at places with antennas.
func TestChangesThatNeedPermission(t *testing.T) {
	register, all := belgium(t, "zndant"), belgium(t, "zndant", "flanders-antennas", "brussels-antennas")
	o := mapServer(t, MapOpen).Options
	serve := func(set *index.Set) *Server {
		o.Archives = noArchives(t)
		snap := set.Market(market.BE).Snap
		for week, keep := range []func(int) bool{
			func(i int) bool { return !strings.HasSuffix(snap.ID(i), "5") && len(snap.ID(i)) > 1 },
			func(i int) bool { return !strings.HasSuffix(snap.ID(i), "6") },
			func(int) bool { return true },
		} {
			b, err := snapshot.Select(snap, keep)
			must(t, err)
			b.SourceDate = []string{"2024-01-31", "2024-02-07", snap.SourceDate}[week]
			data, err := b.Bytes()
			must(t, err)
			edition, err := snapshot.Read(data)
			must(t, err)
			_, err = o.Archives.Note(t.Context(), edition)
			must(t, err)
		}
		s, err := New(o)
		must(t, err)
		s.SetData(set)
		return withPages(t, s)
	}
	with, without := serve(all), serve(register)
	const changes = "/changes?market=BE&limit=1000&since=2024-01-31"
	const sites = "&kind=site-added,site-removed,operator-added,operator-removed"
	data := func(s *Server, target string) string {
		_, text, _ := strings.Cut(askOf(t, s, "/map"+target), "\n")
		text, _, _ = strings.Cut(text, `"meta":`)
		return text
	}
	want := data(without, changes+sites)
	if got := data(with, changes+sites); got != want || strings.Count(want, "site-added") < 20 || strings.Count(want, "site-removed") < 10 {
		t.Errorf("changes without a key:\n%.1500s\nwant those of the register alone:\n%.1500s", got, want)
	}
	for _, target := range []string{"/antennas?market=BE&limit=1000&changedSince=2024-02-07", changes + "&technology=LTE%20800"} {
		if got, want := data(with, target), data(without, target); got != want {
			t.Errorf("%s without a key:\n%.1500s\nwant\n%.1500s", target, got, want)
		}
	}
	withheld := []string{"bru-", "LTE", "GSM", "5G 3500", "query service", "Antennes 3D"}
	number := regexp.MustCompile(fmt.Sprintf(`\b%d\b`, all.Market(market.BE).Len())) // tags and versions may have its digits
	for _, target := range []string{"/map" + changes, "/map" + changes + "&net=true", "/news?market=BE&since=2024-01-31",
		"/news/2024-02-07?market=BE", "/news/2024-02-14?market=BE", "/feeds/BE.atom", "/feeds/BE",
		"/map/changes?market=BE&limit=1000&format=csv"} {
		got := askOf(t, with, target)
		for _, no := range withheld {
			if strings.Contains(got, no) {
				t.Errorf("%s without a key has %q: %.600s", target, no, got)
			}
		}
		if number.MatchString(got) {
			t.Errorf("%s without a key has the number of all sites: %.600s", target, got)
		}
		if !strings.HasPrefix(got, "200 ") {
			t.Errorf("%s: %.200s", target, got)
		}
	}
	if text := get(t, with, changes).Body.String(); !strings.Contains(text, "bru-9") || !strings.Contains(text, "LTE 800") {
		t.Errorf("with a key: %.600s, want sites of Brussels and systems", text)
	}
}

var requestIDs = regexp.MustCompile(`"requestId":"[^"]*"`)

// askOf asks without a key, and returns the status, the tag and the body.
func askOf(t *testing.T, s *Server, target string) string {
	t.Helper()
	s.mapCaller = newMapCaller()
	w := askMap(t, s, "GET", target)
	return fmt.Sprint(w.Code, " ", w.Header().Get("Etag"), "\n", requestIDs.ReplaceAllString(w.Body.String(), ""))
}
