package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"relais/api"
	"relais/catalog"
	"relais/index/indextest"
	"relais/internal/store/storetest"
	"relais/internal/tier"
	"relais/market"
	"relais/outage/history"
	"relais/outage/history/historytest"
	"relais/site"
)

// outagePages serve a country with days of unavailable sites.
func outagePages(t *testing.T, supports int) (*Pages, *historytest.Country) {
	t.Helper()
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	set, err := indextest.Country(supports)
	if err != nil {
		t.Fatal(err)
	}
	c := historytest.Write(t, supports, now)
	days := c.Open(t)
	env := func() *api.Env {
		return &api.Env{Catalog: catalog.Catalog{Set: set, History: days, Keyless: true, Now: now}}
	}
	address := func(*http.Request) netip.Addr { return netip.Addr{} }
	return New(Options{Env: env, Address: address, Log: slog.New(slog.DiscardHandler), Map: true}), c
}

// stripOf finds the strips of a site's page: the operator, the rectangles, and the text below.
var (
	stripOf = regexp.MustCompile(`(?s)<div class="days"><h3>([^<]*)(?: <span[^>]*>available on ([0-9.]+).% of the days</span>)?` +
		`</h3>\n<svg[^>]*>(.*?)</svg>\n<p>([^<]*)</p>`)
	runOf = regexp.MustCompile(`<rect class="(\w+)" x="(\d+)" y="\d" width="(\d+)"`)
)

// Each day of the strip of an operator is what the list of that day says of the site's stations.
func TestPastOutagesOfSite(t *testing.T) {
	tier.Slow(t)
	p, country := outagePages(t, 300)
	newest := site.ParseDate([]byte(country.Days[len(country.Days)-1]))
	out := 0
	for id := 90000001; id <= 90000060; id++ {
		page := ask(p, "GET", fmt.Sprintf("/site/fr-%d?lang=en", id)).Body.String()
		stations := map[string][]string{}
		for _, row := range country.Rows {
			if key := historytest.Key(row["adm_lb_nom"]); row["sup_id"] == strconv.Itoa(id) {
				stations[key] = append(stations[key], row["sta_nm_anfr"])
			}
		}
		for _, m := range stripOf.FindAllStringSubmatch(page, -1) {
			i := slices.IndexFunc(market.Get(market.FR).Operators, func(o market.Operator) bool { return o.Label == m[1] })
			key := market.Get(market.FR).Operators[i].Key
			var got, want []string
			for _, run := range runOf.FindAllStringSubmatch(m[3], -1) {
				width, _ := strconv.Atoi(run[3])
				got = append(got, slices.Repeat([]string{run[1]}, width)...)
			}
			read, days := 0, 0
			for ago := 89; ago >= 0; ago-- {
				day, class := (newest - site.Date(ago)).String(), "ok"
				if !country.Names(day, key) {
					class = "unread"
				} else {
					read++
				}
				if slices.ContainsFunc(stations[key], func(s string) bool { return country.Out[day][key+" "+s] != nil }) {
					class = "out"
					days++
				}
				want = append(want, class)
			}
			out += days
			share := fmt.Sprintf("%.1f", 100-100*float64(days)/float64(read))
			text := fmt.Sprintf("On %d of %d lists.", days, read)
			if days == 0 {
				text = fmt.Sprintf("On none of %d lists.", read)
			}
			if !slices.Equal(got, want) || m[4] != text || strings.TrimSuffix(m[2], ".0") != strings.TrimSuffix(share, ".0") {
				t.Errorf("%d, %s: got %s %% %q %v\nwant %s %% %q %v", id, key, m[2], m[4], got, share, text, want)
			}
		}
	}
	if out == 0 {
		t.Error("no site was out of service: the test shows nothing")
	}
}

// The figures of availability are those of a count of the lists' and the register's rows, and the gaps are named.
func TestStatsOfAvailability(t *testing.T) {
	tier.Slow(t)
	p, country := outagePages(t, 300)
	page := ask(p, "GET", "/stats?lang=en").Body.String()
	table := tableAfter(t, page, `<h2 id="outages">`)
	newest := site.ParseDate([]byte(country.Days[len(country.Days)-1]))
	gaps := 90
	for _, o := range market.Get(market.FR).Operators {
		read, siteDays := 0, 0
		gaps = 90
		for ago := range 90 {
			day := (newest - site.Date(ago)).String()
			if country.Out[day] != nil {
				gaps--
			}
			if country.Names(day, o.Key) {
				read++
			}
			for name := range country.Out[day] {
				if strings.HasPrefix(name, o.Key+" ") {
					siteDays++
				}
			}
		}
		sites := country.Sites(o.Key, nil)
		share := fmt.Sprintf("%.2f", 100-100*float64(siteDays)/float64(sites*read))
		if want := []int{number(t, share), sites, siteDays, read}; !slices.Equal(table[o.Label], want) {
			t.Errorf("%s: got %v, want %v", o.Label, table[o.Label], want)
		}
	}
	if want := fmt.Sprintf("%d days were not read: ", gaps); !strings.Contains(page, want) {
		t.Errorf("the page lacks %q", want)
	}
	// Lists that are damaged take only their table away.
	db := storetest.New(t, history.Buckets...)
	storetest.Set(t, db, history.Buckets[0], "FR\x002026-11", []byte("x"))
	env := *p.Env()
	env.History = history.Open(db)
	p.Options.Env = func() *api.Env { return &env }
	var log strings.Builder
	p.Log = slog.New(slog.NewTextHandler(&log, nil))
	w := ask(p, "GET", "/stats?lang=en")
	if page := w.Body.String(); w.Code != 200 || strings.Contains(page, `id="outages"`) || !strings.Contains(page, `id="areas"`) ||
		!strings.Contains(log.String(), "outages.db") {
		t.Errorf("with damaged lists: status %d, log %s; want the page without their table, and a log of it", w.Code, log.String())
	}
	if page := ask(p, "GET", "/stats?lang=en&market=DROM").Body.String(); strings.Contains(page, `id="outages"`) {
		t.Error("a market without lists has the section")
	}
}
