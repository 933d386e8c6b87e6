package measure

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/geo"
	"relais/market"
	"relais/site"
)

// A statedRow is a row of a file. Values of 0 and -1 are not stated.
type statedRow struct {
	at             geo.Point
	time           time.Time
	mnc            int
	tech           string
	enb, gnb, cell int
	pci            int
}

// randomRows returns rows of few base stations, some without an operator.
func randomRows(r *rand.Rand, n int) (list []statedRow) {
	for range n {
		s := statedRow{at: geo.Point{Lat: 45.75 + r.NormFloat64()*0.02, Lng: 4.85 + r.NormFloat64()*0.02},
			time: now.Add(-time.Duration(r.IntN(86400)) * time.Second),
			mnc:  []int{1, 10, 15, 99}[r.IntN(4)], tech: techs[r.IntN(len(techs))], pci: r.IntN(500) - 1}
		s.at.Lat, s.at.Lng = geo.Degrees(geo.Fix(s.at.Lat)), geo.Degrees(geo.Fix(s.at.Lng))
		node := 1000 + r.IntN(20)
		switch r.IntN(4) {
		case 0:
			s.enb = node
		case 1:
			s.gnb = node
		case 2:
			s.cell = node<<8 | r.IntN(3)
		case 3:
			s.gnb, s.cell = node, (1000+r.IntN(20))<<12|r.IntN(3)
		}
		list = append(list, s)
	}
	return list
}

func toldFile(list []statedRow) string {
	var b strings.Builder
	b.WriteString(coverageHead)
	text := func(n int) string {
		if n <= 0 {
			return ""
		}
		return fmt.Sprint(n)
	}
	for _, s := range list {
		fmt.Fprintf(&b, ",%s,%.7f,%.7f,-60,,,%s,CELLULAR,208,%d,%s,%s,%s,%s\n", s.time.Format(time.RFC3339), s.at.Lat,
			s.at.Lng, s.tech, s.mnc, text(s.enb), text(s.gnb), text(s.cell), text(s.pci))
	}
	return b.String()
}

// names says, in another way than the store does, whether a row names an identifier.
func (s *statedRow) names(id site.RadioID) bool {
	g := generationOf[s.tech]
	if s.mnc == 99 || market.Get(market.FR).Operators[id.Operator].Key != keyOf[s.mnc] {
		return false
	}
	enb := s.enb
	if g == 4 && enb == 0 {
		enb = s.cell / 256
	}
	isECI := enb != 0 && s.cell/256 == enb
	value := int(id.Value)
	switch id.Kind {
	case site.ENB:
		return enb == value
	case site.GNB:
		return s.gnb == value || s.gnb == 0 && id.Bits > 0 && g == 5 && !isECI && s.cell != 0 &&
			s.cell>>(36-id.Bits) == value
	case site.Cell:
		return s.cell == value && (isECI || g == 5)
	}
	return false
}

func TestObservationsOfAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	list := randomRows(r, 4000)
	s := openStore(t, t.TempDir())
	imported(t, s, market.FR, write(t, "a.csv", toldFile(list[:1500])), write(t, "b.csv", toldFile(list[1500:])))
	hits, most := 0, []int{0, 1, 7, 10000}
	for range 3000 {
		id := site.RadioID{Kind: site.RadioKind(r.IntN(site.RadioKinds)), Operator: r.IntN(4),
			Value: uint64(998 + r.IntN(24))}
		switch {
		case id.Kind == site.Cell:
			id.Value = id.Value<<[]int{8, 12}[r.IntN(2)] | uint64(r.IntN(3))
		case id.Kind == site.GNB:
			id.Bits = []uint8{0, 24, 28, 22, 32}[r.IntN(5)]
		}
		want := map[string]int{}
		n := 0
		for _, row := range list {
			if row.names(id) {
				want[fmt.Sprint(row.at, row.time.Unix())]++
				n++
			}
		}
		limit := most[r.IntN(len(most))]
		got := 0
		total := s.ObservationsOf(market.FR, id, limit, func(h *Observation) {
			key := fmt.Sprint(h.Position(), h.Time().Unix())
			if want[key]--; want[key] < 0 || h.Operator != id.Operator {
				t.Errorf("ObservationsOf(%+v) yields %+v, which it must not or yielded before", id, h)
			}
			got++
		})
		if total != n || got != min(n, limit) {
			t.Fatalf("ObservationsOf(%+v) = %d with %d calls, want %d", id, total, got, n)
		}
		hits += n
	}
	if hits < 1000 {
		t.Errorf("%d observations in all, want 1000 or more", hits)
	}
	for _, id := range []site.RadioID{{Kind: site.Cell, Value: 1<<64 - 1}, {Kind: site.ENB, Value: 1 << 60},
		{Kind: site.ENB, Operator: -1, Value: 1000}, {Kind: site.ENB, Operator: 99, Value: 1000}} {
		if n := s.ObservationsOf(market.FR, id, 10, func(*Observation) { t.Error(id) }); n != 0 {
			t.Errorf("ObservationsOf(%+v) = %d, want 0", id, n)
		}
	}
	if n := s.ObservationsOf(market.CH, site.RadioID{Value: 1000}, 10, nil); n != 0 {
		t.Errorf("ObservationsOf() of another market = %d, want 0", n)
	}
}

func TestObservationsNearAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	list := randomRows(r, 6000)
	s := openStore(t, t.TempDir())
	imported(t, s, market.FR, write(t, "a.csv", toldFile(list[:2500])), write(t, "b.csv", toldFile(list[2500:])))
	samples := 0
	for range 60 {
		d := geo.Disc{Center: list[r.IntN(len(list))].at, Radius: r.Float64() * 3000}
		want := map[string]int{}
		n := 0
		for _, row := range list {
			if row.mnc != 99 && geo.Distance(d.Center, row.at) <= d.Radius {
				want[fmt.Sprint(row.at, row.time.Unix(), generationOf[row.tech])]++
				n++
			}
		}
		most := []int{1024, 1 << 20}[r.IntN(2)]
		got := 0
		looked, of := s.ObservationsNear(market.FR, d, most, func(h *Observation) {
			key := fmt.Sprint(h.Position(), h.Time().Unix(), h.Generation())
			if want[key]--; want[key] < 0 {
				t.Errorf("ObservationsNear(%+v) yields %+v, which it must not or yielded before", d, h)
			}
			got++
		})
		if looked > most || of < n || looked == of && got != n || looked > of {
			t.Fatalf("%+v: read %d of %d rows, yielded %d of %d, want all or an even sample", d, looked, of, got, n)
		}
		if looked < of {
			samples++
		}
	}
	if samples < 5 || samples > 55 {
		t.Errorf("%d samples, want 5 to 55", samples)
	}
}

func TestCounts(t *testing.T) {
	list := randomRows(rand.New(rand.NewPCG(45, 46)), 500)
	s := openStore(t, t.TempDir())
	imported(t, s, market.FR, write(t, "a.csv", toldFile(list[:200])), write(t, "b.csv", toldFile(list[200:])))
	want := map[string]int{}
	for _, row := range list {
		want[fmt.Sprint(keyOf[row.mnc], generationOf[row.tech])]++
	}
	keys := append([]string{""}, market.Get(market.FR).OperatorKeys()...)
	for o, counts := range s.Counts(market.FR, Coverage) {
		for g, n := range counts {
			if n != want[fmt.Sprint(keys[o], g)] {
				t.Errorf("%q, %dG: %d, want %d", keys[o], g, n, want[fmt.Sprint(keys[o], g)])
			}
		}
	}
	if none := s.Counts(market.FR, Speedtest); slices.ContainsFunc(none, func(c [6]int) bool { return c != [6]int{} }) {
		t.Errorf("Counts() of speedtests = %v, want zeros", none)
	}
}
