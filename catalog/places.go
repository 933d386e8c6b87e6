package catalog

import (
	"cmp"
	"slices"

	"relais/geo"
	"relais/index"
	"relais/index/question"
	"relais/market"
)

// Places asks for the places that a text names: communes, postal codes, areas and regions that sites name. Its
// department, postal code or country may follow a name.
type Places struct {
	Text   string
	Market *market.Market // nil: any
	// Operators are names, nil for any. Of namesakes, places in markets that have more of them come first.
	Operators []string
	// Part also finds the place that a part of the text names, if the text names none: Rennes of "gare de Rennes".
	Part   bool
	Limit  int            // 0: enough for Best
	prefer *market.Market // of namesakes, its places come first
}

// A Place is a place that sites of a market name. Its Center is rounded as positions of sites are.
type Place struct {
	index.Place
	Market *market.Market
	Lacks  int // how many of the operators that were asked for the market does not have
}

// PlacesFound are places that a text names, the best first.
type PlacesFound struct {
	Registers []*index.Market // that were asked
	Places    []Place
	Total     int
	PartOf    string // the text, if only a part of it is the name
}

// A NamedPlace is the place that a text names best.
type NamedPlace struct {
	Place
	PartOf string  // the text, if only a part of it is the name
	Others []Place // of those that were found, which the text names as well as this one
}

// bestLimit is the Limit for a place and the others that it may be.
const bestLimit = 6

// Places returns the places that a text names. Errors: those of Among.
func (c *Catalog) Places(q Places) (PlacesFound, error) {
	registers, err := c.Among(q.Market)
	if err != nil {
		return PlacesFound{}, err
	}
	q.Limit = cmp.Or(q.Limit, bestLimit)
	found := PlacesFound{Registers: registers}
	found.Places, found.Total = q.named(registers, q.Text)
	if q.Part && len(found.Places) == 0 {
		if found.Places = q.part(registers); found.Places != nil {
			found.PartOf = q.Text
		}
	}
	return found, nil
}

// Best returns the place that the text names best, nil if it names none.
func (f *PlacesFound) Best() *NamedPlace {
	if len(f.Places) == 0 {
		return nil
	}
	best := &NamedPlace{Place: f.Places[0], PartOf: f.PartOf}
	for _, other := range f.Places[1:] {
		if other.Match == best.Match && (other.Area != best.Area || other.Market != best.Market) {
			best.Others = append(best.Others, other)
		}
	}
	return best
}

// named returns the places that a text names, and how many there are. Of the ways to write the text, the first that is
// a place's name counts, else the first that finds anything.
func (q *Places) named(registers []*index.Market, text string) (list []Place, total int) {
	registers = inCountry(registers, question.Country(text))
	for _, name := range question.Places(text) {
		found, n := q.called(registers, name)
		if best := len(found) > 0 && found[0].Match == 0; best || list == nil {
			list, total = found, n
			if best {
				break
			}
		}
	}
	return list, total
}

// called returns the places with a name, and how many there are. Of equal matches, places in markets that have the
// operators come first, then those with more sites.
func (q *Places) called(registers []*index.Market, name string) (list []Place, total int) {
	for _, m := range registers {
		lacks := 0
		for _, name := range q.Operators {
			if _, has := m.Table.OperatorNamed(name); !has {
				lacks++
			}
		}
		found, n := m.Places(name, q.Limit)
		for _, p := range found {
			p.Center = geo.Point{Lat: geo.Degrees(geo.Fix(p.Center.Lat)), Lng: geo.Degrees(geo.Fix(p.Center.Lng))}
			list = append(list, Place{p, m.Table, lacks})
		}
		total += n
	}
	slices.SortStableFunc(list,
		func(a, b Place) int {
			return cmp.Or(a.Match-b.Match, a.Lacks-b.Lacks, btoi(b.Market == q.prefer)-btoi(a.Market == q.prefer), b.Sites-a.Sites)
		})
	return list[:min(q.Limit, len(list))], total
}

// part returns the places whose whole name is a part of the text, nil for none.
func (q *Places) part(registers []*index.Market) []Place {
	registers = inCountry(registers, question.Country(q.Text))
	for _, text := range question.Shorter(q.Text) {
		if found, _ := q.named(registers, text); len(found) > 0 && found[0].Match == 0 {
			return found
		}
	}
	return nil
}

// inCountry returns the registers of a country, all for "".
func inCountry(registers []*index.Market, country string) (list []*index.Market) {
	for _, m := range registers {
		if country == "" || m.Table.Country == country {
			list = append(list, m)
		}
	}
	return list
}

// Wide reports whether the place is an area, whose middle says little.
func (p *Place) Wide() bool { return p.Kind == index.AreaPlace || p.Kind == index.Region }

// AreaCodes returns the codes of the areas that a wide place is made of, nil for another place.
func (p *Place) AreaCodes() []string {
	switch p.Kind {
	case index.AreaPlace:
		return []string{p.Market.Areas[p.Area].Code}
	case index.Region:
		if i, ok := p.Market.RegionNamed(p.Name); ok {
			return p.Market.Regions[i].Codes
		}
	}
	return nil
}

// Near returns the query for sites within so many metres of the middle of the place. 0 is for 5 km, and for all of a
// wide place.
func (p *Place) Near(metres float64) index.Query {
	if metres == 0 && p.Wide() {
		return p.Within()
	}
	return index.Query{Disc: &geo.Disc{Center: p.Center, Radius: cmp.Or(metres, 5000)}}
}

// earthRadius is the radius in metres of a disc that has all of the Earth: a little more than half of its circumference.
const earthRadius = 20_100_000

// Within returns the query for the sites of the place. The disc leaves none out: it puts the nearest to the middle
// first.
func (p *Place) Within() index.Query {
	return index.Query{Place: &p.Place, Disc: &geo.Disc{Center: p.Center, Radius: earthRadius}}
}
