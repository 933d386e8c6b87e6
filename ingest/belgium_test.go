package ingest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/api/view"
	"relais/demo"
	"relais/internal/filetest"
	"relais/internal/tier"
	"relais/market"
	"relais/site"
)

func (k kit) belgium(force bool, paths ...string) (*Report, error) {
	return k.run(force, []market.Code{market.BE}, paths...)
}

// belgian returns the snapshot's sites by id.
func (k kit) belgian() map[string]string {
	s, sites := k.snapshot(market.BE), map[string]string{}
	for i := range s.Len() {
		var x site.Site
		s.Site(i, &x)
		sites[x.ID] = fmt.Sprintf("%+v", x)
	}
	return sites
}

// The demonstration's register goes in, one site a place, and comes out the same
// when its rows stand in another order.
func TestBelgium(t *testing.T) {
	tier.Slow(t)
	k := newKit(t)
	paths, _, err := demo.WriteBE(k.src, demo.BelgianPlaces)
	must(t, err)
	r, err := k.belgium(false, paths...)
	must(t, err)
	f := r.Files[0]
	if m := r.Markets[0]; m.Sites != demo.BelgianPlaces || m.Emissions != f.Served || !m.Synthetic ||
		f.Rows != f.Served+f.Rejected["superseded by a newer dossier"] || f.Served < m.Sites {
		t.Fatalf("m = %+v, f = %+v; want m.Sites = %v, m.Emissions = %v, m.Synthetic, f.Rows = "+
			`f.Served+f.Rejected["superseded by a newer dossier"], f.Served >= %v`, m, f, demo.BelgianPlaces, f.Served,
			m.Sites)
	}
	first, version := k.belgian(), k.snapshot(market.BE).Version

	text := filetest.Read(t, paths[0])
	var file map[string]any
	must(t, json.Unmarshal(text, &file))
	features := file["features"].([]any)
	rand.New(rand.NewPCG(5, 6)).Shuffle(len(features),
		func(i, j int) { features[i], features[j] = features[j], features[i] })
	half := len(features) / 2
	var parts []string
	for i, part := range [][]any{features[:half], features[half:]} {
		text, err := json.Marshal(map[string]any{"crs": file["crs"], "features": part})
		must(t, err)
		parts = append(parts, k.file(fmt.Sprintf("SYNTHETIC_part%d.geojson", i), string(text)))
	}
	if _, err := k.belgium(false, parts...); err != nil {
		t.Fatal(err)
	}
	if again := k.belgian(); !maps.Equal(first, again) || k.snapshot(market.BE).Version != version {
		t.Errorf("%d sites became %d others; want first = %v, k.snapshot(market.BE).Version = %v", len(first),
			len(again), again, version)
	}
	// One part alone has lost sites. The second has the newest permit.
	if _, err := k.belgium(false, parts[1]); err == nil || !strings.Contains(err.Error(), "over 5 %") {
		t.Errorf(`half of the register: %v; want an error with "over 5 %%"`, err)
	}
}

const (
	dossier = `{"crs":{"properties":{"name":"EPSG:31370"}},"features":[{"properties":{"id":77,"goedkeuringsdatum":"2020-05-06T07:08:09.123+00:00","sitecode":"A","locatiebeschrijving":"Korenlei 10, 9000 Gent","operatornaam":"Proximus NV","dossiernummer":"1"},"geometry":{"type":"Point","coordinates":[104500,194000]}}]}`
	biptRow = `[{"Adres":"Korenlei 10","Locatie":"Toren","PostcodeGemeente":"9000 Gent","Status":"O","Eigenaar1":"Telenet: t","X":"104500","Y":"194000","ID":"5"}]`
)

// Either source is enough, and each is kept for the other. BIPT's list is of the
// time of its file, also when it was copied.
func TestBelgiumBases(t *testing.T) {
	k := newKit(t)
	list := k.file("bipt.json", biptRow)
	changed := time.Date(2019, 3, 4, 5, 6, 7, 0, time.UTC)
	must(t, os.Chtimes(list, time.Time{}, changed))
	for _, paths := range [][]string{{list}, nil} { // the second time from what was kept
		r, err := k.belgium(false, paths...)
		if err != nil || r.Markets[0].SourceDate != "2019-03-04" {
			t.Fatalf(`r = %+v, err = %v; want no error, r.Markets[0].SourceDate = "2019-03-04"`, r, err)
		}
	}
	if got := k.belgian(); len(got) != 1 || got["bipt-5"] == "" ||
		!slices.Equal(k.snapshot(market.BE).Statuses, []string{"A", "O"}) {
		t.Errorf(`got %v; want len(got) = 1, got["bipt-5"] != "", k.snapshot(market.BE).Statuses = []string{"A", "O"}`,
			got)
	}
	attributed := func(want string) {
		t.Helper()
		a := view.SourceOf(market.Get(market.BE), k.snapshot(market.BE))
		if got := a.Authority + " | " + a.Source + " | " + a.Licence; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	attributed("BIPT/IBPT | BIPT list of antenna sites | Redistribution needs BIPT's permission")
	r, err := k.belgium(false, k.file("register.geojson", dossier))
	if err != nil || r.Markets[0].SourceDate != "2020-05-06" || len(r.Files) != 2 {
		t.Fatalf(`r = %+v, err = %v; want no error, r.Markets[0].SourceDate = "2020-05-06", len(r.Files) = 2`, r, err)
	}
	attributed("Departement Omgeving; BIPT/IBPT | Vlaams register van zendantennes; BIPT list of antenna sites | Modellicentie Gratis Hergebruik; Redistribution needs BIPT's permission")
	if s := k.belgian(); len(s) != 1 || !strings.Contains(s["77"], "Toren") ||
		!strings.Contains(s["77"], "OperatorSiteID:t") {
		t.Errorf(`s = %v; want len(s) = 1, s["77"] with "Toren", s["77"] with "OperatorSiteID:t"`, s)
	}
	for _, tt := range []struct{ name, text string }{
		{"older", strings.Replace(dossier, "2020-05", "2020-04", 1)},
		{"EPSG:43", strings.Replace(dossier, "31370", "4326", 1)},
		{"degrees", strings.Replace(dossier, "104500,194000", "3.7,51.05", 1)},
		{"the file", strings.TrimSuffix(dossier, "}")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := k.state()
			if _, err := k.belgium(false, k.file("bad.geojson", tt.text)); err == nil ||
				!strings.Contains(err.Error(), tt.name) || !maps.Equal(before, k.state()) {
				t.Errorf("%s: err = %v; want an error with %v, before = k.state()", tt.name, err, tt.name)
			}
		})
	}
	if _, err := k.belgium(false, k.file("page.html", "<html>")); err == nil ||
		!strings.Contains(err.Error(), "needed is the register of Flanders, ") {
		t.Errorf(`err = %v; want an error with "needed is the register of Flanders, "`, err)
	}
}

// The published files go in together.
func TestPublishedBelgium(t *testing.T) {
	paths, err := filepath.Glob("../../shared/data/be/*json")
	if err != nil || len(paths) == 0 {
		t.Skip("the published files are not there")
	}
	k := newKit(t)
	r, err := Run(context.Background(),
		Options{Dir: k.dir, Markets: []market.Code{market.BE}, Paths: paths, Now: time.Now()})
	must(t, err)
	rows := 0
	for _, f := range r.Files {
		rows += f.Rows
	}
	if rows != 240+144+126+178+231 || r.Markets[0].SourceDate != "2021-01-11" ||
		r.Markets[0].Sites != k.snapshot(market.BE).Len() {
		t.Errorf(`%d rows; %+v; want rows = 240+144+126+178+231, r.Markets[0].SourceDate = "2021-01-11", `+
			"r.Markets[0].Sites = k.snapshot(market.BE).Len()", rows, r.Markets[0])
	}
	t.Logf("%d rows, %d sites, %d emissions", rows, r.Markets[0].Sites, r.Markets[0].Emissions)
}
