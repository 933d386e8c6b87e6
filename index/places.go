package index

import (
	"cmp"
	"slices"
	"strings"

	"relais/geo"
	"relais/internal/fold"
	"relais/site"
)

// A PlaceKind is the kind of a place.
type PlaceKind string

// The kinds of places.
const (
	Commune    PlaceKind = "commune"
	PostalCode PlaceKind = "postalCode"
	AreaPlace  PlaceKind = "area"   // department, territory, province
	Region     PlaceKind = "region" // several areas
	Town       PlaceKind = "town"   // what is around a town that sites do not name
)

var placeKinds = []PlaceKind{Commune, PostalCode, AreaPlace, Region, Town}

// Values lists the kinds.
func (PlaceKind) Values() (list []string) {
	for _, k := range placeKinds {
		list = append(list, string(k))
	}
	return list
}

// A Place is a place that sites name.
type Place struct {
	Kind        PlaceKind
	Name        string    // as in the data; the code of a postal code
	Area        int       // of its sites; Any for a region and if the source states none
	PostalCodes []string  // of its sites, sorted
	Center      geo.Point // mean position of its sites
	Sites       int
	// Whole is set on a result of Places if the text has the whole name. Other words of the text
	// name the area or a postal code.
	Whole bool
	// Match is set on a result of Places: 0 if the text is the name, 1 if the name begins with
	// it, more for worse matches.
	Match int
}

// placeNames are the words by which a place is found.
type placeNames struct {
	kind  PlaceKind
	name  string // folded
	code  string // of an area or region, folded, with which words ends; otherwise empty
	words string // all words, each after a blank, beginning with the name
}

// A placeEntry is a place of the gazetteer.
type placeEntry struct {
	Place
	placeNames
}

// A placeKey identifies a place.
type placeKey struct {
	kind PlaceKind
	name string
	area int
}

// Places returns at most limit of the places that match a text, best first, and the number of
// all of them. Each word of the text must be the beginning of a word of the name, of the area's
// name or code, or of a postal code. Best are places whose name, or whose code of an area, is
// the text, then places whose name begins with it; of equal ones, those with more sites.
func (m *Market) Places(text string, limit int) (places []Place, total int) {
	name := placeName(text)
	if name == "" {
		return nil, 0
	}
	words := strings.Fields(name)
	type match struct {
		rank  int
		place uint32
	}
	var found []match
	g := m.places()
	g.candidates(words, func(i uint32) {
		if rank, ok := g.places[i].rank(name, words); ok {
			found = append(found, match{rank, i})
		}
	})
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(a.rank-b.rank, g.places[b.place].Sites-g.places[a.place].Sites, cmp.Compare(a.place, b.place))
	})
	found, total = found[:min(limit, len(found))], len(found)
	places = make([]Place, 0, len(found))
	for _, f := range found {
		p := g.places[f.place]
		p.PostalCodes = slices.Clone(p.PostalCodes)
		p.Match = f.rank
		p.Whole = f.rank == 0 || strings.HasPrefix(name, p.name+" ")
		places = append(places, p.Place)
	}
	return places, total
}

// rank returns how well a place matches a name, 0 being best, and reports whether it has all of
// its words.
func (p placeNames) rank(name string, words []string) (int, bool) {
	for _, w := range words {
		if !strings.Contains(p.words, " "+w) {
			return 0, false
		}
	}
	switch {
	case p.name == name || p.code == name:
		return 0, true
	case strings.HasPrefix(p.name, name):
		return 1, true
	case strings.HasPrefix(p.name, words[0]):
		return 2, true
	}
	return 3, p.kind != PostalCode
}

// placeName folds a name and expands the abbreviations of the postal service: ST ETIENNE is
// Saint-Étienne.
func placeName(text string) string {
	return spellings(fold.String(text))[0]
}

// PreparePlaces makes the index of places, which the first call of Places makes otherwise.
func (m *Market) PreparePlaces() {
	if m.places(); m.Public != nil {
		m.Public.PreparePlaces()
	}
}

// readPlaces collects the places of all sites.
func (m *Market) readPlaces() *gazetteer {
	byKey, written := map[placeKey]*placeAccumulator{}, map[string]string{}
	var s site.Site
	for i := range m.Len() {
		m.Site(uint32(i), &s)
		area := Any
		if s.Area >= 0 {
			area = s.Area
			accumulate(byKey, placeKey{AreaPlace, m.Table.Areas[area].Label, area}, &s)
			if r, ok := m.Table.RegionOf(area); ok {
				accumulate(byKey, placeKey{Region, m.Table.Regions[r].Label, Any}, &s)
			}
		}
		if s.PostalCode != "" {
			accumulate(byKey, placeKey{PostalCode, s.PostalCode, area}, &s)
		}
		if s.Commune != "" {
			folded := fold.String(s.Commune)
			if written[folded] == "" { // in capitals at one site, and not at another
				written[folded] = s.Commune
			}
			accumulate(byKey, placeKey{Commune, written[folded], area}, &s)
			if city := cityOf(written[folded]); city != "" {
				accumulate(byKey, placeKey{Commune, city, area}, &s)
			}
		}
	}
	list := make([]placeEntry, 0, len(byKey))
	for key, g := range byKey {
		list = append(list, m.newPlaceEntry(key, g))
	}
	list = append(list, m.towns(list)...)
	slices.SortFunc(list, func(a, b placeEntry) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.Kind, b.Kind), a.Area-b.Area,
			cmp.Compare(a.Name, b.Name))
	})
	return newGazetteer(list)
}

// cityOf returns the city of a numbered district, such as PARIS 05, and "" for the name of any
// other commune.
func cityOf(commune string) string {
	isDigit := func(c byte) bool { return '0' <= c && c <= '9' }
	n := len(commune) - 3
	if n < 1 || commune[n] != ' ' || !isDigit(commune[n+1]) || !isDigit(commune[n+2]) {
		return ""
	}
	return commune[:n]
}

// A placeAccumulator sums up the sites of a place.
type placeAccumulator struct {
	sites    int
	lat, lng float64 // sums
	postal   []string
}

// accumulate adds a site to the place with a key.
func accumulate(byKey map[placeKey]*placeAccumulator, key placeKey, s *site.Site) {
	g := byKey[key]
	if g == nil {
		g = &placeAccumulator{}
		byKey[key] = g
	}
	g.sites++
	g.lat += s.Position.Lat
	g.lng += s.Position.Lng
	if at, has := slices.BinarySearch(g.postal, s.PostalCode); !has && s.PostalCode != "" && key.kind == Commune {
		g.postal = slices.Insert(g.postal, at, s.PostalCode)
	}
}

func (m *Market) newPlaceEntry(key placeKey, g *placeAccumulator) placeEntry {
	n := float64(g.sites)
	p := placeEntry{
		Place: Place{
			Kind: key.kind, Name: key.name, Area: key.area, PostalCodes: g.postal,
			Center: geo.Point{Lat: g.lat / n, Lng: g.lng / n}, Sites: g.sites,
		},
		placeNames: placeNames{kind: key.kind, name: placeName(key.name)},
	}
	p.words = " " + p.name
	if key.area != Any {
		area := m.Table.Areas[key.area]
		p.words += " " + placeName(area.Label) + " " + fold.String(area.Code)
		if key.kind == AreaPlace {
			p.code = fold.String(area.Code)
		}
	}
	if r, ok := m.Table.RegionNamed(key.name); ok && key.kind == Region && m.Table.Regions[r].Short != "" {
		p.code = fold.String(m.Table.Regions[r].Short)
		p.words += " " + p.code
	}
	for _, code := range g.postal {
		p.words += " " + fold.String(code)
	}
	return p
}

// CommunesIn calls f for each commune of the gazetteer whose center is in a box, in the order of
// their names. The first call makes the index of places.
func (m *Market) CommunesIn(box geo.Box, f func(*Place)) {
	g := m.places()
	for i := range g.places {
		if p := &g.places[i].Place; p.Kind == Commune && box.Contains(p.Center) {
			f(p)
		}
	}
}
