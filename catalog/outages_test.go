package catalog

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"relais/community"
	"relais/community/communitytest"
	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/internal/filetest"
	"relais/market"
	"relais/outage"
	"relais/site"
)

var noon = time.Date(2026, 8, 20, 12, 0, 0, 0, time.UTC)

// withOutages has 24 entries of two operators and 6 reports in two departments, one for each hour before noon, and an
// entry that states no beginning.
func withOutages(t *testing.T) *Catalog {
	t.Helper()
	said := communitytest.Open(t, func() time.Time { return noon })
	rows := map[string]string{"ORANGE": "X;63;45.5;3;HS;\n"}
	for i := range 30 {
		began, operator := noon.Add(-time.Duration(i)*time.Hour), []string{"ORANGE", "SFR"}[i%2]
		if i%5 == 0 {
			if _, _, err := said.AddReport(community.NewReport{Market: market.FR, Operator: operator, StartedAt: began,
				At: geo.Point{Lat: 45 + float64(i)/10, Lng: 3}, User: fmt.Sprint(i)}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		rows[operator] += fmt.Sprintf("S%d;%d;%.1f;3;HS;%s\n", i, 63+i%3, 45+float64(i)/10, began.Format("2006-01-02T15:04:05Z"))
	}
	for operator, text := range rows {
		path := filetest.New(t, "hs.csv", "code_site_op;departement;Lat;Lon;data;debut\n"+text)
		if _, err := said.Feeds.Import(t.Context(), market.FR, operator, path); err != nil {
			t.Fatal(err)
		}
	}
	return &Catalog{Outages: said.Outages(), Now: noon}
}

// Pages have what matches, each outage once and what began last first.
func TestFindOutages(t *testing.T) {
	c, fr := withOutages(t), market.Get(market.FR)
	orange, _ := fr.Operator("ORANGE")
	for _, tt := range []struct {
		name string
		q    Outages
		want int
	}{
		{"all", Outages{}, 31},
		{"of an operator", Outages{Operators: index.Choice{orange}}, 16},
		{"in two areas", Outages{Areas: []string{"63", "64"}}, 17},
		{"from operators", Outages{Source: FromOperators}, 25},
		{"from people", Outages{Source: FromPeople}, 6},
		{"of seven hours or unknown", Outages{Since: noon.Add(-9 * time.Hour), Until: noon.Add(-2 * time.Hour)}, 8},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.q.Market, tt.q.Limit = fr, 4
			var got []community.Outage
			for next := new(0); next != nil && len(got) <= tt.want; next = nextOf(c, &tt.q, &got) {
				tt.q.Offset = *next
			}
			tt.q.Offset, tt.q.Limit = 0, -1
			all := c.FindOutages(tt.q)
			if diff := cmp.Diff(all.Items, got); diff != "" || len(got) != tt.want || all.Total != tt.want {
				t.Errorf("%d of %d outages in pages, want %d; all (-), pages (+):\n%s", len(got), all.Total, tt.want, diff)
			}
			if !slices.IsSortedFunc(got, func(a, b community.Outage) int { return b.Began().Compare(a.Began()) }) {
				t.Error("not sorted, want what began last first")
			}
		})
	}
}

// nextOf appends a page and returns the offset of the next one.
func nextOf(c *Catalog, q *Outages, list *[]community.Outage) *int {
	found := c.FindOutages(*q)
	*list = append(*list, found.Items...)
	return found.Next(q.Offset)
}

// An outage is at a site where that is certain, and the caller may see it.
func TestSiteOf(t *testing.T) {
	at := geo.Point{Lat: 45.5, Lng: 3}
	fr := market.Get(market.FR)
	orange, _ := fr.Operator("ORANGE")
	var sites []site.Site
	for _, id := range []string{"7", "8"} {
		sites = append(sites, site.Site{ID: id, SourceCode: "S" + id, Position: at,
			Stations:  []site.Station{{Code: "S" + id, Operator: orange, OperatorSiteID: "O" + id}},
			Emissions: []site.Emission{{System: "LTE 800", Generation: site.G4, Status: 2}}})
	}
	two := index.NewSet([]*index.Market{indextest.Market(t, market.FR, sites...)}, nil)
	one := index.NewSet([]*index.Market{indextest.Market(t, market.FR, sites[:1]...)}, nil)
	entry := func(operator, code string) community.Outage {
		return community.Outage{Entry: &outage.Entry{Market: market.FR, Operator: operator, Code: code, Lat: at.Lat, Lng: at.Lng}}
	}
	for _, tt := range []struct {
		name string
		set  *index.Set
		o    community.Outage
		want string
	}{
		{"its code", two, entry("ORANGE", "O8"), "fr-8"},
		{"the only one there", one, entry("ORANGE", "X"), "fr-7"},
		{"one of two", two, entry("ORANGE", "X"), ""},
		{"another operator's", one, entry("SFR", "O7"), ""},
		{"a report that names it", two, community.Outage{Report: &community.Report{Market: market.FR, SiteKey: "fr-8"}}, "fr-8"},
		{"nothing is loaded", nil, entry("ORANGE", "O8"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := Catalog{Set: tt.set}
			got := ""
			if key := c.SiteOf(tt.o); key != nil {
				got = *key
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
