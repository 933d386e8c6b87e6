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
	"relais/internal/tier"
	"relais/market"
)

// An owned measure is of an import: "" for those that were added.
type owned struct {
	made
	name string
	kind Kind
}

// ownedMeasures fills the store; ageless is the import of one measure without a time.
func ownedMeasures(t *testing.T, s *Store, r *rand.Rand) (list []owned, ageless string) {
	t.Helper()
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
	return list, last()
}

// allSessions reads all pages, which must account for all measures.
func allSessions(t *testing.T, s *Store, q Query) (got []Session) {
	t.Helper()
	measures := 0
	for q.Limit = 100; ; {
		page, err := s.Sessions(q, len(got))
		must(t, err)
		if got, measures = append(got, page.Page...), page.Measures; len(page.Page) == 0 || page.Total == len(got) {
			break
		}
	}
	for _, x := range got {
		measures -= x.Measures
	}
	if measures != 0 {
		t.Errorf("%d measurements are not in a session, want 0", measures)
	}
	return got
}

func setOf(list []string) map[string]bool {
	m := map[string]bool{}
	for _, v := range list {
		m[v] = true
	}
	return m
}

// Sessions are what a look at every measure finds.
func TestSessionsAgainstBruteForce(t *testing.T) {
	tier.Slow(t)
	r := rand.New(rand.NewPCG(11, 12))
	s := openStore(t, t.TempDir())
	list, ageless := ownedMeasures(t, s, r)
	keys := map[int]string{}
	for _, o := range market.Get(market.FR).Operators {
		for _, p := range o.PLMNs {
			_, mnc := splitPLMN(p)
			keys[mnc] = o.Key
		}
	}
	for i := range 120 {
		center := list[r.IntN(len(list))]
		q := Query{Market: market.FR,
			Disc: &geo.Disc{Center: geo.Point{Lat: center.lat + r.Float64()/10, Lng: center.lng},
				Radius: math.Pow(10, 2+r.Float64()*4)}}
		if i%3 == 0 {
			q.Disc = nil
		}
		if i%4 == 0 {
			q.Among = []string{"ORANGE"}
		}
		want := map[string]int{}
		technologies, operators := map[string]map[string]bool{}, map[string]map[string]bool{}
		for _, m := range list {
			if q.Disc != nil && geo.Distance(q.Disc.Center, geo.Point{Lat: m.lat, Lng: m.lng}) > q.Disc.Radius ||
				q.Among != nil && keys[m.mnc] != "ORANGE" {
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
		got, n := allSessions(t, s, q), 0
		for _, x := range got {
			if x.Day == "" { // the one without a time
				if x.Import != ageless || x.Measures != 1 || !x.First.IsZero() {
					t.Errorf("session = %+v, want one of unknown age", x)
				}
				continue
			}
			n++
			key := x.Import + string(x.Kind) + x.Day
			if x.Measures != want[key] || !maps.Equal(setOf(x.Technologies), technologies[key]) ||
				!maps.Equal(setOf(x.Operators), operators[key]) ||
				x.First.After(x.Last) || x.First.Format(time.DateOnly) != x.Day ||
				x.Last.Format(time.DateOnly) != x.Day {
				t.Fatalf("%+v, want %d %v %v", x, want[key], technologies[key], operators[key])
			}
		}
		if n != len(want) || !slices.IsSortedFunc(got, func(a, b Session) int { return cmp.Compare(b.Day, a.Day) }) {
			t.Errorf("%d sessions, want %d", n, len(want))
		}
	}
	if _, err := s.Sessions(Query{Market: "XX", Limit: 1}, 0); err == nil {
		t.Error("Sessions() of an unknown market = nil error, want one")
	}
}

// Of very many measures each is counted.
func TestSessionsOfMany(t *testing.T) {
	const n = 22_500
	var text strings.Builder
	text.WriteString(coverageHead)
	first := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	for i := range n { // one of five each on the first days, the rest on the third, all over the place
		at := first.AddDate(0, 0, min(i%5, 2)).Add(time.Duration(i*7919%86400) * time.Second)
		fmt.Fprintf(&text, "a,%s,%.5f,%.5f,-60,-80,12,LTE,CELLULAR,208,1,%d,,,7\n", at.Format(time.RFC3339),
			45+float64(i%547)/1000, 4+float64(i%631)/1000, 1+i%5000)
	}
	s := openStore(t, t.TempDir())
	imported(t, s, market.FR, write(t, "many.csv", text.String()))
	got, err := s.Sessions(Query{Market: market.FR, Limit: 10}, 0)
	if err != nil || got.Total != 3 || got.Measures != n {
		t.Fatalf("%d sessions of %d measures (%v), want 3 of %d", got.Total, got.Measures, err, n)
	}
	for i, x := range got.Page {
		day, want := first.AddDate(0, 0, 2-i).Format(time.DateOnly), []int{n / 5 * 3, n / 5, n / 5}[i]
		if x.Day != day || x.Measures != want || x.First.Format(time.DateOnly) != day ||
			x.Last.Format(time.DateOnly) != day {
			t.Errorf("session %d: %+v, want %d measures of %s", i, x, want, day)
		}
	}
}
