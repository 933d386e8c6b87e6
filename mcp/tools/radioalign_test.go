package tools

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/site"
)

// Positions at known bearings from a site.
func TestAlignmentOfAPosition(t *testing.T) {
	s := site.Site{ID: "7", Position: radioHome}
	emits(&s, orange, "LTE 800", site.G4, 2)
	emits(&s, sfr, "LTE 800", site.G4, 2)
	states(&s, 0, 10, 130)
	states(&s, 1, 250)
	bare := site.Site{ID: "8", Position: radioHome}
	emits(&bare, free, "LTE 700", site.G4, 2)
	r := radioReading(t, []site.Site{s, bare}, nil)
	for _, tt := range []struct {
		metres, degrees float64
		azimuth         uint16
		off             float64
	}{
		{1000, 10, 10, 0}, {3000, 355, 10, 15}, {250, 69, 10, 59}, {20000, 71, 130, 59}, {700, 200, 250, 50},
		{800, 309.5, 250, 59.5},
	} {
		p := away(radioHome, tt.metres, tt.degrees)
		a := radioOf[Alignment](t, r, "radio_check_sector_alignment",
			fmt.Sprintf(`{"siteId":"7","lat":%v,"lon":%v}`, p.Lat, p.Lng))
		if a.Point == nil || a.Measured != nil || math.Abs(*a.Point.Bearing-tt.degrees) > 0.11 ||
			math.Abs(float64(a.Point.Distance)-tt.metres) > 1 ||
			a.Point.Sector.Azimuth != tt.azimuth || math.Abs(a.Point.Sector.Off-tt.off) > 0.11 {
			t.Errorf("%+v: got %+v, sector %+v", tt, a.Point, a.Point.Sector)
		}
		if !slices.Equal(a.Of, []string{"SFR", "ORANGE"}) || a.From == nil || *a.From != "emitter" {
			t.Errorf("got %+v, want SFR and ORANGE from emitters", a)
		}
	}
	none := radioOf[Alignment](t, r, "radio_check_sector_alignment", `{"siteId":"8","lat":46,"lon":3}`)
	if none.Point.Sector != nil || len(none.Azimuths)+len(none.Of) != 0 ||
		!strings.Contains(strings.Join(none.Notes, " "), "states no azimuths") {
		t.Errorf("got %+v, want no sector and a note that there are no azimuths", none)
	}
	near := radioOf[Alignment](t, r, "radio_check_sector_alignment",
		fmt.Sprintf(`{"siteId":"7","lat":%v,"lon":%v}`, radioHome.Lat+1e-4, radioHome.Lng))
	if !strings.Contains(strings.Join(near.Notes, " "), "closer than 50 m") {
		t.Errorf("got %+v, want a note that it is closer than 50 m", near)
	}
}

// Measures of two cells in two directions, one of them off its sector, and of one all
// around.
func TestAlignmentOfMeasures(t *testing.T) {
	s := site.Site{ID: "7", Position: radioHome,
		Radio: []site.RadioID{{Kind: site.ENB, Operator: orange, Value: 1009},
			{Kind: site.GNB, Operator: orange, Value: 70000}}}
	emits(&s, orange, "LTE 800", site.G4, 2)
	emits(&s, orange, "5G NR 700", site.G5, 2)
	states(&s, 0, 0, 120, 240)
	states(&s, 1, 0, 120, 240)
	var rows []radioRow
	add := func(metres, degrees float64, cell int) {
		rows = append(rows, radioRow{at: away(radioHome, metres, degrees), operator: orange, tech: "LTE",
			cell: 1009<<8 | cell, pci: 100 + cell})
	}
	for i := range 10 {
		add(600+100*float64(i), 354+float64(i%5), 1) // 356 on the whole
		add(500+50*float64(i), 160+float64(i%2)*20, 2)
		add(300, 36*float64(i), 3)
	}
	add(30, 1, 1)
	rows = append(rows, radioRow{at: away(radioHome, 900, 245), operator: orange, tech: "NR", gnb: 70000})
	// another operator's 1009
	rows = append(rows, radioRow{at: away(radioHome, 900, 100), operator: sfr, tech: "LTE", cell: 1009<<8 | 1})
	r := radioReading(t, []site.Site{s}, rows)
	a := radioOf[Alignment](t, r, "radio_check_sector_alignment", `{"siteId":"7"}`)
	if a.Point != nil || a.Measured == nil {
		t.Fatalf("got %+v, want no Point and Measured set", a)
	}
	m := a.Measured
	if m.Of != 32 || m.Looked.Measures != 32 || m.Sample || m.TooNear != 1 || m.All != 4 || len(m.Cells) != 4 {
		t.Errorf("got %+v, want 32 measures, one too near, and 4 cells", m)
	}
	want := []struct {
		cell     int
		bearing  float64 // -1: none
		metres   int
		azimuth  uint16
		off      float64
		measures int
	}{{1, 356, 1050, 0, 4, 10}, {2, 170, 725, 120, 50, 10}, {3, -1, 300, 0, 0, 10}, {0, 245, 900, 240, 5, 1}}
	for i, w := range want {
		c := m.Cells[i]
		if c.Measures != w.measures || math.Abs(float64(c.Distance-w.metres)) > 1 || c.Operator != "ORANGE" {
			t.Errorf("%+v, want %+v", c, w)
		}
		if (w.cell == 0) != (c.Cell == nil) ||
			w.cell != 0 && (*c.Cell != fmt.Sprint(1009<<8|w.cell) || *c.PCI != 100+w.cell || c.Technology != "4G") ||
			w.cell == 0 && (c.PCI != nil || c.Technology != "5G") {
			t.Errorf("%+v, want %+v", c, w)
		}
		if w.bearing < 0 {
			if c.Bearing != nil || c.Sector != nil || c.Together > 0.001 {
				t.Errorf("got %+v, want no Bearing, no Sector and Together at most 0.001", c)
			}
			continue
		}
		if math.Abs(*c.Bearing-w.bearing) > 0.2 || c.Sector.Azimuth != w.azimuth ||
			math.Abs(c.Sector.Off-w.off) > 0.2 || c.Together < 0.98 {
			t.Errorf("%+v at %v, %+v, want %+v", c, *c.Bearing, c.Sector, w)
		}
	}
	checkSectors(t, m)
	few := radioOf[Alignment](t, r, "radio_check_sector_alignment", `{"siteId":"7","limit":2}`)
	if len(few.Measured.Cells) != 2 || few.Measured.All != 4 {
		t.Errorf("got %+v, want len(few.Measured.Cells) = 2 and All = 4", few.Measured)
	}
}

// checkSectors: nearest to 0 are ten of cell 1, and of cell 3 those at 324, 0 and 36; to
// 240 the gNB's at 245, and of cell 3 those at 216, 252 and 288. What is at 180 is as near
// to 240 as to 120, except for rounding.
func checkSectors(t *testing.T, m *MeasuredAlignment) {
	t.Helper()
	if len(m.Sectors) != 3 || m.Sectors[0].Measures != 13 || m.Sectors[1].Measures+m.Sectors[2].Measures != 18 ||
		m.Sectors[2].Measures < 4 {
		t.Errorf("got %+v, want three sectors with 13 measures in the first and 18 in the others", m.Sectors)
	}
	if off := m.Sectors[0].Off; off == nil || math.Abs(*off-4) > 0.2 {
		t.Errorf("got %v, want the first sector off by 4 degrees", m.Sectors)
	}
}

// A register that states azimuths by emission says whose sector is nearest.
func TestAlignmentOfEmissions(t *testing.T) {
	s := site.Site{ID: "7", Position: radioHome}
	emits(&s, orange, "LTE 800", site.G4, 2)
	emits(&s, sfr, "LTE 800", site.G4, 2)
	states(&s, 0, 10, 130)
	states(&s, 1, 60)
	r := radioReading(t, []site.Site{s}, nil)
	p := away(radioHome, 1000, 50)
	for _, tt := range []struct {
		name, operator string
		want           Alignment
		azimuth        uint16
	}{
		{"one operator", "ORANGE", Alignment{Azimuths: []uint16{10, 130}, Of: []string{"ORANGE"}, Notes: []string{}}, 10},
		{"another", "SFR", Alignment{Azimuths: []uint16{60}, Of: []string{"SFR"}, Notes: []string{}}, 60},
		{"all", "ALL", Alignment{Azimuths: []uint16{10, 60, 130}, Of: []string{"SFR", "ORANGE"}, Notes: []string{}}, 60},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := radioOf[Alignment](t, r, "radio_check_sector_alignment",
				fmt.Sprintf(`{"siteId":"7","operator":%q,"lat":%v,"lon":%v}`, tt.operator, p.Lat, p.Lng))
			got := Alignment{Azimuths: a.Azimuths, Of: a.Of, Notes: a.Notes}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("alignment (-want +got)\n%s", diff)
			}
			if a.Point.Sector.Azimuth != tt.azimuth {
				t.Errorf("nearest azimuth: got %d, want %d", a.Point.Sector.Azimuth, tt.azimuth)
			}
		})
	}
}
