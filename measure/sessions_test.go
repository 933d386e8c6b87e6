package measure

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/geo"
	"relais/market"
)

// Sessions are what a look at every measure finds.
func TestSessionsAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	s := openStore(t, t.TempDir())
	type owned struct {
		made
		name string
		kind Kind
	}
	var list []owned
	last := func() string { // the name of the last import
		all := s.Segments()
		return strings.TrimSuffix(all[len(all)-1].File, ".seg")
	}
	for range 3 {
		some := random(r, 600)
		imported(t, s, market.FR, write(t, "a.csv", coverageOf(some)))
		for _, m := range some {
			list = append(list, owned{m, last(), Coverage})
		}
	}
	tests := random(r, 400)
	imported(t, s, market.FR, write(t, "b.csv", testsOf(tests)))
	for _, m := range tests {
		m.tech = "4G" // which is what testsOf writes
		list = append(list, owned{m, last(), Speedtest})
	}
	for i := range 5 {
		test := added(t, s, fieldsOf(i*700))
		list = append(list, owned{made{lat: 45.75, lng: 4.85, time: test.Time, mnc: 1, tech: "LTE"}, "", Speedtest})
	}
	imported(t, s, market.FR, write(t, "ageless.csv", "45.5,4.25,200,208,20,12,256001,-88,LTE,LTE,1300,301\n"))
	ageless := last()
	keys := map[int]string{}
	for _, o := range market.Get(market.FR).Operators {
		for _, p := range o.PLMNs {
			_, mnc := splitPLMN(p)
			keys[mnc] = o.Key
		}
	}
	for i := range 120 {
		center := list[r.IntN(len(list))]
		q := Query{Market: market.FR, Disc: &geo.Disc{Center: geo.Point{Lat: center.lat + r.Float64()/10, Lng: center.lng}, Radius: math.Pow(10, 2+r.Float64()*4)}}
		if i%3 == 0 {
			q.Disc = nil
		}
		if i%4 == 0 {
			q.Operator = "ORANGE"
		}
		want := map[string]int{}
		technologies, operators := map[string]map[string]bool{}, map[string]map[string]bool{}
		for _, m := range list {
			if q.Disc != nil && geo.Distance(q.Disc.Center, geo.Point{Lat: m.lat, Lng: m.lng}) > q.Disc.Radius || q.Operator != "" && keys[m.mnc] != q.Operator {
				continue
			}
			key := fmt.Sprint(m.name, m.kind, m.time.UTC().Format(time.DateOnly))
			if want[key]++; want[key] == 1 {
				technologies[key], operators[key] = map[string]bool{}, map[string]bool{}
			}
			technologies[key][m.tech] = true
			if keys[m.mnc] != "" {
				operators[key][keys[m.mnc]] = true
			}
		}
		var got []Session
		measures := 0
		for q.Limit = 100; ; {
			page, err := s.Sessions(q, len(got))
			if err != nil {
				t.Fatal(err)
			}
			if got, measures = append(got, page.Page...), page.Measures; len(page.Page) == 0 || page.Total == len(got) {
				break
			}
		}
		for _, x := range got {
			measures -= x.Measures
		}
		if measures != 0 {
			t.Errorf("%d measures are of no session", measures)
		}
		n := 0
		for _, x := range got {
			if x.Day == "" { // the one without a time
				if x.Import != ageless || x.Measures != 1 || !x.First.IsZero() {
					t.Errorf("%+v", x)
				}
				continue
			}
			n++
			key := x.Import + string(x.Kind) + x.Day
			have := func(list []string) map[string]bool {
				m := map[string]bool{}
				for _, v := range list {
					m[v] = true
				}
				return m
			}
			if x.Measures != want[key] || !maps.Equal(have(x.Technologies), technologies[key]) || !maps.Equal(have(x.Operators), operators[key]) ||
				x.First.After(x.Last) || x.First.Format(time.DateOnly) != x.Day || x.Last.Format(time.DateOnly) != x.Day {
				t.Fatalf("%+v, want %d %v %v", x, want[key], technologies[key], operators[key])
			}
		}
		if n != len(want) || !slices.IsSortedFunc(got, func(a, b Session) int { return cmp.Compare(b.Day, a.Day) }) {
			t.Errorf("%d sessions, want %d", n, len(want))
		}
	}
	if _, err := s.Sessions(Query{Market: "XX", Limit: 1}, 0); err == nil {
		t.Error("no market is one")
	}
}

// along is where a great circle leads to.
func along(from geo.Point, bearing, metres float64) geo.Point {
	const rad = math.Pi / 180
	far := metres / geo.EarthRadius
	lat := math.Asin(math.Sin(from.Lat*rad)*math.Cos(far) + math.Cos(from.Lat*rad)*math.Sin(far)*math.Cos(bearing))
	east := math.Atan2(math.Sin(bearing)*math.Sin(far)*math.Cos(from.Lat*rad), math.Cos(far)-math.Sin(from.Lat*rad)*math.Sin(lat))
	return geo.Point{Lat: lat / rad, Lng: from.Lng + east/rad}
}

// A disc holds what is within the distance, near its edge and elsewhere.
func TestDisc(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	planar := 0
	for range 300 {
		d := geo.Disc{Center: geo.Point{Lat: r.Float64()*180 - 90, Lng: r.Float64()*360 - 180}, Radius: math.Pow(10, r.Float64()*6.5)}
		if r.IntN(3) == 0 { // where the plane is wrong by the most
			d = geo.Disc{Center: geo.Point{Lat: planarLatitude, Lng: planarLongitude}, Radius: planarRadius}
		}
		disc := newDisc(&d)
		if disc.planar {
			planar++
		}
		for range 300 {
			off := (r.Float64() - 0.5) * math.Pow(10, -9*r.Float64()) // most very near its edge
			p := along(d.Center, r.Float64()*2*math.Pi, d.Radius*(1+off))
			if r.IntN(3) == 0 {
				p = geo.Point{Lat: r.Float64()*180 - 90, Lng: r.Float64()*360 - 180}
			}
			if p.Lng > 180 {
				p.Lng -= 360
			} else if p.Lng < -180 {
				p.Lng += 360
			}
			if !p.Valid() {
				continue
			}
			lat, lng := geo.Fix(p.Lat), geo.Fix(p.Lng)
			metres := geo.Distance(d.Center, geo.Point{Lat: geo.Degrees(lat), Lng: geo.Degrees(lng)})
			if got, want := disc.holds(lat, lng), metres <= d.Radius; got != want {
				t.Fatalf("%+v holds %v, %v m away: %v, want %v", d, p, metres, got, want)
			}
		}
	}
	if planar < 100 {
		t.Errorf("only %d of the discs are planar", planar)
	}
}
