//go:build linux

package e2e

import (
	"html"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"relais/demo"
	"relais/internal/fold"
)

// A questionCase is a question with the place, the sites and the page that answer it.
type questionCase struct {
	text  string
	place string          // folded, "" for none
	sites map[string]bool // siteKeys; nil for none
	first bool            // others follow those
	page  string          // beginning of the page that answers better, "" for none
}

// A questionAnswer is what one of those who are asked says.
type questionAnswer struct {
	place, page string
	keys        []string
}

// The box of the map, the page and the tool read questions in the same way, and rightly: by the rows of the register.
func TestQuestions(t *testing.T) {
	t.Parallel()
	c := makeCountry(t, 3000)
	for _, set := range demo.Sets[2:] {
		paths, err := set.Write(filepath.Join(t.TempDir(), string(set.Markets[0])), 900)
		must(t, err)
		run(t, append([]string{"ingest", "--data", c.dir, string(set.Markets[0])}, paths...)...)
	}
	s := serve(t, c.dir, "--mcp-minute", "100000")
	key := newAssistant(t, c.dir).APIKey
	for _, q := range s.questions(c) {
		t.Run(q.text, func(t *testing.T) {
			box, page, tool := s.askBox(q.text), s.askPage(q.text, q.place), s.askTool(key, q.text)
			for name, a := range map[string]questionAnswer{"box": box, "page": page, "tool": tool} {
				if fold.String(a.place) != q.place || !leads(a.page, q.page) {
					t.Errorf("%s: got place %q, better %q; want %q, %q", name, a.place, a.page, q.place, q.page)
				}
				if len(q.sites) == 0 && len(a.keys) > 0 || len(q.sites) > 0 && (len(a.keys) == 0 || !q.sites[a.keys[0]]) {
					t.Errorf("%s: got sites %.4q, want one of %d first", name, a.keys, len(q.sites))
				}
			}
			if len(box.keys) > 0 && len(tool.keys) > 0 && box.keys[0] != tool.keys[0] {
				t.Errorf("box has %s first, tool %s", box.keys[0], tool.keys[0])
			}
			wrong := slices.ContainsFunc(page.keys, func(key string) bool { return !q.sites[key] })
			if !q.first && (wrong || len(page.keys) != min(len(q.sites), 50)) {
				t.Errorf("page: got %d sites %.4q, want %d", len(page.keys), page.keys, len(q.sites))
			}
		})
	}
}

// leads reports whether an address is that of a page with some parameters, "" for none.
func leads(address, page string) bool {
	got, err := url.Parse(address)
	want, bad := url.Parse(page)
	if err != nil || bad != nil || got.Path != want.Path {
		return false
	}
	for name := range want.Query() {
		if value := want.Query().Get(name); !strings.HasPrefix(got.Query().Get(name), value) || !got.Query().Has(name) {
			return false
		}
	}
	return true
}

// questions are questions in four languages about a country, with what its files say.
func (s *server) questions(c country) []questionCase {
	in := func(insee string, also ...func(map[string]string) bool) map[string]bool {
		found := map[string]bool{}
		for _, r := range c.rows {
			if strings.HasPrefix(r["com_cd_insee"], insee) && !slices.ContainsFunc(also,
				func(is func(map[string]string) bool) bool { return !is(r) }) {
				found["fr-"+r["sup_id"]] = true
			}
		}
		return found
	}
	has := func(column, part string) func(map[string]string) bool {
		return func(r map[string]string) bool { return strings.Contains(r[column], part) }
	}
	g5, free, orange := has("generation", "5G"), has("adm_lb_nom", "FREE"), has("adm_lb_nom", "ORANGE")
	planned, band := has("statut", "Projet"), has("emr_lb_systeme", " 3500")
	with := func(path string) map[string]bool { // what other questions find
		found := map[string]bool{}
		for _, item := range s.list(path) {
			o := item.(object)
			if o["site"] != nil {
				o = o["site"].(object)
			}
			found[o["siteKey"].(string)] = true
		}
		return found
	}
	enb, operator := s.anENB(c)
	named := with("/antennas/lookup-by-radio?limit=100&operator=" + operator + "&enb=" + enb)
	rennes := in("35238")
	bern := with("/antennas?market=CH&generation=5G&lat=46.9481&lon=7.4474&radiusKm=5&limit=500")
	swisscom := with("/antennas?market=CH&operator=SWISSCOM_CH&lat=46.9481&lon=7.4474&radiusKm=5&limit=500")
	hasselt := with("/antennas/search?market=BE&commune=hasselt&operator=PROXIMUS_BE&limit=100")
	near := with("/antennas?lat=48.11&lon=-1.68&radiusKm=5&limit=500")
	key := slices.Sorted(func(yield func(string) bool) {
		for k := range rennes {
			if !yield(k) {
				return
			}
		}
	})[0]
	one := map[string]bool{key: true}
	plmn := map[string]string{"ORANGE": "20801", "SFR": "20810", "FREE": "20815", "BOUYGUES": "20820"}[operator]
	return []questionCase{
		{text: "5G à Rennes", place: "rennes", sites: in("35238", g5)},
		{text: "5G in Rennes", place: "rennes", sites: in("35238", g5)},
		{text: "5G-masten in Rennes", place: "rennes", sites: in("35238", g5)},
		{text: "5G-Antennen bei Rennes", place: "rennes", sites: in("35238", g5)},
		{text: "Free 3500 Rennes", place: "rennes", sites: in("35238", free, band)},
		{text: "antennes Orange en projet à Rennes", place: "rennes", sites: in("35238", orange, planned)},
		{text: "planned Orange masts in Rennes", place: "rennes", sites: in("35238", orange, planned)},
		{text: "geplande Orange zendmasten in Rennes", place: "rennes", sites: in("35238", orange, planned)},
		{text: "geplante Orange Sendemasten in Rennes", place: "rennes", sites: in("35238", orange, planned)},
		{text: "Bretagne", place: "bretagne", first: true, sites: in("", func(r map[string]string) bool {
			return slices.Contains([]string{"22", "29", "35", "56"}, r["com_cd_insee"][:2])
		})},
		{text: "Ille-et-Vilaine", place: "ille et vilaine", sites: in("35")},
		{text: "35000", place: "35000", sites: in("", has("adr_nm_cp", "35000"))},
		{text: "gare de Rennes", place: "rennes", sites: rennes, first: true},
		{text: "Château d'Eau, Rennes", place: "rennes", sites: in("35238", func(r map[string]string) bool {
			return strings.Contains(fold.String(r["adr_lb_add1"]), "chateau d eau")
		}), first: true},
		{text: "Tour Eiffel"},
		{text: "eNB " + enb + " " + operator, sites: named},
		{text: operator + " enodeb:" + enb, sites: named},
		{text: plmn + " eNB " + enb, sites: named},
		{text: plmn[:3] + " " + plmn[3:] + " enb=" + enb, sites: named},
		{text: "gNB 4294967295 Orange"},
		{text: "48.11, -1.68", sites: near, first: true},
		{text: "N 48,11 O 1,68", sites: near, first: true},
		{text: key, sites: one},
		{text: "site " + strings.TrimPrefix(key, "fr-"), sites: one},
		{text: "pannes SFR à Lyon", place: "lyon", page: "/?layers=outages&operator=SFR"},
		{text: "SFR outages in Lyon", place: "lyon", page: "/?layers=outages&operator=SFR"},
		{text: "storingen SFR Lyon", place: "lyon", page: "/?layers=outages&operator=SFR"},
		{text: "Störungen SFR Lyon", place: "lyon", page: "/?layers=outages&operator=SFR"},
		{text: "new sites in Brest this week", place: "brest", page: "/news?market=FR&since=7d&bbox="},
		{text: "nouveaux sites à Brest cette semaine", place: "brest", page: "/news?market=FR&since=7d&bbox="},
		{text: "nieuwe masten in Brest deze week", place: "brest", page: "/news?market=FR&since=7d&bbox="},
		{text: "neue Antennen in Brest diesen Monat", place: "brest", page: "/news?market=FR&since=30d&bbox="},
		{text: "5G in Bern", place: "bern", sites: bern},
		{text: "5G-Antennen in Bern", place: "bern", sites: bern},
		{text: "Swisscom Berne", place: "berne", sites: swisscom},
		{text: "Störungen Swisscom Bern", place: "bern", page: "/?layers=outages&operator=SWISSCOM_CH"},
		{text: "zendmasten Proximus Hasselt", place: "hasselt", sites: hasselt},
	}
}

// anENB returns an eNB that a source states, with its operator.
func (s *server) anENB(c country) (enb, operator string) {
	s.t.Helper()
	for _, r := range c.rows {
		for _, n := range s.one("/antennas/fr-" + r["sup_id"])["radio"].(object)["nodes"].([]any) {
			node := n.(object)
			if node["type"] == "enb" && node["learned"] == false {
				return node["value"].(string), node["operator"].(string)
			}
		}
	}
	s.t.Fatal("no site has an eNB")
	return "", ""
}

// askBox asks as the map's box does.
func (s *server) askBox(text string) (a questionAnswer) {
	o := s.one("/find?limit=8&prefer=FR&q=" + url.QueryEscape(text))
	if p, ok := o["understood"].(object)["place"].(object); ok {
		a.place = p["name"].(string)
	}
	if b, ok := o["better"].(object); ok && o["understood"].(object)["position"] == nil {
		a.page = b["page"].(string)
	}
	for _, r := range o["results"].([]any) {
		if key, ok := r.(object)["siteKey"].(string); ok {
			a.keys = append(a.keys, key)
		}
	}
	return a
}

func (s *server) askTool(key, text string) (a questionAnswer) {
	var result struct {
		StructuredContent struct {
			Understood struct {
				Place, Identifier string
				Better            *struct{ Topic, Page string }
			}
			Results []struct{ ID string }
		}
	}
	s.mcp(key, "tools/call", "search", object{"name": "search", "arguments": object{"query": text}}, &result)
	u := result.StructuredContent.Understood
	a.place, _, _ = strings.Cut(u.Place, " (")
	if u.Better != nil && u.Better.Topic != "near" {
		a.page = u.Better.Page
	}
	for _, r := range result.StructuredContent.Results {
		a.keys = append(a.keys, r.ID)
	}
	return a
}

var (
	chipLabel  = regexp.MustCompile(`<a href="[^"]*" title="[^"]*">([^<]*) <span aria-hidden`)
	siteLink   = regexp.MustCompile(`href="/site/([^"?]+)`)
	betterHref = regexp.MustCompile(`<p class="ways"><a href="(/(?:news)?\?[^"#]*(?:layers|since)[^"]*)"`)
)

// askPage reads the page. Its place is the chip of the place that is expected, or none.
func (s *server) askPage(text, place string) (a questionAnswer) {
	body := string(s.get("/search?lang=en&q=" + url.QueryEscape(text)).body)
	for _, m := range chipLabel.FindAllStringSubmatch(body, -1) {
		if fold.String(html.UnescapeString(m[1])) == place {
			a.place = m[1]
		}
	}
	if m := betterHref.FindStringSubmatch(body); m != nil {
		a.page = html.UnescapeString(m[1])
	}
	for _, m := range siteLink.FindAllStringSubmatch(body, -1) {
		if !slices.Contains(a.keys, m[1]) {
			a.keys = append(a.keys, m[1])
		}
	}
	return a
}
