package web

import (
	"net/url"
	"strings"
	"testing"

	"relais/geo"
	"relais/index/indextest"
	"relais/market"
	"relais/site"
)

// goPages have sites with identifiers. SFR is the first operator of FR, Bouygues the second.
func goPages(t *testing.T) *Pages {
	t.Helper()
	at := func(north float64) geo.Point { return geo.Point{Lat: 48.8 + north, Lng: 2.3} }
	fr := indextest.Market(t, market.FR,
		newSite("1", at(0), site.RadioID{Kind: site.ENB, Value: 1009}, site.RadioID{Kind: site.PCI, Value: 17}),
		newSite("2", at(0.01), site.RadioID{Kind: site.ENB, Operator: 1, Value: 1009}),
		newSite("3", at(0.02), site.RadioID{Kind: site.ENB, Value: 2000}, site.RadioID{Kind: site.PCI, Value: 18}),
		newSite("4", at(0.03), site.RadioID{Kind: site.ENB, Value: 2000}),
		newSite("5", at(0.04), site.RadioID{Kind: site.GNB, Value: 70000, Bits: 24}),
		newSite("6", at(0.05), site.RadioID{Kind: site.GNB, Value: 9000000}),
		newSite("7", at(0.06), site.RadioID{Kind: site.Cell, Value: 68719476000}),
		newSite("8", at(0.07), site.RadioID{Kind: site.ENB, Operator: 1, Value: 3000}),
		newSite("9", at(3), site.RadioID{Kind: site.PCI, Value: 17}))
	ch := indextest.Market(t, market.CH, newSite("1", geo.Point{Lat: 47, Lng: 8},
		site.RadioID{Kind: site.ENB, Value: 1009}))
	return pagesAbout(true, fr, ch)
}

// goTests are questions, the site that they lead to or the candidates in their order, and texts of the
// page.
var goTests = []struct {
	name, query string
	status      int
	site        string // that it leads to
	candidates  string // in their order
	mentions    []string
}{
	{"an eNB of a network", "plmn=20810&enb=1009", 303, "fr-1", "", nil},
	{"of another network", "plmn=20820&enb=1009", 303, "fr-2", "", nil},
	{"of another country", "plmn=22801&enb=1009", 303, "ch-1", "", nil},
	{"an ECI", "plmn=20810&eci=258309", 303, "fr-1", "", nil},
	{"in hexadecimal", "plmn=20810&eci=0x3F105", 303, "fr-1", "", nil},
	{"with letters alone", "plmn=20810&eci=3f105", 303, "fr-1", "", nil},
	{"a network with a hyphen", "plmn=208-10&enb=1009", 303, "fr-1", "", nil},
	{"an ECI and its eNB", "plmn=20810&eci=258309&enb=1009", 303, "fr-1", "", nil},
	{"an NCI of a gNB of a stated length", "plmn=20810&nci=286720005", 303, "fr-5", "", nil},
	{"an NCI that a source has", "plmn=20810&nci=68719476000", 303, "fr-7", "", nil},
	{"with a position", "plmn=20810&enb=1009&lat=48.81&lon=2.31", 303, "fr-1", "", nil},
	{"in French", "plmn=20810&enb=1009&lang=fr", 303, "fr-1?lang=fr", "", nil},

	{"no network", "enb=1009", 200, "", "ch-1 fr-1 fr-2", []string{"The network is not given"}},
	{"an unknown network", "plmn=99999&enb=1009", 200, "", "ch-1 fr-1 fr-2", []string{"99999 is not known here"}},
	{"two sites", "plmn=20810&enb=2000", 200, "", "fr-3 fr-4", []string{"a source gives it to this site"}},
	{"two sites and a PCI", "plmn=20810&enb=2000&pci=18", 200, "", "fr-3 fr-4",
		[]string{"PCI 18: a source gives it", "PCI 18: not among those"}},
	{"two sites and a position", "plmn=20810&enb=2000&lat=48.84&lon=2.3", 200, "", "fr-4 fr-3",
		[]string{"from the position"}},
	{"a gNB whose length is not stated", "plmn=20810&nci=144000001", 200, "", "fr-6", []string{"possible"}},
	{"another operator's number", "plmn=20810&enb=3000", 200, "", "fr-8", []string{"another operator of the country"}},
	{"too far away", "plmn=20810&enb=1009&lat=43&lon=5", 200, "", "fr-1", []string{"farther than a cell reaches"}},
	{"a PCI and a position", "plmn=20810&pci=17&lat=48.8&lon=2.3", 200, "", "fr-1", []string{"never certain"}},
	{"no site", "plmn=20810&enb=4711", 404, "", "", []string{"No site is known"}},
	{"an ECI is of 4G", "plmn=20810&eci=144000001", 404, "", "", nil},

	{"nothing", "", 200, "", "", []string{"Give what a phone"}},
	{"a PCI alone", "plmn=20810&pci=17", 400, "", "", []string{"too little"}},
	{"a network alone", "plmn=20810", 400, "", "", []string{"too little"}},
	{"a contradiction", "plmn=20810&eci=258309&enb=1010", 400, "", "", []string{"the eNB of this ECI is 1009"}},
	{"a malformed network", "plmn=208&enb=1009", 400, "", "", []string{"five or six digits"}},
	{"too great", "plmn=20810&enb=1048576", 400, "", "", []string{"from 0 to 1048575"}},
	{"negative", "plmn=20810&enb=-1", 400, "", "", nil},
	{"hexadecimal without digits", "plmn=20810&enb=0x", 400, "", "", nil},
	{"a decimal fraction", "plmn=20810&enb=10.5", 400, "", "", nil},
	{"half a position", "plmn=20810&enb=1009&lat=48", 400, "", "", []string{"The position is not possible"}},
	{"a position outside", "plmn=20810&enb=1009&lat=91&lon=0", 400, "", "", nil},
}

func TestGo(t *testing.T) {
	p := goPages(t)
	for _, tt := range goTests {
		t.Run(tt.name, func(t *testing.T) {
			w := ask(p, "GET", "/go?"+tt.query, "Sec-Fetch-Site", "cross-site", "Referer", "http://192.168.1.1/")
			got := strings.TrimPrefix(w.Header().Get("Location"), "/site/")
			if w.Code != tt.status || got != tt.site {
				t.Errorf("status %d to %q, want %d to %q", w.Code, got, tt.status, tt.site)
			}
			if tt.site != "" {
				return
			}
			if got := strings.Join(keysOf(w.Body.String()), " "); got != tt.candidates {
				t.Errorf("candidates: got %q, want %q", got, tt.candidates)
			}
			for _, want := range tt.mentions {
				if !strings.Contains(w.Body.String(), want) {
					t.Errorf("%q is missing", want)
				}
			}
		})
	}
}

// The form of /go has what was asked, as text.
func TestGoForm(t *testing.T) {
	w := ask(goPages(t), "GET", "/go?enb="+url.QueryEscape(`"><b>`))
	if body := w.Body.String(); strings.Contains(body, "<b>") || !strings.Contains(body, `value="&#34;&gt;&lt;b&gt;"`) {
		t.Errorf("the form does not repeat what was asked as text: %s", body)
	}
}
