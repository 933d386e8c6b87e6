package httpapi

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"relais/index"
	"relais/internal/tier"
	"relais/market"
	"relais/site"
)

// An emission is what filters ask of one, in the words of the API.
type emission struct{ operator, generation, status, system string }

// matchingSites counts the sites of a market that have one emission which is as asked.
func matchingSites(t *testing.T, code market.Code, asked func(emission) bool) (ids []string) {
	t.Helper()
	set, err := country()
	must(t, err)
	m := set.Market(code)
	for i := range m.Len() {
		var s site.Site
		m.Site(uint32(i), &s)
		if slices.ContainsFunc(s.Emissions, func(e site.Emission) bool {
			status := ""
			if e.Status >= 0 {
				status = m.Snap.Statuses[e.Status]
			}
			return asked(emission{m.Table.Operators[s.Stations[e.Station].Operator].Key,
				fmt.Sprintf("%dG", e.Generation), status, e.System})
		}) {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// listed returns the ids that a list or a search answers, and its meta.
func listed(t *testing.T, s *Server, target string) (ids []string, meta object) {
	t.Helper()
	o := parse(t, get(t, s, target), 200)
	for _, item := range o["data"].([]any) {
		ids = append(ids, item.(object)["id"].(string))
	}
	return ids, o["meta"].(object)
}

// Values with commas in between are alternatives of one filter; the filters still meet on
// one emission.
func TestSeveralValues(t *testing.T) {
	tier.Slow(t)
	s := newServer(t)
	is := func(value string, list ...string) bool { return slices.Contains(list, value) }
	for _, tt := range []struct {
		query string
		asked func(emission) bool
	}{
		{"operator=SFR,ORANGE", func(e emission) bool { return is(e.operator, "SFR", "ORANGE") }},
		{"operator=free,,", nil},
		{"operator=,", nil},
		{"generation=4G,6G", nil},
		{"generation=4G;5G", nil},
		{"generation=2g,5G", func(e emission) bool { return is(e.generation, "2G", "5G") }},
		{"generation=5G,5G", func(e emission) bool { return e.generation == "5G" }},
		{"status=projet,techop",
			func(e emission) bool { return is(e.status, "Projet approuvé", "Techniquement opérationnel") }},
		{"status=projet,nonsense", func(e emission) bool { return e.status == "Projet approuvé" }},
		{"status=nonsense,other", func(emission) bool { return false }},
		{"operator=SFR,FREE&generation=5G&status=techop", func(e emission) bool {
			return is(e.operator, "SFR", "FREE") && e.generation == "5G" && e.status == "Techniquement opérationnel"
		}},
		{"technology=5G NR 3500", func(e emission) bool { return e.system == "5G NR 3500" }},
		{"technology=lte 700, LTE 800", func(e emission) bool { return is(e.system, "LTE 700", "LTE 800") }},
		{"band=700", func(e emission) bool { return strings.HasSuffix(e.system, " 700") }},
		{"band=2100,3500&operator=BOUYGUES", func(e emission) bool {
			return e.operator == "BOUYGUES" &&
				(strings.HasSuffix(e.system, " 2100") || strings.HasSuffix(e.system, " 3500"))
		}},
		{"technology=LTE 700,LTE 800&band=800&status=projet", func(e emission) bool {
			return e.system == "LTE 800" && e.status == "Projet approuvé"
		}},
		{"technology=LTE 700&band=800", func(emission) bool { return false }},
		{"technology=5G NR 3500&generation=4G", func(emission) bool { return false }},
		{"technology=5G NR 3500,LTE 800&operator=SFR,BOUYGUES", func(e emission) bool {
			return is(e.system, "5G NR 3500", "LTE 800") && is(e.operator, "SFR", "BOUYGUES")
		}},
	} {
		t.Run(tt.query, func(t *testing.T) {
			target := "/antennas?limit=1000&" + escaped(tt.query)
			if tt.asked == nil {
				parse(t, get(t, s, target), 400)
				return
			}
			want := matchingSites(t, market.FR, tt.asked)
			got, meta := listed(t, s, target)
			if total := meta["totalMatched"]; fmt.Sprint(total) != strconv.Itoa(len(want)) ||
				!slices.Equal(got, want[:min(len(want), 1000)]) {
				t.Errorf("%s: %v sites, want %d", tt.query, total, len(want))
			}
			exported, meta := listed(t, s, "/antennas/export?"+escaped(tt.query))
			if !slices.Equal(exported, want) || fmt.Sprint(meta["returned"]) != strconv.Itoa(len(want)) {
				t.Errorf("export %s: %d sites, want %d", tt.query, len(exported), len(want))
			}
			if _, meta := listed(t,
				s, "/antennas/search?"+escaped(tt.query)); fmt.Sprint(meta["total"]) != strconv.Itoa(len(want)) {
				t.Errorf("search %s: %v sites, want %d", tt.query, meta["total"], len(want))
			}
		})
	}
}

func TestUnknownValues(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct{ target, want string }{
		{"/antennas?technology=LTE", "LTE 800"},
		{"/antennas/export?technology=5G%20NR%203600", "5G NR 3500"},
		{"/antennas/search?band=3501", "3500"},
		{"/antennas?band=LTE", "700"},
		{"/antennas?band=700,701", "701"},
	} {
		t.Run(tt.target, func(t *testing.T) {
			w := get(t, s, tt.target)
			wantError(t, w, 400, "INVALID_PARAMETER", tt.want)
			if allowed, _ := parse(t, w, 400)["allowed"].([]any); len(allowed) < 4 {
				t.Errorf("%s: allowed %v, want len(allowed) at least 4", tt.target, allowed)
			}
		})
	}
}

// escaped is a query whose blanks are escaped.
func escaped(query string) string { return strings.ReplaceAll(query, " ", "%20") }

// Every route with operators takes several, and answers their keys in the table's order.
func TestSeveralOperators(t *testing.T) {
	s := newServer(t)
	importOutages(t, s, market.FR, "ORANGE", paris)
	importOutages(t, s, market.FR, "SFR", lyon)
	importOutages(t, s, market.FR, "FREE", paris)
	for _, target := range []string{"/antennas?", "/antennas/export?", "/antennas/search?",
		"/antennas/lookup-by-radio?value=1&", "/outages?", "/sites-hs?", "/speedtests?", "/speedtests/site?enb=1&",
		"/coverage/points?", "/stats/departments?"} {
		for _, tt := range []struct{ query, want string }{{"operator=orange,sfr", "SFR,ORANGE"},
			{"operator=ORANGE,orange", "ORANGE"}, {"operator=SFR,ALL", "ALL"},
			{"operator=" + url.QueryEscape("Free Mobile,Orange"), "ORANGE,FREE"}} {
			if meta := parse(t, get(t, s, target+tt.query), 200)["meta"].(object); meta["operator"] != tt.want {
				t.Errorf("%s%s: operator %v, want %s", target, tt.query, meta["operator"], tt.want)
			}
		}
		wantError(t, get(t, s, target+"operator=SFR,NOBODY"), 400, "INVALID_OPERATOR", `"NOBODY"`)
	}
	counts := map[string]int{"ORANGE": 1, "SFR,ORANGE": 2, "SFR,FREE": 2, "BOUYGUES": 0, "ALL": 3,
		"SFR,BOUYGUES,ORANGE,FREE": 3}
	for operators, want := range counts {
		for _, target := range []string{"/outages?operator=", "/sites-hs?operator="} {
			if got := len(parse(t, get(t, s, target+operators), 200)["data"].([]any)); got != want {
				t.Errorf("%s%s: %d entries, want %d", target, operators, got, want)
			}
		}
	}
	// A site is counted once, however many of the operators it has.
	rows := func(operators string) (total string) {
		return fmt.Sprint(parse(t, get(t, s, "/stats/departments?operator="+operators), 200)["meta"].(object)["total"])
	}
	want := matchingSites(t, market.FR, func(e emission) bool { return e.operator == "SFR" || e.operator == "FREE" })
	if rows("SFR,FREE") != strconv.Itoa(len(want)) {
		t.Errorf("statistics of two operators: %s sites, want %d", rows("SFR,FREE"), len(want))
	}
	// A site has one of them, or it is not found.
	ids := func(keys ...string) []string {
		return matchingSites(t, market.FR, func(e emission) bool { return slices.Contains(keys, e.operator) })
	}
	others := ids("SFR", "FREE")
	without := slices.DeleteFunc(ids("ORANGE", "BOUYGUES"), func(id string) bool { return slices.Contains(others, id) })
	if len(without) == 0 {
		t.Fatal("every site has SFR or FREE")
	}
	for _, path := range []string{"/antennas/", "/sites/"} {
		parse(t, get(t, s, path+without[0]+"?operator=SFR,FREE,ORANGE,BOUYGUES"), 200)
		parse(t, get(t, s, path+without[0]+"?operator=SFR,FREE"), 404)
	}
	set, err := country()
	must(t, err)
	lookups(t, s, set.Market(market.FR))
}

// lookups compares look-ups by several operators with those by each.
func lookups(t *testing.T, s *Server, m *index.Market) {
	t.Helper()
	found := 0
	for i := range 50 {
		var at site.Site
		m.Site(uint32(i), &at)
		for _, id := range at.Radio {
			sites := func(operators string) (ids []string) {
				target := fmt.Sprintf("/antennas/lookup-by-radio?value=%d&limit=100&operator=%s", id.Value, operators)
				for _, item := range parse(t, get(t, s, target), 200)["data"].([]any) {
					ids = append(ids, item.(object)["site"].(object)["id"].(string))
				}
				slices.Sort(ids)
				return ids
			}
			want := append(sites("SFR"), sites("FREE")...)
			slices.Sort(want)
			if want = slices.Compact(want); !slices.Equal(sites("SFR,FREE"), want) {
				t.Fatalf("%d of SFR,FREE: %v, want %v", id.Value, sites("SFR,FREE"), want)
			}
			found += len(want)
		}
	}
	if found == 0 {
		t.Error("no identifier was found")
	}
}

// An operator is known by its key, its label and its legal name.
func TestOperatorNames(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct{ name, want string }{
		{"FREE", "FREE"},
		{"free mobile", "FREE"},
		{"Free Mobile SAS", "FREE"},
		{"Bouygues Telecom", "BOUYGUES"},
		{"bouygues télécom", "BOUYGUES"},
		{"Société Française du Radiotéléphone", "SFR"},
		{"Orange SA", "ORANGE"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, meta := listed(t,
				s, "/antennas?limit=1&operator="+url.QueryEscape(tt.name)); meta["operator"] != tt.want {
				t.Errorf("%s: %v, want %s", tt.name, meta["operator"], tt.want)
			}
		})
	}
	if _, meta := listed(t, s,
		"/antennas?market=DROM&operator="+url.QueryEscape("Maoré Mobile")); meta["operator"] != "MAORE_MOBILE" {
		t.Errorf("Maoré Mobile: %v, want MAORE_MOBILE", meta["operator"])
	}
	for _, name := range []string{"Free Caraïbes", "Mobile", "-", "Orange Belgium"} { // of other markets, or of none
		wantError(t, get(t, s, "/antennas?operator="+url.QueryEscape(name)), 400, "INVALID_OPERATOR")
	}
}

func TestBoxAlias(t *testing.T) {
	s := newServer(t)
	importOutages(t, s, market.FR, "ORANGE", paris, lyon)
	const edges, alias = "west=2&south=48&east=3&north=49", "bbox=2,48,3,49"
	for _, target := range []string{"/antennas?limit=5000&", "/outages?", "/speedtests?days=365&",
		"/coverage/points?days=365&"} {
		with := func(query string) object { return parse(t, get(t, s, target+query), 200) }
		a, b, whole := with(edges), with(alias), parse(t, get(t, s, strings.ReplaceAll(target, "limit=5000&", "")), 200)
		if fmt.Sprint(a["data"], a["meta"]) != fmt.Sprint(b["data"], b["meta"]) {
			t.Errorf("%s: the two forms answer differently:\n%v\n%v", target, a, b)
		}
		if outside := strings.Contains(target, "days="); !outside && len(b["data"].([]any)) == 0 ||
			fmt.Sprint(whole["data"]) == fmt.Sprint(b["data"]) {
			t.Errorf("%s: the box finds %d, want some, but not all", target, len(b["data"].([]any)))
		}
		for _, edge := range strings.Split(edges, "&") {
			wantError(t, get(t, s, target+alias+"&"+edge), 400, "INVALID_PARAMETER", "bbox: ")
		}
		wantError(t, get(t, s, target+alias+"&"+alias), 400, "INVALID_PARAMETER", "give it once")
		wantError(t, get(t, s, target+edges+"&north=49"), 400, "INVALID_PARAMETER", "give it once")
		for _, wrong := range []string{"2,48,3", "2,48,3,49,1", "2,49,3,48", "2,48,3,91", "-181,48,3,49", "2,48,3,x",
			"2,48,3,", ",", "NaN,48,3,49", "2,48,3,Inf", "0x2,48,3,49", "2 48 3 49", "2;48;3;49"} {
			w := get(t, s, target+"bbox="+url.QueryEscape(wrong))
			wantError(t, w, 400, "INVALID_BBOX", "bbox: ", "west,south,east,north")
		}
	}
	meta := parse(t, get(t, s, "/antennas?"+alias), 200)["meta"].(object)["bbox"]
	if fmt.Sprint(meta) != "map[east:3 north:49 south:48 west:2]" {
		t.Errorf("meta.bbox %v, want map[east:3 north:49 south:48 west:2]", meta)
	}
	// West of west, the box crosses the antimeridian: nothing of France is there.
	if ids, _ := listed(t, s, "/antennas?bbox=179,40,-179,50"); len(ids) != 0 {
		t.Errorf("%d sites across the antimeridian, want none", len(ids))
	}
	wantError(t, get(t, s, "/antennas?"+alias+"&lat=48&lon=2&radiusKm=1"), 400, "INVALID_PARAMETER",
		"exclude each other")
	wantError(t, get(t, s, "/outages?"+alias+"&north=49&lat=48&lon=2&radiusKm=1"), 400, "INVALID_PARAMETER", "bbox: ")
}

func TestLngAlias(t *testing.T) {
	s := newServer(t)
	importOutages(t, s, market.FR, "ORANGE", paris, lyon)
	for _, target := range []string{"/antennas?", "/outages?"} {
		a, b := parse(t, get(t, s, target+"lat=48.86&lon=2.3&radiusKm=20"), 200),
			parse(t, get(t, s, target+"lat=48.86&lng=2.3&radiusKm=20"), 200)
		if len(b["data"].([]any)) == 0 || fmt.Sprint(a["data"], a["meta"]) != fmt.Sprint(b["data"], b["meta"]) {
			t.Errorf("%s: the two forms answer differently, or nothing:\n%v\n%v", target, a, b)
		}
		wantError(t, get(t, s, target+"lat=48&lon=2&lng=2&radiusKm=1"), 400, "INVALID_PARAMETER", "lng: ",
			"one of them")
		wantError(t, get(t, s, target+"lat=48&lng=2&lng=2&radiusKm=1"), 400, "INVALID_PARAMETER", "give it once")
		wantError(t, get(t, s, target+"lng=2"), 400, "INVALID_PARAMETER", "belong together")
		wantError(t, get(t, s, target+"lat=48&lng=181&radiusKm=1"), 400, "INVALID_PARAMETER", "lng: ")
	}
}
