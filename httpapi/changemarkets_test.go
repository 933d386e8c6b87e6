package httpapi

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"relais/api/view"
	"relais/archive"
	"relais/auth/access"
	"relais/geo"
	"relais/index/indextest"
	"relais/market"
	"relais/site"
)

// A market without two editions, and one without a register, is an empty success that says why.
func TestChangesOfNothing(t *testing.T) {
	s := newServer(t)
	s.Archives = noArchives(t)
	note(t, s.Archives, market.CH, "2026-08-20", station("a", 47, 8))
	for _, tt := range []struct{ query, reason string }{
		{"", "no edition of FR"}, {"since=2026-01-01", "no edition of FR"}, {"market=DROM", "no edition of DROM"},
		{"market=CH", "edition of 2026-08-20 is the first of CH"}, {"market=CH&since=2026-08-20", "is the first of CH"},
		{"market=CH&until=2026-08-25", "is the first of CH"}, {"market=PT", "Portugal"}, {"market=ES&since=2020-01-01", "Spain"},
	} {
		t.Run(tt.query, func(t *testing.T) {
			all, meta := askChanges(t, s, tt.query)
			if len(all) > 0 || meta.Total > 0 || !strings.Contains(textOf(meta.Reason), tt.reason) || meta.Since != nil {
				t.Errorf("got %d changes, %+v, want the reason %q", len(all), meta, tt.reason)
			}
			none := strings.Contains(tt.query, "PT") || strings.Contains(tt.query, "ES")
			if (meta.SourceUnavailableReason != nil) != none {
				t.Errorf("got sourceUnavailableReason %q", textOf(meta.SourceUnavailableReason))
			}
		})
	}
	wantError(t, get(t, s, "/changes?market=PT&operator=ORANGE"), 400, "INVALID_OPERATOR")
}

// station returns a site of the first operator of a market.
func station(id string, lat, lng float64) site.Site {
	return site.Site{ID: id, Position: geo.Point{Lat: lat, Lng: lng}, Area: -1, Commune: "Town " + id,
		Stations:  []site.Station{{Code: "s" + id}},
		Emissions: []site.Emission{{System: "LTE 800", Generation: site.G4, Status: 2}}}
}

// note adds an edition of a market to the archives.
func note(t *testing.T, s *archive.Store, code market.Code, date string, sites ...site.Site) {
	t.Helper()
	noteOf(t, s, code, date, nil, sites...)
}

func noteOf(t *testing.T, s *archive.Store, code market.Code, date string, registers []string, sites ...site.Site) {
	t.Helper()
	snap := indextest.Market(t, code, sites...).Snap
	snap.SourceDate, snap.Registers, snap.Version = date, registers, date+strconv.Itoa(len(sites))
	if _, err := s.Note(context.Background(), snap); err != nil {
		t.Fatal(err)
	}
}

// Of a market that is not France, also moves are there.
func TestChangesOfSwitzerland(t *testing.T) {
	s := newServer(t)
	s.Archives = noArchives(t)
	note(t, s.Archives, market.CH, "2026-08-20", station("a", 47, 8), station("b", 46, 7), station("c", 46.5, 7.5))
	note(t, s.Archives, market.CH, "2026-08-27", station("a", 47.001, 8), station("b", 46.00001, 7), station("d", 46.2, 9))
	all, _ := askChanges(t, s, "market=CH")
	var got []string
	for _, c := range all {
		got = append(got, c.Site.SiteKey+" "+string(c.Kind))
	}
	want := []string{"ch-a moved", "ch-c site-removed", "ch-c operator-removed", "ch-c system-removed", "ch-d site-added",
		"ch-d operator-added", "ch-d system-added"}
	if !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	if c := all[0]; c.Before.Coordinates.Lat != 47 || c.After.Coordinates.Lat != 47.001 || c.Site.Coordinates.Lat != 47.001 ||
		c.Operator != nil || c.Technology != nil || c.Site.Area != nil {
		t.Errorf("got the move %+v", c)
	}
	if c := all[3]; c.Site.Coordinates.Lat != 46.5 || c.After != nil || textOf(c.Before.Status) != "En service" ||
		textOf(c.Technology) != "LTE 800" || textOf(c.Generation) != "4G" {
		t.Errorf("got the removed system %+v", c)
	}
	var geoJSON struct {
		Features []struct {
			Geometry   struct{ Coordinates []float64 }
			Properties view.Change
		}
		Meta      view.ChangesMeta
		RequestID string
	}
	w := get(t, s, "/changes?market=CH&format=geojson&kind=moved")
	if err := json.Unmarshal(w.Body.Bytes(), &geoJSON); err != nil || w.Header().Get("Content-Type") != "application/geo+json" {
		t.Fatalf("%v: %s, %s", err, w.Header(), w.Body)
	}
	if len(geoJSON.Features) != 1 || !slices.Equal(geoJSON.Features[0].Geometry.Coordinates, []float64{8, 47.001}) ||
		geoJSON.RequestID == "" || geoJSON.Meta.TotalMatched != 1 || diff.Diff(geoJSON.Features[0].Properties, all[0]) != "" {
		t.Errorf("got %s", w.Body)
	}
}

// The scope depends on the market, as the OpenAPI document says.
func TestScopesOfChanges(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct {
		scope  access.Scope
		query  string
		status int
	}{
		{access.ANFRRead, "", 200}, {access.ANFRRead, "?market=", 200}, {access.ANFRRead, "?market=fr", 200},
		{access.ANFRRead, "?market=DROM", 200}, {access.ANFRRead, "?market=CH", 403}, {access.ANFRRead, "?market=PT", 403},
		{access.AntennasRead, "", 403}, {access.AntennasRead, "?market=", 403}, {access.AntennasRead, "?market=FR", 403},
		{access.AntennasRead, "?market=Drom", 403}, {access.AntennasRead, "?market=F%52", 403},
		{access.AntennasRead, "?m%61rket=FR", 403}, {access.AntennasRead, "?market=CH", 200},
		{access.AntennasRead, "?market=be", 200}, {access.AntennasRead, "?market=CH&market=FR", 400},
		{access.AntennasRead, "?market=&market=CH", 403}, {access.AntennasRead, "?market=XX", 400},
		{access.StatsRead, "?market=CH", 403},
	} {
		t.Run(string(tt.scope)+tt.query, func(t *testing.T) {
			i := newClient(t, s, access.Server, []access.Scope{tt.scope}, access.Limits{Minute: 1000, Day: 1000})
			w := get(t, s, "/changes"+tt.query, "X-API-Key", i.APIKey)
			if w.Code != tt.status {
				t.Errorf("got %d, want %d: %s", w.Code, tt.status, w.Body)
			}
		})
	}
	op := document(t)["paths"].(object)["/changes"].(object)["get"].(object)
	by, _ := json.Marshal(op["x-scope-by"])
	if want := `{"parameter":"market","scope":"anfr:read","values":["FR","DROM"]}`; op["x-scope"] != "antennas:read" ||
		string(by) != want {
		t.Errorf("got x-scope %v, x-scope-by %s, want antennas:read and %s", op["x-scope"], by, want)
	}
}

// Rows that may not be redistributed stay behind a key, whatever the present register has.
func TestChangesWithoutKey(t *testing.T) {
	s := newServer(t)
	s.Archives, s.Map = noArchives(t), MapOpen
	s.mountMap()
	be := market.Get(market.BE)
	bipt := be.NeedPermission
	note(t, s.Archives, market.BE, "2026-08-06", station("a", 50, 4))
	noteOf(t, s.Archives, market.BE, "2026-08-13", []string{be.Source}, station("a", 50, 4), station("b", 51, 4))
	noteOf(t, s.Archives, market.BE, "2026-08-20", bipt, station("a", 50, 4), station("b", 51, 4), station("c", 51, 4.1))
	noteOf(t, s.Archives, market.BE, "2026-08-27", append([]string{be.Source}, bipt...), station("a", 50, 4),
		station("b", 51, 4), station("c", 51, 4.1), station("d", 51, 4.2))
	sites := func(w *httptest.ResponseRecorder) (ids []string, total int) {
		var body changesBody
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != 200 {
			t.Fatalf("%d, %v: %s", w.Code, err, w.Body)
		}
		for _, c := range body.Data {
			ids = append(ids, c.Site.ID)
		}
		slices.Sort(ids)
		return slices.Compact(ids), body.Meta.Total
	}
	const query = "/changes?market=BE&since=2026-08-06"
	withKey := get(t, s, query)
	if got, _ := sites(withKey); !slices.Equal(got, []string{"b", "c", "d"}) {
		t.Errorf("with a key: got %q, want all", got)
	}
	open := do(t, s, "GET", "/map"+query, "Sec-Fetch-Site", "same-origin")
	if got, total := sites(open); !slices.Equal(got, []string{"b"}) || total != 3 {
		t.Errorf("without a key: got %q, total %d, want b alone", got, total)
	}
	if withKey.Header().Get("Etag") == open.Header().Get("Etag") {
		t.Error("both answers have one entity tag")
	}
	s.MapAll = true
	if got, _ := sites(do(t, s, "GET", "/map"+query, "Sec-Fetch-Site", "same-origin")); len(got) != 3 {
		t.Errorf("with --map-all: got %q, want all", got)
	}
}

// An answer stays the same, and 304, until an edition comes.
func TestChangesFreshness(t *testing.T) {
	s := newServer(t)
	s.Archives = noArchives(t)
	note(t, s.Archives, market.CH, "2026-08-20", station("a", 47, 8))
	note(t, s.Archives, market.CH, "2026-08-27", station("a", 47, 8), station("b", 46, 7))
	first := get(t, s, "/changes?market=CH&kind=moved,site-added")
	tag := first.Header().Get("Etag")
	same := get(t, s, "/changes?kind=site-added,moved&market=ch&offset=0", "If-None-Match", tag)
	if tag == "" || same.Code != 304 {
		t.Errorf("got %d for the tag %q of the same question, want 304", same.Code, tag)
	}
	note(t, s.Archives, market.CH, "2026-09-03", station("a", 47, 8))
	if again := get(t, s, "/changes?market=CH&kind=moved,site-added", "If-None-Match", tag); again.Code != 200 {
		t.Errorf("got %d after another edition, want 200", again.Code)
	}
}
