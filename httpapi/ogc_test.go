package httpapi

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/community"
	"relais/geo"
	"relais/internal/tier"
	"relais/market"
)

// askOGC asks an address as a link has it.
func askOGC(t testing.TB, s *Server, address string, status int) object {
	t.Helper()
	path, ok := strings.CutPrefix(address, "http://relais.test")
	if !ok {
		t.Fatalf("%s does not begin with the base URL", address)
	}
	return parse(t, do(t, s, http.MethodGet, path), status)
}

const ogcBase = "http://relais.test/ogc"

// linkOf returns the address of a link, "" for none.
func linkOf(o object, rel string) string {
	for _, l := range o["links"].([]any) {
		if l := l.(object); l["rel"] == rel {
			return l["href"].(string)
		}
	}
	return ""
}

// featuresOf returns all features of a collection, page by page, as the links lead.
func featuresOf(t testing.TB, s *Server, address string) (features []object) {
	t.Helper()
	for address != "" {
		o := askOGC(t, s, address, 200)
		page := o["features"].([]any)
		if got := fmt.Sprint(o["numberReturned"]); got != fmt.Sprint(len(page)) || o["type"] != "FeatureCollection" {
			t.Fatalf("%s: numberReturned %s of %d features, type %v", address, got, len(page), o["type"])
		}
		for _, f := range page {
			features = append(features, f.(object))
		}
		address = linkOf(o, "next")
		if matched, stated := o["numberMatched"]; stated && address == "" && fmt.Sprint(matched) != fmt.Sprint(len(features)) {
			t.Errorf("numberMatched %v, want %d", matched, len(features))
		}
	}
	return features
}

// A client finds everything from the landing page, without a key.
func TestOGCDocuments(t *testing.T) {
	s := newServer(t)
	open := func(address string) object {
		path := strings.TrimPrefix(address, "http://relais.test")
		return parse(t, do(t, s, http.MethodGet, path, "X-API-Key", ""), 200)
	}
	landing := open(ogcBase)
	if got := fmt.Sprint(open(linkOf(landing, "conformance"))["conformsTo"]); !strings.Contains(got, "features-1/1.0/conf/core") ||
		!strings.Contains(got, "conf/geojson") || strings.Contains(got, "conf/html") {
		t.Errorf("it conforms to %s, want core and geojson, and not html", got)
	}
	var ids []string
	for _, c := range open(linkOf(landing, "data"))["collections"].([]any) {
		c := c.(object)
		ids = append(ids, c["id"].(string))
		if d := cmp.Diff(c, open(linkOf(c, "self"))); d != "" {
			t.Errorf("%s differs from the list: %s", c["id"], d)
		}
		filters := open(linkOf(c, "http://www.opengis.net/def/rel/ogc/1.0/queryables"))["properties"].(object)
		if filters["operator"] == nil || filters["limit"] != nil {
			t.Errorf("%s: filters %v, want operator and not limit", c["id"], filters)
		}
		id := c["id"].(string)
		if fr, drom := strings.HasPrefix(id, "fr-"), strings.HasPrefix(id, "drom-"); filters["lat"] != nil ||
			filters["north"] != nil || filters["department"] != nil && !fr && !drom || filters["territory"] != nil && !drom ||
			filters["province"] != nil && !strings.HasPrefix(id, "ca-") {
			t.Errorf("%s: filters %v, want none of places and of other markets", id, filters)
		}
		if page := askOGC(t, s, linkOf(c, "items"), 200); page["type"] != "FeatureCollection" {
			t.Errorf("%s: items are %v", c["id"], page["type"])
		}
	}
	for _, kind := range strings.Fields("sites sectors outages speedtests coverage changes") {
		if !slices.Contains(ids, "fr-"+kind) || !slices.Contains(ids, "drom-"+kind) {
			t.Errorf("collections %q lack those of %s", ids, kind)
		}
	}
}

// The features of sites are those of /antennas, in order, whatever the filter and the size of pages.
func TestOGCSitesAgainstTheList(t *testing.T) {
	tier.Slow(t)
	s := newServer(t)
	for _, filter := range tenFilters {
		if strings.Contains(filter, "radiusKm") {
			continue // there is no such filter
		}
		t.Run(filter, func(t *testing.T) {
			filter = queryOf(filter)
			items := pagesOf(t, s, "/antennas?limit=1000&"+filter)
			features := featuresOf(t, s, ogcBase+"/collections/fr-sites/items?limit=333&"+filter)
			if len(features) != len(items) || len(items) < 3 {
				t.Fatalf("%d features, want %d", len(features), len(items))
			}
			for i, f := range features {
				at := items[i]["coordinates"].(object)
				want := object{"type": "Point", "coordinates": []any{at["lng"], at["lat"]}}
				if d := cmp.Diff(want, f["geometry"]); d != "" || f["id"] != items[i]["siteKey"] {
					t.Fatalf("feature %d is %v, want %v: %s", i, f["id"], items[i]["siteKey"], d)
				}
				properties := f["properties"].(object)
				for name, want := range flat(items[i]) {
					if got, has := properties[name]; has && !cmp.Equal(got, want) {
						t.Errorf("feature %d: %s is %v, want %v", i, name, got, want)
					}
				}
			}
			one := askOGC(t, s, fmt.Sprint(ogcBase, "/collections/fr-sites/items/", features[2]["id"]), 200)
			for _, name := range []string{"id", "geometry", "properties"} {
				if d := cmp.Diff(features[2][name], one[name]); d != "" {
					t.Errorf("%s of the one feature: %s", name, d)
				}
			}
		})
	}
}

// Sectors are wedges in the directions that the details state.
func TestOGCSectorsAgainstDetails(t *testing.T) {
	s := newServer(t)
	var got, want []string
	for _, f := range featuresOf(t, s, ogcBase+"/collections/fr-sectors/items?department=75&limit=7") {
		p := f["properties"].(object)
		var corners []geo.Point
		for _, c := range f["geometry"].(object)["coordinates"].([]any)[0].([]any) {
			corners = append(corners, geo.Point{Lat: number(t, c.([]any)[1]), Lng: number(t, c.([]any)[0])})
		}
		direction := math.Mod(math.Round(geo.Bearing(corners[0], corners[len(corners)/2])), 360)
		got = append(got, fmt.Sprint(p["siteKey"], p["operator"], direction))
	}
	for _, site := range pagesOf(t, s, "/antennas?limit=1000&department=75") {
		detail := parse(t, get(t, s, fmt.Sprint("/antennas/", site["siteKey"])), 200)["data"].(object)
		stated := map[string]bool{}
		for _, e := range detail["emissions"].([]any) {
			azimuths, _ := e.(object)["azimuts"].([]any)
			for _, a := range azimuths {
				stated[fmt.Sprint(a)] = true
				want = append(want, fmt.Sprint(site["siteKey"], e.(object)["operator"], number(t, a)))
			}
		}
		operators := site["operators"].([]any)
		for _, a := range detail["radio"].(object)["azimuts"].([]any) {
			if stated[fmt.Sprint(a)] {
				continue
			}
			operator := any(nil)
			if len(operators) == 1 {
				operator = operators[0]
			}
			want = append(want, fmt.Sprint(site["siteKey"], operator, number(t, a)))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if want = slices.Compact(want); len(want) < 20 || !slices.Equal(got, want) {
		t.Errorf("%d sectors, want %d: %s", len(got), len(want), cmp.Diff(want, got))
	}
}

func number(t testing.TB, v any) (x float64) {
	t.Helper()
	if _, err := fmt.Sscan(fmt.Sprint(v), &x); err != nil {
		t.Fatal(err)
	}
	return x
}

// The other collections have the rows of their lists, and each feature can be asked by its id.
func TestOGCListsAgainstJSON(t *testing.T) {
	s := newServer(t)
	importOutages(t, s, market.FR, "ORANGE", paris, lyon)
	report(t, s, community.NewReport{})
	w := archiveWeeks(t, s, 3)
	for kind, target := range map[string]string{"outages": "/outages?limit=500", "speedtests": "/speedtests?limit=1000&days=365",
		"changes": "/changes?limit=1000&since=" + w.dates[0]} {
		t.Run(kind, func(t *testing.T) {
			items := pagesOf(t, s, target)
			features := featuresOf(t, s, ogcBase+"/collections/fr-"+kind+"/items?limit=50")
			if len(items) == 0 || len(features) != len(items) {
				t.Fatalf("%d features, want %d", len(features), len(items))
			}
			seen := map[any]bool{}
			for i, f := range features {
				delete(items[i], "before") // has coordinates too
				members := flat(items[i])
				for name, got := range f["properties"].(object) {
					if want, has := members[name]; has && cellOf(got) != cellOf(want) {
						t.Errorf("feature %d: %s is %v, want %v", i, name, got, want)
					}
				}
				if seen[f["id"]] {
					t.Errorf("two features have the id %v", f["id"])
				}
				seen[f["id"]] = true
			}
			last := features[len(features)-1]
			one := askOGC(t, s, fmt.Sprint(ogcBase, "/collections/fr-", kind, "/items/", url.PathEscape(last["id"].(string))), 200)
			if d := cmp.Diff(last["properties"], one["properties"]); d != "" {
				t.Errorf("the one feature differs: %s", d)
			}
		})
	}
}

// The points of coverage are those of /coverage/points, whatever the size of pages; each can be asked by its id.
func TestOGCCoverageAgainstJSON(t *testing.T) {
	s := newServer(t)
	points := parse(t, get(t, s, "/coverage/points?limit=5000&days=365"), 200)["data"].([]any)
	middle := points[len(points)/2].(object)["timestamp"].(string)
	for query, selects := range map[string]func(moment string) bool{
		"":                            func(string) bool { return true },
		"&datetime=" + middle + "/..": func(moment string) bool { return moment >= middle },
		"&datetime=../" + middle:      func(moment string) bool { return moment <= middle },
	} {
		var got, want []string
		for _, f := range featuresOf(t, s, ogcBase+"/collections/fr-coverage/items?limit=37"+query) {
			got = append(got, f["id"].(string))
		}
		for _, p := range points {
			if p := p.(object); selects(p["timestamp"].(string)) {
				want = append(want, p["id"].(string))
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%q: %d points, want %d, each once", query, len(got), len(want))
		}
		id := want[len(want)/2]
		if one := askOGC(t, s, ogcBase+"/collections/fr-coverage/items/"+id, 200); one["id"] != id {
			t.Errorf("%q: the feature has the id %v, want %s", query, one["id"], id)
		}
	}
}

// datetime cuts the list of speedtests and of changes; features without a time stay.
func TestOGCDatetime(t *testing.T) {
	tier.Slow(t)
	s := newServer(t)
	w := archiveWeeks(t, s, 4)
	tests := pagesOf(t, s, "/speedtests?limit=1000&days=365")
	middle := tests[len(tests)/2]["timestamp"].(string)
	all := len(featuresOf(t, s, ogcBase+"/collections/fr-speedtests/items"))
	since := featuresOf(t, s, ogcBase+"/collections/fr-speedtests/items?limit=9&datetime="+middle+"/..")
	until := featuresOf(t, s, ogcBase+"/collections/fr-speedtests/items?limit=9&datetime=../"+middle)
	at := featuresOf(t, s, ogcBase+"/collections/fr-speedtests/items?datetime="+middle)
	if len(since)+len(until)-len(at) != all || len(at) == 0 || len(since) < 2 || len(until) < 2 {
		t.Errorf("%d since and %d until %s, %d at it, want %d together", len(since), len(until), middle, len(at), all)
	}
	for _, f := range since {
		if got := f["properties"].(object)["timestamp"].(string); got < middle {
			t.Errorf("a speedtest of %s, want none before %s", got, middle)
		}
	}
	want := pagesOf(t, s, fmt.Sprintf("/changes?limit=1000&since=%s&until=%s", w.dates[1], w.dates[2]))
	got := featuresOf(t, s, ogcBase+"/collections/fr-changes/items?datetime="+w.dates[2])
	if len(got) != len(want) || len(want) == 0 {
		t.Errorf("%d changes on %s, want %d", len(got), w.dates[2], len(want))
	}
	sites := askOGC(t, s, ogcBase+"/collections/fr-sites/items?limit=1&datetime=1999-01-01", 200)
	if whole := askOGC(t, s, ogcBase+"/collections/fr-sites/items?limit=1", 200); fmt.Sprint(sites["numberMatched"]) !=
		fmt.Sprint(whole["numberMatched"]) {
		t.Errorf("datetime leaves %v sites of %v, want all: they have no time", sites["numberMatched"], whole["numberMatched"])
	}
}

func TestOGCErrors(t *testing.T) {
	s := newServer(t)
	for path, want := range map[string]struct {
		status int
		code   string
	}{
		"/collections/fr-trees":                                           {404, "NOT_FOUND"},
		"/collections/FR-sites/items":                                     {404, "NOT_FOUND"},
		"/collections/pt-sites/items":                                     {404, "NOT_FOUND"},
		"?f=html":                                                         {400, "INVALID_PARAMETER"},
		"/collections?tree=1":                                             {400, "INVALID_PARAMETER"},
		"/collections/fr-changes/items?bbox=1,2,3,4,5":                    {400, "INVALID_BBOX"},
		"/collections/pt-sites":                                           {404, "NOT_FOUND"},
		"/collections/fr-trees/items":                                     {404, "NOT_FOUND"},
		"/collections/fr-sites/items/fr-1":                                {404, "SITE_NOT_FOUND"},
		"/collections/fr-sectors/items/fr-90000010-x":                     {404, "NOT_FOUND"},
		"/collections/fr-outages/items/nothing":                           {404, "NOT_FOUND"},
		"/collections/fr-changes/items/nothing":                           {404, "NOT_FOUND"},
		"/collections/fr-sites/items?bbox=1,2,3":                          {400, "INVALID_BBOX"},
		"/collections/fr-sites/items?bbox=2,48,low,3,49,high":             {400, "INVALID_BBOX"},
		"/collections/fr-sites/items?bbox=2,48,0,3,49,1,2":                {400, "INVALID_BBOX"},
		"/collections/fr-sites/items?bbox=2,49,3,48":                      {400, "INVALID_BBOX"},
		"/collections/fr-sites/items?bbox=2,48,181,49":                    {400, "INVALID_BBOX"},
		"/collections/fr-sites/items?offset=9223372036854775808":          {400, "INVALID_PARAMETER"},
		"/collections/fr-sectors/items?offset=10":                         {400, "INVALID_PARAMETER"},
		"/collections/fr-sites/items?datetime=tomorrow":                   {400, "INVALID_DATE"},
		"/collections/fr-sites/items?datetime=../..":                      {400, "INVALID_DATE"},
		"/collections/fr-speedtests/items?datetime=2026-08-02/2026-08-01": {400, "INVALID_DATE"},
		"/collections/fr-sites/items?limit=0":                             {400, "INVALID_PARAMETER"},
		"/collections/fr-sites/items?tree=1":                              {400, "INVALID_PARAMETER"},
		"/collections/fr-outages/items?department=75":                     {400, "INVALID_PARAMETER"},
	} {
		t.Run(path, func(t *testing.T) {
			if got := askOGC(t, s, ogcBase+path, want.status)["code"]; got != want.code {
				t.Errorf("code %v, want %s", got, want.code)
			}
		})
	}
	if w := do(t, s, http.MethodGet, "/ogc/collections/fr-sites/items", "X-API-Key", "rk_none"); w.Code != http.StatusUnauthorized {
		t.Errorf("status %d with a wrong key, want 401", w.Code)
	}
	if o := askOGC(t, s, ogcBase+"/collections/fr-sites/items?limit=100000", 200); linkOf(o, "next") != "" &&
		len(o["features"].([]any)) != 5000 {
		t.Errorf("%d features for a limit over the greatest one, want 5000 or all", len(o["features"].([]any)))
	}
	for _, box := range []string{"3,48,2,49", "170,-90,-170,90", "2e0,4.8e1,3,49.0", "-180,-90,180,90"} { // the first two cross 180°
		got := askOGC(t, s, ogcBase+"/collections/fr-sites/items?limit=1&bbox="+box, 200)["numberMatched"]
		want := parse(t, get(t, s, "/antennas?limit=1&bbox="+box), 200)["meta"].(object)["totalMatched"]
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s has %v sites, want %v as /antennas", box, got, want)
		}
	}
	askOGC(t, s, ogcBase+"/collections/fr-changes/items?bbox=2,48,0,3,49,100", 200)
	askOGC(t, s, ogcBase+"?f=json", 200)
	six := askOGC(t, s, ogcBase+"/collections/fr-sites/items?limit=1&bbox=2,48,0,3,49,100", 200)
	if four := askOGC(t, s, ogcBase+"/collections/fr-sites/items?limit=1&bbox=2,48,3,49", 200); fmt.Sprint(six["numberMatched"]) !=
		fmt.Sprint(four["numberMatched"]) {
		t.Errorf("a box with heights has %v sites, want %v", six["numberMatched"], four["numberMatched"])
	}
}
