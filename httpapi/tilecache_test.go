package httpapi

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/maptile"

	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/market"
	"relais/site"
)

// tileNear returns the path of the tile of a position, which another implementation computes.
func tileNear(code market.Code, p geo.Point, zoom int) string {
	o := maptile.At(orb.Point{p.Lng, p.Lat}, maptile.Zoom(zoom))
	return fmt.Sprintf("/tiles/%s/%d/%d/%d.mvt", code, zoom, o.X, o.Y)
}

var parisCentre = geo.Point{Lat: 48.8566, Lng: 2.3522}

func TestTilesOfAVersion(t *testing.T) {
	s := newServer(t)
	set, err := country()
	must(t, err)
	version := set.Market(market.FR).Snap.Version
	const usual, forever = "private, max-age=300", "private, max-age=604800, immutable"
	for _, tt := range []struct{ query, want string }{
		{"", usual},
		{"?v=" + version, forever},
		{"?v=" + version + ".0123456789ab", forever},
		{"?v=" + version + "&operator=FREE", forever},
		{"?v=" + version[:len(version)-1], usual},
		{"?v=" + version + "0", usual},
		{"?v=", usual},
		{"?v=.", usual},
	} {
		t.Run(tt.query, func(t *testing.T) {
			w := get(t, s, "/tiles/FR/0/0/0.mvt"+tt.query)
			if got := w.Header().Get("Cache-Control"); got != tt.want {
				t.Errorf("Cache-Control: got %q, want %q", got, tt.want)
			}
			again := get(t, s, "/tiles/FR/0/0/0.mvt"+tt.query, "If-None-Match", w.Header().Get("Etag"))
			if got := again.Header().Get("Cache-Control"); again.Code != 304 || got != tt.want {
				t.Errorf("again: status %d, Cache-Control %q, want 304, %q", again.Code, got, tt.want)
			}
		})
	}
	if n, _ := s.pages.Usage(); n > 4 { // two questions, two codings at most
		t.Errorf("%d tiles in the cache: another v makes another one", n)
	}
}

// The first tiles of a map are ready for pages without a key, and are what would be computed.
func TestFirstTiles(t *testing.T) {
	s := mapServer(t, MapOpen)
	set := s.set.Load()
	want := map[string]string{}
	for m := range set.Loaded() {
		lats, lngs := m.Snap.Positions()
		for i := range lats {
			for z := range 6 {
				path := tileNear(m.Table.Code, geo.Point{Lat: geo.Degrees(lats[i]), Lng: geo.Degrees(lngs[i])}, z)
				want[path+"?layers=dots"] = ""
			}
		}
	}
	for path := range want {
		want[path] = askMap(t, s, "GET", "/map"+path).Body.String()
	}
	s.pages = newPageCache(0)
	must(t, s.Prepare(t.Context(), set))
	ready := 0
	for key := range *s.prepared.Load() {
		if strings.HasPrefix(key.question, "tiles.get") {
			ready++
		}
	}
	if ready != 2*len(want) {
		t.Errorf("%d tiles are ready, want %d in two codings", ready, len(want))
	}
	for path, body := range want {
		w := askMap(t, s, "GET", "/map"+path, "Accept-Encoding", "gzip")
		if got := unpack(t, w); got != body || w.Header().Get("Content-Encoding") != "gzip" {
			t.Errorf("%s: %d bytes in coding %q, want %d in gzip", path, len(got), w.Header().Get("Content-Encoding"), len(body))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Prepare(ctx, set); !errors.Is(err, context.Canceled) {
		t.Errorf("preparing for data that is replaced: error %v, want %v", err, context.Canceled)
	}
}

// A caller without a key is not sent what was made for one with a key.
func TestRestrictedAnswersAreApart(t *testing.T) {
	s := mapServer(t, MapOpen)
	free := s.set.Load()
	s.SetData(restrictedSet(t, free))
	for _, path := range []string{"/tiles/BE/0/0/0.mvt", "/antennas?market=BE&limit=50", "/antennas/lookup-by-radio?value=1",
		"/find?q=a", "/tiles/BE.json"} {
		t.Run(path, func(t *testing.T) {
			tags := map[string]bool{}
			for range 2 { // the second answer may come from the cache
				if w := get(t, s, path, "Accept-Encoding", "gzip"); w.Code != 200 {
					t.Fatalf("with a key: status %d, want 200: %s", w.Code, w.Body)
				} else {
					tags[w.Header().Get("Etag")] = true
				}
				w := askMap(t, s, "GET", "/map"+path, "Accept-Encoding", "gzip")
				if strings.Contains(path, "BE") && w.Code != 401 || tags[w.Header().Get("Etag")] {
					t.Errorf("without a key: status %d, tag %s, want 401 or another tag", w.Code, w.Header().Get("Etag"))
				}
			}
		})
	}
	o := s.Options
	o.MapAll = true
	all, err := New(o)
	must(t, err)
	all.SetData(s.set.Load())
	if w := askMap(t, all, "GET", "/map/tiles/BE/0/0/0.mvt"); w.Code != 200 {
		t.Errorf("with all registers: status %d, want 200", w.Code)
	}
}

// restrictedSet adds a register that is not for everybody.
func restrictedSet(t *testing.T, set *index.Set) *index.Set {
	t.Helper()
	var sites []site.Site
	for i := range 100 {
		sites = append(sites, site.Site{ID: fmt.Sprintf("a-%d", i), Area: -1, Position: geo.Point{Lat: 50 + float64(i)/100, Lng: 4.5},
			Stations: []site.Station{{Operator: 0}}, Emissions: []site.Emission{{System: "LTE 800", Generation: site.G4}},
			Radio: []site.RadioID{{Kind: site.ENB, Operator: 0, Value: 1}}})
	}
	be := indextest.Market(t, market.BE, sites...)
	be.Snap.Registers = be.Table.NeedPermission
	list := []*index.Market{be}
	for m := range set.Loaded() {
		list = append(list, m)
	}
	return index.NewSet(list, nil)
}
