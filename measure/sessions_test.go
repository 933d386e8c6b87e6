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

// A round holds what is within the distance, near its edge and elsewhere.
func TestRound(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	quick := 0
	for range 300 {
		d := geo.Disc{Center: geo.Point{Lat: r.Float64()*180 - 90, Lng: r.Float64()*360 - 180}, Radius: math.Pow(10, r.Float64()*6.5)}
		round := newRound(&d)
		if round.plane() {
			quick++
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
			at := geo.Point{Lat: geo.Degrees(lat), Lng: geo.Degrees(lng)}
			metres := geo.Distance(d.Center, at)
			one := round.within([]uint32{0}, []int32{lat}, []int32{lng})
			same := round.append(make([]uint32, 0, 1), 7, []int32{lat}, []int32{lng})
			if in := metres <= d.Radius; round.holds(lat, lng) != in || (len(one) == 1) != in || slices.Contains(same, 7) != in {
				t.Fatalf("%v at %v: %v m", d, at, metres)
			}
		}
	}
	if quick < 100 {
		t.Errorf("only %d of the discs are planes", quick)
	}
	if every := newRound(nil); !every.holds(0, 0) || len(every.within([]uint32{0}, []int32{0}, []int32{0})) != 1 {
		t.Error("no disc holds nothing")
	}
}

// Of very many measures an even sample is looked at, of the most by their marks, and the
// answer says so.
func TestSessionsOfMany(t *testing.T) {
	for _, c := range []struct{ n, each int }{{22_500, 4}, {75_000, 16}, {540_000, 128}} {
		if testing.Short() && c.n > 100_000 {
			continue
		}
		var text strings.Builder
		text.WriteString(coverageHead)
		first := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
		for i := range c.n { // one of five each on the first days, the rest on the third, all over the place
			day := min(i%5, 2)
			fmt.Fprintf(&text, "a,%s,%.5f,%.5f,-60,-80,12,LTE,CELLULAR,208,1,%d,,,7\n", first.AddDate(0, 0, day).Add(time.Duration(i*7919%86400)*time.Second).Format(time.RFC3339), 45+float64(i%547)/1000, 4+float64(i%631)/1000, 1+i%5000)
		}
		s := openStore(t, t.TempDir())
		imported(t, s, market.FR, write(t, "many.csv", text.String()))
		got, err := s.Sessions(Query{Market: market.FR, Limit: 10}, 0)
		if err != nil || got.Each != c.each || got.Total != 3 || in(c.n, c.each) != got.Measures && c.n/c.each != got.Measures {
			t.Fatalf("%d: %+v, %v", c.n, got, err)
		}
		for i, x := range got.Page {
			day, share := first.AddDate(0, 0, 2-i).Format(time.DateOnly), []float64{3. / 5, 1. / 5, 1. / 5}[i]
			want := float64(c.n) / float64(c.each) * share
			if x.Day != day || math.Abs(float64(x.Measures)-want) > want/10 || x.First.Format(time.DateOnly) != day || x.Last.Sub(x.First) < 20*time.Hour || x.Last.Format(time.DateOnly) != day {
				t.Errorf("%d: %+v, want %.0f of %s", c.n, x, want, day)
			}
		}
	}
}
