package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/demo"
	"relais/endpoint"
	"relais/folder"
	"relais/geo"
	"relais/index"
	"relais/ingest"
	"relais/market"
	"relais/ops"
	"relais/site"
	"relais/view"
)

// country is one synthetic country for tests of the package.
var country = sync.OnceValues(func() (set *index.Set, err error) {
	dir, err := os.MkdirTemp("", "relais-tools-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	files, err := demo.Write(filepath.Join(dir, "files"), 1500)
	if err != nil {
		return nil, err
	}
	data := folder.Dir(filepath.Join(dir, "data"))
	if _, err := ingest.Run(context.Background(), ingest.Options{Dir: data, Markets: []market.Code{market.FR, market.DROM}, Paths: files, Now: time.Now()}); err != nil {
		return nil, err
	}
	index.NewLive(data, view.Summaries, slog.New(slog.DiscardHandler), func(s *index.Set) { set = s }).Refresh()
	return set, nil
})

// inCountry reads the country.
func inCountry(t testing.TB) *Reading {
	t.Helper()
	set, err := country()
	if err != nil {
		t.Fatal(err)
	}
	return &Reading{Reading: &ops.Reading{Set: set, BaseURL: "http://relais.test", Now: time.Now()}}
}

// object is any JSON object.
type object = map[string]any

// call calls a tool by its name, with arguments in JSON.
func call(r *Reading, name, arguments string) (object, error) {
	for _, tool := range All() {
		if tool.Name != name {
			continue
		}
		bound, err := tool.BindJSON([]byte(arguments))
		if err != nil {
			return nil, err
		}
		answer, err := bound.Do(context.Background(), r)
		if err != nil {
			return nil, err
		}
		text, err := view.JSON(answer)
		if err != nil {
			return nil, err
		}
		var o object
		return o, json.Unmarshal(text, &o)
	}
	return nil, fmt.Errorf("no tool %s", name)
}

func mustCall(t testing.TB, r *Reading, name, arguments string) object {
	t.Helper()
	o, err := call(r, name, arguments)
	if err != nil {
		t.Fatalf("%s %s: %v", name, arguments, err)
	}
	return o
}

// api asks the API's operation for its data and meta.
func api(t testing.TB, r *Reading, name string, given map[string]string) object {
	t.Helper()
	i := slices.IndexFunc(ops.All(), func(op *endpoint.Op[*ops.Reading]) bool { return op.Name == name })
	bound, err := ops.All()[i].Bind(func(p *endpoint.Param) (string, error) { return given[p.Name], nil })
	if err != nil {
		t.Fatal(err)
	}
	answer, err := bound.Do(t.Context(), r.Reading)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if s, ok := answer.(endpoint.Stream); ok {
		if _, err := s.WriteTo(&text); err != nil {
			t.Fatal(err)
		}
		text.WriteByte('}')
	} else if whole, err := view.JSON(answer); err != nil {
		t.Fatal(err)
	} else {
		text.Write(whole)
	}
	var o object
	if err := json.Unmarshal(text.Bytes(), &o); err != nil {
		t.Fatalf("%v: %.300s", err, text.Bytes())
	}
	return o
}

// keys are the siteKeys of an answer's items.
func keys(list any) (names []string) {
	for _, item := range list.([]any) {
		names = append(names, item.(object)["siteKey"].(string))
	}
	return names
}

// Searches find what the API's list finds, in pages.
func TestSearchAgrees(t *testing.T) {
	r := inCountry(t)
	for _, c := range []map[string]string{
		{"market": "FR"}, {"market": "FR", "operator": "ORANGE", "generation": "5G"}, {"market": "DROM", "department": "974"}, {"market": "FR", "status": "projet"},
	} {
		want := api(t, r, "antennas.list", c)
		var fields []string
		for name, value := range c {
			fields = append(fields, fmt.Sprintf("%q:%q", name, value))
		}
		var got []string
		for offset := 0; offset < 100; offset += 7 {
			page := mustCall(t, r, "sites_search", fmt.Sprintf(`{%s,"limit":7,"offset":%d}`, strings.Join(fields, ","), offset))
			if page["total"] != want["meta"].(object)["totalMatched"] {
				t.Fatalf("%v: total %v, want %v", c, page["total"], want["meta"])
			}
			got = append(got, keys(page["items"])...)
			if page["truncated"] != (page["nextOffset"] != nil) {
				t.Fatalf("%v: %v", c, page)
			}
		}
		all := keys(want["data"])
		if n := min(len(got), len(all)); n == 0 || !slices.Equal(got[:n], all[:n]) {
			t.Errorf("%v: %v, want %v", c, got, all)
		}
	}
}

// The detail is the API's.
func TestDetailAgrees(t *testing.T) {
	r := inCountry(t)
	key := keys(api(t, r, "antennas.list", map[string]string{})["data"])[3]
	want := api(t, r, "antennas.get", map[string]string{"id": key})["data"]
	if got := mustCall(t, r, "sites_get", fmt.Sprintf(`{"siteId":%q}`, key))["site"]; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	doc := mustCall(t, r, "fetch", fmt.Sprintf(`{"id":%q}`, key))
	address := want.(object)["location"].(object)["address"].(string)
	if doc["id"] != key || doc["url"] != "http://relais.test/site/"+key || !strings.Contains(doc["text"].(string), address) || !strings.Contains(fmt.Sprint(doc["metadata"]), "SYNTHETIC") {
		t.Errorf("%v", doc)
	}
}

// distances are the sites of a market by their distance from a point, by another formula
// than the index has.
func distances(m *index.Market, p geo.Point) map[string]float64 {
	all := map[string]float64{}
	var s site.Site
	for i := range uint32(m.Len()) {
		m.Site(i, &s)
		rad := math.Pi / 180
		a, b := p.Lat*rad, s.Position.Lat*rad
		cos := math.Sin(a)*math.Sin(b) + math.Cos(a)*math.Cos(b)*math.Cos((s.Position.Lng-p.Lng)*rad)
		all[index.Key(m.Table.Code, s.ID)] = geo.EarthRadius * math.Acos(min(1, cos))
	}
	return all
}

// Neighbours are those of a scan, the nearest first, and a site is not its own.
func TestNearby(t *testing.T) {
	r := inCountry(t)
	m := r.Set.Market(market.FR)
	var s site.Site
	m.Site(uint32(m.Len()/2), &s)
	all, own := distances(m, s.Position), index.Key(market.FR, s.ID)
	within := 0
	for _, d := range all {
		if d <= 30_000 {
			within++
		}
	}
	for _, c := range []struct {
		tool, arguments string
		total           int
	}{
		{"sites_nearby", fmt.Sprintf(`{"lat":%v,"lon":%v,"radiusKm":30,"limit":50}`, s.Position.Lat, s.Position.Lng), within},
		{"anfr_nearby_sites", fmt.Sprintf(`{"lat":%v,"lon":%v,"radiusKm":30,"limit":50}`, s.Position.Lat, s.Position.Lng), within},
		{"sites_nearby_from_site", fmt.Sprintf(`{"siteId":%q,"radiusKm":30,"limit":50}`, own), within - 1},
	} {
		o := mustCall(t, r, c.tool, c.arguments)
		if o["total"] != float64(c.total) || c.total < 2 {
			t.Errorf("%s: %v, want %d", c.tool, o["total"], c.total)
		}
		last := -1.0
		for _, item := range o["items"].([]any) {
			key, d := item.(object)["siteKey"].(string), item.(object)["distanceMeters"].(float64)
			if d < last || math.Abs(d-all[key]) > 2 || c.tool == "sites_nearby_from_site" && key == own {
				t.Errorf("%s: %s at %v after %v, by another formula %v", c.tool, key, d, last, all[key])
			}
			last = d
		}
	}
}

// Pages of neighbours of a site neither skip nor repeat one.
func TestNearbySitePages(t *testing.T) {
	r := inCountry(t)
	own := keys(api(t, r, "antennas.list", map[string]string{})["data"])[0]
	seen := map[string]bool{own: true}
	total := 0.0
	for offset := 0; ; offset += 3 {
		o := mustCall(t, r, "sites_nearby_from_site", fmt.Sprintf(`{"siteId":%q,"radiusKm":50,"limit":3,"offset":%d}`, own, offset))
		for _, key := range keys(o["items"]) {
			if seen[key] {
				t.Errorf("%s twice", key)
			}
			seen[key] = true
		}
		total = o["total"].(float64)
		if o["nextOffset"] == nil {
			break
		}
	}
	if float64(len(seen)-1) != total || total < 4 {
		t.Errorf("%d neighbours, total %v", len(seen)-1, total)
	}
}

// What is planned is what a scan over the emissions finds.
func TestPlanned(t *testing.T) {
	r := inCountry(t)
	m := r.Set.Market(market.FR)
	var s site.Site
	want, some := map[string]int{}, geo.Point{}
	for i := range uint32(m.Len()) {
		m.Site(i, &s)
		for _, e := range s.Emissions {
			if m.Table.Phase(e.Status) == market.Project {
				some = s.Position
			}
		}
	}
	all := distances(m, some)
	for i := range uint32(m.Len()) {
		m.Site(i, &s)
		key := index.Key(market.FR, s.ID)
		for _, e := range s.Emissions {
			if m.Table.Phase(e.Status) == market.Project && all[key] <= 50_000 {
				want[key]++
			}
		}
	}
	o := mustCall(t, r, "sites_planned_nearby", fmt.Sprintf(`{"lat":%v,"lon":%v,"radiusKm":50,"limit":50}`, some.Lat, some.Lng))
	if o["total"] != float64(len(want)) {
		t.Errorf("%v, want %d", o["total"], len(want))
	}
	for _, item := range o["items"].([]any) {
		if want[item.(object)["siteKey"].(string)] == 0 || len(item.(object)["planned"].([]any)) == 0 {
			t.Errorf("%v", item)
		}
	}
	if _, err := call(r, "sites_planned_nearby", `{"lat":50.8,"lon":4.3,"market":"BE"}`); err == nil || !strings.Contains(err.Error(), "FR, DROM") {
		t.Errorf("BE: %v", err)
	}
}

// A place leads to the same sites as its position.
func TestFromPlace(t *testing.T) {
	r := inCountry(t)
	geocoded := mustCall(t, r, "location_geocode", `{"place":"97400"}`)
	match := geocoded["match"].(object)
	at := match["coordinates"].(object)
	for _, tool := range []string{"sites_nearby", "sites_planned_nearby"} {
		from := mustCall(t, r, tool+"_from_place", `{"place":"97400","limit":5}`)
		same := mustCall(t, r, tool, fmt.Sprintf(`{"lat":%v,"lon":%v,"market":%q,"limit":5}`, at["lat"], at["lng"], match["market"]))
		if fmt.Sprint(from["items"]) != fmt.Sprint(same["items"]) || from["center"].(object)["market"] != "DROM" {
			t.Errorf("%s: %v\n%v", tool, from, same)
		}
		if _, err := call(r, tool+"_from_place", `{"place":"Xanadu"}`); err == nil || !strings.Contains(err.Error(), "Xanadu") {
			t.Errorf("%s: %v", tool, err)
		}
	}
}

// Statistics are the API's.
func TestStatsAgree(t *testing.T) {
	r := inCountry(t)
	want := api(t, r, "stats.departments", map[string]string{"operator": "ORANGE"})
	got := mustCall(t, r, "anfr_get_stats", `{"operator":"ORANGE"}`)
	if fmt.Sprint(got["items"]) != fmt.Sprint(want["data"]) || got["allSites"] != want["meta"].(object)["total"] {
		t.Errorf("%v\n%v", got, want)
	}
	if one := mustCall(t, r, "anfr_get_stats", `{"department":"3"}`)["items"].([]any); len(one) != 1 || one[0].(object)["code"] != "03" {
		t.Errorf("%v", one)
	}
	if _, err := call(r, "anfr_get_stats", `{"department":"99"}`); err == nil {
		t.Error("department 99")
	}
}

// Every tool that shows data of a register says whose it is, and the guide lists every
// tool.
func TestGuide(t *testing.T) {
	r := inCountry(t)
	g := mustCall(t, r, "capabilities_guide", `{}`)
	if len(g["tools"].([]any)) != len(All())-1 || len(g["markets"].([]any)) != len(market.All) || !strings.Contains(fmt.Sprint(g["sources"]), "SYNTHETIC") {
		t.Errorf("%v", g)
	}
	names := map[string]bool{}
	for _, tool := range All() {
		if names[tool.Name] || tool.Title == "" || len(tool.Summary) < 40 {
			t.Errorf("%s: %q, %q", tool.Name, tool.Title, tool.Summary)
		}
		names[tool.Name] = true
	}
	for _, row := range g["tools"].([]any) {
		if question := row.(object)["question"].(string); len(question) < 20 || !strings.HasSuffix(question, ".") {
			t.Errorf("%v", row)
		}
	}
}

// The two of the connector's contract have its members and no others.
func TestConnector(t *testing.T) {
	r := inCountry(t)
	found := mustCall(t, r, "search", `{"query":"97400"}`)["results"].([]any)
	if len(found) == 0 || len(found) > mostResults {
		t.Fatalf("%d results", len(found))
	}
	seen := map[string]bool{}
	for _, f := range found {
		o := f.(object)
		if len(o) != 3 || seen[o["id"].(string)] || o["url"] != "http://relais.test/site/"+o["id"].(string) || o["title"] == "" {
			t.Errorf("%v", o)
		}
		seen[o["id"].(string)] = true
	}
	if doc := mustCall(t, r, "fetch", fmt.Sprintf(`{"id":%q}`, found[0].(object)["id"])); len(doc) != 5 {
		t.Errorf("%v", doc)
	}
	if none := mustCall(t, r, "search", `{"query":"xyzzy plugh"}`)["results"].([]any); len(none) != 0 {
		t.Errorf("%v", none)
	}
}

// An answer that is too long is cut at its end, and says where it goes on.
func TestShorten(t *testing.T) {
	l := listOf(make([]int, 40), 10, 100)
	n := 40
	for l.Shorten() {
		if len(l.Items) >= n || l.Returned != len(l.Items) || *l.NextOffset != 10+len(l.Items) || !l.Truncated {
			t.Fatalf("%+v", l)
		}
		n = len(l.Items)
	}
	if n != 1 {
		t.Errorf("%d items stay", n)
	}
	if last := listOf([]int{1}, 99, 100); last.Truncated || last.NextOffset != nil {
		t.Errorf("%+v", last)
	}
	if past := listOf([]int(nil), 200, 100); past.Truncated || past.Items == nil {
		t.Errorf("%+v", past)
	}
}

// What is not there is named, with what to do about it.
func TestUnknownSite(t *testing.T) {
	r := inCountry(t)
	for tool, arguments := range map[string]string{
		"sites_get": `{"siteId":"fr-99999999"}`, "fetch": `{"id":"fr-99999999"}`, "sites_nearby_from_site": `{"siteId":"fr-99999999","market":"DROM"}`,
	} {
		_, err := call(r, tool, arguments)
		if err == nil {
			t.Fatal(tool)
		}
		message, _ := ops.Message(err)
		if !strings.Contains(message, `"fr-99999999"`) || !strings.Contains(message, "search") || strings.Contains(arguments, "DROM") != strings.Contains(message, "DROM") {
			t.Errorf("%s: %s", tool, message)
		}
	}
}

// A position of another market is said to be one: nothing near it is no finding.
func TestPositionElsewhere(t *testing.T) {
	r := inCountry(t)
	for at, want := range map[string]string{
		`"lat":48.85,"lon":2.35`: "", `"lat":-20.9,"lon":55.46`: "market DROM", `"lat":46.9,"lon":7.4,"market":"DROM"`: "CH",
		`"lat":0,"lon":-150`: "nor in another", `"lat":-20.9,"lon":55.46,"market":"DROM"`: "",
	} {
		for _, tool := range []string{"sites_nearby", "sites_planned_nearby", "anfr_nearby_sites"} {
			note, _ := mustCall(t, r, tool, "{"+at+"}")["center"].(object)["note"].(string)
			if (note == "") != (want == "") || !strings.Contains(note, want) {
				t.Errorf("%s %s: %q", tool, at, note)
			}
		}
	}
}
