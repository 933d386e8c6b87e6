package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
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

// A changesBody is an answer of /changes.
type changesBody = view.Body[[]view.Change, view.ChangesMeta]

// askChanges returns all pages of /changes, with the meta of the first.
func askChanges(t *testing.T, s *Server, query string) (all []view.Change, meta view.ChangesMeta) {
	t.Helper()
	for offset := 0; ; {
		w := get(t, s, fmt.Sprintf("/changes?%s&limit=700&offset=%d", query, offset))
		var body changesBody
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != 200 {
			t.Fatalf("%s: status %d, %v: %.300s", query, w.Code, err, w.Body)
		}
		if offset == 0 {
			meta = body.Meta
		}
		if all = append(all, body.Data...); !body.Meta.HasMore {
			if body.Meta.NextOffset != nil || body.Meta.Returned != len(body.Data) {
				t.Errorf("got returned %d and nextOffset %v of the last page with %d", body.Meta.Returned, body.Meta.NextOffset,
					len(body.Data))
			}
			return all, meta
		}
		offset = *body.Meta.NextOffset
	}
}

// textOf returns a text that may be null.
func textOf(s *string) string { return *cmp.Or(s, new(string)) }

// Each filter selects what a scan of all changes selects, in their order.
func TestChangesAgainstAScan(t *testing.T) {
	s := newServer(t)
	w := archiveWeeks(t, s, 12)
	period := "since=" + w.dates[0] + "&until=" + w.dates[11]
	all, meta := askChanges(t, s, period)
	if len(all) < 300 || meta.Total != len(all) || meta.TotalMatched != len(all) {
		t.Fatalf("got %d changes, total %d, matched %d", len(all), meta.Total, meta.TotalMatched)
	}
	in := func(list string, value *string) bool {
		return value != nil && slices.Contains(strings.Split(list, ","), *value)
	}
	band := func(c *view.Change, mhz ...string) bool {
		fields := strings.Fields(textOf(c.Technology))
		return len(fields) > 1 && slices.Contains(mhz, fields[len(fields)-1])
	}
	within := func(c *view.Change, south, west, north, east float64) bool {
		p := c.Site.Coordinates
		return p.Lat >= south && p.Lat <= north && p.Lng >= west && p.Lng <= east
	}
	for _, tt := range []struct {
		query string
		fits  func(c *view.Change) bool
	}{
		{"kind=site-added", func(c *view.Change) bool { return c.Kind == "site-added" }},
		{"kind=Status-Changed,system-removed", func(c *view.Change) bool {
			return c.Kind == "status-changed" || c.Kind == "system-removed"
		}},
		{"operator=orange", func(c *view.Change) bool { return in("ORANGE", c.Operator) }},
		{"operator=Free+Mobile,SFR", func(c *view.Change) bool { return in("FREE,SFR", c.Operator) }},
		{"generation=5g", func(c *view.Change) bool { return in("5G", c.Generation) }},
		{"generation=2G,3G", func(c *view.Change) bool { return in("2G,3G", c.Generation) }},
		{"technology=5g+nr+3500", func(c *view.Change) bool { return in("5G NR 3500", c.Technology) }},
		{"technology=LTE+800,LTE+700", func(c *view.Change) bool { return in("LTE 800,LTE 700", c.Technology) }},
		{"band=2100", func(c *view.Change) bool { return band(c, "2100") }},
		{"band=700,900", func(c *view.Change) bool { return band(c, "700", "900") }},
		{"band=2100&technology=LTE+2100,LTE+800", func(c *view.Change) bool { return in("LTE 2100", c.Technology) }},
		{"department=75", func(c *view.Change) bool { return c.Site.Area.Code == "75" }},
		{"department=Ain", func(c *view.Change) bool { return c.Site.Area.Code == "01" }},
		{"lat=48.85&lon=2.35&radiusKm=50", func(c *view.Change) bool {
			return haversine(48.85, 2.35, c.Site.Coordinates.Lat, c.Site.Coordinates.Lng) <= 50_000
		}},
		{"lat=48.85&lng=2.35&radiusKm=7.5", func(c *view.Change) bool {
			return haversine(48.85, 2.35, c.Site.Coordinates.Lat, c.Site.Coordinates.Lng) <= 7_500
		}},
		{"bbox=-1,43,6,46.5", func(c *view.Change) bool { return within(c, 43, -1, 46.5, 6) }},
		{"north=50&south=48&east=4&west=1", func(c *view.Change) bool { return within(c, 48, 1, 50, 4) }},
		{"operator=FREE&generation=5G&kind=system-added&bbox=-5,42,9,51", func(c *view.Change) bool {
			return in("FREE", c.Operator) && in("5G", c.Generation) && c.Kind == "system-added" && within(c, 42, -5, 51, 9)
		}},
		{"kind=site-added&operator=FREE", func(*view.Change) bool { return false }},
	} {
		t.Run(tt.query, func(t *testing.T) {
			var want []view.Change
			kinds := map[string]int{}
			for i := range all {
				if tt.fits(&all[i]) {
					want = append(want, all[i])
					kinds[string(all[i].Kind)]++
				}
			}
			if len(want) == 0 && !strings.Contains(tt.query, "site-added&") {
				t.Fatal("nothing matches: the test shows nothing")
			}
			got, meta := askChanges(t, s, period+"&"+tt.query)
			if d := diff.Diff(want, got); d != "" {
				t.Errorf("want (-), got (+):\n%.2000s", d)
			}
			if meta.TotalMatched != len(want) || meta.Total != len(all) {
				t.Errorf("got %d of %d, want %d of %d", meta.TotalMatched, meta.Total, len(want), len(all))
			}
			text, _ := json.Marshal(meta.Kinds)
			for k, n := range kinds {
				if !strings.Contains(string(text), fmt.Sprintf("%q:%d", k, n)) {
					t.Errorf("got the kinds %s, want %d %s", text, n, k)
				}
			}
		})
	}
}

// The net difference is what the dated changes come to, and is the same for one week.
func TestNetChanges(t *testing.T) {
	s := newServer(t)
	w := archiveWeeks(t, s, 5)
	dated, _ := askChanges(t, s, "since="+w.dates[0])
	net, meta := askChanges(t, s, "net=true&since="+w.dates[0])
	type key struct{ site, level, operator, technology string }
	type ends struct{ before, after string }
	level := map[string]string{"site": "site", "operator": "operator", "system": "system", "status": "system", "moved": "place"}
	sum := func(list []view.Change) map[key]ends {
		all := map[key]ends{}
		for _, c := range slices.Backward(list) { // the oldest first
			what, _, _ := strings.Cut(string(c.Kind), "-")
			k := key{c.Site.ID, level[what], textOf(c.Operator), textOf(c.Technology)}
			side := func(kind string, v *view.ChangeSide) string {
				text, _ := json.Marshal(v)
				if strings.HasSuffix(string(c.Kind), kind) {
					return "absent"
				}
				return string(text)
			}
			e, ok := all[k]
			if !ok {
				e.before = side("-added", c.Before)
			}
			e.after = side("-removed", c.After)
			if all[k] = e; e.before == e.after {
				delete(all, k)
			}
		}
		return all
	}
	want, got := sum(dated), sum(net)
	if d := diff.Diff(want, got, diff.AllowUnexported(key{}, ends{})); d != "" || len(net) != len(want) || len(want) == 0 {
		t.Errorf("%d net changes, %d of the sum of %d; want (-), got (+):\n%.2000s", len(net), len(want), len(dated), d)
	}
	if !meta.Net || textOf(meta.Since) != w.dates[0] || textOf(meta.Until) != w.dates[4] {
		t.Errorf("got net %v from %s to %s", meta.Net, textOf(meta.Since), textOf(meta.Until))
	}
	for _, c := range net {
		if c.Date != w.dates[4] || c.PreviousDate != w.dates[0] {
			t.Fatalf("got the dates %s and %s of a net change", c.Date, c.PreviousDate)
		}
	}
	one, _ := askChanges(t, s, "")
	if sameWeek, _ := askChanges(t, s, "net=true"); diff.Diff(one, sameWeek) != "" || len(one) == 0 {
		t.Errorf("the newest week: %d changes, %d net", len(one), len(sameWeek))
	}
}

// A date means the newest edition that is not after it.
func TestChangesPeriod(t *testing.T) {
	s := newServer(t)
	w := archiveWeeks(t, s, 4)
	for _, tt := range []struct{ name, query, since, until string }{
		{"the newest week", "", w.dates[2], w.dates[3]},
		{"until an edition", "until=" + w.dates[2], w.dates[1], w.dates[2]},
		{"until a day between", "until=" + w.dates[2][:8] + "09", w.dates[1], w.dates[2]},
		{"since the first", "since=" + w.dates[0], w.dates[0], w.dates[3]},
		{"since an edition until another", "since=" + w.dates[1] + "&until=" + w.dates[2], w.dates[1], w.dates[2]},
		{"since a day to come", "since=2031-01-01", w.dates[3], w.dates[3]},
		{"one day", "since=" + w.dates[1] + "&until=" + w.dates[1], w.dates[1], w.dates[1]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all, meta := askChanges(t, s, tt.query)
			if textOf(meta.Since) != tt.since || textOf(meta.Until) != tt.until || textOf(meta.SourceDate) != tt.until {
				t.Errorf("got %s to %s, source date %s, want %s to %s", textOf(meta.Since), textOf(meta.Until),
					textOf(meta.SourceDate), tt.since, tt.until)
			}
			if (len(all) == 0) != (tt.since == tt.until) || meta.Reason != nil {
				t.Errorf("got %d changes, reason %q", len(all), textOf(meta.Reason))
			}
			last := "9999"
			for _, c := range all {
				if c.Date > last || c.Date <= tt.since || c.Date > tt.until || c.PreviousDate >= c.Date {
					t.Fatalf("a change of %s since %s after one of %s", c.Date, c.PreviousDate, last)
				}
				last = c.Date
			}
		})
	}
}

func TestChangesErrors(t *testing.T) {
	s := newServer(t)
	w := archiveWeeks(t, s, 2)
	for _, tt := range []struct {
		query, code string
		mentions    []string
	}{
		{"since=2026-02-30", "INVALID_DATE", []string{"since", "YYYY-MM-DD"}},
		{"until=yesterday", "INVALID_DATE", []string{"until"}},
		{"since=2026-01-15&until=2026-01-08", "INVALID_DATE", []string{"since", "not after until"}},
		{"since=1999-01-01", "INVALID_DATE", []string{"since", w.dates[0], "first edition"}},
		{"until=1999-01-01", "INVALID_DATE", []string{"until", w.dates[0], "first edition"}},
		{"kind=new", "INVALID_PARAMETER", []string{"site-added", "moved"}},
		{"kind=site-added,,moved", "INVALID_PARAMETER", []string{"kind"}},
		{"kind=site-added&kind=moved", "INVALID_PARAMETER", []string{"once"}},
		{"net=yes", "INVALID_PARAMETER", []string{"net"}},
		{"operator=NOBODY", "INVALID_OPERATOR", []string{"FREE"}},
		{"technology=LTE+3", "INVALID_PARAMETER", []string{"LTE 800"}},
		{"band=-1", "INVALID_PARAMETER", []string{"3500"}},
		{"band=" + strings.Repeat("9", 400), "INVALID_PARAMETER", []string{"band"}},
		{"generation=6G", "INVALID_PARAMETER", nil},
		{"province=QC", "INVALID_PARAMETER", []string{"department"}},
		{"department=96", "INVALID_PARAMETER", nil},
		{"lat=48&lon=2", "INVALID_PARAMETER", []string{"radiusKm"}},
		{"lat=48&lon=2&radiusKm=50.1", "INVALID_PARAMETER", []string{"at most 50"}},
		{"lat=48&lon=2&radiusKm=NaN", "INVALID_PARAMETER", nil},
		{"lat=48&lon=2&radiusKm=5&bbox=1,2,3,4", "INVALID_PARAMETER", []string{"exclude"}},
		{"bbox=1,2,3", "INVALID_BBOX", nil},
		{"north=1", "INVALID_BBOX", nil},
		{"limit=1001", "INVALID_PARAMETER", []string{"1000"}},
		{"limit=5001&bbox=1,2,3,4", "INVALID_PARAMETER", nil},
		{"offset=-1", "INVALID_PARAMETER", nil},
		{"status=project", "INVALID_PARAMETER", []string{"unknown parameter"}},
		{"kind=" + url.QueryEscape("\x00\u202e<script>"), "INVALID_PARAMETER", nil},
	} {
		t.Run(fmt.Sprintf("%.60s", tt.query), func(t *testing.T) {
			wantError(t, get(t, s, "/changes?"+tt.query), 400, tt.code, tt.mentions...)
		})
	}
}

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
