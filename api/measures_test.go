package api

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"relais/api/endpoint"
	"relais/catalog"
	"relais/geo"
	"relais/index"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/market"
	"relais/measure"
	"relais/site"
)

// measures opens a store of files of FR.
func measures(t *testing.T, now func() time.Time, files ...string) *measure.Store {
	t.Helper()
	dir := folder.Dir(t.TempDir())
	db, err := measure.OpenDatabase(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	s, err := measure.New(dir, db, now)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range files {
		path := filetest.New(t, fmt.Sprint(i, ".csv"), text)
		if _, err := s.Import(context.Background(), market.FR, measure.Sniffed, nil, path); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// As long as the version is the same, so is the answer, also where a measure leaves the
// window.
func TestWindowIsTheVersions(t *testing.T) {
	minute := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	leaves := minute.Add(30*time.Second).AddDate(0, 0, -1).Format(time.RFC3339)
	clock := minute
	s := measures(t, func() time.Time { return clock },
		"timestamp,lat,lng,download_mbps\n"+leaves+",45.5,4.25,1\n",
		"timestamp,lat,lng,signal_strength,technology\n"+leaves+",45.5,4.25,-60,LTE\n")
	for _, op := range []*endpoint.Op[*Env]{listSpeedtests, coveragePoints} {
		first := &Env{Catalog: catalog.Catalog{Measures: s, Now: minute}}
		for _, after := range []time.Duration{0, 29 * time.Second, 31 * time.Second, 59 * time.Second, time.Minute} {
			clock = minute.Add(after)
			r := &Env{Catalog: catalog.Catalog{Measures: s, Now: clock}}
			same := r.Version(op) == first.Version(op)
			if same != (after < time.Minute) {
				t.Errorf("%s, %v later: got the same version %v, want it for a minute", op.Name, after, same)
			}
			answer, err := call[*endpoint.Answer](t, op, r, "days", "1")
			if err != nil {
				t.Fatal(err)
			}
			if there := answer.Size > 300; there != same {
				t.Errorf("%s, %v later: the measure is there: %v, want %v", op.Name, after, there, same)
			}
		}
	}
}

// A speedtest is of the site that a look-up of what its radio says finds, however far
// away it was made, and by the same number of a base station.
func TestSpeedtestsAreOfWhatIsLookedUp(t *testing.T) {
	const gnb, eci, nci = 70000, 1000<<8 | 3, 12345678901 // of the sites 1, 2 and 3
	sites := []site.Site{newSite("1", "0010000001", 2), newSite("2", "0010000002", 2), newSite("3", "0010000003", 2),
		newSite("4", "0010000004", 2)}
	sites[0].Radio = []site.RadioID{{Kind: site.GNB, Operator: 2, Value: gnb}}
	sites[1].Radio = []site.RadioID{{Kind: site.ENB, Operator: 2, Value: eci >> 8}}
	sites[2].Radio = []site.RadioID{{Kind: site.Cell, Operator: 2, Value: nci}}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	cells := map[string]uint64{"5G": gnb<<11 | 9, "4G": eci, "NR": nci}
	text := "timestamp,lat,lng,download_mbps,mcc,mnc,connection_type,cell_id\n"
	for tech, cell := range cells {
		text += fmt.Sprintf("2026-11-20T00:00:00Z,43.5,4.25,1,208,1,%s,%d\n", tech, cell)
	}
	r := &Env{Catalog: catalog.Catalog{
		Set:      index.NewSet([]*index.Market{load(t, market.FR, geo.Point{Lat: 48, Lng: 2}, sites...)}, nil),
		Measures: measures(t, func() time.Time { return now }, text), Now: now}}
	ask := func(pairs ...string) string {
		page, err := call[*endpoint.Answer](t, siteSpeedtests, r, pairs...)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := page.Write(&text); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	for _, tt := range []struct{ tech, id string }{
		{"5G", "1"},
		{"4G", "2"},
		{"NR", "3"},
	} {
		t.Run(tt.tech, func(t *testing.T) {
			found, err := call[*lookupAnswer](t, lookupAntennas, r, "ci", fmt.Sprint(cells[tt.tech]))
			if err != nil || len(found.Data) != 1 || !strings.Contains(string(found.Data[0].Site), `"id":"`+tt.id+`"`) {
				t.Fatalf("cell %d: found %+v, %v; want site %s", cells[tt.tech], found, err, tt.id)
			}
			if got := ask("siteId", tt.id); !strings.Contains(got, `"total":1,`) ||
				!strings.Contains(got, `"connectionType":"`+tt.tech+`"`) {
				t.Errorf("site %s: speedtests %s, want one of %s", tt.id, got, tt.tech)
			}
		})
	}
	for _, tt := range []struct{ enb, want string }{
		{"70000", "5G"},
		{"1000", "4G"},
	} {
		t.Run(tt.enb, func(t *testing.T) {
			if got := ask("enb", tt.enb); !strings.Contains(got, `"total":1,`) ||
				!strings.Contains(got, `"connectionType":"`+tt.want+`"`) {
				t.Errorf("enb %s: speedtests %s, want one of %s", tt.enb, got, tt.want)
			}
		})
	}
	if got := ask("siteId", "4"); !strings.Contains(got, `"total":0,`) {
		t.Errorf("a site without radio: speedtests %s, want none", got)
	}
}
