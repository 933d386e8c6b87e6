package catalog

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/market"
	"relais/measure"
	"relais/measure/measuretest"
	"relais/site"
)

// As long as the version is the same, so is what is found, also where a measurement leaves the window.
func TestWindowIsTheVersions(t *testing.T) {
	leaves := noon.Add(30*time.Second).AddDate(0, 0, -1).Format(time.RFC3339)
	s := measuretest.Open(t, func() time.Time { return noon }, "timestamp,lat,lng,download_mbps\n"+leaves+",45.5,4.25,1\n",
		"timestamp,lat,lng,signal_strength,technology\n"+leaves+",45.5,4.25,-60,LTE\n")
	first := Catalog{Measures: s, Now: noon}
	q := Measures{Market: market.Get(market.FR), Days: 1, Limit: 5}
	for _, after := range []time.Duration{0, 29 * time.Second, 31 * time.Second, 59 * time.Second, time.Minute} {
		later := first
		later.Now = noon.Add(after)
		same := later.Version(Recent) == first.Version(Recent)
		tests, err := later.Speedtests(q)
		points, err2 := later.Points(q)
		if same != (after < time.Minute) || (tests.Total == 1) != same || (points.Total == 1) != same || err != nil || err2 != nil {
			t.Errorf("%v later: the same version %v, with %d speedtests and %d points (%v, %v); want the same for a minute",
				after, same, tests.Total, points.Total, err, err2)
		}
	}
}

// A question for points is answered with the page, the sample or the one that it asks for.
func TestPoints(t *testing.T) {
	text := "timestamp,lat,lng,signal_strength,technology,mcc,mnc\n"
	for i := range 40 {
		text += fmt.Sprintf("%s,45.5,%.3f,-60,%s,208,%d\n", noon.Add(-time.Duration(i)*time.Hour).Format(time.RFC3339),
			4+float64(i)/1000, []string{"LTE", "NR"}[i%2], []int{1, 10}[i/20])
	}
	c := Catalog{Measures: measuretest.Open(t, func() time.Time { return noon }, text), Now: noon}
	fr := market.Get(market.FR)
	orange, _ := fr.Operator("ORANGE")
	q := Measures{Market: fr, Operators: index.Choice{orange}, Generations: []measure.Generation{5}, Days: 1, Offset: 7, Limit: 5}
	page, err := c.Points(q)
	if err != nil || page.Total != 10 || len(page.Items) != 3 || page.Next(7) != nil {
		t.Fatalf("got %d of %d points, %v, want the last 3 of 10", len(page.Items), page.Total, err)
	}
	one, err := c.Points(Measures{Market: fr, ID: page.Items[1].ID, Limit: 1})
	if err != nil || len(one.Items) != 1 || one.Items[0].ID != page.Items[1].ID {
		t.Errorf("got %+v, %v, want the point that is asked for", one.Items, err)
	}
	q.Sample = true
	sample, err := c.Points(q)
	if newest := func(a, b measure.Point) int { return b.Time.Compare(a.Time) }; err != nil || len(sample.Items) != 5 ||
		!slices.IsSortedFunc(sample.Items, newest) {
		t.Errorf("got %+v, %v, want 5 points, the newest first", sample.Items, err)
	}
	if _, err := new(Catalog).Points(q); !errors.Is(err, ErrNoMeasures) {
		t.Errorf("without measurements: error %v, want ErrNoMeasures", err)
	}
}

// A speedtest is of the site that a look-up of what its radio says finds, however far
// away it was made, and by the same number of a base station.
func TestSpeedtestsAreOfWhatIsLookedUp(t *testing.T) {
	const gnb, eci, nci = 70000, 1000<<8 | 3, 12345678901 // of the sites 1, 2 and 3
	ids := []site.RadioID{{Kind: site.GNB, Operator: 2, Value: gnb}, {Kind: site.ENB, Operator: 2, Value: eci >> 8},
		{Kind: site.Cell, Operator: 2, Value: nci}}
	cells := []struct {
		tech string
		cell uint64
		node uint64
	}{{"5G", gnb<<11 | 9, gnb}, {"4G", eci, eci >> 8}, {"NR", nci, 0}}
	var sites []site.Site
	text := "timestamp,lat,lng,download_mbps,mcc,mnc,connection_type,cell_id\n"
	for i, id := range ids {
		sites = append(sites, site.Site{ID: fmt.Sprint(i + 1), Position: geo.Point{Lat: 48, Lng: 2}, Radio: []site.RadioID{id},
			Stations: []site.Station{{Code: fmt.Sprint(i), Operator: 2}}})
		text += fmt.Sprintf("2026-08-19T00:00:00Z,43.5,4.25,1,208,1,%s,%d\n", cells[i].tech, cells[i].cell)
	}
	sites = append(sites, site.Site{ID: "4", Position: geo.Point{Lat: 48, Lng: 2}, // without radio
		Stations: []site.Station{{Code: "4", Operator: 2}}})
	c := Catalog{Measures: measuretest.Open(t, func() time.Time { return noon }, text), Now: noon}
	fr := market.Get(market.FR)
	c.Set = index.NewSet([]*index.Market{indextest.Market(t, market.FR, sites...)}, nil)
	ask := func(q SiteTests, want string) {
		t.Helper()
		if got, err := c.Speedtests(Measures{Market: fr, Of: &q, Limit: 5}); err != nil || want == "" && got.Total != 0 ||
			want != "" && (got.Total != 1 || got.Items[0].Technology != want) {
			t.Errorf("got %+v, %v, want a speedtest of %q", got, err, want)
		}
	}
	for i, tt := range cells {
		found, err := c.Radio(Radio{Market: fr, Types: index.RadioTypes, Value: tt.cell})
		if err != nil || len(found.Matches) != 1 || found.Register.Snap.ID(int(found.Matches[0].Site)) != fmt.Sprint(i+1) {
			t.Fatalf("cell %d: found %+v, %v, want site %d", tt.cell, found, err, i+1)
		}
		ask(SiteTests{Site: SiteFound{Register: found.Register, At: found.Matches[0].Site}}, tt.tech)
		if tt.node != 0 {
			ask(SiteTests{Node: &tt.node}, tt.tech)
		}
	}
	none, err := c.Site(Site{Name: "4"})
	if err != nil {
		t.Fatal(err)
	}
	ask(SiteTests{Site: none}, "")
}

// Without days and edition, a question is about the last days and the newest campaign; days and an edition are exact.
func TestSetWindow(t *testing.T) {
	row := func(day string, lat float64) string {
		return fmt.Sprintf("%s;10:00:00;%.2f;4.25;Orange;50,5;;-90;WEB\n", day, lat)
	}
	const head = "date_start;hour_start;latitude_start;longitude_start;operator;bitrate_dl;bitrate_ul;rsrp;protocole\n"
	c := Catalog{Now: noon, Measures: measuretest.Open(t, func() time.Time { return noon },
		head+row("01/06/2025", 45.1)+row("02/06/2025", 45.2), head+row("01/06/2024", 45.3)+row("02/06/2024", 45.4)+row("03/06/2024", 45.5),
		"timestamp,lat,lng,download_mbps\n"+noon.AddDate(0, 0, -20).Format(time.RFC3339)+",45.5,4.25,1\n"+
			noon.AddDate(0, 0, -40).Format(time.RFC3339)+",45.5,4.25,1\n")}
	for _, tt := range []struct {
		days    *int
		edition string
		want    int
	}{{nil, "", 3}, {new(30), "", 1}, {new(60), "", 2}, {nil, "arcep-2024-habitations", 3}, {new(30), "arcep-2024-habitations", 0}} {
		q := Measures{Market: market.Get(market.FR), Limit: 9}
		q.SetWindow(tt.days, tt.edition)
		if found, err := c.Speedtests(q); err != nil || found.Total != tt.want {
			t.Errorf("days %v, edition %q: %d speedtests, %v; want %d", tt.days, tt.edition, found.Total, err, tt.want)
		}
	}
	if list := c.MeasureEditions(market.Get(market.FR), measure.Coverage); len(list) != 2 || !list[0].Newest || list[1].Newest {
		t.Errorf("editions of points %+v, want the two campaigns", list)
	}
}
