package community

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"relais/geo"
	"relais/market"
	"relais/outage"
)

// A dot is what the brute force knows of an outage.
type dot struct {
	operator, id string
	at           geo.Point
	began        time.Time
}

// scattered makes entries of all operators and reports, at random places and times.
func scattered(t *testing.T, s *Store, c *clock, rnd *rand.Rand) (dots []dot) {
	t.Helper()
	place := func() geo.Point {
		return geo.Point{Lat: 45 + float64(rnd.IntN(20000))/1e4, Lng: 2 + float64(rnd.IntN(20000))/1e4}
	}
	for _, op := range french {
		var rows []string
		for i := range 120 {
			p, began := place(), c.at.Add(-time.Duration(rnd.IntN(30))*time.Hour)
			code := fmt.Sprint(i)
			rows = append(rows,
				fmt.Sprintf("%s;NON;;63;X;63113;%v;%v;HS;;%s\n", code, p.Lat, p.Lng,
					began.Format(time.RFC3339)))
			dots = append(dots,
				dot{op, "operator:fr-" + map[string]string{"SFR": "sfr", "BOUYGUES": "bouygues", "ORANGE": "orange",
					"FREE": "free"}[op] + ":" + code, p, began})
		}
		load(t, s, op, rows...)
		for range 30 {
			n := said("ann")
			n.Operator, n.At, n.StartedAt = op, place(), c.at.Add(-time.Duration(rnd.IntN(30))*time.Hour)
			dots = append(dots, dot{op, made(t, s, n).ID, n.At, n.StartedAt})
		}
	}
	return dots
}

// metres is the distance by the law of cosines, which the code under test does not use.
func metres(a, b geo.Point) float64 {
	const rad = math.Pi / 180
	cos := math.Sin(a.Lat*rad)*math.Sin(b.Lat*rad) + math.Cos(a.Lat*rad)*math.Cos(b.Lat*rad)*math.Cos((a.Lng-b.Lng)*rad)
	return 6371008.8 * math.Acos(min(1, cos))
}

func TestOutagesByBruteForce(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	c := newClock()
	s, db := opened(t, c)
	dots := scattered(t, s, c, rnd)
	s = reopen(t, db, c)
	for range 200 {
		q := outage.Query{Market: market.FR}
		if rnd.IntN(2) > 0 {
			q.Operators = french[:1+rnd.IntN(3)]
		}
		if rnd.IntN(3) > 0 {
			lat, lng := 45+rnd.Float64()*2, 2+rnd.Float64()*2
			q.Box = &geo.Box{South: lat, West: lng, North: lat + 1, East: lng + 1}
		}
		if rnd.IntN(3) > 0 {
			q.Disc = &geo.Disc{Center: geo.Point{Lat: 46 + rnd.Float64(), Lng: 3},
				Radius: 1000 * float64(1+rnd.IntN(200))}
		}
		var want []dot
		for _, d := range dots {
			switch {
			case q.Operators != nil && !slices.Contains(q.Operators, d.operator):
			case q.Disc != nil && metres(q.Disc.Center, d.at) > q.Disc.Radius:
			case q.Disc == nil && q.Box != nil &&
				(d.at.Lat < q.Box.South || d.at.Lat > q.Box.North || d.at.Lng < q.Box.West || d.at.Lng > q.Box.East):
			default:
				want = append(want, d)
			}
		}
		got := s.Outages().All(q)
		if len(got) != len(want) {
			t.Fatalf("%+v: got %d outages, want %d", q, len(got), len(want))
		}
		checkOrder(t, &q, got, want)
		e := s.Outages().Entries(q)
		r := s.Outages().Reports(q)
		if len(e)+len(r) != len(want) {
			t.Errorf("%d entries and %d reports, want %d", len(e), len(r), len(want))
		}
	}
}

// checkOrder looks whether what was got is what was wanted, sorted.
func checkOrder(t *testing.T, q *outage.Query, got []Outage, want []dot) {
	t.Helper()
	slices.SortFunc(want, func(a, b dot) int {
		if q.Disc != nil {
			if x, y := metres(q.Disc.Center, a.at), metres(q.Disc.Center, b.at); math.Abs(x-y) > 1e-3 {
				return int(math.Copysign(1, x-y))
			}
		}
		if !a.began.Equal(b.began) {
			return b.began.Compare(a.began)
		}
		if a.id < b.id {
			return -1
		}
		return 1
	})
	for i := range got {
		if got[i].ID() != want[i].id {
			t.Fatalf("%+v: %d is %s, want %s", q, i, got[i].ID(), want[i].id)
		}
	}
}

// A territory restricts, and other markets are empty.
func TestArea(t *testing.T) {
	s, _ := opened(t, newClock())
	n := said("ann")
	n.Market, n.Operator, n.At = market.DROM, "SRR", geo.Point{Lat: -20.9, Lng: 55.5}
	made(t, s, n)
	for _, c := range []struct {
		code  market.Code
		areas []string
		want  int
	}{{market.DROM, []string{"971", "974"}, 1}, {market.DROM, []string{"971"}, 0}, {market.DROM, nil, 1}, {market.FR, nil, 0},
		{"XX", nil, 0}} {
		if l := s.Outages().All(outage.Query{Market: c.code, Areas: c.areas}); len(l) != c.want || l == nil {
			t.Errorf("%+v: %v, want %d outages in a list", c, l, c.want)
		}
	}
}

// ID returns the id of the entry or the report.
func (o *Outage) ID() string {
	if o.Entry != nil {
		return o.Entry.ID()
	}
	return o.Report.ID
}
