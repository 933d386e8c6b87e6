package tools

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/api"
	"relais/api/view"
	"relais/catalog"
	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/market"
	"relais/measure"
	"relais/measure/measuretest"
	"relais/radio"
	"relais/site"
)

// Places of operators in the table of FR.
const (
	sfr = iota
	bouygues
	orange
	free
)

// A radioRow is a coverage point of the tests: texts and numbers as its file has them, ""
// and 0 for nothing.
type radioRow struct {
	at                  geo.Point
	operator            int
	tech                string
	enb, gnb, cell, pci int
	day                 int // of August 2026
}

func (x *radioRow) line() string {
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("2026-08-%02dT12:00:00Z,%.7f,%.7f,-60,%s,208,%d,%s,%s,%s,%s\n", max(x.day, 1), x.at.Lat,
		x.at.Lng, x.tech, []int{10, 20, 1, 15, 99}[x.operator],
		number(x.enb), number(x.gnb), number(x.cell), number(x.pci))
}

// radioReading is sites of FR with what was measured there, and learned from it.
func radioReading(t testing.TB, sites []site.Site, rows []radioRow) *Reading {
	t.Helper()
	now := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	text := "timestamp,lat,lng,signal_strength,technology,mcc,mnc,enb,gnb,cell_id,pci\n"
	for i := range rows {
		text += rows[i].line()
	}
	store := measuretest.Open(t, func() time.Time { return now }, text)
	if len(rows) > 0 && store.Count(market.FR, measure.Coverage) == 0 {
		t.Fatal("no coverage points were imported")
	}
	m, err := indextest.Market(t, market.FR, sites...).Learn("measures", store.CellObservations(market.FR))
	if err != nil {
		t.Fatal(err)
	}
	return &Reading{Env: &api.Env{BaseURL: "http://relais.test",
		Catalog: catalog.Catalog{Set: index.NewSet([]*index.Market{m}, nil), Measures: store, Now: now}}}
}

// radioOf calls a tool and decodes its answer.
func radioOf[T any](t testing.TB, r *Reading, name, arguments string) (answer T) {
	t.Helper()
	text, err := json.Marshal(mustCall(t, r, name, arguments))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// away is the point so many metres from another in a direction, by the formula of the
// direct problem on the sphere.
func away(p geo.Point, metres, degrees float64) geo.Point {
	const rad = math.Pi / 180
	d, lat := metres/geo.EarthRadius, p.Lat*rad
	to := math.Asin(math.Sin(lat)*math.Cos(d) + math.Cos(lat)*math.Sin(d)*math.Cos(degrees*rad))
	lng := p.Lng + math.Atan2(math.Sin(degrees*rad)*math.Sin(d)*math.Cos(lat),
		math.Cos(d)-math.Sin(lat)*math.Sin(to))/rad
	return geo.Point{Lat: geo.Degrees(geo.Fix(to / rad)), Lng: geo.Degrees(geo.Fix(lng))}
}

// emits adds a station with a system in a status to a site.
func emits(s *site.Site, operator int, system string, g site.Generation, status int) {
	s.Stations = append(s.Stations, site.Station{Code: fmt.Sprint(s.ID, "-", len(s.Stations)), Operator: operator})
	s.Emissions = append(s.Emissions,
		site.Emission{Station: len(s.Stations) - 1, System: system, Generation: g, Status: status})
}

// states gives an emission of a site its azimuths.
func states(s *site.Site, emission int, azimuths ...uint16) {
	s.Emissions[emission].Azimuths, s.Emissions[emission].Origin = azimuths, site.FromEmitter
}

var radioHome = geo.Point{Lat: 46.1775, Lng: 3.3741667}

// radioTown makes sites within a few kilometres, what sources give to them, and what was
// measured around them.
func radioTown(r *rand.Rand) (sites []site.Site, rows []radioRow) {
	for i := range 40 {
		s := site.Site{ID: fmt.Sprint(100 + i), Position: away(radioHome, 4000*math.Sqrt(r.Float64()), r.Float64()*360)}
		for o := range 4 {
			for g := site.G2; g <= site.G5; g++ {
				if r.IntN(3) == 0 {
					emits(&s, o, fmt.Sprint(g, " ", 700+100*r.IntN(3)), g, r.IntN(3))
				}
			}
		}
		if len(s.Stations) == 0 {
			emits(&s, free, "LTE 700", site.G4, 2)
		}
		for range r.IntN(4) {
			o := s.Stations[r.IntN(len(s.Stations))].Operator
			id := site.RadioID{Kind: site.RadioKind(r.IntN(site.RadioKinds)), Operator: o,
				Value: uint64(2 + r.IntN(60))}
			switch id.Kind {
			case site.Cell:
				id.Value = id.Value<<8 | uint64(1+r.IntN(3))
			case site.GNB:
				id.Bits = []uint8{0, 24}[r.IntN(2)]
			case site.PCI:
				id.Value %= 12
			}
			if !radio.Assigned(s.Radio, id) {
				s.Radio = append(s.Radio, id)
			}
		}
		sites = append(sites, s)
	}
	for range 1000 {
		home := &sites[r.IntN(len(sites))]
		row := radioRow{at: away(home.Position, math.Abs(r.NormFloat64())*500, r.Float64()*360),
			operator: home.Stations[0].Operator, day: 1 + r.IntN(28),
			tech: []string{"LTE", "NR", "GSM", "UMTS", ""}[r.IntN(5)], pci: r.IntN(12)}
		node := 2 + r.IntN(60) // a phone says 1 where it knows none
		switch r.IntN(6) {
		case 0:
			row.enb = node
		case 1:
			row.gnb = node
		case 2:
			row.cell = node<<8 | (1 + r.IntN(3))
		case 3:
			row.enb, row.cell = node, node<<8|(1+r.IntN(3))
		case 4:
			row.tech, row.cell = "NR", node<<12|1
		case 5: // most phones in NR say both
			row.tech, row.gnb, row.cell = "NR", node, node<<12|(1+r.IntN(2))
		}
		rows = append(rows, row)
	}
	return sites, rows
}

// The sites that an identifier names are those of the API, page by page, and what was
// learned is marked.
func TestFindByRadioAgrees(t *testing.T) {
	sites, rows := radioTown(rand.New(rand.NewPCG(51, 52)))
	r := radioReading(t, sites, rows)
	learned, stated, several := 0, 0, 0
	for value := range 400 {
		for _, as := range []string{"auto", "enb", "gnb", "pci", "ci"} {
			given := map[string]string{"value": fmt.Sprint(value), "type": as, "limit": "100"}
			want := apiAnswer(t, r, "antennas.lookup", given)["data"].([]any)
			var got []RadioHit
			for offset := 0; ; {
				page := radioOf[RadioHits](t, r, "sites_find_by_radio",
					fmt.Sprintf(`{"value":"%d","type":%q,"limit":3,"offset":%d}`, value, as, offset))
				got = append(got, page.Items...)
				if page.Total != len(want) || len(page.Sources) != 1 {
					t.Fatalf("%v: %+v, want %d", given, page, len(want))
				}
				if page.NextOffset == nil {
					break
				}
				offset = *page.NextOffset
			}
			for i, hit := range got {
				w := want[i].(object)
				if hit.SiteKey != w["site"].(object)["siteKey"] ||
					fmt.Sprint(hit.Matches) != fmt.Sprint(shownMatches(w["matches"])) {
					t.Fatalf("%v: %+v, want %v", given, hit, w)
				}
				if len(hit.MatchedOf) == 0 ||
					slices.ContainsFunc(hit.MatchedOf,
						func(o string) bool { return !slices.Contains(hit.Operators, o) }) {
					t.Errorf("%v: got %+v, want it matched by operators of the hit", given, hit)
				}
				if hit.Learned {
					learned++
				} else {
					stated++
				}
			}
			if len(got) > 1 {
				several++
			}
		}
	}
	if learned < 20 || stated < 20 || several < 20 {
		t.Errorf("%d learned, %d stated, %d with several sites, want at least 20, at least 20 and at least 20",
			learned, stated, several)
	}
}

func shownMatches(list any) (matches []view.Match) {
	for _, m := range list.([]any) {
		matches = append(matches, view.Match{Type: m.(object)["type"].(string), Value: m.(object)["value"].(string)})
	}
	return matches
}

var radioArgumentsCases = []struct{ tool, arguments, want string }{
	{"sites_find_by_radio", `{}`, "give value, enb, gnb, pci, cellId or ci"},
	{"sites_find_by_radio", `{"enb":"1","pci":"2"}`, "give one of them"},
	{"sites_find_by_radio", `{"pci":"1008"}`, "0 to 1007"},
	{"sites_find_by_radio", `{"enb":"1","market":"XX"}`, "FR, DROM"},
	{"radio_diagnose_site", `{}`, "siteId"},
	{"radio_diagnose_site", `{"siteId":"8"}`, "no site"},
	{"radio_diagnose_site", `{"siteId":"7","operator":"FREE"}`, "an operator of the site, or ALL: it has ORANGE"},
	{"radio_diagnose_site", `{"siteId":"7","operator":"ZEOP"}`, "FR has"},
	{"radio_diagnose_site", `{"siteId":"7","radiusKm":6}`, "at most 5"},
	{"radio_diagnose_site", `{"siteId":"7","limit":-1}`, "1 to 20"},
	{"radio_profile_estimate", `{}`, "give node or cellId, or lat and lon"},
	{"radio_profile_estimate", `{"pci":1}`, "give node or cellId, or lat and lon"},
	{"radio_profile_estimate", `{"lat":1}`, "lat and lon belong together"},
	{"radio_profile_estimate", `{"node":1,"lon":1}`, "lat and lon belong together"},
	{"radio_profile_estimate", `{"node":1,"technology":"6G"}`, "GSM, UMTS, LTE, NR"},
	{"radio_profile_estimate", `{"node":1,"pci":1008}`, "0 to 1007"},
	{"radio_profile_estimate", `{"node":2,"cellId":256,"technology":"4G"}`, "which is 1"},
	{"radio_profile_estimate", `{"cellId":268435456,"technology":"LTE"}`, "1 to 268435455"},
	{"radio_profile_estimate", `{"cellId":258305,"technology":"UMTS"}`, "3G has no eNB"},
	{"radio_profile_estimate", `{"node":1009,"technology":"GSM"}`, "or give the technology as 4G or 5G"},
	{"radio_profile_estimate", `{"lat":46,"lon":3,"pci":3,"technology":"3G"}`, "pci"},
	{"radio_profile_estimate", `{"node":1009,"pci":504,"technology":"LTE"}`, "in 4G from 0 to 503"},
	{"radio_profile_estimate", `{"node":1048576,"technology":"4G+"}`, "an eNB, from 1 to 1048575"},
	{"radio_profile_estimate", `{"cellId":68719476736}`, "1 to 68719476735"},
	{"radio_profile_estimate", `{"node":1,"market":"CH"}`, "CH is not loaded"},
	{"radio_check_sector_alignment", `{"siteId":"7","lat":91,"lon":0}`, "-90 to 90"},
	{"radio_check_sector_alignment", `{"siteId":"7","lon":0}`, "lat and lon belong together"},
	{"markets_compare_coverage", `{"markets":"FR,XX"}`, "one of FR, DROM"},
	{"markets_compare_coverage", `{"markets":","}`, "one of FR, DROM"},
}

// What cannot be asked says what to change.
func TestRadioArguments(t *testing.T) {
	s := site.Site{ID: "7", Position: radioHome}
	emits(&s, orange, "LTE 800", site.G4, 2)
	r := radioReading(t, []site.Site{s}, nil)
	for _, tt := range radioArgumentsCases {
		if answer, err := call(r, tt.tool, tt.arguments); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %s: %v, %v, want an error with %q", tt.tool, tt.arguments, answer, err, tt.want)
		}
	}
	r.Measures = nil
	for _, tt := range []struct{ tool, arguments string }{
		{"radio_diagnose_site", `{"siteId":"7"}`},
		{"radio_check_sector_alignment", `{"siteId":"7"}`},
		{"markets_compare_coverage", `{}`},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			if _, err := call(r, tt.tool, tt.arguments); err == nil ||
				!strings.Contains(err.Error(), "measurements are not open") {
				t.Errorf("%s without measures: %v, want an error with measurements are not open", tt.tool,
					err)
			}
		})
	}
	mustCall(t, r, "radio_check_sector_alignment", `{"siteId":"7","lat":46,"lon":3}`)
	r.Set = nil
	if _, err := call(r, "markets_compare_coverage", `{"markets":"FR"}`); err == nil ||
		!strings.Contains(err.Error(), "still loading") {
		t.Errorf("a register that is loading is said to be missing: %v, want an error with still loading", err)
	}
	for _, tt := range []struct{ tool, arguments string }{
		{"sites_find_by_radio", `{"enb":"1"}`},
		{"radio_diagnose_site", `{"siteId":"7"}`},
		{"radio_profile_estimate", `{"node":1}`},
		{"markets_compare_coverage", `{}`},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			if _, err := call(r, tt.tool, tt.arguments); err == nil {
				t.Errorf("%s without registers answers", tt.tool)
			}
		})
	}
}
