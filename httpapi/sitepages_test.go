package httpapi

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"

	"relais/api"
	"relais/archive"
	"relais/community"
	"relais/community/audit"
	"relais/geo"
	"relais/httpapi/web"
	"relais/httpapi/web/docs"
	"relais/internal/admit"
	"relais/market"
)

// withPages mounts the pages, as the command does.
func withPages(t *testing.T, s *Server) *Server {
	t.Helper()
	env := func() *api.Env {
		e := s.Env()
		e.WithoutKey()
		return e
	}
	n := uint32(0)
	address := func(*http.Request) netip.Addr { // each request has its own
		n++
		return netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)})
	}
	pages := web.New(web.Options{Env: env, Address: address, Log: s.Log, Map: true, Docs: &docs.Docs{BaseURL: s.BaseURL},
		Reserve: Reserve, Turn: s.Turn})
	for _, route := range pages.Routes() {
		s.Mount(route.Path, route.Handler)
	}
	s.NotFound = pages.NotFound()
	return s
}

var siteLinks = regexp.MustCompile(`<th scope="row"><a href="/site/([^"?]+)`)

// The pages list what the API answers, in its order.
func TestPagesListLikeTheAPI(t *testing.T) {
	s := withPages(t, newServer(t))
	for _, tt := range []struct{ page, api string }{
		{"/search?q=rue&market=FR", "/antennas/search?q=rue&limit=50"},
		{"/search?q=rue&market=FR&page=2", "/antennas/search?q=rue&limit=50&offset=50"},
		{"/search?q=rue&operator=ORANGE&operator=FREE&generation=5G",
			"/antennas/search?q=rue&operator=ORANGE,FREE&generation=5G&limit=50"},
		{"/search?market=DROM&department=974", "/antennas?market=DROM&department=974&limit=50"},
		{"/search?status=Projet+approuv%C3%A9", "/antennas?status=projet&limit=50"},
		{"/search?bbox=2,48,3,49&page=2", "/antennas?bbox=2,48,3,49&limit=50&offset=50"},
		{"/near?lat=48.86&lng=2.35", "/antennas?lat=48.86&lng=2.35&radiusKm=5&limit=50"},
		{"/near?lat=48.86&lon=2.35&radiusKm=50&operator=SFR&page=2",
			"/antennas?lat=48.86&lng=2.35&radiusKm=50&operator=SFR&limit=50&offset=50"},
	} {
		t.Run(tt.page, func(t *testing.T) {
			var answer struct{ Data []struct{ SiteKey string } }
			must(t, json.Unmarshal(get(t, s, tt.api).Body.Bytes(), &answer))
			var want, got []string
			for _, site := range answer.Data {
				want = append(want, site.SiteKey)
			}
			for _, match := range siteLinks.FindAllStringSubmatch(do(t, s, "GET", tt.page).Body.String(), -1) {
				got = append(got, match[1])
			}
			if len(want) == 0 || !slices.Equal(got, want) {
				t.Errorf("sites: got %q, want %q", got, want)
			}
		})
	}
}

// wantTexts fails unless a page has these texts, in this order.
func wantTexts(t *testing.T, w *httptest.ResponseRecorder, texts ...string) {
	t.Helper()
	rest := w.Body.String()
	for _, text := range texts {
		_, after, ok := strings.Cut(rest, text)
		if !ok {
			t.Fatalf("status %d, %q is missing, or not after the texts before it:\n%s", w.Code, text, w.Body)
		}
		rest = after
	}
}

// The page of a site has what the datasets have of it.
func TestSitePageReports(t *testing.T) {
	s := newServer(t)
	fr := s.set.Load().Market(market.FR)
	at, ok := fr.ByID("90000010") // whose photo upload sends
	if !ok {
		t.Fatal("no site 90000010")
	}
	key, place := "fr-90000010", fr.Position(at)
	operator := 0
	for !fr.Has(at, operator) {
		operator++
	}
	name := fr.Table.Operators[operator]
	s.Archives = noArchives(t)
	rows := func(state string) []string { return []string{strings.TrimPrefix(key, "fr-") + " LTE_700 " + state} }
	addArchive(t, s.Archives, "2026-01-08", rows("Projet_approuvé"), archive.Options{})
	addArchive(t, s.Archives, "2026-01-15", rows("En_service"), archive.Options{})
	withPages(t, s)
	target := "/site/" + key
	w := do(t, s, "GET", target)
	wantTexts(t, w, "15\u00a0January 2026", "SFR", "No longer a project:", "LTE 700",
		"status: Projet approuvé → En service", "The oldest one has the site already", "/docs#op-antennas-get")
	for _, absent := range []string{"og.webp", `id="photos"`, "nobody"} {
		if strings.Contains(w.Body.String(), absent) {
			t.Errorf("%q is on the page of a site without photos and outages", absent)
		}
	}

	report(t, s, community.NewReport{Market: market.FR, Operator: name.Key, At: place, Reason: "dark <b>\u202e"})
	report(t, s, community.NewReport{Market: market.FR, Operator: name.Key, Reason: "far away",
		At: geo.Point{Lat: place.Lat + 0.01, Lng: place.Lng}})
	wantTexts(t, do(t, s, "GET", target), "Outages", name.Label, "a user (not confirmed yet)", "Out of service",
		"dark &lt;b&gt;<", "outages may be missing")
	if w := do(t, s, "GET", target); strings.Contains(w.Body.String(), "far away") ||
		strings.Contains(w.Body.String(), "zyx4711") {
		t.Error("the page has an outage of another place, or who reported one")
	}

	var sent struct{ Data struct{ ID string } }
	u := upload(t, s, map[string]string{"description": "The <i>mast</i>"})
	if err := json.Unmarshal(u.Body.Bytes(), &sent); err != nil || sent.Data.ID == "" {
		t.Fatalf("upload: status %d, %v: %s", u.Code, err, u.Body)
	}
	wantTexts(t, do(t, s, "GET", target),
		`property="og:image" content="http://relais.test/media/photos/`+sent.Data.ID+`/og.webp"`,
		`src="/media/photos/`+sent.Data.ID+`/thumb.webp"`, "The &lt;i&gt;mast&lt;/i&gt;")
	if _, err := s.Photos.Hide(sent.Data.ID, audit.Decision{Why: "a face"}); err != nil {
		t.Fatal(err)
	}
	if w := do(t, s, "GET", target); strings.Contains(w.Body.String(), sent.Data.ID) {
		t.Error("a hidden photo is on the page")
	}
}

// A site that only kept editions have has a page, which says when it went. One that the newest has, and one that none
// has, is unknown.
func TestRemovedSitePage(t *testing.T) {
	s := newServer(t)
	s.Archives = noArchives(t)
	addArchive(t, s.Archives, "2026-01-01", []string{"4711 LTE_700 En_service", "4712 LTE_800 En_service"}, archive.Options{})
	addArchive(t, s.Archives, "2026-01-08", []string{"4711 LTE_700 En_service", "4712 LTE_800 En_service"}, archive.Options{})
	addArchive(t, s.Archives, "2026-01-15", []string{"4712 LTE_800 En_service"}, archive.Options{Force: true})
	withPages(t, s)
	w := do(t, s, "GET", "/site/fr-4711")
	wantTexts(t, w, "Removed from the register.", "last in the edition of 8\u00a0January 2026; that of 15\u00a0January 2026",
		"LTE 700", "Removed:")
	if w.Code != http.StatusGone {
		t.Errorf("status %d, want 410", w.Code)
	}
	for _, key := range []string{"fr-4712", "fr-4713", "fr-x"} {
		if w := do(t, s, "GET", "/site/"+key); w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404", key, w.Code)
		}
	}
}

// A browser gets a page about an address that does not exist; programs get JSON.
func TestNotFoundPage(t *testing.T) {
	s := withPages(t, newServer(t))
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	for _, tt := range []struct {
		method, path, accept, contentType string
		status                            int
	}{
		{"GET", "/nothing", browser, "text/html; charset=utf-8", 404},
		{"HEAD", "/nothing", browser, "text/html; charset=utf-8", 404},
		{"GET", "/" + strings.Repeat("x", 10_000), browser, "text/html; charset=utf-8", 404},
		{"GET", "/%3Cscript%3E%00", browser, "text/html; charset=utf-8", 404},
		{"POST", "/nothing", browser, "application/json; charset=utf-8", 404},
		{"GET", "/nothing", "application/json", "application/json; charset=utf-8", 404},
		{"GET", "/nothing", "*/*", "application/json; charset=utf-8", 404},
		{"GET", "/nothing", "", "application/json; charset=utf-8", 404},
		{"GET", "/nothing", "text/html;q=0, application/json", "application/json; charset=utf-8", 404},
		{"GET", "/nothing", strings.Repeat("text/html;", 5000), "application/json; charset=utf-8", 404},
		{"GET", "/external/v1/nothing", browser, "application/json; charset=utf-8", 404},
		{"GET", "/external", browser, "application/json; charset=utf-8", 404},
		{"GET", "/api/nothing", browser, "application/json; charset=utf-8", 404},
		{"GET", "/map/nothing", browser, "application/json; charset=utf-8", 404},
		{"GET", "/media/photos/nothing/main.webp", browser, "application/json; charset=utf-8", 404},
		{"GET", "/robots.txt", "", "text/plain; charset=utf-8", 200},
		{"GET", "/favicon.ico", "", "image/vnd.microsoft.icon", 200},
	} {
		t.Run(tt.method+" "+tt.path[:min(len(tt.path), 30)]+" "+tt.accept[:min(len(tt.accept), 30)], func(t *testing.T) {
			w := do(t, s, tt.method, tt.path, "Accept", tt.accept)
			if got := w.Header().Get("Content-Type"); w.Code != tt.status || got != tt.contentType {
				t.Errorf("status %d as %q, want %d as %q", w.Code, got, tt.status, tt.contentType)
			}
			if strings.Contains(w.Body.String(), "<script") {
				t.Error("the path is part of the page")
			}
		})
	}
}

// A server without pages answers / with links.
func TestLinks(t *testing.T) {
	o := empty(t).Options
	o.Links = map[string]string{"api": "http://relais.test/external/v1"}
	s, err := New(o)
	must(t, err)
	w := do(t, s, "GET", "/", "Accept", "text/html")
	wantMembers(t, parse(t, w, 200), object{"name": "relais",
		"links": object{"api": "http://relais.test/external/v1"}}, "the answer")
	if w := do(t, s, "GET", "/nothing", "Accept", "text/html"); w.Code != 404 ||
		!strings.Contains(w.Body.String(), "NOT_FOUND") {
		t.Errorf("without pages: status %d: %s, want 404 in JSON", w.Code, w.Body)
	}
	if w := do(t, s, "POST", "/"); w.Code != 405 {
		t.Errorf("POST: status %d, want 405", w.Code)
	}
}

// A log is read in memory that is reserved, and the line of the request has nothing of it.
func TestLogPageIsAdmitted(t *testing.T) {
	s := newServer(t)
	var text bytes.Buffer
	s.Requests = slog.New(slog.NewJSONHandler(&text, nil))
	withPages(t, s)
	send := func() *httptest.ResponseRecorder {
		// By toNetmonitor of btsearch/btsearch (clf-export.ts).
		r := httptest.NewRequest("POST", "/log", strings.NewReader("--x\r\n"+
			"Content-Disposition: form-data; name=\"file\"; filename=\"mine.csv\"\r\n\r\n"+
			"L;208;01;1234;252839436;118;1300;44.1927778;3.2111111;100;LTE1800\n\r\n--x--\r\n"))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	if w := send(); w.Code != 200 || !strings.Contains(w.Body.String(), "1 row ") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	if held, _, _ := s.answers.Held(); held.Bytes != 0 {
		t.Errorf("%d bytes are still reserved", held.Bytes)
	}
	line := text.String()
	if !strings.Contains(line, `"route":"/log"`) || strings.Contains(line, "mine") || strings.Contains(line, "44.19") {
		t.Errorf("the line is %s", line)
	}
	all := s.answers.Claim(admit.Holder{Name: "anonymous", Most: ofAnswers.unknown})
	if !all.Hold(admit.Cost{Bytes: answerBytes / 2}) {
		t.Fatal("the memory is taken")
	}
	defer all.Release()
	if w := send(); w.Code != 503 || w.Header().Get("Retry-After") == "" {
		t.Errorf("status %d without memory, want 503", w.Code)
	}
}
