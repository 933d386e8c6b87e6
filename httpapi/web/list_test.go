package web

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/api"
	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/market"
	"relais/site"
)

// The pages of the sites around a position have all of them once, the nearest first, as a scan of
// the positions finds them.
func TestNearAgainstAScan(t *testing.T) {
	m := country(t, market.FR, 180)
	p, at := pagesAbout(true, m), geo.Point{Lat: 48.83, Lng: 2.31}
	type near struct {
		key    string
		metres float64
	}
	var want []near
	for i := range m.Len() {
		if d := geo.Distance(at, m.Position(uint32(i))); d <= 5000 {
			want = append(want, near{index.Key(market.FR, m.Snap.ID(i)), d})
		}
	}
	slices.SortFunc(want, func(a, b near) int { return int(a.metres*1000) - int(b.metres*1000) })
	var got []string
	next := "/near?lat=48.83&lng=2.31"
	for range 10 {
		w := ask(p, "GET", next)
		if w.Code != 200 {
			t.Fatalf("%s: status %d, want 200", next, w.Code)
		}
		got = append(got, keysOf(w.Body.String())...)
		_, after, ok := strings.Cut(w.Body.String(), `rel="next"`)
		if !ok {
			break
		}
		before := w.Body.String()[:len(w.Body.String())-len(after)]
		next = before[strings.LastIndex(before, `href="`)+6:]
		next = strings.ReplaceAll(next[:strings.IndexByte(next, '"')], "&amp;", "&")
	}
	if len(want) < 120 || len(got) != len(want) {
		t.Fatalf("%d sites on the pages, want %d, more than two pages", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i].key {
			t.Fatalf("site %d: got %s, want %s", i, got[i], want[i].key)
		}
	}
}

func TestSearchPage(t *testing.T) {
	fr, ch := country(t, market.FR, 60), country(t, market.CH, 3)
	p := pagesAbout(true, fr, ch)
	for _, tt := range []struct {
		name, target string
		first        string // key of the first site, "" for none
		sites        int    // on the page
		mentions     []string
	}{
		{"a commune", "/search?q=town+1002", "fr-1002", 1,
			[]string{"Results for “town 1002”", "1 site", "Also in", "Switzerland (1)"}},
		{"an address", "/search?q=1009+street", "fr-1009", 1, nil},
		{"a key", "/search?q=ch-1002", "ch-1002", 1, []string{"Switzerland"}},
		{"a station number", "/search?q=s1030", "fr-1030", 1, nil},
		{"a market", "/search?q=town&market=CH", "", 3, []string{"3 sites · Switzerland"}},
		{"everything", "/search", "", 50, []string{"60 sites · France · page 1 of 2", "For example"}},
		{"the second page", "/search?page=2&market=FR", "", 10, []string{"page 2 of 2", `rel="prev"`}},
		{"a filter", "/search?operator=BOUYGUES&status=Projet+approuv%C3%A9", "", 50,
			[]string{"Clear filters", "checked"}},
		{"a filter that nothing has", "/search?operator=FREE", "", 0, []string{"No site matches here."}},
		{"a form's repeated filter", "/search?operator=SFR&operator=BOUYGUES&generation=4G", "", 50, nil},
		{"a box", "/search?bbox=2,48.8,3,48.8012", "", 3, nil},
		{"French", "/search?q=town+1007&lang=fr", "fr-1007", 1, []string{`lang="fr"`, "Résultats pour", "lang=fr"}},
		{"sorted", "/search?q=town&sort=place", "fr-1000", 50, []string{`aria-sort="ascending"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := ask(p, "GET", tt.target)
			body := w.Body.String()
			_, rows, _ := strings.Cut(body, "<tbody>")
			keys := keysOf(rows)
			if w.Code != 200 || len(keys) != tt.sites || tt.first != "" && keys[0] != tt.first {
				t.Errorf("status %d, sites %q; want 200 and %d, first %q", w.Code, keys, tt.sites, tt.first)
			}
			for _, want := range tt.mentions {
				if !strings.Contains(body, want) {
					t.Errorf("%q is missing", want)
				}
			}
		})
	}
}

// Filters of the API without a field in the form filter, and the page says so and keeps them.
func TestSearchPageFilters(t *testing.T) {
	var list []site.Site
	for i, code := range []string{"03", "75", "75"} {
		s := newSite(fmt.Sprint(1000+i), geo.Point{Lat: 48.8, Lng: 2.3 + float64(i)/100})
		s.Area, _ = market.Get(market.FR).Area(code)
		list = append(list, s)
	}
	p := pagesAbout(true, indextest.Market(t, market.FR, list...))
	for target, want := range map[string]struct {
		keys  []string
		shows []string
	}{
		"/search?department=75&band=800&sort=place": {[]string{"fr-1001", "fr-1002"},
			[]string{"Also filtered by department: 75 · band: 800", `name="department" value="75"`, "Clear filters",
				`href="/search?band=800&amp;department=75&amp;market=FR"`, "/feeds/FR?band=800&amp;department=75"}},
		"/near?lat=48.8&lng=2.3&department=Allier&lang=fr": {[]string{"fr-1000"}, []string{"Filtré aussi par département : Allier"}},
		"/search?technology=LTE+700,LTE+800&together=1":    {[]string{"fr-1000", "fr-1001", "fr-1002"}, nil},
		"/search?technology=LTE+700,GSM+900&together=true": {nil, []string{"all values at one site: true"}},
		"/search?department=971&market=FR":                 {nil, []string{"department", "is not possible here"}},
	} {
		body := strings.ReplaceAll(ask(p, "GET", target).Body.String(), "\u00a0", " ")
		if diff := cmp.Diff(want.keys, keysOf(body)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", target, diff)
		}
		for _, text := range want.shows {
			if !strings.Contains(body, text) {
				t.Errorf("%s: %q is missing", target, text)
			}
		}
	}
}

// A pageTest is a page and its status.
type pageTest struct {
	target string
	status int
}

func hostileLists() []pageTest {
	text, long := url.QueryEscape(hostile), strings.Repeat("%C3%A9", 10_000)
	return []pageTest{
		{"/search?q=" + text, 200},
		{"/search?q=" + long, 400},
		{"/search?q=%00%1b[31m", 200},
		{"/search?q=%ff%fe", 200},
		{"/search?market=XX", 400},
		{"/search?market=" + text, 400},
		{"/search?market=" + long, 400},
		{"/search?market=CH", 503},
		{"/search?market=PT", 200},
		{"/search?operator=" + text, 400},
		{"/search?operator=" + strings.Repeat("A,", 5000), 400},
		{"/search?generation=" + text, 400},
		{"/search?status=" + text, 200},
		{"/search?page=99999999999999999999999", 404},
		{"/search?page=1000000", 404},
		{"/search?page=-1", 200},
		{"/search?page=" + text, 200},
		{"/search?sort=" + text, 200},
		{"/search?bbox=" + text, 400},
		{"/search?lang=" + text, 200},
		{"/search?q=a&q=b&q=c", 200},
		{"/search?%zz=1;2", 200},
		{"/near", 200},
		{"/near?lat=48.8", 400},
		{"/near?lat=" + text + "&lng=2", 400},
		{"/near?lat=NaN&lng=Inf", 400},
		{"/near?lat=1e400&lng=2", 400},
		{"/near?lat=91&lng=2", 400},
		{"/near?lat=48.8&lng=2.3&radiusKm=-5", 400},
		{"/near?lat=48.8&lng=2.3&radiusKm=1e9", 400},
		{"/near?lat=48.8&lng=2.3&page=9999999", 404},
		{"/near?lat=-60&lng=100", 200},
		{"/near?lat=48.8&lon=2.3", 200},
		{"/go?plmn=" + text, 400},
		{"/go?enb=" + text, 400},
		{"/go?eci=" + strings.Repeat("9", 10_000), 400},
		{"/go?pci=5&lat=" + text + "&lon=3", 400},
		{"/site/fr-0", 404},
		{"/site/..%2f..%2fetc", 404},
		{"/site/%00", 404},
		{"/site/" + url.PathEscape(hostile), 404},
		{"/site/" + strings.Repeat("x", 10_000), 404},
	}
}

// What nobody can answer says so, with a status that fits, and nothing of the question becomes part
// of the page.
func TestHostileLists(t *testing.T) {
	p := pagesAbout(true, country(t, market.FR, 3))
	for _, tt := range hostileLists() {
		name := tt.target[:min(len(tt.target), 60)]
		t.Run(name, func(t *testing.T) {
			for _, header := range []string{"", "fr", strings.Repeat("x-", 5000), "\u202e<script>"} {
				w := ask(p, "GET", tt.target, "Accept-Language", header)
				body := w.Body.String()
				if w.Code != tt.status {
					t.Errorf("status %d, want %d", w.Code, tt.status)
				}
				for _, bad := range []string{"<script", "\u202e", "\x00", "\x1b", "\xff", "&#34;\""} {
					if strings.Contains(body, bad) {
						t.Errorf("the page has %q in it", bad)
					}
				}
				if got := w.Header().Get("Content-Security-Policy"); got != policy {
					t.Errorf("policy: got %q", got)
				}
			}
			if w := ask(p, "HEAD", tt.target); w.Code != tt.status || w.Body.Len() != 0 {
				t.Errorf("HEAD: status %d, %d bytes; want %d without a body", w.Code, w.Body.Len(), tt.status)
			}
			if w := ask(p, "POST", tt.target); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
				t.Errorf("POST: status %d, Allow %q; want 405 with GET, HEAD", w.Code, w.Header().Get("Allow"))
			}
		})
	}
}

// A position is searched for by a page of its own.
func TestSearchOfAPosition(t *testing.T) {
	p := pagesAbout(true, country(t, market.FR, 3))
	for _, tt := range []struct{ text, lat, lng string }{
		{"48.85, 2.35", "48.85", "2.35"},
		{"48,85 2,35", "48.85", "2.35"},
		{"48,85; -2,35", "48.85", "-2.35"},
		{" -21.1,55.5 ", "-21.1", "55.5"},
		{"48.85° 2.35°", "48.85", "2.35"},
		{"91.5, 2.35", "", ""},
		{"12 75001", "", ""},
		{"48.85", "", ""},
		{"48.85, 2.35, 7", "", ""},
	} {
		t.Run(tt.text, func(t *testing.T) {
			w := ask(p, "GET", "/search?q="+url.QueryEscape(tt.text))
			u, err := url.Parse(w.Header().Get("Location"))
			if err != nil {
				t.Fatal(err)
			}
			if w.Code == 303 != (tt.lat != "") || u.Query().Get("lat") != tt.lat || u.Query().Get("lng") != tt.lng {
				t.Errorf("status %d to %s, want %q, %q", w.Code, u, tt.lat, tt.lng)
			}
		})
	}
	w := ask(p, "GET", "/search?q=48.85,2.35&department=75&operator=SFR&lang=fr&page=3")
	if got, want := w.Header().Get("Location"), "/near?department=75&lang=fr&lat=48.85&lng=2.35&operator=SFR"; got != want {
		t.Errorf("with filters: to %s, want %s", got, want)
	}
}

// What a publisher has not permitted is on no page.
func TestRestrictedRegister(t *testing.T) {
	fr, be := country(t, market.FR, 3), country(t, market.BE, 3)
	be.Snap.Registers = market.Get(market.BE).NeedPermission
	targets := []struct {
		target string
		status int // without permission
	}{
		{"/site/be-1001", 403}, {"/site/be-nothing", 403}, {"/search?q=be-1001", 200}, {"/search?q=town&market=BE", 403},
		{"/search?market=be", 403}, {"/near?lat=50.8&lng=4.3", 200}, {"/near?lat=50.8&lng=4.3&market=BE", 403},
		{"/go?plmn=20601&enb=1", 403}, {"/go?enb=1", 404},
	}
	for _, tt := range targets {
		t.Run(tt.target, func(t *testing.T) {
			w := ask(pagesAbout(true, fr, be), "GET", tt.target)
			_, shown, _ := strings.Cut(w.Body.String(), "<main") // before it are links to the page itself
			if shown := keysOf(shown); w.Code != tt.status || len(shown) > 0 && strings.HasPrefix(shown[0], "be-") {
				t.Errorf("status %d with the sites %q, want %d and none of BE", w.Code, shown, tt.status)
			}
			if strings.Contains(w.Body.String(), "Town 1001") {
				t.Error("the page tells of a site")
			}
		})
	}
	all := pagesAbout(false, fr, be)
	for _, target := range []string{"/site/be-1001", "/search?q=be-1001", "/near?lat=50.8&lng=4.3"} {
		if w := ask(all, "GET", target); w.Code != 200 || !strings.Contains(w.Body.String(), "be-1001") {
			t.Errorf("%s with permission: status %d, want 200 with be-1001", target, w.Code)
		}
	}
}

// Where what the map reads needs a key, no page lists sites.
func TestListsNeedAKey(t *testing.T) {
	p := pagesAbout(true, country(t, market.FR, 3))
	p.Keyed = true
	for target, status := range map[string]int{"/search?q=town": 403, "/near?lat=48.8&lng=2.3": 403, "/go?enb=1": 403, "/log": 403,
		"/site/fr-1001": 200} {
		if w := ask(p, "GET", target); w.Code != status {
			t.Errorf("%s: status %d, want %d", target, w.Code, status)
		} else if body := w.Body.String(); strings.Contains(body, `action="/search"`) ||
			strings.Contains(body, `<a href="/search"`) || strings.Contains(body, "Sites near here") {
			t.Errorf("%s leads to a list", target)
		}
	}
}

// Without data, pages say that it is loading and when to come back.
func TestPagesWithoutData(t *testing.T) {
	p := pagesAbout(true)
	env := p.Env()
	env.Set = nil
	for _, target := range []string{"/search?q=a", "/near?lat=48&lng=2", "/go?enb=1", "/site/fr-1"} {
		t.Run(target, func(t *testing.T) {
			empty := *p
			empty.Env = func() *api.Env { return env }
			if w := ask(&empty, "GET", target); w.Code != 503 || w.Header().Get("Retry-After") == "" ||
				!strings.Contains(w.Body.String(), "still loading") {
				t.Errorf("status %d, Retry-After %q; want 503 with it", w.Code, w.Header().Get("Retry-After"))
			}
			if w := ask(p, "GET", target); w.Code >= 500 && w.Code != 503 {
				t.Errorf("without markets: status %d", w.Code)
			}
		})
	}
}

// A text of a register is shown as it is, and is not part of the page.
func TestHostileRegister(t *testing.T) {
	s := newSite("1", geo.Point{Lat: 48.8, Lng: 2.3})
	s.Commune, s.Address[0], s.Nature.Label, s.Owner.Label = hostile, hostile, hostile, hostile
	s.Emissions[0].System, s.Stations[0].Code = hostile, hostile
	p := pagesAbout(true, indextest.Market(t, market.FR, s))
	for _, target := range []string{"/site/fr-1", "/search", "/near?lat=48.8&lng=2.3"} {
		w := ask(p, "GET", target)
		if body := w.Body.String(); w.Code != 200 || strings.Contains(body, "<script") ||
			!strings.Contains(body, "&lt;script&gt;") {
			t.Errorf("%s: status %d, want 200 with the escaped text", target, w.Code)
		}
	}
}

// The rows of a page can be sorted; the others come on their pages.
func TestSortedPage(t *testing.T) {
	p := pagesAbout(true, country(t, market.FR, 9))
	w := ask(p, "GET", "/near?lat=48.9&lng=2.3&radiusKm=50&sort=place")
	var want []string
	for i := range 9 {
		want = append(want, fmt.Sprintf("fr-%d", 1000+i))
	}
	if got := keysOf(w.Body.String()); !slices.Equal(got, want) {
		t.Errorf("sorted by place: got %q, want %q", got, want)
	}
	slices.Reverse(want)
	if got := keysOf(ask(p, "GET", "/near?lat=48.9&lng=2.3&radiusKm=50").Body.String()); !slices.Equal(got, want) {
		t.Errorf("by distance: got %q, want %q", got, want)
	}
}

func TestGroupSystems(t *testing.T) {
	for _, tt := range []struct{ names, want string }{
		{"LTE 700|LTE 800|5G NR 700", "LTE\u00a0700, 800|5G\u00a0NR\u00a0700"},
		{"5GDSS 1700|LTE|LTE|GSM 900", "5GDSS\u00a01700|LTE|LTE|GSM\u00a0900"},
		{"", ""},
	} {
		if got := strings.Join(groupSystems(strings.Split(tt.names, "|")), "|"); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.names, got, tt.want)
		}
	}
}

// Names with accents stand where readers look for them, and bands in the order of their numbers.
func TestSortRows(t *testing.T) {
	for _, tt := range []struct {
		by   string
		rows []listRow
	}{
		{"place", []listRow{{place: place{Commune: "Échirolles"}}, {place: place{Commune: "Évian"}}, {place: place{Commune: "Zug"}}}},
		{"systems", []listRow{{Systems: []string{"LTE 800"}}, {Systems: []string{"LTE 1800"}}, {Systems: []string{"LTE 2600"}}}},
	} {
		got := slices.Clone(tt.rows)
		slices.Reverse(got)
		sortRows(got, tt.by)
		if !reflect.DeepEqual(got, tt.rows) {
			t.Errorf("by %s: got %v, want %v", tt.by, got, tt.rows)
		}
	}
}
