package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paulmach/orb/encoding/mvt"

	"relais/auth/access"
	"relais/internal/admit"
)

// countSites adds up the sites of a tile, as another implementation reads it.
func countSites(t *testing.T, tile []byte) int {
	t.Helper()
	layers, err := mvt.Unmarshal(tile)
	if err != nil {
		t.Fatalf("reading the tile: %v", err)
	}
	n := 0
	for _, l := range layers {
		for _, f := range l.Features {
			if l.Name == "sites" {
				n += int(f.Properties["n"].(float64))
			}
		}
	}
	return n
}

func TestTiles(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct {
		path   string
		status int
		code   string
	}{
		{"FR/0/0/0.mvt", 200, ""},
		{"FR/14/0/0.mvt", 204, ""},
		{"PT/0/0/0.mvt", 204, ""},
		{"FR/22/4194303/4194303.mvt", 204, ""},
		{"FR/23/0/0.mvt", 400, "INVALID_PARAMETER"},
		{"FR/2/4/0.mvt", 400, "INVALID_PARAMETER"},
		{"FR/2/0/4.mvt", 400, "INVALID_PARAMETER"},
		{"FR/-1/0/0.mvt", 400, "INVALID_PARAMETER"},
		{"FR/1/-1/0.mvt", 400, "INVALID_PARAMETER"},
		{"FR/a/b/c.mvt", 400, "INVALID_PARAMETER"},
		{"FR/0/0/0.mvt?operator=NOBODY", 400, "INVALID_OPERATOR"},
		{"FR/0/0/0.mvt?limit=1", 400, "INVALID_PARAMETER"},
		{"XX/0/0/0.mvt", 400, "INVALID_PARAMETER"},
		{"CA/0/0/0.mvt", 503, "NOT_READY"},
		{"FR.json", 200, ""},
		{"FR.json?operator=SFR", 400, "INVALID_PARAMETER"},
	} {
		t.Run(tt.path, func(t *testing.T) {
			w := get(t, s, "/tiles/"+tt.path)
			if tt.code != "" {
				wantError(t, w, tt.status, tt.code)
			} else if w.Code != tt.status {
				t.Errorf("status: got %d, want %d: %s", w.Code, tt.status, w.Body)
			}
			if got := w.Header().Get("Content-Type"); strings.HasSuffix(tt.path, "0/0/0.mvt") && tt.code == "" &&
				tt.status == 200 && got != "application/vnd.mapbox-vector-tile" {
				t.Errorf("Content-Type: got %q, want that of vector tiles", got)
			}
			if tt.status == 204 && w.Body.Len() > 0 {
				t.Errorf("a body of %d bytes, want none", w.Body.Len())
			}
		})
	}
	w := get(t, s, "/tiles/FR/0/0/0.mvt")
	if w := get(t, s, "/tiles/FR/0/0/0.mvt", "If-None-Match", w.Header().Get("Etag")); w.Code != 304 {
		t.Errorf("with its entity tag: status %d, want 304", w.Code)
	}
}

// Twenty tiles are one request.
func TestTilesAreCheap(t *testing.T) {
	withinMinute()
	s := newServer(t)
	client := newClient(t, s, access.Server, access.ReadScopes, access.Limits{Minute: 3, Day: 100})
	for range 20 {
		if w := get(t, s, "/tiles/FR/0/0/0.mvt", "X-API-Key", client.APIKey); w.Code != 200 {
			t.Fatalf("a tile: status %d, want 200", w.Code)
		}
	}
	if w := get(t, s, "/markets", "X-API-Key", client.APIKey); remaining(t, w) != 98 {
		t.Errorf("left after 20 tiles and a request: got %d of the day, want 98", remaining(t, w))
	}
}

// The features of a page have the members of the list.
func TestPageAsGeoJSON(t *testing.T) {
	s := newServer(t)
	for _, q := range []string{"limit=20&offset=7", "lat=48.86&lon=2.35&radiusKm=30&limit=9", "operator=FREE&band=700&limit=5"} {
		t.Run(q, func(t *testing.T) {
			var page struct {
				Data []map[string]any
				Meta map[string]any
			}
			var collection struct {
				Type     string
				Features []struct {
					Type, ID   string
					Geometry   struct{ Coordinates [2]float64 }
					Properties map[string]any
				}
				Meta map[string]any
			}
			w := get(t, s, "/antennas?format=geojson&"+q)
			for body, v := range map[*httptest.ResponseRecorder]any{get(t, s, "/antennas?"+q): &page, w: &collection} {
				must(t, json.Unmarshal(body.Body.Bytes(), v))
			}
			if got := w.Header().Get("Content-Type"); got != "application/geo+json" || collection.Type != "FeatureCollection" {
				t.Errorf("Content-Type %q, type %q, want GeoJSON", got, collection.Type)
			}
			var properties []map[string]any
			for _, f := range collection.Features {
				properties = append(properties, f.Properties)
				at := f.Properties["coordinates"].(map[string]any)
				if f.Geometry.Coordinates != [2]float64{at["lng"].(float64), at["lat"].(float64)} || f.ID != f.Properties["id"] {
					t.Errorf("feature %s at %v, want it at %v", f.ID, f.Geometry.Coordinates, at)
				}
			}
			if diff := cmp.Diff(page.Data, properties); diff != "" || len(properties) == 0 {
				t.Errorf("%d features (-want +got)\n%s", len(properties), diff)
			}
			if diff := cmp.Diff(page.Meta, collection.Meta); diff != "" {
				t.Errorf("meta (-want +got)\n%s", diff)
			}
		})
	}
}

// askMap asks a route of the map, without a key.
func askMap(t *testing.T, s *Server, method, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	r.RemoteAddr = "198.51.100.7:1234"
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// mapServer is a server with a map.
func mapServer(t *testing.T, mode MapMode) *Server {
	t.Helper()
	from := newServer(t)
	o := from.Options
	o.Map = mode
	s, err := New(o)
	must(t, err)
	s.SetData(from.set.Load())
	return s
}

const mapTile = "/map/tiles/FR/0/0/0.mvt"

func TestMapRoutes(t *testing.T) {
	s := mapServer(t, MapOpen)
	origin := "https://map.example"
	newClient(t, s, access.Browser, access.ReadScopes, access.Limits{Minute: 100, Day: 100})
	for _, tt := range []struct {
		name, method, path string
		headers            []string
		status             int
	}{
		{"a tile", "GET", mapTile, nil, 200},
		{"over plain HTTP", "GET", mapTile, []string{"Referer", "http://192.0.2.1/"}, 200},
		{"of our page", "GET", mapTile, []string{"Sec-Fetch-Site", "same-origin"}, 200},
		{"of the address bar", "GET", mapTile, []string{"Sec-Fetch-Site", "none"}, 200},
		{"of a sister site", "GET", mapTile, []string{"Sec-Fetch-Site", "same-site", "Origin", origin}, 403},
		{"of another site", "GET", mapTile, []string{"Sec-Fetch-Site", "cross-site", "Origin", origin}, 403},
		{"HEAD", "HEAD", mapTile, nil, 200},
		{"POST", "POST", mapTile, nil, 405},
		{"a preflight", "OPTIONS", mapTile, []string{"Origin", origin, "Access-Control-Request-Method", "GET"}, 405},
		{"a search", "GET", "/map/find?q=paris", nil, 200},
		{"the markets", "GET", "/map/markets", nil, 200},
		{"what the map does not ask", "GET", "/map/antennas/export", nil, 404},
		{"the API", "GET", "/external/v1/tiles/FR/0/0/0.mvt", nil, 401},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := askMap(t, s, tt.method, tt.path, tt.headers...)
			if w.Code != tt.status {
				t.Errorf("status: got %d, want %d: %s", w.Code, tt.status, w.Body)
			}
			for name := range w.Header() {
				if strings.HasPrefix(name, "Access-Control-") {
					t.Errorf("header %s: a page of another origin could read the answer", name)
				}
			}
			if got := w.Header().Get("Cross-Origin-Resource-Policy"); tt.status == http.StatusOK && got != "same-origin" {
				t.Errorf("Cross-Origin-Resource-Policy: got %q, want same-origin", got)
			}
		})
	}
}

func TestMapModes(t *testing.T) {
	off := mapServer(t, MapOff)
	if w := askMap(t, off, "GET", mapTile); w.Code != 404 {
		t.Errorf("without a map: status %d, want 404", w.Code)
	}
	s := mapServer(t, MapKey)
	if w := askMap(t, s, "GET", mapTile); w.Code != 401 {
		t.Errorf("without a key: status %d, want 401", w.Code)
	}
	client := newClient(t, s, access.Server, access.ReadScopes, access.Limits{Minute: 100, Day: 100})
	if w := get(t, s, "/markets", "X-API-Key", client.APIKey); w.Code != 200 {
		t.Fatalf("the key: status %d, want 200", w.Code)
	}
}

// An address has its own limits, and tiles have one of their own.
func TestMapLimits(t *testing.T) {
	withinMinute()
	s := mapServer(t, MapOpen)
	for n := range mapOther + 1 {
		w := askMap(t, s, "GET", "/map/markets")
		want, left := 200, max(0, mapOther-n-1)
		if n == mapOther {
			want = 429
		}
		if w.Code != want || w.Header().Get("X-RateLimit-Remaining") != fmt.Sprint(left) {
			t.Fatalf("request %d: status %d, %s left, want %d, %d", n+1, w.Code, w.Header().Get("X-RateLimit-Remaining"), want, left)
		}
	}
	if w := askMap(t, s, "GET", mapTile); w.Code != 200 {
		t.Errorf("a tile after that: status %d, want 200", w.Code)
	}
}

// Visitors in a few networks, each with many slow readers, never take what all the readers of the map
// share: somebody else still gets an answer of usual size, and a caller with a key one of any size. One address has
// half of what a client may hold.
func TestFloodsLeaveRoom(t *testing.T) {
	const size = 500 << 10 // bytes, a list of 1,000 outages
	for _, tt := range []struct {
		name    string
		address func(i int) [16]byte // of flooder i
		most    int                  // networks at work
	}{
		{"5 networks", func(i int) [16]byte { return [16]byte{0: 0x20, 1: 1, 5: byte(i % 5), 7: byte(i / 5)} }, 5},
		{"256 /64s of one line", func(i int) [16]byte { return [16]byte{0: 0x20, 1: 1, 7: byte(i)} }, 1},
	} {
		for _, keyless := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, keyless %t", tt.name, keyless), func(t *testing.T) {
				s := newServer(t)
				client := &access.Client{ID: "page", Mode: access.Browser}
				ask := func(address netip.Addr) *answer {
					return &answer{request: &request{server: s, client: client, keyless: keyless, address: address}}
				}
				if alone := ask(netip.MustParseAddr("192.0.2.1")); !alone.reserve(admit.Cost{Bytes: clientBytes / 2}) ||
					ask(netip.MustParseAddr("192.0.2.1")).reserve(admit.Cost{Bytes: size}) {
					t.Error("an address does not have its share, or more")
				} else {
					alone.claim.Release()
				}
				for i := range 2560 {
					ask(netip.AddrFrom16(tt.address(i))).reserve(admit.Cost{Bytes: size})
				}
				for i := range 10 {
					visitor := netip.AddrFrom4([4]byte{203, 0, byte(i), 7})
					if !ask(visitor).reserve(admit.Cost{Bytes: size}) {
						held, holders, _ := s.answers.Held()
						t.Errorf("visitor %d finds no room: %d bytes are held by %d", i, held.Bytes, holders)
					}
				}
				keyed := &answer{request: &request{server: s, client: &access.Client{ID: "x", Mode: access.Server}}}
				if !keyed.reserve(admit.Cost{Places: 1, Bytes: streamBytes}) {
					t.Error("a caller with a key has no room")
				}
			})
		}
	}
}
