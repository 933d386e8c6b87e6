package tools

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"
	"time"

	"relais/auth/account"
	"relais/community"
	"relais/community/audit"
	"relais/geo"
	"relais/index"
	"relais/internal/filetest"
	"relais/market"
	"relais/measure"
	"relais/photos"
	"relais/site"
)

// greatCircle is a distance in metres by the spherical law of cosines.
func greatCircle(a, b geo.Point) float64 {
	rad := math.Pi / 180
	cos := math.Sin(a.Lat*rad)*math.Sin(b.Lat*rad) + math.Cos(a.Lat*rad)*math.Cos(b.Lat*rad)*math.Cos((a.Lng-b.Lng)*rad)
	return geo.EarthRadius * math.Acos(min(1, cos))
}

// An observed thing is of a kind, and stands somewhere.
type observed struct {
	kind string
	at   geo.Point
}

// observations are what one person reported at 40 sites, and the photos, with their places from south to north.
func observations(t *testing.T) (r *Reading, ann account.Person, all map[string]observed, places []geo.Point) {
	t.Helper()
	w := newTown(t)
	ann = w.someone("Annabel")
	photographs, _, _ := withPhotos(t)
	r = w.as(ann)
	r.Photos = photographs.Photos
	m := r.Set.Market(market.FR)
	all = map[string]observed{}
	random := rand.New(rand.NewPCG(21, 22))
	var s site.Site
	for i := range 40 {
		m.Site(uint32(random.IntN(m.Len())), &s)
		key, operator := index.Key(market.FR, s.ID), m.Table.Operators[s.Stations[0].Operator].Key
		v, _, err := w.community.Validate(community.NewValidation{Market: market.FR, SiteKey: key, At: s.Position,
			Subject: community.PCI, Value: fmt.Sprint(i), Operator: operator, User: ann.ID})
		if err != nil {
			t.Fatal(err)
		}
		all[v.ID] = observed{"validation", s.Position}
		o, _, err := w.community.AddReport(community.NewReport{Market: market.FR, Operator: operator, At: s.Position,
			SiteKey: key, User: ann.ID})
		if err != nil {
			t.Fatal(err)
		}
		if i%5 == 0 {
			if _, err := w.community.ResolveAs(o.ID, audit.Decision{}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		all[o.ID] = observed{"outage", s.Position}
	}
	list, _, err := r.Photos.Find(func(*photos.Brief) bool { return true }, 100, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if at, ok := m.ByID(p.SiteKey); ok && strings.HasPrefix(p.SiteKey, "fr-") {
			m.Site(at, &s)
			all[p.ID] = observed{"photo", s.Position}
		}
	}
	r.Outages = w.community.Outages()
	for _, x := range all {
		places = append(places, x.at)
	}
	sort.Slice(places, func(i, k int) bool { return places[i].Lat < places[k].Lat })
	return r, ann, all, places
}

// What people observed around a point is what a look at all of it finds, the nearest
// first, in pages, and nobody is named.
func TestObservations(t *testing.T) {
	r, ann, all, places := observations(t)
	m, s := r.Set.Market(market.FR), site.Site{}
	for i, center := range places {
		kind := []string{"all", "outage", "validation", "photo"}[i%4]
		radius := []float64{0.001, 4, 10, 20}[i/4%4]
		want, nearby := map[string]bool{}, 0
		for id, x := range all {
			if (kind == "all" || kind == x.kind) && greatCircle(center, x.at) <= radius*1000 {
				want[id] = true
			}
		}
		for k := range uint32(m.Len()) {
			m.Site(k, &s)
			if greatCircle(center, s.Position) <= radius*1000 {
				nearby++
			}
		}
		if nearby > maxPhotoSites {
			t.Fatalf("%d sites: photos of some are not looked for, want at most %d", nearby, maxPhotoSites)
		}
		got, last := map[string]bool{}, 0.0
		for offset := 0; ; offset += 7 {
			page := mustCall(t, r, "community_list_observations_nearby",
				fmt.Sprintf(`{"lat":%v,"lon":%v,"radiusKm":%v,"type":%q,"limit":7,"offset":%d}`, center.Lat, center.Lng,
					radius, kind, offset))
			if page["total"] != float64(len(want)) {
				t.Fatalf("%s within %v km of %v: %v, want %d", kind, radius, center, page["total"], len(want))
			}
			for _, item := range page["items"].([]any) {
				o := item.(object)
				id, metres := o["id"].(string), o["distanceMeters"].(float64)
				if !want[id] || got[id] || metres < last || math.Abs(metres-greatCircle(center, all[id].at)) > 2 ||
					o["type"] != all[id].kind {
					t.Errorf("got %v after %v m, want it once, of the box, in order, %v m away", o, last,
						greatCircle(center, all[id].at))
				}
				got[id], last = true, metres
				for _, name := range []string{"author", "Ann", ann.ID} {
					if strings.Contains(fmt.Sprint(o), name) {
						t.Errorf("%v names somebody", o)
					}
				}
			}
			if page["nextOffset"] == nil {
				break
			}
		}
		if len(got) != len(want) {
			t.Errorf("got %d, want %d", len(got), len(want))
		}
	}
}

func TestObservationsByOperator(t *testing.T) {
	r, _, _, places := observations(t)
	p := places[0]
	whole := mustCall(t, r, "community_list_observations_nearby",
		fmt.Sprintf(`{"lat":%v,"lon":%v,"radiusKm":20,"limit":50}`, p.Lat, p.Lng))
	parts := 0.0
	for _, o := range market.Get(market.FR).Operators {
		parts += mustCall(t, r, "community_list_observations_nearby",
			fmt.Sprintf(`{"lat":%v,"lon":%v,"radiusKm":20,"operator":%q}`, p.Lat, p.Lng, o.Key))["total"].(float64)
	}
	if whole["total"] != parts { // each is of one operator
		t.Errorf("%v, by operators %v", whole["total"], parts)
	}
	if none := mustCall(t, r, "community_list_observations_nearby",
		`{"lat":50.8,"lon":4.3,"market":"BE"}`); none["total"] != 0.0 {
		t.Errorf("got %v, want total = 0.0", none)
	}
	for _, bad := range []string{`{"lat":48}`, `{"lat":48,"lon":2,"radiusKm":51}`, `{"lat":48,"lon":2,"type":"rumour"}`,
		`{"lat":48,"lon":2,"operator":"ROGERS"}`, `{"lat":50.8,"lon":4.3,"market":"BE","type":"photo"}`} {
		if _, err := call(r, "community_list_observations_nearby", bad); err == nil {
			t.Errorf("%s is answered", bad)
		}
	}
}

// withSessions imports speedtests and points of 60 places, and lets ann submit one.
func withSessions(t *testing.T, w *town, ann account.Person) {
	t.Helper()
	tests, points := "timestamp,lat,lng,download_mbps,connection_type,mcc,mnc\n",
		"timestamp,lat,lng,technology,signal_strength,mcc,mnc\n"
	for i := range 60 { // northward, 50 m apart, on three days, by two operators
		at := w.at.AddDate(0, 0, -i%3).Add(-time.Duration(i) * time.Second).Format(time.RFC3339)
		tests += fmt.Sprintf("%s,%.5f,2.29,%d,LTE,208,%d\n", at, 48.85+float64(i)*0.00045, i, []int{1, 10}[i%2])
		points += fmt.Sprintf("%s,%.5f,2.29,NR,-90,208,%d\n", at, 48.85+float64(i)*0.00045, []int{1, 10}[i%2])
	}
	for _, tt := range []struct{ name, text string }{
		{"tests.csv", tests},
		{"points.csv", points},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filetest.New(t, tt.name, tt.text)
			if _, err := w.measures.Import(t.Context(), market.FR, measure.Options{}, path); err != nil {
				t.Fatal(err)
			}
		})
	}
	mustCall(t, w.as(ann), "community_submit_speedtest",
		fmt.Sprintf(`{"clientToken":"1","measuredAt":%q,"lat":48.85,"lon":2.29,"downloadMbps":7}`,
			w.at.Format(time.RFC3339)))
}

// Sessions add up to the measures that the API has of the place.
func TestSessions(t *testing.T) {
	w := newTown(t)
	ann := w.someone("Annabel")
	if _, err := call(inCountry(t), "sessions_list_nearby", `{"lat":48.85,"lon":2.29}`); err == nil ||
		!strings.Contains(err.Error(), "measurements") {
		t.Errorf("without measures: %v, want an error with measurements", err)
	}
	withSessions(t, w, ann)
	r := w.as(ann)
	// the first 30: 1,451 m
	list := mustCall(t, r, "sessions_list_nearby", `{"lat":48.85,"lon":2.29,"radiusKm":1.48,"limit":50}`)
	days, imports := map[string]float64{}, map[string]bool{}
	for _, item := range list["items"].([]any) {
		s := item.(object)
		days[fmt.Sprint(s["kind"], s["import"] == "")] += s["measures"].(float64)
		imports[s["import"].(string)] = true
		want := "[NR] [SFR ORANGE]"
		if s["kind"] == "speedtest" {
			want = "[LTE] [SFR ORANGE]"
		}
		if s["import"] == "" {
			want = "[] []"
		}
		if got := fmt.Sprint(s["technologies"], s["operators"]); got != want || s["day"] == nil ||
			s["synthetic"] != false {
			t.Errorf("got %v, want %v with a day and not synthetic", s, want)
		}
	}
	if fmt.Sprint(days) != "map[coveragefalse:30 speedtestfalse:30 speedtesttrue:1]" || len(imports) != 3 ||
		list["allMeasures"] != 61.0 || strings.Contains(fmt.Sprint(list), "Annabel") {
		t.Errorf("got %v, days %v, want days = map[coveragefalse:30 speedtestfalse:30 speedtesttrue:1], "+
			"len(imports) = 3, allMeasures = 61.0 and no Annabel in list", list, days)
	}
	all := mustCall(t, r, "sessions_list_nearby", `{"lat":48.86,"lon":2.29,"radiusKm":20,"operator":"SFR"}`)
	if n := len(apiAnswer(t, r, "speedtests.list", map[string]string{"operator": "SFR"})["data"].([]any)) +
		len(apiAnswer(t, r, "coverage.points",
			map[string]string{"operator": "SFR"})["data"].([]any)); all["allMeasures"] != float64(n) || n != 60 {
		t.Errorf("%v, the API has %d, want %v and 60", all["allMeasures"], n, n)
	}
	wantMembers(t, mustCall(t, r, "sessions_list_nearby", `{"lat":48.85,"lon":2.29,"limit":2,"offset":2}`),
		object{"returned": 2.0, "nextOffset": 4.0, "origin": measuredOrigin}, "answer")
	for _, bad := range []string{`{}`, `{"lat":48,"lon":2,"radiusKm":21}`, `{"lat":48,"lon":2,"operator":"ROGERS"}`,
		`{"lat":48,"lon":2,"market":"XX"}`} {
		if _, err := call(r, "sessions_list_nearby", bad); err == nil {
			t.Errorf("%s is answered", bad)
		}
	}
}
