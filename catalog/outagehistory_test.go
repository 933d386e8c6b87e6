package catalog

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/index"
	"relais/index/indextest"
	"relais/internal/tier"
	"relais/market"
	"relais/outage/history/historytest"
	"relais/site"
)

// The outages and the availability of a period are those that a count of the lists' and the register's own rows gives.
func TestFindOutageHistory(t *testing.T) {
	tier.Slow(t)
	const supports = 400
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	country, fr := historytest.Write(t, supports, now), market.Get(market.FR)
	set, err := indextest.Country(supports)
	if err != nil {
		t.Fatal(err)
	}
	c := &Catalog{Set: set, History: country.Open(t), Now: now}
	newest := country.Days[len(country.Days)-1]
	orange, _ := fr.Operator("ORANGE")
	sfr, _ := fr.Operator("SFR")
	day := func(text string) site.Date { return site.ParseDate([]byte(text)) }
	for _, tt := range []struct {
		name     string
		q        OutageHistory
		from, to string
	}{
		{"the newest ninety days", OutageHistory{}, (day(newest) - 89).String(), newest},
		{"a month", OutageHistory{From: day("2026-10-01"), To: day("2026-10-31")}, "2026-10-01", "2026-10-31"},
		{"to a day", OutageHistory{To: day("2026-10-31")}, "2026-08-03", "2026-10-31"},
		{"since a day", OutageHistory{From: day("2026-11-02")}, "2026-11-02", newest},
		{"two operators", OutageHistory{Operators: index.Choice{orange, sfr}}, (day(newest) - 89).String(), newest},
		{"three departments", OutageHistory{Areas: []string{"01", "62", "89"}}, (day(newest) - 89).String(), newest},
		{"a site", OutageHistory{Site: "fr-90000001"}, (day(newest) - 89).String(), newest},
		{"before the first day", OutageHistory{From: day("2020-01-01"), To: day("2020-01-31")}, "2020-01-01", "2020-01-31"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.q.Market, tt.q.Limit = fr, math.MaxInt
			found, err := c.FindOutageHistory(t.Context(), tt.q)
			if err != nil || found.From.String() != tt.from || found.To.String() != tt.to {
				t.Fatalf("%v to %v, %v; want %s to %s", found.From, found.To, err, tt.from, tt.to)
			}
			siteDays, read, all, anyRead := map[string]int{}, map[string]int{}, 0, 0
			for _, d := range country.Days {
				if d < tt.from || d > tt.to {
					continue
				}
				anyRead++
				for _, o := range fr.Operators {
					if country.Names(d, o.Key) {
						read[o.Key]++
					}
				}
				for name, departments := range country.Out[d] {
					operator, station, _ := strings.Cut(name, " ")
					if asked(country, &tt.q, operator, station, departments) {
						siteDays[operator]++
						all++
					}
				}
			}
			days := 0
			for _, item := range found.Items {
				days += item.Days
			}
			if days != all || found.Total != len(found.Items) || tt.q.Operators == nil && tt.q.Site == "" && found.Read != anyRead {
				t.Errorf("%d outages of %d days, %d lists; want %d days, %d lists", found.Total, days, found.Read, all, anyRead)
			}
			for _, a := range found.Availability {
				sites, share := country.Sites(a.Operator, tt.q.Areas), "unknown"
				if tt.q.Site != "" {
					sites = 1
				}
				if n := sites * read[a.Operator]; n > 0 {
					share = fmt.Sprintf("%.6f", 1-float64(siteDays[a.Operator])/float64(n))
				}
				got := "unknown"
				if a.Share != nil {
					got = fmt.Sprintf("%.6f", *a.Share)
				}
				if a.SiteDays != siteDays[a.Operator] || a.Read != read[a.Operator] || *a.Sites != sites || got != share {
					t.Errorf("%s: %d days of %d sites on %d lists, available %s; want %d of %d on %d, %s", a.Operator, a.SiteDays,
						*a.Sites, a.Read, got, siteDays[a.Operator], sites, read[a.Operator], share)
				}
			}
			if wanted := len(found.Availability); wanted == 0 || tt.q.Operators != nil && wanted != 2 {
				t.Errorf("%d operators", wanted)
			}
		})
	}
}

// asked reports whether a question is about a site of a list.
func asked(country *historytest.Country, q *OutageHistory, operator, station string, departments []string) bool {
	i, _ := q.Market.Operator(operator)
	if q.Operators != nil && !slices.Contains(q.Operators, i) || q.Areas != nil && !slices.Contains(q.Areas, departments[0]) {
		return false
	}
	return q.Site == "" || slices.ContainsFunc(country.Rows, func(row map[string]string) bool {
		return "fr-"+row["sup_id"] == q.Site && row["sta_nm_anfr"] == station
	})
}
