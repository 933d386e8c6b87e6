package catalog

import (
	"cmp"
	"slices"

	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/radio"
	"relais/site"
)

// A Cell asks which sites may serve the cell of a phone.
type Cell struct {
	Market    *market.Market // nil for any; then Operators are too
	Operators index.Choice   // nil for any
	Phone     radio.Phone
	// Radius is how far around the phone, in metres, sites are looked for that no identifier names: those that have its
	// PCI, and so many of the nearest. 0 is for none.
	Radius  float64
	Nearest int
}

// Bounds of the sites that are scored in a market. A PCI is used again and again all over a country.
const (
	maxNaming  = 50 // sites that an identifier names
	maxWithPCI = 50 // sites that have the PCI
)

// Reach is a distance in metres beyond which no cell of 4G or 5G serves.
const Reach = 100_000.0

// A Candidate is a site that may serve a cell.
type Candidate struct {
	Register *index.Market
	At       uint32 // its position
	radio.Evidence
	// Foreign means that an identifier is of other operators than were asked for. Shared networks use the numbers of
	// one of them.
	Foreign bool
	Score   radio.Score
	Metres  float64 // from the phone, -1 where its position is unknown
}

// InReach reports whether a cell of the site can serve the phone.
func (f *Candidate) InReach() bool { return f.Metres <= Reach }

// Certain reports whether the only candidate certainly serves the cell. Nothing is certain without the network, for an
// identifier that no source states, and beyond Reach.
func (q *Cell) Certain(all []Candidate) bool {
	return q.Operators != nil && len(all) == 1 && all[0].Evidence.Certain() && !all[0].Foreign && all[0].InReach()
}

// Candidates returns the sites that may serve a cell, those with the best score first, of equal ones the nearest. Where
// an identifier names a site in reach, those out of reach come last: they have the number in another network.
func (c *Catalog) Candidates(q Cell) (all []Candidate, err error) {
	if q.Market != nil {
		loaded, err := c.Register(q.Market)
		if err != nil || loaded == nil {
			return nil, err
		}
		all = q.candidates(loaded)
	} else if c.Set == nil {
		return nil, ErrLoading
	} else {
		for loaded := range c.registers {
			all = append(all, q.candidates(loaded)...)
		}
	}
	// Numbers repeat between networks: the site with the best score may be at the other end of the country. Of made-up
	// phones whose number several sites have, this order puts the right site first for 98 %, the score alone for 84 %.
	reached := slices.ContainsFunc(all, func(f Candidate) bool { return len(f.Operators) > 0 && f.InReach() })
	slices.SortFunc(all, func(a, b Candidate) int {
		if reached && a.InReach() != b.InReach() {
			return cmp.Compare(a.Metres, b.Metres)
		}
		return cmp.Or(cmp.Compare(b.Score.Points, a.Score.Points), cmp.Compare(a.Metres, b.Metres),
			cmp.Compare(a.Register.Table.Code, b.Register.Table.Code), cmp.Compare(a.At, b.At))
	})
	return all, nil
}

// candidates returns the candidates of a market, each once.
func (q *Cell) candidates(m *index.Market) []Candidate {
	all := q.named(m, q.Operators)
	// A shared network uses the numbers of another operator. A PCI is not searched for among others: each operator
	// plans its own.
	if len(all) == 0 && q.Operators != nil {
		all = q.named(m, nil)
		for i := range all {
			all[i].Foreign = true
		}
	}
	for _, at := range q.around(m) {
		if !isAmong(all, at) {
			all = append(all, q.candidate(m, at, q.Operators))
		}
	}
	return all
}

func isAmong(all []Candidate, at uint32) bool {
	return slices.ContainsFunc(all, func(c Candidate) bool { return c.At == at })
}

// named returns the sites that an identifier names as those of some operators.
func (q *Cell) named(m *index.Market, operators index.Choice) (all []Candidate) {
	for _, x := range q.Phone.Identifiers {
		types := []index.RadioType{index.LookupENB, index.LookupGNB}
		switch {
		case x.Cell:
			types = []index.RadioType{index.LookupCI}
		case x.Generation == site.G4:
			types = types[:1]
		case x.Generation == site.G5:
			types = types[1:]
		}
		found := m.LookupOf(x.Value, types, operators)
		for _, match := range found[:min(len(found), maxNaming)] {
			if isAmong(all, match.Site) {
				continue
			}
			if c := q.candidate(m, match.Site, operators); len(c.Operators) > 0 { // a cell may be one of another generation
				all = append(all, c)
			}
		}
	}
	return all
}

// around returns sites around the phone that no identifier needs to name.
func (q *Cell) around(m *index.Market) []uint32 {
	if q.Phone.Position == nil || q.Radius == 0 {
		return nil
	}
	disc := &geo.Disc{Center: *q.Phone.Position, Radius: q.Radius}
	f := index.All
	if q.Operators != nil {
		f.OneOf = &index.Choices{Operators: q.Operators}
	}
	// Whatever their PCIs: a register may not state the one that the phone shows.
	sites := m.Find(index.Query{Filter: f, Disc: disc}, 0, q.Nearest).Sites
	if q.Phone.PCI == nil {
		return sites
	}
	var withPCI []index.Near
	for _, match := range m.LookupOf(*q.Phone.PCI, []index.RadioType{index.LookupPCI}, q.Operators) {
		if away := geo.Distance(disc.Center, m.Position(match.Site)); away <= q.Radius {
			withPCI = append(withPCI, index.Near{Site: match.Site, Metres: away})
		}
	}
	slices.SortStableFunc(withPCI, func(a, b index.Near) int { return cmp.Compare(a.Metres, b.Metres) })
	for _, near := range withPCI[:min(len(withPCI), maxWithPCI)] {
		sites = append(sites, near.Site)
	}
	return sites
}

// candidate scores a site for its operators that have an identifier of the phone, or else for all of those that are
// asked for. Otherwise an operator without the number could win by its distance or its technology.
func (q *Cell) candidate(m *index.Market, at uint32, operators index.Choice) Candidate {
	c := Candidate{Register: m, At: at, Metres: -1}
	var s site.Site
	m.Site(at, &s)
	s.Radio = m.AppendLearned(s.Radio, at)
	if operators == nil {
		for i := range m.Table.Operators {
			operators = append(operators, i)
		}
	}
	c.Evidence = q.Phone.Evidence(s.Radio, operators)
	scored := c.Operators
	if len(scored) == 0 {
		for _, o := range operators {
			if m.Has(at, o) {
				scored = append(scored, o)
			}
		}
	}
	c.Score = q.Phone.Score(m.Table, &s, scored)
	if q.Phone.Position != nil {
		c.Metres = geo.Distance(*q.Phone.Position, s.Position)
	}
	return c
}
