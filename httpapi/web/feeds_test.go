package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mmcdole/gofeed"

	"relais/api"
	"relais/api/view"
	"relais/archive"
	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/internal/store"
	"relais/market"
	"relais/site"
)

// newArchives returns archives without editions.
func newArchives(t *testing.T) *archive.Store {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "archives.db"), archive.Buckets...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return archive.Open(db, func() time.Time { return time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC) })
}

// note adds an edition of a market.
func note(t *testing.T, s *archive.Store, date string, m *index.Market) {
	t.Helper()
	m.Snap.SourceDate, m.Snap.Version = date, date
	if _, err := s.Note(context.Background(), m.Snap); err != nil {
		t.Fatal(err)
	}
}

// weekOf is the edition of a week: site i is there from week i%weeks on, and those of week 0 get a second
// operator in week 5.
func weekOf(t *testing.T, week, sites int) *index.Market {
	t.Helper()
	var list []site.Site
	for i := range sites {
		if i%weeks > week {
			continue
		}
		s := newSite(fmt.Sprint("s", i), geo.Point{Lat: 46 + float64(i)*0.005, Lng: 7 + float64(i%7)*0.1})
		if i%weeks > 0 || week < 5 {
			s.Stations, s.Emissions = s.Stations[:1], s.Emissions[:1]
		}
		list = append(list, s)
	}
	return indextest.Market(t, market.CH, list...)
}

const weeks = 10

func dateOf(week int) string {
	return time.Date(2026, 6, 4, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 7*week).Format(time.DateOnly)
}

// swissWeeks returns pages about ten weeks, which were added in an order.
func swissWeeks(t *testing.T, sites int, order []int) *Pages {
	t.Helper()
	s := newArchives(t)
	for _, week := range order {
		note(t, s, dateOf(week), weekOf(t, week, sites))
	}
	return pagesWith(s, weekOf(t, weeks-1, sites))
}

// pagesWith returns pages with archives.
func pagesWith(s *archive.Store, markets ...*index.Market) *Pages {
	p := pagesAbout(true, markets...)
	env := p.Env
	p.Env = func() *api.Env {
		e := env()
		e.Archives = s
		return e
	}
	return p
}

func parseFeed(t *testing.T, w *httptest.ResponseRecorder) *gofeed.Feed {
	t.Helper()
	f, err := gofeed.NewParser().Parse(bytes.NewReader(w.Body.Bytes()))
	if err != nil || w.Code != 200 {
		t.Fatalf("status %d, %v: %.300s", w.Code, err, w.Body)
	}
	return f
}

// The feed of a disc has each change of ten weeks once, whatever the order in which they came.
func TestFeedOfTenWeeks(t *testing.T) {
	const sites, target = 60, "/feeds/CH.atom?lat=46.1&lon=7.3&radiusKm=20&lang=en"
	order := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	first := ask(swissWeeks(t, sites, order), "GET", target).Body.String()
	var want []string
	center := geo.Point{Lat: 46.1, Lng: 7.3}
	for i := range sites {
		at := geo.Point{Lat: 46 + float64(i)*0.005, Lng: 7 + float64(i%7)*0.1}
		if geo.Distance(center, at) > 20_000 {
			continue
		}
		week := i % weeks
		if week == 0 {
			week = 5 // a second operator
		}
		want = append(want, fmt.Sprintf("tag:relais,2026:CH/s%d/%s", i, dateOf(week)))
	}
	for _, order := range [][]int{order, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, {3, 9, 0, 5, 5, 1, 8, 2, 7, 4, 6, 3}} {
		w := ask(swissWeeks(t, sites, order), "GET", target)
		f := parseFeed(t, w)
		var got []string
		for i, item := range f.Items {
			got = append(got, item.GUID)
			if i > 0 && item.UpdatedParsed.After(*f.Items[i-1].UpdatedParsed) {
				t.Errorf("%s comes after an older entry", item.GUID)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) || len(want) < 20 {
			t.Errorf("order %v: got %q, want %q", order, got, want)
		}
		if w.Body.String() != first {
			t.Errorf("order %v: the feed differs from that of another order", order)
		}
	}
}

// The entries of a feed are the sites and editions of what /changes lists.
func TestFeedsAgreeWithTheList(t *testing.T) {
	p := swissWeeks(t, 60, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	for _, query := range []string{"", "operator=SUNRISE_CH", "kind=site-added", "kind=operator-added,system-added",
		"technology=LTE+700", "generation=4G&band=800", "bbox=7,46,7.35,46.2", "lat=46.1&lng=7&radiusKm=9"} {
		t.Run(query, func(t *testing.T) {
			q, err := url.ParseQuery(query)
			if err != nil {
				t.Fatal(err)
			}
			params := map[string]string{"market": "CH", "since": dateOf(0), "limit": "1000"}
			for name := range q {
				params[name] = q.Get(name)
			}
			list, err := answerOf[view.Body[[]view.Change, view.ChangesMeta]](t.Context(), p.Env(), "changes.list", params)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, c := range list.Data {
				id := "tag:relais,2026:CH/" + c.Site.ID + "/" + c.Date
				if !slices.Contains(want, id) {
					want = append(want, id)
				}
			}
			if len(want) == 0 {
				t.Fatal("nothing changed: the test shows nothing")
			}
			for _, format := range []string{".atom", ".json"} {
				var got []string
				for _, item := range parseFeed(t, ask(p, "GET", "/feeds/CH"+format+"?"+query)).Items {
					got = append(got, item.GUID)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s: got %q, want %q", format, got, want)
				}
			}
		})
	}
}

func TestFeed(t *testing.T) {
	p := swissWeeks(t, 400, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	en := ask(p, "GET", "/feeds/CH.atom?lang=en&operator=sunrise_ch,SALT_CH&utm_source=x&nonsense=1")
	f := parseFeed(t, en)
	if !strings.HasPrefix(f.Title, "relais · Changes of antenna sites: Switzerland · ") || f.Language != "en" {
		t.Errorf("got %q in %q", f.Title, f.Language)
	}
	if f.FeedLink != "http://relais.test/feeds/CH.atom?lang=en&operator="+strings.Join(operatorsOfFeed(f.FeedLink), ",") ||
		!strings.HasPrefix(f.Link, "http://relais.test/feeds/CH?lang=en&operator=") {
		t.Errorf("got self %q, alternate %q", f.FeedLink, f.Link)
	}
	all := parseFeed(t, ask(p, "GET", "/feeds/ch.json?lang=fr"))
	if len(all.Items) != 200 || !strings.Contains(all.Title, "Changements des sites d’antennes\u00a0: Suisse") {
		t.Errorf("got %d entries, title %q; want the newest 200", len(all.Items), all.Title)
	}
	mustPage(t, p, all)
	item := parseFeed(t, ask(p, "GET", "/feeds/CH.atom?lang=fr&kind=site-added")).Items[0]
	if !strings.HasPrefix(item.Link, "http://relais.test/site/ch-s") || !strings.HasPrefix(item.Title, "Nouveau site\u00a0: Town s") {
		t.Errorf("got %q, %q", item.Link, item.Title)
	}
	// another base URL changes addresses only
	moved := *p
	env := p.Env
	moved.Env = func() *api.Env {
		e := env()
		e.BaseURL = "https://antennas.example/x"
		return e
	}
	elsewhere := ask(&moved, "GET", "/feeds/CH.atom?lang=en&operator=sunrise_ch,SALT_CH").Body.String()
	if got := strings.ReplaceAll(elsewhere, "https://antennas.example/x", "http://relais.test"); got != en.Body.String() {
		t.Error("the base URL changes more than addresses")
	}
	tag := en.Header().Get("Etag")
	if w := ask(p, "GET", "/feeds/CH.atom?operator=sunrise_ch,SALT_CH&lang=en&offset=0", "If-None-Match", tag); w.Code != 304 || w.Body.Len() > 0 {
		t.Errorf("got %d with the tag %s, want 304", w.Code, tag)
	}
	if w := ask(p, "GET", "/feeds/CH.atom?lang=en", "If-None-Match", tag); w.Code != 200 {
		t.Errorf("got %d of another feed with the tag, want 200", w.Code)
	}
	if w := ask(p, "HEAD", "/feeds/CH.atom"); w.Code != 200 || w.Body.Len() > 0 ||
		w.Header().Get("Content-Type") != "application/atom+xml; charset=utf-8" {
		t.Errorf("HEAD: got %d, %d bytes, %v", w.Code, w.Body.Len(), w.Header())
	}
}

// mustPage fails unless a feed says that it is not all, and leads to the rest in both formats.
func mustPage(t *testing.T, p *Pages, first *gofeed.Feed) {
	t.Helper()
	if !strings.Contains(first.Description, "Cette page du flux a 200 entrées") {
		t.Errorf("the subtitle %q does not say that there are more", first.Description)
	}
	for _, format := range []string{".json", ".atom"} {
		seen, target := map[string]bool{}, "/feeds/CH"+format+"?lang=fr"
		for pages := 1; target != ""; pages++ {
			w := ask(p, "GET", target)
			for _, item := range parseFeed(t, w).Items {
				seen[item.GUID] = true
			}
			if target = nextPage(w.Body.String()); (target != "") != (pages < 2) {
				t.Fatalf("%s: page %d leads to %q", format, pages, target)
			}
		}
		// 360 sites come in the nine weeks after the first, and its 40 get another operator.
		if len(seen) != 400 {
			t.Errorf("%s: got %d entries on all pages, want 400", format, len(seen))
		}
	}
	if body := ask(p, "GET", "/feeds/CH?lang=fr").Body.String(); !strings.Contains(body,
		"Le flux a encore 170 entrées ici, et de plus anciennes dans ses pages suivantes.") {
		t.Error("the page does not say that there are more")
	}
}

// nextPage returns the target of the next page of a feed, "" for none.
func nextPage(body string) string {
	for _, before := range []string{`"next_url":"`, `rel="next" type="application/atom+xml" href="`} {
		if _, after, found := strings.Cut(body, before); found {
			address, _, _ := strings.Cut(after, `"`)
			address = strings.NewReplacer("&amp;", "&", `\u0026`, "&").Replace(address)
			return strings.TrimPrefix(address, "http://relais.test")
		}
	}
	return ""
}

func operatorsOfFeed(address string) []string {
	u, _ := url.Parse(address)
	return strings.Split(u.Query().Get("operator"), ",")
}

func TestFeedErrors(t *testing.T) {
	p := swissWeeks(t, 20, []int{0, 1})
	for _, tt := range []pageTest{
		{"/feeds/XX.atom", 404}, {"/feeds/CH.rss", 404}, {"/feeds/CH.atom.json", 404}, {"/feeds/.atom", 404},
		{"/feeds/CH.atom?kind=new", 400}, {"/feeds/CH?kind=new", 400}, {"/feeds/CH.atom?operator=NOBODY", 400},
		{"/feeds/CH.atom?technology=6G", 200}, {"/feeds/CH.atom?band=6G", 400}, {"/feeds/CH.atom?offset=-1", 400},
		{"/feeds/CH.json?lat=46&lon=7&radiusKm=51", 400},
		{"/feeds/CH.json?lat=46", 400}, {"/feeds/CH.atom?kind=moved&kind=moved", 400}, {"/feeds/CH.atom?department=75", 400},
		{"/feeds/CH.atom?bbox=" + url.QueryEscape(hostile), 400}, {"/feeds/" + url.PathEscape(hostile) + ".atom", 404},
		{"/feeds/CH.atom?band=" + strings.Repeat("1,", 5000), 400}, {"/feeds/PT.atom", 200}, {"/feeds/FR.json", 200}, {"/feeds/BE", 200},
	} {
		t.Run(fmt.Sprintf("%.50s", tt.target), func(t *testing.T) {
			if w := ask(p, "GET", tt.target); w.Code != tt.status || strings.Contains(w.Body.String(), "<script>alert") {
				t.Errorf("got %d, want %d: %.300s", w.Code, tt.status, w.Body)
			}
		})
	}
	for target, want := range map[string]string{
		"/feeds/CH?lang=en&kind=new":      "the value for “kind” is not possible here. It can be site-added, ",
		"/feeds/CH?lang=fr&operator=NONE": "Valeurs possibles\u00a0: SWISSCOM_CH, ",
	} {
		if body := ask(p, "GET", target).Body.String(); !strings.Contains(body, want) {
			t.Errorf("%s: the page does not say %q: %s", target, want, body)
		}
	}
	if w := ask(p, "POST", "/feeds/CH.atom"); w.Code != 405 {
		t.Errorf("POST: got %d, want 405", w.Code)
	}
	p.Keyed = true
	for _, target := range []string{"/feeds/CH.atom", "/feeds/CH.json", "/feeds/CH"} {
		if w := ask(p, "GET", target); w.Code != 403 || strings.Contains(w.Body.String(), "ch-s") {
			t.Errorf("%s with --map key: got %d, want 403", target, w.Code)
		}
	}
}

// A feed has the newest 60 editions, and says so if there are more.
func TestFeedOfManyEditions(t *testing.T) {
	s := newArchives(t)
	day := func(i int) string {
		return time.Date(2024, 1, 4, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 7*i).Format(time.DateOnly)
	}
	var sites []site.Site
	for i := range 63 {
		sites = append(sites, newSite(fmt.Sprint("s", i), geo.Point{Lat: 46 + float64(i)*0.005, Lng: 7}))
		now := indextest.Market(t, market.CH, sites...)
		note(t, s, day(i), now)
		p := pagesWith(s, now)
		if i < 59 {
			continue
		}
		f := parseFeed(t, ask(p, "GET", "/feeds/CH.atom?lang=en"))
		last := f.Items[len(f.Items)-1].GUID
		if want := "tag:relais,2026:CH/s" + fmt.Sprint(max(1, i-59)) + "/" + day(max(1, i-59)); last != want {
			t.Errorf("%d editions: the last entry is %s, want %s", i+1, last, want)
		}
		said := "Older editions are left out: a feed goes back to the edition of " + english.Date(day(i-59)) + "."
		if strings.Contains(f.Description, said) != (i > 60) || strings.Contains(f.Description, "left out") != (i > 60) {
			t.Errorf("%d editions: got the subtitle %q", i+1, f.Description)
		}
		for _, query := range []string{"", "&kind=moved"} {
			body := ask(p, "GET", "/feeds/CH?lang=en"+query).Body.String()
			if strings.Contains(body, said) != (i > 60) ||
				strings.Contains(body, "in the editions that this server keeps") != (i <= 60 && query != "") {
				t.Errorf("%d editions, %q: the page does not say how far the feed goes back, or says it of all", i+1, query)
			}
		}
	}
}

// The title of an entry says which systems it is about, or of many their generations.
func TestNewsSystems(t *testing.T) {
	for _, tt := range []struct{ systems, want string }{
		{"", ""}, {"5G NR 3500", "5G NR 3500"}, {"LTE 800,LTE 800", "LTE 800"}, {"LTE 800,5G NR 700", "LTE 800,5G NR 700"},
		{"5G NR 700,LTE 800,LTE 1800", "4G,5G"}, {"-", "3G"},
	} {
		t.Run(tt.systems, func(t *testing.T) {
			changes := []view.Change{{Kind: "site-added"}}
			for name := range strings.SplitSeq(tt.systems, ",") {
				generation := map[bool]string{true: "5G", false: "4G"}[strings.HasPrefix(name, "5G")]
				switch c := (view.Change{Kind: "system-added", Technology: &name, Generation: &generation}); name {
				case "":
				case "-": // a register without systems
					third := "3G"
					changes = append(changes, view.Change{Kind: "system-added", Generation: &third})
				default:
					changes = append(changes, c)
				}
			}
			if got := strings.Join(newsSystems(changes), ","); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Names from registers stay text, and rows that may not be redistributed stay out.
func TestFeedOfHostileAndRestrictedNames(t *testing.T) {
	s := newArchives(t)
	evil := newSite(`x"<&/é`, geo.Point{Lat: 50, Lng: 4})
	evil.Commune = hostile
	note(t, s, "2026-08-20", indextest.Market(t, market.BE, newSite("a", geo.Point{Lat: 50.5, Lng: 4})))
	now := indextest.Market(t, market.BE, newSite("a", geo.Point{Lat: 50.5, Lng: 4}), evil)
	now.Snap.Registers = []string{market.Get(market.BE).Source}
	note(t, s, "2026-08-27", now)
	bipt := indextest.Market(t, market.BE, newSite("a", geo.Point{Lat: 50.5, Lng: 4}), evil, newSite("secret", geo.Point{Lat: 51, Lng: 4}))
	bipt.Snap.Registers = market.Get(market.BE).NeedPermission
	note(t, s, "2026-09-03", bipt)
	p := pagesWith(s, now)
	for _, target := range []string{"/feeds/BE.atom", "/feeds/BE.json", "/feeds/BE"} {
		w := ask(p, "GET", target)
		if body := w.Body.String(); w.Code != 200 || strings.Contains(body, "<script>") || strings.Contains(body, "secret") {
			t.Errorf("%s: got %d, %s", target, w.Code, body)
		}
	}
	f := parseFeed(t, ask(p, "GET", "/feeds/BE.atom"))
	if len(f.Items) != 1 || f.Items[0].GUID != "tag:relais,2026:BE/x%22%3C&%2F%C3%A9/2026-08-27" ||
		!strings.Contains(f.Items[0].Title, "<script>alert(1)</script>") {
		t.Errorf("got %v", f.Items)
	}
}

// Synthetic data says so in the title, also of the archives alone.
func TestSyntheticFeed(t *testing.T) {
	s := newArchives(t)
	for week := range 2 {
		m := weekOf(t, week, 20)
		m.Snap.Synthetic = true
		note(t, s, dateOf(week), m)
	}
	p := pagesWith(s)
	if f := parseFeed(t, ask(p, "GET", "/feeds/CH.atom?lang=en")); !strings.HasPrefix(f.Title, "Synthetic demonstration data") ||
		len(f.Items) == 0 || f.Copyright != "" {
		t.Errorf("got %q with %d entries, rights %q", f.Title, len(f.Items), f.Copyright)
	}
}

// A feed of one edition has a date and says what its data is; the page says why nothing can be compared.
func TestFeedsOfNothing(t *testing.T) {
	s := newArchives(t)
	m := weekOf(t, 0, 20)
	m.Snap.Synthetic = true
	note(t, s, dateOf(0), m)
	p := pagesWith(s)
	env := p.Env
	p.Env = func() *api.Env {
		e := env()
		e.Now = time.Date(2026, 9, 3, 15, 0, 0, 0, time.UTC)
		return e
	}
	for target, want := range map[string]string{"/feeds/PT.atom": "2026-09-03", "/feeds/BE.atom": "2026-09-03",
		"/feeds/CH.atom": dateOf(0)} {
		if got := parseFeed(t, ask(p, "GET", target)).Updated; got != want+"T00:00:00Z" {
			t.Errorf("%s: got updated %s, want %s", target, got, want)
		}
	}
	for _, p := range []*Pages{p, pagesWith(s, m)} {
		if f := parseFeed(t, ask(p, "GET", "/feeds/CH.atom?lang=en")); !strings.HasPrefix(f.Title, "Synthetic") ||
			f.Copyright != "" {
			t.Errorf("got %q, rights %q, want synthetic data without rights", f.Title, f.Copyright)
		}
	}
	for target, want := range map[string]string{"/feeds/CH?lang=fr": "est la première de ce registre",
		"/feeds/BE?lang=fr": "aucune édition", "/feeds/PT?lang=fr": "Portugal", "/feeds/PT?lang=en": "Portugal"} {
		body := ask(p, "GET", target).Body.String()
		if !strings.Contains(body, want) || strings.Contains(body, "Rien n’a changé") || strings.Contains(body, "Nothing changed") {
			t.Errorf("%s: the page does not say %q, or says that nothing changed: %s", target, want, body)
		}
	}
}

// Degrees of the south and west are not said to be north and east.
func TestNewsBox(t *testing.T) {
	for _, tt := range []struct {
		w                        words
		south, north, west, east float64
		want                     string
	}{
		{english, 47, 48, -2, -1, "between 47° and 48° north, 2° and 1° west"},
		{french, 47, 48, -2, -1, "entre 47° et 48° nord, 2° et 1° ouest"},
		{english, -21.5, -20.8, 55, 56, "between 21.5° and 20.8° south, 55° and 56° east"},
		{english, 0, 1, -1, 0.5, "between 0° and 1° north, 1° west and 0.5° east"},
		{french, -1, 1, -1, 0, "entre 1° sud et 1° nord, 1° et 0° ouest"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			f := view.NewsFilter{Box: &geo.Box{South: tt.south, North: tt.north, West: tt.west, East: tt.east}}
			if got := tt.w.newsWhat(&view.News{Market: market.FR, Filter: f}); !strings.HasSuffix(got, " · "+tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// A list of what words find does not lead to a feed of a whole market.
func TestNoFeedOfWords(t *testing.T) {
	p := swissWeeks(t, 20, []int{0, 1})
	if body := ask(p, "GET", "/search?market=CH&q=Town").Body.String(); strings.Contains(body, "/feeds/") ||
		len(keysOf(body)) == 0 {
		t.Errorf("the page leads to a feed, or has no sites: %s", body)
	}
}

// Pages lead to the feeds of what they show.
func TestFeedDiscovery(t *testing.T) {
	p := swissWeeks(t, 60, []int{0, 1, 2})
	for _, tt := range []struct{ target, feed, text string }{
		{"/", "/feeds/CH.atom", "Follow what I see"},
		{"/?lang=fr", "/feeds/CH?lang=fr", "Suivre ce que je vois"},
		{"/search?market=CH&operator=SALT_CH&lang=en", "/feeds/CH.atom?lang=en&amp;operator=SALT_CH",
			"Follow the changes: Switzerland · Salt"},
		{"/search?market=CH&bbox=7,46,7.5,46.5", "/feeds/CH.json?bbox=7,46,7.5,46.5", "between 46° and 46.5° north, 7° and 7.5° east"},
		{"/near?lat=46.1&lng=7.1&radiusKm=10&generation=4G",
			"/feeds/CH.atom?generation=4G&amp;lat=46.1&amp;lon=7.1&amp;radiusKm=10", "10\u00a0km around 46.1, 7.1"},
		{"/feeds/CH?kind=site-added&lang=fr", "http://relais.test/feeds/CH.atom?kind=site-added&amp;lang=fr", "Suivre ces changements"},
	} {
		t.Run(tt.target, func(t *testing.T) {
			body := ask(p, "GET", tt.target).Body.String()
			if !strings.Contains(body, `"`+tt.feed+`"`) || !strings.Contains(body, tt.text) {
				t.Errorf("the page has no %q or no %q: %s", tt.feed, tt.text, body)
			}
		})
	}
	p.Keyed = true
	if body := ask(p, "GET", "/").Body.String(); strings.Contains(body, "/feeds/") {
		t.Error("with --map key the map leads to a feed that nobody can read")
	}
}

// GDAL reads the entries with their positions.
func TestFeedInGDAL(t *testing.T) {
	if _, err := exec.LookPath("ogr2ogr"); err != nil {
		t.Skip("ogr2ogr is not installed")
	}
	p := swissWeeks(t, 60, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	dir := t.TempDir()
	in, out := filepath.Join(dir, "feed.xml"), filepath.Join(dir, "out.geojson")
	w := ask(p, "GET", "/feeds/CH.atom")
	if err := os.WriteFile(in, w.Body.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command("ogr2ogr", "-f", "GeoJSON", out, in).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	text, err := os.ReadFile(out)
	var read struct {
		Features []struct {
			Geometry   struct{ Coordinates [2]float64 }
			Properties struct{ ID string }
		}
	}
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	items := parseFeed(t, w).Items
	if err != nil || len(read.Features) != len(items) || len(items) == 0 {
		t.Fatalf("%v: GDAL has %d features of %d entries", err, len(read.Features), len(items))
	}
	for i, f := range read.Features {
		var n int
		if _, err := fmt.Sscanf(strings.TrimPrefix(items[i].GUID, "tag:relais,2026:CH/"), "s%d/", &n); err != nil {
			t.Fatal(err)
		}
		lat, lng := 46+float64(n)*0.005, 7+float64(n%7)*0.1
		if c := f.Geometry.Coordinates; geo.Distance(geo.Point{Lat: c[1], Lng: c[0]}, geo.Point{Lat: lat, Lng: lng}) > 0.1 ||
			f.Properties.ID != items[i].GUID {
			t.Errorf("entry %d: GDAL has %s at %v, want %s at %v, %v", i, f.Properties.ID, c, items[i].GUID, lng, lat)
		}
	}
}
