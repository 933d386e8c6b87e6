package anfr

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"relais/market"
)

const positionHeader = "adm_lb_nom;sup_id;emr_lb_systeme;sta_nm_dpt;code_insee;generation;date_maj;sta_nm_anfr;coordonnees;coord;statut\n"

// positions makes an observatoire with one row for each position of support 100.
func positions(at ...string) string {
	var b strings.Builder
	b.WriteString(positionHeader)
	for i, p := range at {
		plain, coord, _ := strings.Cut(p, "|")
		fmt.Fprintf(&b, "SFR;100;LTE %d;003;03001;4G;2026-08-27T10:00:00;0032700001;%s;%s;En service\n", i%50, plain,
			coord)
	}
	return b.String()
}

// Positions of one support that differ by a second of arc at most are one; beyond it,
// most rows have it.
func TestPositions(t *testing.T) {
	for _, tt := range []struct {
		name   string
		at     []string
		served int
		lat    float64
	}{
		{"4 millimetres", []string{"46.5 , 3.1", "46.50000004 , 3.1", "46.5 , 3.1"}, 3, 46.5},
		{"another spelling", []string{"46.177499999999995 , 3.1", "46.177500 , 3.1"}, 2, 46.1775},
		{"within a second", []string{"46.5 , 3.1", "46.5002 , 3.1002"}, 2, 46.5},
		{"the first is the odd one", []string{"46.9 , 3.1", "46.5 , 3.1", "46.5 , 3.1"}, 2, 46.5},
		{"the last is the odd one", []string{"46.5 , 3.1", "46.5 , 3.1", "46.9 , 3.1"}, 2, 46.5},
		{"a draw", []string{"46.9 , 3.1", "46.5 , 3.1"}, 1, 46.9},
		{"coord alone", []string{"|46°30'00''N 3°06'00''E"}, 1, 46.5},
		{"coord and coordonnees", []string{"46.5 , 3.1", "|46°30'00''N 3°06'00''E"}, 2, 46.5},
		{"coord is not looked at", []string{"46.5 , 3.1|40°30'00''N 3°06'00''E"}, 1, 46.5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sites, reports, _ := build(t, map[string]string{"o.csv": positions(tt.at...)}, market.FR)
			s := sites["100"]
			if got := reports[Observatory].Served; got != tt.served || len(s.Emissions) != tt.served ||
				math.Abs(s.Position.Lat-tt.lat) > 1e-6 {
				t.Errorf("%d served, %d emissions at %v; want %d at %v", got, len(s.Emissions), s.Position.Lat,
					tt.served, tt.lat)
			}
		})
	}
}

func TestDMS(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want [2]float64
	}{
		{"46°10'39''N 3°22'27''E", [2]float64{46.1775, 3.3741667}},
		{"20°54'00''S 55°24'00''E", [2]float64{-20.9, 55.4}},
		{"48°51'0''N 1°30'36''W", [2]float64{48.85, -1.51}},
		{"14°36'00\"N 61°04'12\"O", [2]float64{14.6, -61.07}},
	} {
		t.Run(tt.in, func(t *testing.T) {
			p, ok := parseDMS([]byte(tt.in))
			if !ok || math.Abs(p.Lat-tt.want[0]) > 1e-7 || math.Abs(p.Lng-tt.want[1]) > 1e-7 {
				t.Errorf("tt.in = %q, p = %v, ok = %v; want ok, math.Abs(p.Lat-tt.want[0]) <= 1e-7, "+
					"math.Abs(p.Lng-tt.want[1]) <= 1e-7", tt.in, p, ok)
			}
		})
	}
	for _, in := range []string{"", "46°10'39''N", "46°60'39''N 3°22'27''E", "46°10'60''N 3°22'27''E",
		"46 10 39 N 3 22 27 E", "91°10'39''N 3°22'27''E", "46°10'39''X 3°22'27''E", "°''N °''E"} {
		if p, ok := parseDMS([]byte(in)); ok {
			t.Errorf("in = %q, p = %v; want !ok", in, p)
		}
	}
}

// The positions that are served are those that a plain count of the rows has.
func TestPositionsAgainstBruteForce(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		type spot struct {
			lat  float64
			rows int
		}
		var spots []spot // a minute of arc apart, in the order in which they come
		var text []string
		for i := range 1 + random.IntN(30) {
			k := random.IntN(4)
			lat := 46 + float64(k)/60
			found := false
			for n := range spots {
				if spots[n].lat == lat {
					spots[n].rows++
					found = true
				}
			}
			if !found {
				spots = append(spots, spot{lat, 1})
			}
			text = append(text, fmt.Sprintf("%.7f , 3.1", lat+float64(i%3)*0.00002))
		}
		best := spots[0]
		for _, s := range spots {
			if s.rows > best.rows {
				best = s
			}
		}
		sites, reports, _ := build(t, map[string]string{"o.csv": positions(text...)}, market.FR)
		if got := sites["100"]; reports[Observatory].Served != best.rows ||
			math.Abs(got.Position.Lat-best.lat) > 0.0001 {
			t.Fatalf("%v\nserved %d at %v, want %+v", text, reports[Observatory].Served, got.Position.Lat, best)
		}
	}
}

// Very many positions of one support cost no more than a bounded number of them.
func TestManyPositions(t *testing.T) {
	var text []string
	for i := range 2000 {
		text = append(text, fmt.Sprintf("%.7f , %.7f", 46+float64(i%100)/600, 3+float64(i/100)/600))
	}
	_, reports, _ := build(t, map[string]string{"o.csv": positions(text...)}, market.FR)
	if r := reports[Observatory]; r.Served != 1 || r.Rejected[otherPosition] != 1999 {
		t.Errorf("r = %+v; want r.Served = 1, r.Rejected[otherPosition] = 1999", r)
	}
}
