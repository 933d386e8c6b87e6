package web

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mmcdole/gofeed"

	"relais/api"
	"relais/geo"
)

// The feed of a disc has each change of ten weeks once.
func TestFeedOfTenWeeks(t *testing.T) {
	const sites, target = 60, "/feeds/CH.atom?lat=46.1&lon=7.3&radiusKm=20&lang=en"
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
	var got []string
	items := parseFeed(t, ask(swissWeeks(t, sites, weeks), "GET", target)).Items
	for i, item := range items {
		got = append(got, item.GUID)
		if i > 0 && item.UpdatedParsed.After(*items[i-1].UpdatedParsed) {
			t.Errorf("%s comes after an older entry", item.GUID)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || len(want) < 20 {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFeed(t *testing.T) {
	p := swissWeeks(t, 400, weeks)
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
	p := swissWeeks(t, 20, 2)
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

// GDAL reads the entries with their positions.
func TestFeedInGDAL(t *testing.T) {
	if _, err := exec.LookPath("ogr2ogr"); err != nil {
		t.Skip("ogr2ogr is not installed")
	}
	p := swissWeeks(t, 60, weeks)
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
