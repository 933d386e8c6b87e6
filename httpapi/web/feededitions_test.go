package web

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"relais/api"
	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/market"
	"relais/site"
)

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

// A feed keeps what it told of an edition, and tells a correction of it apart and once.
func TestFeedOfACorrection(t *testing.T) {
	s := newArchives(t)
	at := func(names ...string) *index.Market {
		var sites []site.Site
		for _, name := range names {
			sites = append(sites, newSite(name, geo.Point{Lat: 47, Lng: 8}))
		}
		return indextest.Market(t, market.CH, sites...)
	}
	note(t, s, "2026-08-20", at("a", "b"))
	note(t, s, "2026-08-27", at("a", "b", "c"))
	first := parseFeed(t, ask(pagesWith(s), "GET", "/feeds/CH.atom?lang=en"))
	for i, now := range []*index.Market{at("a", "d"), at("a", "d", "b")} {
		now.Snap.SourceDate, now.Snap.Version = "2026-08-27", fmt.Sprint("corrected ", i)
		if _, err := s.Note(t.Context(), now.Snap); err != nil {
			t.Fatal(err)
		}
	}
	p := pagesWith(s)
	want := []string{"b/2026-08-27/2 Correction: new site", "b/2026-08-27/1 Correction: site gone",
		"c/2026-08-27/1 Correction: site gone", "d/2026-08-27/1 Correction: new site", "c/2026-08-27 New site"}
	for _, format := range []string{"atom", "json"} {
		f := parseFeed(t, ask(p, "GET", "/feeds/CH."+format+"?lang=en"))
		var got []string
		for i, item := range f.Items {
			title, _, _ := strings.Cut(item.Title, ": ch-")
			got = append(got, strings.TrimPrefix(item.GUID, "tag:relais,2026:CH/")+" "+title)
			if slices.Contains(item.Categories, "corrects") != (i < 4) {
				t.Errorf("%s, entry %d: categories %q", format, i, item.Categories)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", format, diff)
		}
		if last := f.Items[len(f.Items)-1]; format == "atom" && last.Content != first.Items[0].Content {
			t.Errorf("the entry of the edition as it came is %s, was %s", last.Content, first.Items[0].Content)
		}
	}
	page := ask(p, "GET", "/feeds/CH?lang=fr").Body.String()
	if n := strings.Count(page, "Correction\u00a0: "); n != 4 {
		t.Errorf("%d corrections on the page, want 4", n)
	}
}
