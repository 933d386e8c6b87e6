package web

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/archive/change"
	"relais/geo"
	"relais/index/indextest"
	"relais/market"
	"relais/site"
)

// A fileChange is a difference between two files.
type fileChange struct {
	kind                             change.Kind
	id, department, operator, system string // operator and system are "" where it is about more
}

// A fileSite is a support in a file: the most advanced status by operator and system.
type fileSite struct {
	department string
	systems    map[[2]string]int
}

// sitesOf returns the supports of a file.
func sitesOf(rows []csvRow, drom bool) map[string]*fileSite {
	sites := map[string]*fileSite{}
	for _, r := range rows {
		if r.overseas() != drom {
			continue
		}
		s := sites[r["sup_id"]]
		if s == nil {
			s = &fileSite{r["sta_nm_dpt"], map[[2]string]int{}}
			sites[r["sup_id"]] = s
		}
		status := slices.Index([]string{"Projet approuvé", "Techniquement opérationnel", "En service"}, r["statut"])
		key := [2]string{r["adm_lb_nom"], r["emr_lb_systeme"]}
		s.systems[key] = max(s.systems[key], status+1)
	}
	return sites
}

// changesOf lists the differences between two files: sites, operators and systems are sets.
func changesOf(before, after []csvRow, drom bool) (list []fileChange) {
	type thing struct{ id, operator, system string }
	things := func(sites map[string]*fileSite) map[thing]int {
		all := map[thing]int{}
		for id, s := range sites {
			all[thing{id: id}] = 0
			for key, status := range s.systems {
				all[thing{id, key[0], ""}], all[thing{id, key[0], key[1]}] = 0, status
			}
		}
		return all
	}
	olds, news := sitesOf(before, drom), sitesOf(after, drom)
	was, is := things(olds), things(news)
	add := func(sites map[string]*fileSite, t thing, kinds ...change.Kind) {
		level := 0
		if t.operator != "" {
			level++
		}
		if t.system != "" {
			level++
		}
		list = append(list, fileChange{kinds[level], t.id, sites[t.id].department, t.operator, t.system})
	}
	for t, status := range is {
		if old, there := was[t]; !there {
			add(news, t, change.SiteAdded, change.OperatorAdded, change.SystemAdded)
		} else if old != status {
			add(news, t, 0, 0, change.StatusChanged)
		}
	}
	for t := range was {
		if _, stays := is[t]; !stays {
			add(olds, t, change.SiteRemoved, change.OperatorRemoved, change.SystemRemoved)
		}
	}
	return list
}

// countedBy counts changes as a table of the page does, with the heads of its columns.
func countedBy(list []fileChange, name func(*fileChange) string) (rows map[string][]int, heads []string) {
	counts, sum := map[string]*weekCounts{}, weekCounts{}
	for i := range list {
		if label := name(&list[i]); label != "" {
			countOf(counts, label)[list[i].kind]++
			sum[list[i].kind]++
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

// The figures of an edition are the differences between its file and the file before it.
func TestWeekFigures(t *testing.T) {
	p, files, dates := figurePages(t, 3)
	for _, drom := range []bool{false, true} {
		code := market.FR
		if drom {
			code = market.DROM
		}
		operator := func(c *fileChange) string {
			if i, ok := market.Get(code).OperatorNamed(c.operator); ok {
				return market.Get(code).Operators[i].Label
			}
			return c.operator
		}
		for i := 1; i < len(files); i++ {
			t.Run(fmt.Sprint(code, " ", dates[i]), func(t *testing.T) {
				w := ask(p, "GET", "/week/"+dates[i]+"?lang=en&market="+string(code))
				if w.Code != 200 {
					t.Fatalf("status %d, want 200", w.Code)
				}
				list := changesOf(files[i-1], files[i], drom)
				for _, tt := range []struct {
					title string
					name  func(*fileChange) string
				}{
					{"By operator</h2>", operator}, {"By technology</h2>", func(c *fileChange) string { return c.system }},
					{"By department</h2>", func(c *fileChange) string { return c.department }},
				} {
					want, heads := countedBy(list, tt.name)
					if len(want) == 0 {
						t.Fatal("nothing changed: the test shows nothing")
					}
					if diff := cmp.Diff(want, tableAfter(t, w.Body.String(), tt.title)); diff != "" {
						t.Errorf("%s (-want +got):\n%s", tt.title, diff)
					}
					if diff := cmp.Diff(heads, headsAfter(w.Body.String(), tt.title)); diff != "" {
						t.Errorf("%s (-want +got):\n%s", tt.title, diff)
					}
				}
			})
		}
	}
}

// The sites of a kind are those of the file's differences, and their links lead to pages.
func TestWeekSites(t *testing.T) {
	p, files, dates := figurePages(t, 2)
	shown := regexp.MustCompile(`<tr><td>(?:<a href="(/site/[^"?]+)\?lang=en">)?(9\d+)`)
	links := 0
	for _, kind := range change.Kind(0).Values() {
		want, got := map[string]bool{}, map[string]bool{}
		for _, c := range changesOf(files[0], files[1], false) {
			if c.kind.String() == kind {
				want[c.id] = true
			}
		}
		page := ask(p, "GET", "/week/"+dates[1]+"?lang=en&kind="+kind).Body.String()
		for i, m := range shown.FindAllStringSubmatch(page, -1) {
			got[m[2]] = true
			if links++; i < 3 && m[1] != "" && ask(p, "GET", m[1]).Code != 200 {
				t.Errorf("%s is not a page", m[1])
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
	if links == 0 {
		t.Error("no site is shown: the test shows nothing")
	}
}

// A market without areas has its week too, and rows that may not be redistributed are not in it.
func TestWeekOfBelgium(t *testing.T) {
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
	if at := ask(p, "GET", "/week").Header().Get("Location"); at != "/week/2026-08-20?market=BE" {
		t.Errorf("the only market with editions: got %q, want /week/2026-08-20?market=BE", at)
	}
	page := ask(p, "GET", "/week/2026-08-13?market=BE&lang=en").Body.String()
	want := map[string][]int{be.Operators[1].Label: {1, 1, 2}}
	if diff := cmp.Diff(want, tableAfter(t, page, "By operator</h2>")); diff != "" ||
		!strings.Contains(page, "<td>two<") || strings.Contains(page, english["commune"]) {
		t.Errorf("want the site two without a commune, and by operator (-want +got):\n%s", diff)
	}
	hidden := ask(p, "GET", "/week/2026-08-20?market=BE&lang=en").Body.String()
	if strings.Contains(hidden, "secret") || strings.Contains(hidden, "<tbody>") ||
		!strings.Contains(hidden, english["noChange"]) {
		t.Errorf("the page has rows that may not be redistributed:\n%s", hidden)
	}
}

// Of many pages of sites the first, the last and those around the present one have links, with a mark for
// those in between.
func TestWeekPagesOfSites(t *testing.T) {
	for _, tt := range []struct {
		sites int
		page  string
		want  string
	}{
		{100, "1", ""}, {101, "1", "1 2"}, {700, "1", "1 2 3 … 7"}, {700, "4", "1 2 3 4 5 6 7"}, {700, "7", "1 … 5 6 7"},
		{1200, "6", "1 … 4 5 6 7 8 … 12"},
	} {
		t.Run(fmt.Sprint(tt.sites, " ", tt.page), func(t *testing.T) {
			page := &weekPage{Date: "2026-08-27"}
			if !page.list(english, "en", &weekSum{Sites: make([]weekSite, tt.sites)}, url.Values{"page": {tt.page}}) {
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
