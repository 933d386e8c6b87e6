package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/ingest/cells"
	"relais/market"
	"relais/site"
	"relais/site/observation"
)

const degree = 6371008.8 * 3.141592653589793 / 180 // metres of latitude on a sphere with the mean radius of the Earth

// heardMarket has sites of the first operator of FR, SFR, and of the second.
func heardMarket(t *testing.T) *index.Market {
	t.Helper()
	at := func(id string, lat float64, operator int, ids ...site.RadioID) site.Site {
		for i := range ids {
			ids[i].Operator = operator
		}
		return site.Site{ID: id, Area: -1, Position: geo.Point{Lat: lat, Lng: 3}, Radio: ids,
			Stations: []site.Station{{Code: "s" + id, Operator: operator}},
			Emissions: []site.Emission{{System: "LTE 800", Generation: site.G4, Azimuths: []uint16{20, 140, 260},
				Origin: site.FromEmitter}}}
	}
	return indextest.Market(t, market.FR,
		at("1", 46, 0, site.RadioID{Kind: site.ENB, Value: 1000}),
		at("2", 47, 1, site.RadioID{Kind: site.ENB, Value: 2000}),
		at("3", 48, 0, site.RadioID{Kind: site.GNB, Value: 70000})) // of unknown length
}

// heardRow is a cell that was heard some metres north of a latitude.
func heardRow(plmn string, nr bool, id uint64, lat, metres float64) cells.Row {
	r := cells.Row{PLMN: plmn, Cell: observation.Cell{NR: nr, ID: id, PCI: -1}, Position: &geo.Point{Lat: lat + metres/degree, Lng: 3}}
	if m, operator := market.Network(plmn); m != nil {
		r.Market, r.Cell.Operator = m, operator
	}
	return r
}

// What is known of a cell follows from its number, its network and where it was heard.
func TestHeard(t *testing.T) {
	c := &Catalog{Set: index.NewSet([]*index.Market{heardMarket(t)}, nil)}
	sfr, bouygues, nci := market.Get(market.FR).Operators[0].PLMNs[0], market.Get(market.FR).Operators[1].PLMNs[0], uint64(70000)<<12|5
	nowhere := heardRow(sfr, false, 1000<<8|1, 0, 0)
	nowhere.Position = nil
	node := heardRow(sfr, false, 0, 46, 800)
	node.Cell.Node = 1000
	for _, tt := range []struct {
		name string
		rows []cells.Row
		want string
	}{
		{"a cell of a site", []cells.Row{heardRow(sfr, false, 1000<<8|1, 46, 1000)}, "known 1 at 1000 m, 0° from there, 20 is 20 off"},
		{"its base station", []cells.Row{node}, "known 1 at 800 m, 0° from there, 20 is 20 off"},
		{"the median of three", []cells.Row{heardRow(sfr, false, 1000<<8|1, 46, 900), heardRow(sfr, false, 1000<<8|1, 46, 700),
			heardRow(sfr, false, 1000<<8|1, 46, 9000)}, "known 1 at 900 m, 0° from there, 20 is 20 off"},
		{"too near for a direction", []cells.Row{heardRow(sfr, false, 1000<<8|1, 46, 40)}, "known 1 at 40 m"},
		{"on both sides", []cells.Row{heardRow(sfr, false, 1000<<8|1, 46, 900), heardRow(sfr, false, 1000<<8|1, 46, -900)},
			"known 1 at 900 m"},
		{"without a position", []cells.Row{nowhere}, "known 1 at -1 m"},
		{"just not moved", []cells.Row{heardRow(sfr, false, 1000<<8|1, 46, 14_990)}, "known 1 at 14990 m, 0° from there, 20 is 20 off"},
		{"moved", []cells.Row{heardRow(sfr, false, 1000<<8|1, 46, 15_010)}, "moved 1 at 15010 m"},
		{"a number of another operator there", []cells.Row{heardRow(sfr, false, 2000<<8|1, 47, 500)},
			"known 2 at 500 m, 0° from there, 20 is 20 off"},
		{"and elsewhere", []cells.Row{heardRow(bouygues, false, 1000<<8|1, 47, 500)}, "unknown"},
		{"a possible cell of a gNB", []cells.Row{heardRow(sfr, true, nci, 48, 500)}, "known 3 at 500 m, 0° from there"},
		{"and elsewhere", []cells.Row{heardRow(sfr, true, nci, 46, 500)}, "unknown"},
		{"no site", []cells.Row{heardRow(sfr, false, 3000<<8|1, 46, 0)}, "unknown"},
		{"a market that is not loaded", []cells.Row{heardRow("22801", false, 1000<<8|1, 46, 0)}, "unregistered"},
		{"no market", []cells.Row{heardRow("310260", false, 1000<<8|1, 46, 0)}, "unregistered"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := &Heard{}
			for _, r := range tt.rows {
				q.Add(r)
			}
			found, err := c.Heard(t.Context(), q)
			if got := summary(&found); err != nil || got != tt.want {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
	if _, err := new(Catalog).Heard(t.Context(), &Heard{}); err != ErrLoading {
		t.Errorf("without registers: %v, want ErrLoading", err)
	}
}

// summary writes what was found.
func summary(found *HeardFound) string {
	list := slices.Concat(slices.Repeat([]string{"unknown"}, len(found.Unknown)),
		slices.Repeat([]string{"unregistered"}, len(found.Unregistered)))
	known, moved := 0, 0
	for _, s := range found.Sites {
		for _, f := range s.Cells {
			text := fmt.Sprintf("known %s at %.0f m", s.Register.Snap.ID(int(s.At)), f.Metres)
			if known++; f.Moved {
				text, known, moved = "moved"+text[len("known"):], known-1, moved+1
			}
			if f.HasBearing {
				text += fmt.Sprintf(", %.0f° from there", f.Bearing)
			}
			if f.HasAzimuth {
				text += fmt.Sprintf(", %d is %.0f off", f.Azimuth, f.Off)
			}
			list = append(list, text)
		}
	}
	if known != found.Known || moved != found.Moved {
		list = append(list, "wrong sums")
	}
	return strings.Join(list, "; ")
}

// A log with more cells than a Heard takes says how many rows it left out.
func TestHeardBound(t *testing.T) {
	q := &Heard{}
	for i := range uint64(maxHeard + 10) {
		q.Add(heardRow("310260", false, 256+i, 46, 0))
	}
	q.Add(heardRow("310260", false, 256, 46, 0)) // which is there already
	if q.Left != 10 || len(q.cells) != maxHeard {
		t.Errorf("%d rows left out of %d cells, want 10 of %d", q.Left, len(q.cells), maxHeard)
	}
}
