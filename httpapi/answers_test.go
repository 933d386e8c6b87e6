package httpapi

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"relais/internal/tier"
)

// An item is what these tests look at of a site.
type item struct {
	ID               string `json:"id"`
	NationalSiteCode string `json:"nationalSiteCode"`
	Status           string `json:"status"`
	Coordinates      struct{ Lat, Lng float64 }
	Location         struct{ PostalCode, Commune, Department string }
	DistanceMeters   *int
}

func list(t *testing.T, s *Server, target string) (items []item, meta object) {
	t.Helper()
	w := get(t, s, target)
	meta, _ = parse(t, w, 200)["meta"].(object)
	var o struct{ Data []item }
	must(t, json.Unmarshal(w.Body.Bytes(), &o))
	return o.Data, meta
}

func ids(items []item) (ids []string) {
	for _, i := range items {
		ids = append(ids, i.ID)
	}
	slices.Sort(ids)
	return ids
}

func filterItems(items []item, f func(item) bool) (kept []item) {
	for _, i := range items {
		if f(i) {
			kept = append(kept, i)
		}
	}
	return kept
}

// Each criterion of the search is a filter over the export, and the meta counts
// what it finds.
func TestSearchAgainstTheExport(t *testing.T) {
	tier.Slow(t)
	s := newServer(t)
	all, meta := list(t, s, "/antennas/export")
	if n := fmt.Sprint(len(all)); meta["returned"] != json.Number(n) || meta["total"] != json.Number(n) ||
		meta["totalMatched"] != json.Number(n) || meta["export"] != true {
		t.Errorf("%d sites, meta %v, want returned = %v, total = %v, totalMatched = %v and export = true", len(all),
			meta, n, n, n)
	}
	one, page := all[len(all)/2], 7
	for _, tt := range []struct {
		query string
		f     func(item) bool
	}{
		{"supId=" + one.ID, func(i item) bool { return i.ID == one.ID }},
		{"nationalSiteCode=" + one.NationalSiteCode,
			func(i item) bool { return i.NationalSiteCode == one.NationalSiteCode }},
		{"postalCode=" + one.Location.PostalCode,
			func(i item) bool { return i.Location.PostalCode == one.Location.PostalCode }},
		{"department=" + one.Location.Department,
			func(i item) bool { return i.Location.Department == one.Location.Department }},
		{"commune=" + strings.ToLower("Paris"), func(i item) bool { return strings.HasPrefix(i.Location.Commune, "Paris") }},
		{"postalCode=" + one.Location.PostalCode + "&supId=0", func(item) bool { return false }},
	} {
		t.Run(tt.query, func(t *testing.T) {
			want := ids(filterItems(all, tt.f))
			var got []string
			for offset := 0; ; offset += page {
				items, meta := list(t, s, fmt.Sprintf("/antennas/search?%s&limit=%d&offset=%d", tt.query, page, offset))
				got = append(got, ids(items)...)
				wantMembers(t, meta, object{"total": json.Number(fmt.Sprint(len(want))),
					"hasMore": offset+page < len(want)}, "%s from %d: meta", tt.query, offset)
				if len(items) < page {
					break
				}
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", tt.query, got, want)
			}
		})
	}
}

// Short forms of statuses are the statuses.
func TestShortStatuses(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct{ short, long string }{
		{"en-service", "En service"},
		{"techop", "Techniquement%20op%C3%A9rationnel"},
		{"projet", "PROJET%20APPROUVE"},
	} {
		t.Run(tt.short, func(t *testing.T) {
			_, a := list(t, s, "/antennas?limit=1&status="+tt.short)
			_, b := list(t, s, "/antennas?limit=1&status="+tt.long)
			if a["totalMatched"] != b["totalMatched"] || a["totalMatched"] == json.Number("0") ||
				a["totalMatched"] == a["total"] {
				t.Errorf("%s: %v matched, %s: %v; want the same number, not 0 and not all", tt.short, a["totalMatched"], tt.long, b["totalMatched"])
			}
		})
	}
}

// A box is answered as it was asked; a disc is by distance, which each item has.
func TestSummaryShapes(t *testing.T) {
	s := newServer(t)
	all, _ := list(t, s, "/antennas/export")
	items, meta := list(t, s, "/antennas?north=49.5&south=47.25&east=3.5&west=1.75&limit=5000")
	want := ids(filterItems(all, func(i item) bool {
		return i.Coordinates.Lat <= 49.5 && i.Coordinates.Lat >= 47.25 && i.Coordinates.Lng <= 3.5 &&
			i.Coordinates.Lng >= 1.75
	}))
	if box := fmt.Sprint(meta["bbox"]); box != "map[east:3.5 north:49.5 south:47.25 west:1.75]" ||
		!slices.Equal(ids(items), want) || len(want) < 10 {
		t.Errorf("box %s: %d sites, want %d", box, len(items), len(want))
	}
	items, meta = list(t, s, "/antennas?lat=48.8566&lon=2.3522&radiusKm=30&limit=5000")
	last := -1
	for _, i := range items {
		metres := haversine(48.8566, 2.3522, i.Coordinates.Lat, i.Coordinates.Lng)
		if i.DistanceMeters == nil || math.Abs(float64(*i.DistanceMeters)-metres) > 1 || *i.DistanceMeters < last {
			t.Fatalf("%s: %v after %d, want %.1f", i.ID, i.DistanceMeters, last, metres)
		}
		last = *i.DistanceMeters
	}
	inside := ids(filterItems(all, func(
		i item) bool {
		return haversine(48.8566, 2.3522, i.Coordinates.Lat, i.Coordinates.Lng) <= 30_000
	}))
	if !slices.Equal(ids(items), inside) || len(inside) < 10 || meta["bbox"] != nil {
		t.Errorf("disc: %d sites, want %d", len(items), len(inside))
	}
}

// haversine is the great-circle distance in metres on a sphere of 6371.0088 km.
func haversine(lat1, lng1, lat2, lng2 float64) float64 {
	rad := math.Pi / 180
	a := math.Pow(math.Sin((lat2-lat1)*rad/2),
		2) + math.Cos(lat1*rad)*math.Cos(lat2*rad)*math.Pow(math.Sin((lng2-lng1)*rad/2), 2)
	return 2 * 6371008.8 * math.Asin(math.Sqrt(a))
}

// How long clients may keep an answer is decided, route by route.
func TestMaxAge(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct {
		target  string
		seconds int
	}{
		{"/antennas", 60},
		{"/antennas/export", 3600},
		{"/changes", 300},
		{"/antennas/search", 60},
		{"/antennas/lookup-by-radio?value=1", 60},
		{"/antennas/90000010", 60},
		{"/sites/90000010", 60},
		{"/stats/departments", 300},
		{"/outages", 30},
		{"/sites-hs", 30},
		{"/anfr/archives", 3600},
		{"/anfr/archive/2026-08-27", 3600},
	} {
		t.Run(tt.target, func(t *testing.T) {
			if got := get(t, s, tt.target).Header().Get("Cache-Control"); got != fmt.Sprintf("private, max-age=%d",
				tt.seconds) {
				t.Errorf("%s: Cache-Control = %q, want max-age=%d", tt.target, got, tt.seconds)
			}
		})
	}
}

// An alias is another name of value that says the type; type, when it is given,
// decides.
func TestLookupType(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct{ query, want string }{
		{"value=5", "auto"},
		{"enb=5", "enb"},
		{"cellId=5", "cellid"},
		{"ci=5", "ci"},
		{"enb=5&type=auto", "enb"},
		{"enb=5&type=gnb", "gnb"},
		{"cellId=5&type=ci", "ci"},
		{"value=5&type=PCI", "pci"},
	} {
		t.Run(tt.query, func(t *testing.T) {
			_, meta := list(t, s, "/antennas/lookup-by-radio?"+tt.query)
			wantMembers(t, meta, object{"type": tt.want, "value": "5"}, "%s: meta", tt.query)
		})
	}
}
