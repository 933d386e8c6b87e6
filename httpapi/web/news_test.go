package web

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/archive"
	"relais/archive/change"
	"relais/catalog"
	"relais/geo"
	"relais/index/indextest"
	"relais/internal/tier"
	"relais/market"
	"relais/site"
)

// changesOf lists what an edition changed.
func changesOf(t *testing.T, p *Pages, code market.Code, date string) (list []change.Record) {
	t.Helper()
	q := catalog.Changes{Until: site.ParseDate([]byte(date)), Limit: -1}
	q.Market = market.Get(code)
	found, err := p.Env().Changes(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range found.Rows {
		list = append(list, c)
	}
	return list
}

// countedBy counts changes as a table of the page does, with the heads of its columns.
func countedBy(list []change.Record, name func(*change.Record) string) (rows map[string][]int, heads []string) {
	counts, sum := map[string]*newsCounts{}, newsCounts{}
	for i := range list {
		if label := name(&list[i]); label != "" {
			countOf(counts, label)[list[i].Kind]++
			sum[list[i].Kind]++
		}
	}
	rows = map[string][]int{}
	for k, n := range sum {
		if n > 0 {
			heads = append(heads, english["kind."+change.Kind(k).String()])
		}
	}
	for label, c := range counts {
		total := 0
		for k, n := range c {
			if total += n; sum[k] > 0 {
				rows[label] = append(rows[label], n)
			}
		}
		rows[label] = append(rows[label], total)
	}
	return rows, append(heads, english["total"])
}

var numberHead = regexp.MustCompile(`<th scope="col" class="n">([^<]+)</th>`)

// headsAfter returns the heads of the columns of numbers of the first table after a text.
func headsAfter(page, text string) (heads []string) {
	_, page, _ = strings.Cut(page, text)
	page, _, _ = strings.Cut(page, "</thead>")
	for _, m := range numberHead.FindAllStringSubmatch(page, -1) {
		heads = append(heads, m[1])
	}
	return heads
}

// The figures of an edition are those of its changes.
func TestNewsFigures(t *testing.T) {
	p, _, dates := figurePages(t, 3)
	for _, code := range archive.Markets {
		operator := func(c *change.Record) string { return market.Label(code, c.Operator) }
		system := func(c *change.Record) string { return c.Technology }
		area := func(c *change.Record) string { return strings.Split(areaName(market.Get(code), c.Area), " (")[0] }
		for _, date := range dates[1:] {
			t.Run(fmt.Sprint(code, " ", date), func(t *testing.T) {
				w := ask(p, "GET", "/news/"+date+"?lang=en&market="+string(code))
				list := changesOf(t, p, code, date)
				if w.Code != 200 || len(list) == 0 {
					t.Fatalf("status %d, %d changes, want 200 and some", w.Code, len(list))
				}
				for title, name := range map[string]func(*change.Record) string{"By operator</h2>": operator,
					"By technology</h2>": system, "By department</h2>": area} {
					want, heads := countedBy(list, name)
					if diff := cmp.Diff(want, tableAfter(t, w.Body.String(), title)); diff != "" {
						t.Errorf("%s (-want +got):\n%s", title, diff)
					}
					if diff := cmp.Diff(heads, headsAfter(w.Body.String(), title)); diff != "" {
						t.Errorf("%s (-want +got):\n%s", title, diff)
					}
				}
			})
		}
	}
}

// listedSites lists the sites of a page's entries, with the dates of their editions.
func listedSites(t *testing.T, page string) (list []string) {
	t.Helper()
	article := regexp.MustCompile(`(?s)<article>.*?</article>`)
	site, date := regexp.MustCompile(`fr-(9\d+)`), regexp.MustCompile(`datetime="([^"]+)"`)
	for _, text := range article.FindAllString(page, -1) {
		list = append(list, date.FindStringSubmatch(text)[1]+" "+site.FindStringSubmatch(text)[1])
	}
	return list
}

// The sites of a kind are those of its changes, and their links lead to pages.
func TestNewsSites(t *testing.T) {
	tier.Slow(t)
	p, _, dates := figurePages(t, 2)
	want := map[string]map[string]bool{}
	for _, c := range changesOf(t, p, market.FR, dates[1]) {
		kind := c.Kind.String()
		if want[kind] == nil {
			want[kind] = map[string]bool{}
		}
		want[kind][dates[1]+" "+c.Site] = true
	}
	link := regexp.MustCompile(`<h3><a href="(/site/[^"?]+)\?lang=en">`)
	for kind, sites := range want {
		got := map[string]bool{}
		page := ask(p, "GET", "/news/"+dates[1]+"?lang=en&kind="+kind).Body.String()
		for _, name := range listedSites(t, page) {
			got[name] = true
		}
		if diff := cmp.Diff(sites, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
		for i, m := range link.FindAllStringSubmatch(page, 3) {
			if w := ask(p, "GET", m[1]); w.Code != 200 {
				t.Errorf("%d: %s is not a page", i, m[1])
			}
		}
	}
	if len(want) == 0 {
		t.Error("nothing changed: the test shows nothing")
	}
}

// A market without areas has its news too, and rows that may not be redistributed are not in it.
func TestNewsOfBelgium(t *testing.T) {
	p, _, _ := figurePages(t, 0)
	be := market.Get(market.BE)
	note := func(date, register string, ids ...string) {
		t.Helper()
		var sites []site.Site
		for i, id := range ids {
			sites = append(sites, site.Site{ID: id, Position: geo.Point{Lat: 51, Lng: 4 + float64(i)/10}, Area: -1,
				Stations:  []site.Station{{Code: id, Operator: i}},
				Emissions: []site.Emission{{System: "LTE 800", Generation: site.G4, Status: -1}}})
		}
		snap := indextest.Market(t, market.BE, sites...).Snap
		snap.SourceDate, snap.Version, snap.Registers = date, date, []string{register}
		if _, err := p.Env().Archives.Note(t.Context(), snap); err != nil {
			t.Fatal(err)
		}
	}
	note("2026-08-06", be.Source, "one")
	note("2026-08-13", be.Source, "one", "two")
	note("2026-08-20", be.NeedPermission[0], "one", "two", "secret")
	if at := ask(p, "GET", "/news").Header().Get("Location"); at != "/news/2026-08-20?market=BE" {
		t.Errorf("the only market with editions: got %q, want /news/2026-08-20?market=BE", at)
	}
	page := ask(p, "GET", "/news/2026-08-13?market=BE&lang=en").Body.String()
	want := map[string][]int{be.Operators[1].Label: {1, 1, 2}}
	if diff := cmp.Diff(want, tableAfter(t, page, "By operator</h2>")); diff != "" ||
		!strings.Contains(page, "New site: be-two") {
		t.Errorf("want the site two, and by operator (-want +got):\n%s", diff)
	}
	hidden := ask(p, "GET", "/news/2026-08-20?market=BE&lang=en").Body.String()
	if strings.Contains(hidden, "secret") || strings.Contains(hidden, "<tbody>") ||
		!strings.Contains(hidden, english["noChange"]) {
		t.Errorf("the page has rows that may not be redistributed:\n%s", hidden)
	}
}

// Of many pages of sites the first, the last and those around the present one have links, with a mark for
// those in between.
func TestNewsPagesOfSites(t *testing.T) {
	for _, tt := range []struct {
		sites int
		page  string
		want  string
	}{
		{100, "1", ""}, {101, "1", "1 2"}, {700, "1", "1 2 3 … 7"}, {700, "4", "1 2 3 4 5 6 7"}, {700, "7", "1 … 5 6 7"},
		{1200, "6", "1 … 4 5 6 7 8 … 12"},
	} {
		t.Run(fmt.Sprint(tt.sites, " ", tt.page), func(t *testing.T) {
			page := &newsPage{newsAddress: newsAddress{filters: url.Values{}}}
			if !page.list(english, &newsSum{Sites: make([]newsSite, tt.sites)}, tt.page) {
				t.Fatal("there is no such page")
			}
			var got []string
			for _, c := range page.Pages {
				got = append(got, c.Label)
				if (c.Link == "") != (c.Label == "…") || c.Chosen != (c.Label == tt.page) {
					t.Errorf("got the link %+v", c)
				}
			}
			if text := strings.Join(got, " "); text != tt.want {
				t.Errorf("got %q, want %q", text, tt.want)
			}
		})
	}
}
