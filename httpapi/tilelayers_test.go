package httpapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paulmach/orb/encoding/mvt"

	"relais/auth/access"
	"relais/community"
	"relais/geo"
	"relais/market"
)

// layersOf counts the features of the layers of a tile, each as its n.
func layersOf(t *testing.T, tile []byte) map[string]int {
	t.Helper()
	layers, err := mvt.Unmarshal(tile)
	if err != nil {
		t.Fatalf("reading the tile: %v", err)
	}
	counts := map[string]int{}
	for _, l := range layers {
		for _, f := range l.Features {
			n, _ := f.Properties["n"].(float64)
			counts[l.Name] += int(n)
		}
	}
	return counts
}

// layerServer has measurements and outages at places of the country.
func layerServer(t *testing.T) (s *Server, site geo.Point) {
	s = mapServer(t, MapOpen)
	importOutages(t, s, market.FR, "ORANGE", paris, lyon, unknown)
	report(t, s, community.NewReport{})
	return s, newMeasuredSites(t).stated.Position
}

// A tile has a layer only for a key with the scope of the operation that lists the same, whatever was
// asked before.
func TestLayersNeedTheirScopes(t *testing.T) {
	s, at := layerServer(t)
	base := tileNear(market.FR, at, 6)
	scopes := map[string]access.Scope{"coverage-map": access.CoverageRead, "coverage": access.CoverageRead,
		"speedtests": access.SpeedtestRead, "outages": access.NetworkStatusRead}
	limits := access.Limits{Minute: 1e6, Day: 1e6}
	for _, tt := range []struct {
		name string
		has  []string
	}{
		{"no other", nil},
		{"coverage", []string{"coverage-map", "coverage"}},
		{"speedtests", []string{"speedtests"}}, {"outages", []string{"outages"}},
		{"all", []string{"coverage-map", "coverage", "speedtests", "outages"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			granted := []access.Scope{access.AntennasRead}
			for _, name := range tt.has {
				granted = append(granted, scopes[name])
			}
			key := newClient(t, s, access.Server, granted, limits).APIKey
			for name := range scopes {
				for range 2 { // the second answer may come from the cache
					path := base + "?layers=sites," + name
					full := get(t, s, path, "Accept-Encoding", "gzip")
					if full.Code != 200 {
						t.Fatalf("%s with every scope: status %d, want 200: %s", path, full.Code, full.Body)
					}
					for _, h := range [][]string{nil, {"Accept-Encoding", "gzip"}, {"If-None-Match", full.Header().Get("Etag")}} {
						w := get(t, s, path, append([]string{"X-API-Key", key}, h...)...)
						if slices.Contains(tt.has, name) {
							if w.Code != 200 && w.Code != 304 {
								t.Errorf("%s %v: status %d, want 200 or 304: %s", path, h, w.Code, w.Body)
							}
							continue
						}
						wantError(t, w, 403, "INSUFFICIENT_SCOPE", string(scopes[name]))
					}
				}
			}
			var described struct {
				Tiles  []string
				Layers []struct{ ID string } `json:"vector_layers"`
			}
			must(t, json.Unmarshal(get(t, s, "/tiles/FR.json", "X-API-Key", key).Body.Bytes(), &described))
			var names []string
			for _, l := range described.Layers {
				names = append(names, l.ID)
			}
			if diff := cmp.Diff(append([]string{"dots", "sites", "sectors", "places"}, tt.has...), names); diff != "" {
				t.Errorf("layers of the TileJSON (-want +got)\n%s", diff)
			}
			_, query, _ := strings.Cut(described.Tiles[0], "?")
			if w := get(t, s, base+"?"+query, "X-API-Key", key); w.Code != 200 {
				t.Errorf("a tile with the query %s: status %d, want 200", query, w.Code)
			}
		})
	}
}

// The layers count what the lists of the same data count.
func TestLayersCountLikeTheLists(t *testing.T) {
	s, at := layerServer(t)
	for _, q := range []string{"", "&operator=ORANGE", "&operator=SFR", "&operator=ORANGE,SFR"} {
		for layer, list := range map[string]string{"coverage": "/coverage/points?days=365&limit=5000",
			"speedtests": "/speedtests?days=365&limit=1000", "outages": "/outages?limit=500"} {
			t.Run(layer+q, func(t *testing.T) {
				all := parse(t, get(t, s, list+q), 200)["data"].([]any)
				want, place := 0, tileNear(market.FR, at, 6)
				for _, item := range all {
					o := item.(object)
					p, _ := o["coordinates"].(object)
					if p == nil {
						p = object{"lat": o["latitude"], "lng": o["longitude"]}
					}
					lat, _ := p["lat"].(json.Number).Float64()
					lng, _ := p["lng"].(json.Number).Float64()
					if tileNear(market.FR, geo.Point{Lat: lat, Lng: lng}, 6) == place {
						want++
					}
				}
				for _, path := range []string{mount + place, "/map" + place} {
					path += "?layers=" + layer + q
					w := do(t, s, "GET", path)
					if got := layersOf(t, w.Body.Bytes()); got[layer] != want || len(got) > 1 {
						t.Errorf("%s: %v, want %d of %s alone", path, got, want, layer)
					}
				}
			})
		}
	}
}

// A tile with what changes without the register is kept as long as the list of the same.
func TestFreshnessOfLayers(t *testing.T) {
	s, at := layerServer(t)
	version := s.set.Load().Market(market.FR).Snap.Version
	for layer, seconds := range map[string]int{"coverage": 60, "speedtests": 60, "outages": 30, "sectors": 0} {
		t.Run(layer, func(t *testing.T) {
			path := tileNear(market.FR, at, 6) + "?layers=sites," + layer + "&v=" + version
			want := fmt.Sprintf("private, max-age=%d", seconds)
			if seconds == 0 {
				want = "private, max-age=604800, immutable"
			}
			w := get(t, s, path, "Accept-Encoding", "gzip")
			if got := w.Header().Get("Cache-Control"); got != want {
				t.Errorf("Cache-Control: got %q, want %q", got, want)
			}
			report(t, s, community.NewReport{Market: market.FR, Operator: "FREE", At: at})
			again := get(t, s, path, "If-None-Match", w.Header().Get("Etag"), "Accept-Encoding", "gzip")
			if changed := again.Code == 200; changed != (layer == "outages") {
				t.Errorf("after another outage: status %d", again.Code)
			}
		})
	}
}

func TestLayersParameter(t *testing.T) {
	s, _ := layerServer(t)
	for _, tt := range []struct {
		query  string
		status int
	}{
		{"layers=sites", 200}, {"layers=dots,places", 200}, {"layers=outages,sites", 200}, {"layers=sites,sites", 200}, {"layers=", 200},
		{"layers=Sites", 200}, {"layers=sites,", 400}, {"layers=x", 400}, {"layers=sites&layers=outages", 400},
		{"layers=outages&operator=NOBODY", 400}, {"layers=coverage&operator=NOBODY", 400}, {"layers=outages&department=xx", 400},
	} {
		t.Run(tt.query, func(t *testing.T) {
			w := get(t, s, "/tiles/FR/0/0/0.mvt?"+tt.query)
			if w.Code != tt.status {
				t.Errorf("status %d, want %d: %s", w.Code, tt.status, w.Body)
			}
		})
	}
	wantError(t, get(t, s, "/tiles/CA/0/0/0.mvt?layers=sites,outages"), 503, "NOT_READY")
	if w := get(t, s, "/tiles/CA/0/0/0.mvt?layers=outages,coverage"); w.Code != 204 {
		t.Errorf("outages of a market whose register is not loaded: status %d, want 204", w.Code)
	}
}
