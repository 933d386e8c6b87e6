//go:build linux

package e2e

import (
	"fmt"
	"slices"
	"strings"
)

// A selection is a filter of sites, with the emissions of these sites that satisfy it; nil is all.
type selection struct {
	query   string
	accepts func(e object) bool
}

var selections = []selection{
	{"", nil},
	{"operator=FREE", func(e object) bool { return e["operator"] == "FREE" }},
	{"generation=5G&operator=ORANGE", func(e object) bool { return e["generation"] == "5G" && e["operator"] == "ORANGE" }},
	{"department=75", nil},
	{"technology=5G NR 3500&status=en-service", func(e object) bool {
		return e["technology"] == "5G NR 3500" && e["status"] == "En service"
	}},
	{"band=700,800&operator=SFR,BOUYGUES", func(e object) bool {
		name := e["technology"].(string)
		return (strings.HasSuffix(name, " 700") || strings.HasSuffix(name, " 800")) && isOne(e["operator"], "SFR", "BOUYGUES")
	}},
	{"operator=FREE,SFR&together=true", func(e object) bool { return isOne(e["operator"], "FREE", "SFR") }},
	{"bbox=2,48,3,49", nil},
	{"q=paris", nil},
	{"status=projet", func(e object) bool { return e["status"] == "Projet approuvé" }},
	{onlyDisc, nil},
}

// onlyDisc is a filter that OGC API does not have.
const onlyDisc = "lat=48.8566&lon=2.3522&radiusKm=20"

func isOne(v any, of ...string) bool { return slices.Contains(of, v.(string)) }

// A chosen is what /antennas and the details of its sites say of a selection.
type chosen struct {
	selection
	query string    // escaped
	sites []object  // in the order of the list
	order []object  // in the order of the register
	of    detailsOf // by siteKey
}

type detailsOf map[any]object

// choose asks for what a selection has. all are the sites of the register, whose details are known.
func (s *server) choose(choice selection, all []object, details detailsOf) (l chosen) {
	s.t.Helper()
	l = chosen{selection: choice, query: strings.ReplaceAll(choice.query, " ", "%20"), of: details}
	matches := map[any]bool{}
	for more := true; more; {
		page := s.ask(fmt.Sprintf("/antennas?limit=70&offset=%d&%s", len(l.sites), l.query))
		for _, item := range page["data"].([]any) {
			l.sites = append(l.sites, item.(object))
			matches[item.(object)["siteKey"]] = true
		}
		more = page["meta"].(object)["hasMore"] == true
	}
	for _, item := range all {
		if matches[item["siteKey"]] {
			l.order = append(l.order, item)
		}
	}
	if len(l.sites) < 3 || len(l.order) != len(l.sites) {
		s.t.Fatalf("%q: %d sites, %d of them in the register, want at least 3", choice.query, len(l.sites), len(l.order))
	}
	return l
}

// everySelection asks for all selections.
func (s *server) everySelection() (list []chosen) {
	s.t.Helper()
	details := detailsOf{}
	for _, d := range s.list("/antennas?limit=1000") {
		key := d.(object)["siteKey"]
		details[key] = s.one(fmt.Sprint("/antennas/", key))
	}
	var all []object
	for _, item := range s.list("/antennas?limit=1000") {
		all = append(all, item.(object))
	}
	for _, choice := range selections {
		list = append(list, s.choose(choice, all, details))
	}
	return list
}
