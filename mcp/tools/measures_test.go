package tools

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"relais/catalog"
	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/measure"
	"relais/measure/measuretest"
	"relais/site"
)

// A phone is a measure as a test made it: the values are download, upload and ping of a
// speedtest, RSRP, RSRQ and SNR of a coverage point; NaN is not stated.
type phone struct {
	at       geo.Point
	age      time.Duration
	operator string
	tech     string
	values   [3]float64
	enb      uint64
}

var codes = map[string]string{"ORANGE": "208,1", "SFR": "208,10", "FREE": "208,15", "": ","}

// phones makes n measures around a point, up to some 15 km away.
func phones(r *rand.Rand, center geo.Point, n int) []phone {
	list := make([]phone, n)
	for i := range list {
		p := &list[i]
		far := 0.1 * r.Float64() * r.Float64()
		p.at = geo.Point{Lat: math.Round((center.Lat+far*r.NormFloat64())*1e6) / 1e6,
			Lng: math.Round((center.Lng+far*r.NormFloat64())*1e6) / 1e6}
		// not about whole days
		p.age = time.Duration(1+r.IntN(400*24))*time.Hour - 30*time.Minute + time.Duration(i)*time.Second
		p.operator = []string{"ORANGE", "SFR", "FREE", ""}[r.IntN(4)]
		p.tech = []string{"LTE", "4G", "NR", ""}[r.IntN(4)]
		for k := range p.values {
			if p.values[k] = float64(r.IntN(900)) / 10; r.IntN(5) == 0 {
				p.values[k] = math.NaN()
			}
		}
	}
	return list
}

func text(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return fmt.Sprint(v)
}

// withMeasures reads the country with measures in FR.
func withMeasures(t *testing.T, tests, points []phone) *Reading {
	t.Helper()
	r := inCountry(t)
	var speed, coverage strings.Builder
	speed.WriteString("timestamp,lat,lng,download_mbps,average_mbps,upload_mbps,ping_ms,mcc,mnc,connection_type,enb\n")
	for i, p := range tests {
		fmt.Fprintf(&speed, "%s,%v,%v,%s,%d,%s,%s,%s,%s,%d\n", r.Now.Add(-p.age).UTC().Format(time.RFC3339), p.at.Lat,
			p.at.Lng, text(p.values[0]), i%97, text(p.values[1]), text(p.values[2]), codes[p.operator], p.tech, p.enb)
	}
	coverage.WriteString("timestamp,lat,lng,signal_strength,technology,mcc,mnc,rsrp,rsrq,snr\n")
	for _, p := range points {
		fmt.Fprintf(&coverage, "%s,%v,%v,-70,%s,%s,%s,%s,%s\n", r.Now.Add(-p.age).UTC().Format(time.RFC3339), p.at.Lat,
			p.at.Lng, p.tech, codes[p.operator], text(p.values[0]), text(p.values[1]), text(p.values[2]))
	}
	r.Measures = measuretest.Open(t, time.Now, speed.String(), coverage.String())
	return r
}

// metres is a distance by another formula than the data has.
func metres(a, b geo.Point) float64 {
	rad := math.Pi / 180
	cos := math.Sin(a.Lat*rad)*math.Sin(b.Lat*rad) + math.Cos(a.Lat*rad)*math.Cos(b.Lat*rad)*math.Cos((a.Lng-b.Lng)*rad)
	return geo.EarthRadius * math.Acos(min(1, cos))
}

// someSite is a site of the country with an eNB of ORANGE, and that eNB.
func someSite(t *testing.T) (key string, at geo.Point, enb uint64) {
	t.Helper()
	m := inCountry(t).Set.Market(market.FR)
	orange, _ := m.Table.Operator("ORANGE")
	var s site.Site
	for i := range uint32(m.Len()) {
		m.Site(i, &s)
		for _, id := range s.Radio {
			if id.Kind == site.ENB && id.Operator == orange && !id.Learned {
				return index.Key(market.FR, s.ID), s.Position, id.Value
			}
		}
	}
	t.Fatal("no site with an eNB")
	return "", geo.Point{}, 0
}

// The speedtests of a site come in pages, or the best alone.
func TestSpeedtestsOfSite(t *testing.T) {
	key, at, enb := someSite(t)
	list := phones(rand.New(rand.NewPCG(1, 2)), at, 300)
	for i := range list {
		list[i].values[0] = float64(i) // every test states a speed
		if i%10 == 0 {
			list[i].enb, list[i].operator, list[i].tech = enb, "ORANGE", "LTE"
		}
	}
	r := withMeasures(t, list, nil)
	sameMembers(t, r, "sites_get_speedtests", fmt.Sprintf(`{"siteId":%q,"limit":7,"offset":21}`, key), "speedtests.site",
		map[string]string{"siteId": key, "limit": "7", "offset": "21"}, nil, "distanceMeters")
	for _, tt := range []struct {
		best         bool
		total, items int
	}{{false, 30, 7}, {true, 1, 1}} {
		page := mustCall(t, r, "sites_get_speedtests", fmt.Sprintf(`{"siteId":%q,"limit":7,"offset":21,"bestOnly":%v}`, key, tt.best))
		if page["total"] != float64(tt.total) || len(page["items"].([]any)) != tt.items || page["truncated"] == tt.best {
			t.Errorf("best %v: got %v, want %d of %d", tt.best, page, tt.items, tt.total)
		}
	}
}

// Speedtests around a point are those that were made there, in pages, the newest first.
func TestSpeedtestsNearby(t *testing.T) {
	_, at, _ := someSite(t)
	list := phones(rand.New(rand.NewPCG(3, 4)), at, 400)
	for i := range list {
		list[i].values[0] = float64(i)
	}
	r := withMeasures(t, list, nil)
	all, err := r.Speedtests(catalog.Measures{Market: market.Get(market.FR), Operators: index.Choice{2},
		Disc: &geo.Disc{Center: at, Radius: 4000}, Days: 100, Limit: 400})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for offset, next := 0, any(0.0); next != nil; offset += 3 {
		page := mustCall(t, r, "speedtests_nearby",
			fmt.Sprintf(`{"lat":%v,"lon":%v,"radiusKm":4,"days":100,"operator":"ORANGE","limit":3,"offset":%d}`, at.Lat,
				at.Lng, offset))
		for _, item := range page["items"].([]any) {
			o := item.(object)
			got = append(got, o["id"].(string))
			from := list[int(o["downloadSpeed"].(float64))].at
			if d := o["distanceMeters"].(float64); math.Abs(d-metres(from, at)) > 1 || page["total"] != float64(all.Total) {
				t.Errorf("got %v of %v, want it %v m away, of %d", o, page["total"], metres(from, at), all.Total)
			}
		}
		next = page["nextOffset"]
	}
	if !slices.EqualFunc(all.Items, got, func(t measure.Test, id string) bool { return t.ID == id }) || len(got) < 4 {
		t.Errorf("got %v, want these %d: %+v", got, all.Total, all.Items)
	}
}

// sameGroups compares the groups of an answer with those that a question of FR finds.
func sameGroups(t *testing.T, r *Reading, answer object, members [3]string, kind measure.Kind, q catalog.Measures) {
	t.Helper()
	q.Market = market.Get(market.FR)
	groups, err := r.Survey(kind, q)
	if err != nil {
		t.Fatal(err)
	}
	total, want := 0, []any{}
	for _, g := range groups {
		o := object{"operator": nil, "technology": nil, "count": float64(g.Count), "synthetic": false, "sampled": false}
		if g.Operator != "" {
			o["operator"] = g.Operator
		}
		if g.Technology != 0 {
			o["technology"] = fmt.Sprintf("%dG", g.Technology)
		}
		for i, name := range members {
			if o[name] = nil; g.Values[i].Of > 0 {
				v := g.Values[i]
				o[name] = object{"p10": v.P10, "median": v.Median, "p90": v.P90, "values": float64(v.Of)}
			}
		}
		want, total = append(want, o), total+g.Count
	}
	if d := cmp.Diff(want, answer["groups"]); d != "" || answer["total"] != float64(total) || total < 100 {
		t.Errorf("total %v, want %d; groups: want (-), got (+):\n%s", answer["total"], total, d)
	}
}

func TestAreaSummary(t *testing.T) {
	_, at, _ := someSite(t)
	list := phones(rand.New(rand.NewPCG(5, 6)), at, 1000)
	for i := range list {
		list[i].values[0] = float64(i % 300)
	}
	r := withMeasures(t, list, nil)
	answer := mustCall(t, r, "speedtests_area_summary",
		fmt.Sprintf(`{"lat":%v,"lon":%v,"radiusKm":6,"days":200}`, at.Lat, at.Lng))
	sameGroups(t, r, answer, [3]string{"download", "upload", "ping"}, measure.Speedtest,
		catalog.Measures{Disc: &geo.Disc{Center: at, Radius: 6000}, Days: 200})
}

// levels makes what phones measure of the signal.
func levels(list []phone) []phone {
	for i := range list {
		v := &list[i].values
		v[0], v[1], v[2] = -50-v[0], 10-math.Round(v[1]/4), v[2]/2
	}
	return list
}

func TestSignalStats(t *testing.T) {
	key, at, _ := someSite(t)
	r := withMeasures(t, nil, levels(phones(rand.New(rand.NewPCG(7, 8)), at, 1500)))
	members, around := [3]string{"rsrp", "rsrq", "snr"}, &geo.Disc{Center: at, Radius: 5000}
	sameGroups(t, r, mustCall(t, r, "sites_get_signal_stats", fmt.Sprintf(`{"siteId":%q,"radiusKm":5}`, key)), members,
		measure.Coverage, catalog.Measures{Disc: around})
	sameGroups(t, r, mustCall(t, r, "sites_get_signal_stats",
		fmt.Sprintf(`{"siteId":%q,"radiusKm":5,"days":300,"technology":"lte"}`, key)), members, measure.Coverage,
		catalog.Measures{Disc: around, Days: 300, Generations: []measure.Generation{4}})
}
