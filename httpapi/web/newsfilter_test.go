package web

import (
	"fmt"
	"html"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/archive/change"
	"relais/geo"
	"relais/internal/tier"
	"relais/market"
	"relais/site"
)

// oneChange is a change with the date of its edition.
type oneChange struct {
	date string
	change.Record
}

// The filters of a page and its period select what a plain loop over all changes of all editions does.
func TestNewsFilters(t *testing.T) {
	tier.Slow(t)
	p, _, dates := figurePages(t, 4)
	var all []oneChange
	for _, date := range dates[1:] {
		for _, c := range changesOf(t, p, market.FR, date) {
			all = append(all, oneChange{date, c})
		}
	}
	some := &all[len(all)/2]
	box, center := geo.Box{South: 45, West: 0, North: 49, East: 4}, geo.Point{Lat: 48.8, Lng: 2.3}
	of5G := func(c *oneChange) bool { return c.Generation == site.G5 }
	orange := func(c *oneChange) bool { return c.Operator == "ORANGE" }
	inArea := func(c *oneChange) bool { return c.Area == some.Area }
	after := func(n int) func(*oneChange) bool { return func(c *oneChange) bool { return c.date > dates[n] } }
	for _, tt := range []struct {
		query string
		want  []func(*oneChange) bool
	}{
		{"since=7d", []func(*oneChange) bool{after(2)}}, {"since=14d", []func(*oneChange) bool{after(1)}},
		{"since=90d", nil}, {"since=" + dates[1], []func(*oneChange) bool{after(1)}},
		{"since=" + dates[0] + "&until=" + dates[1], []func(*oneChange) bool{func(c *oneChange) bool { return c.date == dates[1] }}},
		{"since=90d&department=" + some.Area, []func(*oneChange) bool{inArea}},
		{"since=90d&operator=ORANGE", []func(*oneChange) bool{orange}}, {"since=90d&generation=5G", []func(*oneChange) bool{of5G}},
		{"since=90d&operator=ORANGE&generation=5G", []func(*oneChange) bool{orange, of5G}},
		{"since=90d&operator=ORANGE&operator=FREE", []func(*oneChange) bool{func(c *oneChange) bool {
			return c.Operator == "ORANGE" || c.Operator == "FREE"
		}}},
		{"since=7d&operator=ORANGE&generation=5G&department=" + some.Area, []func(*oneChange) bool{orange, of5G, inArea, after(2)}},
		{"since=90d&technology=LTE+800", []func(*oneChange) bool{func(c *oneChange) bool { return c.Technology == "LTE 800" }}},
		{"since=90d&bbox=0,45,4,49", []func(*oneChange) bool{func(c *oneChange) bool { return box.Contains(c.Point()) }}},
		{"since=90d&lat=48.8&lng=2.3&radiusKm=40", []func(*oneChange) bool{func(c *oneChange) bool {
			return geo.Distance(center, c.Point()) <= 40_000
		}}},
	} {
		t.Run(tt.query, func(t *testing.T) {
			var want []change.Record
			sites := map[string]bool{}
			for i := range all {
				if !slices.ContainsFunc(tt.want, func(f func(*oneChange) bool) bool { return !f(&all[i]) }) {
					want = append(want, all[i].Record)
					sites[all[i].date+" "+all[i].Site] = true
				}
			}
			p.asked = New(p.Options).asked // the limit is not what is tested
			page := ask(p, "GET", "/news?lang=en&market=FR&"+tt.query).Body.String()
			if len(want) == 0 {
				if !strings.Contains(page, html.EscapeString(english["noNewsHere"])) {
					t.Error("the page does not say that nothing changed")
				}
				return
			}
			rows, _ := countedBy(want, func(c *change.Record) string { return market.Label(market.FR, c.Operator) })
			if diff := cmp.Diff(rows, tableAfter(t, page, "By operator</h2>")); diff != "" {
				t.Errorf("by operator (-want +got):\n%s", diff)
			}
			var listed []string
			for number := 1; number == 1 || len(listed) < len(sites) && number < 20; number++ {
				w := ask(p, "GET", fmt.Sprint("/news?lang=en&market=FR&page=", number, "&", tt.query))
				listed = append(listed, listedSites(t, w.Body.String())...)
			}
			slices.Sort(listed)
			if diff := cmp.Diff(slices.Sorted(maps.Keys(sites)), listed); diff != "" {
				t.Errorf("sites (-want +got):\n%s", diff)
			}
		})
	}
}

// Links of a page keep its filters, and each filter can be removed.
func TestNewsKeepsFilters(t *testing.T) {
	p, _, dates := figurePages(t, 3)
	const filters = "department=35&generation=5G&lang=fr&market=FR&operator=ORANGE,FREE"
	page := ask(p, "GET", "/news?since=30d&"+filters).Body.String()
	for _, want := range []string{"Ille-et-Vilaine (35)", "Orange", "Free Mobile", "5G"} {
		if !strings.Contains(page, `">`+want+` <span aria-hidden="true">✕`) {
			t.Errorf("no filter %s can be removed", want)
		}
	}
	var links []string
	for _, m := range regexp.MustCompile(`href="(/[^"#]*)`).FindAllStringSubmatch(page, -1) {
		links = append(links, html.UnescapeString(m[1]))
	}
	for _, want := range []string{"/news?" + filters + "&since=7d", "/news?" + strings.Replace(filters, "department=35&", "", 1) +
		"&since=30d", "/news?" + strings.Replace(filters, "ORANGE,", "", 1) + "&since=30d", "/news?" + filters,
		"/feeds/FR?department=35&generation=5G&lang=fr&operator=ORANGE,FREE"} {
		if !slices.Contains(links, want) {
			t.Errorf("the page has no link to %s: %q", want, links)
		}
	}
	if !slices.ContainsFunc(links, func(link string) bool {
		u, err := url.Parse(link)
		return err == nil && u.Path == "/" && u.Query().Get("operator") == "ORANGE,FREE" && u.Query().Get("generation") == "5G"
	}) {
		t.Errorf("the page has no link to the map with its filters: %q", links)
	}
	if to := ask(p, "GET", "/news?"+filters).Header().Get("Location"); to != "/news/"+dates[2]+"?"+filters {
		t.Errorf("without a period the page is %s, want the newest edition with the filters", to)
	}
	edition := ask(p, "GET", "/news/"+dates[1]+"?"+filters).Body.String()
	for _, date := range []string{dates[0], dates[2]} {
		if want := html.EscapeString("/news/" + date + "?" + filters); !strings.Contains(edition, want) {
			t.Errorf("the page of an edition has no link to %s", want)
		}
	}
}

// A place is named after the commune with the most sites.
func TestNewsPlace(t *testing.T) {
	p := swissWeeks(t, 60, weeks)
	for target, want := range map[string]string{
		"/feeds/CH?bbox=7,46,7.05,46.02&lang=fr":                 "Suisse · Town s0 et environs",
		"/feeds/CH?bbox=6,46,8,46.5&lang=fr":                     "Suisse · entre 46° et 46.5° nord, 6° et 8° est",
		"/news?market=CH&since=30d&bbox=7,46,7.05,46.02&lang=en": "Town s0 and surroundings",
		"/feeds/CH?lang=fr":                                      "Ce serveur conserve 10 éditions de ce registre. La plus ancienne est celle du 4\u00a0juin 2026.",
		"/feeds/CH?lang=en&operator=SALT_CH&bbox=7,46,7.05,46.02": "--format ntfy --url https://ntfy.sh/relais-CHANGE-ME --events changes " +
			"--filter &#39;bbox=7,46,7.05,46.02&amp;market=CH&amp;operator=SALT_CH&#39;",
	} {
		if body := ask(p, "GET", target).Body.String(); !strings.Contains(body, want) {
			t.Errorf("%s does not say %q: %s", target, want, body)
		}
	}
	all := parseFeed(t, ask(p, "GET", "/feeds/CH.atom?lang=en")).Items
	late := parseFeed(t, ask(p, "GET", "/feeds/CH.atom?lang=en&since=14d")).Items
	want := 0
	for _, item := range all {
		if item.UpdatedParsed.Format("2006-01-02") > dateOf(weeks-3) {
			want++
		}
	}
	if len(late) != want || want == 0 || want == len(all) {
		t.Errorf("a feed of 14 days has %d entries, want %d of %d", len(late), want, len(all))
	}
}
