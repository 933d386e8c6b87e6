package index

import (
	"cmp"
	"slices"
	"strings"

	"relais/fold"
	"relais/geo"
	"relais/site"
)

// A PlaceKind is what a place is.
type PlaceKind string

// The kinds of places.
const (
	Commune    PlaceKind = "commune"
	PostalCode PlaceKind = "postalCode"
	AreaPlace  PlaceKind = "area"   // department, territory, province
	Region     PlaceKind = "region" // several areas
)

var placeKinds = []PlaceKind{Commune, PostalCode, AreaPlace, Region}

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
	Name        string    // as the data has it; of a postal code, the code
	Area        int       // of its sites; Any of a region and where the source names none
	PostalCodes []string  // that its sites have, sorted
	Center      geo.Point // the mean of its sites
	Sites       int
	// Whole says of a place that was found that all of its name is in the text; the rest names
	// its area or a postal code.
	Whole bool
	Match int // of a place that was found: 0 its name is the text, 1 begins with it, more for less
}

// A calling is what a place may be called by.
type calling struct {
	kind  PlaceKind
	name  string // folded
	code  string // of an area or region, folded, with which its words end; else ""
	words string // everything, each word behind a blank, the name first
}

// A namedPlace is a place and what it may be called by.
type namedPlace struct {
	Place
	calling
}

// placeKey is what tells places apart.
type placeKey struct {
	kind PlaceKind
	name string
	area int
}

// Places returns the places that a text names, at most limit of them, the best first, and
// how many there are: whose name it is, or whose code it is of areas, before whose name
// begins with it, before those of which every word of the text begins a word, and among
// these the one with the most sites. A word may be of the name, of the area's name or
// code, or a postal code.
func (m *Market) Places(text string, limit int) (places []Place, total int) {
	name := placeName(text)
	if name == "" {
		return nil, 0
	}
	words := strings.Fields(name)
	type ranked struct {
		rank, sites int
		at          uint32
	}
	var found []ranked
	g := m.places()
	g.among(words, func(i uint32) {
		if rank, ok := g.called(i).rank(name, words); ok {
			found = append(found, ranked{rank, int(g.places[i].sites), i})
		}
	})
	limit = min(limit, len(found))
	slices.SortFunc(found, func(a,
		b ranked) int {
		return cmp.Or(a.rank-b.rank, b.sites-a.sites, cmp.Compare(a.at, b.at))
	})
	places = make([]Place, limit)
	for i, f := range found[:limit] {
		places[i] = g.place(f.at)
		places[i].Match, places[i].Whole = f.rank, f.rank == 0 || strings.HasPrefix(name, g.called(f.at).name+" ")
	}
	return places, len(found)
}

// rank is how well a place has a name, less for better, and whether it has all of its words.
func (p calling) rank(name string, words []string) (int, bool) {
	for _, w := range words {
		at := strings.Index(p.words, w)
		for at >= 0 && p.words[at-1] != ' ' {
			next := strings.Index(p.words[at+1:], w)
			if next < 0 {
				return 0, false
			}
			at += 1 + next
		}
		if at < 0 {
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

// placeName folds a name and writes its abbreviations in full, as the files of the post
// have them: ST ETIENNE is Saint-Étienne.
func placeName(text string) string {
	return spellings(fold.String(text))[0]
}

// PreparePlaces gathers the places, for which the first question would wait else.
func (m *Market) PreparePlaces() { m.places() }

// readPlaces gathers the places of all sites.
func (m *Market) readPlaces() *gazetteer {
	byKey := map[placeKey]*gathering{}
	var s site.Site
	for i := range m.Len() {
		m.Site(uint32(i), &s)
		area := Any
		if s.Area >= 0 {
			area = s.Area
			gather(byKey, placeKey{AreaPlace, m.Table.Areas[area].Label, area}, &s)
			if r, ok := m.Table.RegionOf(area); ok {
				gather(byKey, placeKey{Region, m.Table.Regions[r].Label, Any}, &s)
			}
		}
		if s.PostalCode != "" {
			gather(byKey, placeKey{PostalCode, s.PostalCode, area}, &s)
		}
		if s.Commune != "" {
			gather(byKey, placeKey{Commune, s.Commune, area}, &s)
			if city := cityOf(s.Commune); city != "" {
				gather(byKey, placeKey{Commune, city, area}, &s)
			}
		}
	}
	list := make([]namedPlace, 0, len(byKey))
	for key, g := range byKey {
		list = append(list, m.placeOf(key, g))
	}
	slices.SortFunc(list, func(a, b namedPlace) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.Kind, b.Kind), a.Area-b.Area,
			cmp.Compare(a.Name, b.Name))
	})
	return newGazetteer(list)
}

// cityOf is the city of which a commune's name is a numbered district, such as
// PARIS 05, else "".
func cityOf(commune string) string {
	n := len(commune) - 3
	if n < 1 || commune[n] != ' ' || commune[n+1] < '0' || commune[n+1] > '9' || commune[n+2] < '0' ||
		commune[n+2] > '9' {
		return ""
	}
	return commune[:n]
}

// A gathering is what is known of a place while its sites are gone over.
type gathering struct {
	sites    int
	lat, lng float64 // sums
	postal   []string
}

func gather(byKey map[placeKey]*gathering, key placeKey, s *site.Site) {
	g := byKey[key]
	if g == nil {
		g = &gathering{}
		byKey[key] = g
	}
	g.sites++
	g.lat += s.Position.Lat
	g.lng += s.Position.Lng
	if at, has := slices.BinarySearch(g.postal, s.PostalCode); !has && s.PostalCode != "" && key.kind == Commune {
		g.postal = slices.Insert(g.postal, at, s.PostalCode)
	}
}

func (m *Market) placeOf(key placeKey, g *gathering) namedPlace {
	n := float64(g.sites)
	p := namedPlace{Place{Kind: key.kind, Name: key.name, Area: key.area, PostalCodes: g.postal,
		Center: geo.Point{Lat: g.lat / n, Lng: g.lng / n}, Sites: g.sites}, calling{kind: key.kind,
		name: placeName(key.name)}}
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
