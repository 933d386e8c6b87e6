package tools

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"relais/catalog"
	"relais/geo"
	"relais/market"
	"relais/measure"
)

// Coverage is counted whole, and its points are of those that /coverage/points answers.
func TestSiteCoverage(t *testing.T) {
	key, at, _ := someSite(t)
	r := withMeasures(t, nil, levels(phones(rand.New(rand.NewPCG(9, 10)), at, 1500)))
	groups, err := r.Survey(measure.Coverage, catalog.Measures{Market: market.Get(market.FR),
		Disc: &geo.Disc{Center: at, Radius: 2000}, Days: 365})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[[2]string]int{}
	for _, g := range groups {
		counts[[2]string{g.Operator, strings.TrimSuffix(fmt.Sprintf("%dG", g.Technology), "0G")}] = g.Count
	}
	answer := mustCall(t, r, "sites_get_coverage", fmt.Sprintf(`{"siteId":%q,"radiusKm":2,"days":365,"limit":20}`, key))
	total := 0
	for _, line := range answer["technologies"].([]any) {
		technology, _ := line.(object)["technology"].(string)
		sum := 0
		for _, line := range line.(object)["operators"].([]any) {
			operator, _ := line.(object)["operator"].(string)
			k := [2]string{operator, technology}
			if line.(object)["count"] != float64(counts[k]) {
				t.Errorf("%v: %v, want %d", k, line, counts[k])
			}
			sum += counts[k]
			delete(counts, k)
		}
		if line.(object)["count"] != float64(sum) {
			t.Errorf("%s: %v, counted %d, want count = %v", technology, line, sum, sum)
		}
		total += sum
	}
	if answer["total"] != float64(total) || len(counts) > 0 || total < 50 {
		t.Errorf("total %v, counted %d, missing %v, want %v, at least 50 and none", answer["total"], total, counts,
			total)
	}
	known := map[string]object{}
	for _, p := range apiAnswer(t, r, "coverage.points", map[string]string{"days": "365", "limit": "5000"})["data"].([]any) {
		known[p.(object)["id"].(string)] = p.(object)
	}
	points := answer["points"].([]any)
	if len(points) != 20 {
		t.Errorf("%d points, want 20", len(points))
	}
	last := "9999"
	for _, p := range points {
		o := p.(object)
		same := known[o["id"].(string)]
		if same == nil {
			t.Fatalf("the API does not know %v", o)
		}
		for _, field := range []string{"timestamp", "coordinates", "signalStrength", "rsrp", "rsrq", "snr",
			"technology", "mobileOperator", "radio"} {
			if fmt.Sprint(o[field]) != fmt.Sprint(same[field]) {
				t.Errorf("%s is %v, want %v", field, o[field], same[field])
			}
		}
		if o["distanceMeters"].(float64) > 2000 || o["timestamp"].(string) > last {
			t.Errorf("%v after %s, want distanceMeters at most 2000 and timestamp at most %v", o, last, last)
		}
		last = o["timestamp"].(string)
	}
}

// A place leads to the same measures as its position, and an answer says who measured.
func TestMeasuresFromPlace(t *testing.T) {
	match := mustCall(t, inCountry(t), "location_geocode", `{"place":"75","market":"FR"}`)["match"].(object)
	at := match["coordinates"].(object)
	list := phones(rand.New(rand.NewPCG(11, 12)), geo.Point{Lat: at["lat"].(float64), Lng: at["lng"].(float64)}, 300)
	r := withMeasures(t, list, nil)
	for _, tt := range []struct{ tool, member string }{
		{"speedtests_nearby", "items"},
		{"speedtests_area_summary", "groups"},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			from := mustCall(t, r, tt.tool+"_from_place", `{"place":"75","market":"FR","days":365}`)
			same := mustCall(t, r, tt.tool, fmt.Sprintf(`{"lat":%v,"lon":%v,"days":365}`, at["lat"], at["lng"]))
			if fmt.Sprint(from[tt.member]) != fmt.Sprint(same[tt.member]) || len(from[tt.member].([]any)) == 0 ||
				from["origin"] != measuredOrigin {
				t.Errorf("%s: got %v\nwant the %s of %v", tt.tool, from, tt.member, same)
			}
		})
	}
}

// Bad arguments are named. Measurements that are not open are an error, not an empty answer.
func TestMeasuresBadArguments(t *testing.T) {
	key, _, _ := someSite(t)
	r := withMeasures(t, nil, nil)
	closed := inCountry(t)
	for _, c := range []struct {
		r                     *Reading
		tool, arguments, says string
	}{
		{r, "sites_get_speedtests", `{"siteId":"fr-nowhere"}`, "no site"},
		{r, "sites_get_speedtests", `{}`, "siteId"},
		{r, "sites_get_speedtests", `{"siteId":"` + key + `","operator":"SALT_CH"}`, "operator"},
		{r, "sites_get_speedtests", `{"siteId":"` + key + `","operator":"NOBODY"}`,
			"FR has SFR, BOUYGUES, ORANGE, FREE, ALL"},
		{r, "sites_get_coverage", `{"siteId":"` + key + `","technology":"6G"}`, "technology"},
		{r, "sites_get_coverage", `{"siteId":"` + key + `","limit":51}`, "limit"},
		{r, "sites_get_coverage", `{"siteId":"` + key + `","radiusKm":11}`, "radiusKm"},
		{r, "sites_get_signal_stats", `{"siteId":"` + key + `","days":0}`, "days"},
		{r, "sites_get_signal_stats", `{"siteId":"` + key + `","operator":"NOBODY"}`, "operator"},
		{r, "speedtests_nearby", `{"lat":91,"lon":2}`, "lat"},
		{r, "speedtests_nearby", `{"lat":48,"lon":2,"radiusKm":0}`, "radiusKm"},
		{r, "speedtests_nearby", `{"lat":48,"lon":2,"offset":-1}`, "offset"},
		{r, "speedtests_nearby_from_place", `{"place":"Xanadu"}`, "Xanadu"},
		{r, "speedtests_area_summary", `{"lat":48}`, "lon"},
		{r, "speedtests_area_summary", `{"lat":48,"lon":2,"days":366}`, "days"},
		{r, "speedtests_area_summary_from_place", `{"place":"75","operator":1}`, "operator"},
		{closed, "sites_get_speedtests", `{"siteId":"` + key + `"}`, "measurements"},
		{closed, "sites_get_coverage", `{"siteId":"` + key + `"}`, "measurements"},
		{closed, "sites_get_signal_stats", `{"siteId":"` + key + `"}`, "measurements"},
		{closed, "speedtests_nearby", `{"lat":48,"lon":2}`, "measurements"},
		{closed, "speedtests_area_summary", `{"lat":48,"lon":2}`, "measurements"},
	} {
		if o, err := call(c.r, c.tool, c.arguments); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %s: %v, %v; want %q", c.tool, c.arguments, o, err, c.says)
		}
	}
	for _, arguments := range []string{`{"lat":48,"lon":2}`, `{"lat":90,"lon":180,"radiusKm":50}`,
		`{"lat":48,"lon":2,"offset":1000000}`} {
		o := mustCall(t, r, "speedtests_nearby", arguments)
		if o["total"] != 0.0 || len(o["items"].([]any)) != 0 || o["nextOffset"] != nil {
			t.Errorf("got %v, want total = 0.0, no items and no nextOffset", o)
		}
	}
}
