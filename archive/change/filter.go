package change

import (
	"slices"
	"strings"

	"relais/geo"
	"relais/site"
)

// A Filter selects records. Each empty list, and nil, selects all. The values of a list are
// alternatives. A record that is not about an operator, a generation or a technology is not selected
// by one: a filter by technology finds new sites by their SystemAdded records.
type Filter struct {
	Kinds        []Kind
	Operators    []string // keys in the market's table
	Generations  []site.Generation
	Technologies []string // as published
	Bands        []int    // in MHz, at the end of a technology's name
	Areas        []string // codes in the market's table
	Box          *geo.Box // with the place of the record
	Disc         *geo.Disc
	// Without are names of registers whose sites are left out, also those that were theirs before: their
	// records state what that register said. "" stands for sites whose register is not stated. Of sites to which these
	// registers add or added, only the records about systems are left out.
	Without []string
}

// A selector is a filter on one list.
type selector struct {
	kinds                      [kinds]bool
	generations                [site.Generations]bool
	operators, technologies    []bool // by text; nil for all
	areas, without, added      []bool
	noSystems                  bool // of the present site
	generation, placed, inDisc bool // there are such filters
	box                        geo.Box
	disc                       geo.Vector
	rim                        float64
	south, north               int32
}

func (s *selector) compile(f *Filter, l *List) {
	if f == nil {
		f = &Filter{}
	}
	for k := range Kinds {
		s.kinds[k] = len(f.Kinds) == 0 || slices.Contains(f.Kinds, Kind(k))
	}
	for _, g := range f.Generations {
		s.generation = true
		if int(g) < len(s.generations) {
			s.generations[g] = true
		}
	}
	s.operators, s.areas = l.mask(f.Operators), l.mask(f.Areas)
	if len(f.Without) > 0 {
		for _, text := range l.texts.list {
			names := strings.Split(text, addsTo)
			s.without = append(s.without, slices.Contains(f.Without, names[0]))
			s.added = append(s.added, slices.ContainsFunc(names[1:], func(name string) bool { return slices.Contains(f.Without, name) }))
		}
	}
	s.technologies = l.mask(f.Technologies)
	if len(f.Bands) > 0 {
		if s.technologies == nil {
			s.technologies = slices.Repeat([]bool{true}, len(l.texts.list))
		}
		for i, name := range l.texts.list {
			s.technologies[i] = s.technologies[i] && slices.Contains(f.Bands, site.Band(name)) && name != ""
		}
	}
	s.south, s.north = geo.Fix(-90), geo.Fix(90)
	if f.Disc != nil {
		s.inDisc, s.disc, s.rim = true, f.Disc.Center.Vector(), f.Disc.Haversine()
		s.bound(f.Disc.Box())
	}
	if f.Box != nil {
		s.placed, s.box = true, *f.Box
		s.bound(*f.Box)
	}
}

// bound narrows the parallels between which sites can be.
func (s *selector) bound(b geo.Box) {
	s.south, s.north = max(s.south, geo.Fix(b.South)-1), min(s.north, geo.Fix(b.North)+1)
}

// mask says for each text of the list whether it is among the values; nil for no values.
func (l *List) mask(values []string) []bool {
	if len(values) == 0 {
		return nil
	}
	m := make([]bool, len(l.texts.list))
	for i, text := range l.texts.list {
		m[i] = slices.Contains(values, text) && text != ""
	}
	return m
}

func (s *selector) site(l *List, at *siteRow) bool {
	p := &at.place
	if p.lat < s.south || p.lat > s.north || s.areas != nil && !s.areas[p.area] || l.isOf(s.without, at) {
		return false
	}
	s.noSystems = l.isOf(s.added, at)
	if !s.placed && !s.inDisc {
		return true
	}
	point := geo.Point{Lat: geo.Degrees(p.lat), Lng: geo.Degrees(p.lng)}
	return (!s.placed || s.box.Contains(point)) && (!s.inDisc || s.disc.Haversine(point.Vector()) <= s.rim)
}

// isOf reports whether one of the two places of a site is of a register in a mask.
func (l *List) isOf(registers []bool, at *siteRow) bool {
	return registers != nil && (registers[at.place.register] || at.old != 0 && registers[l.places[at.old-1].register])
}

func (s *selector) row(r *row) bool {
	g := r.now
	if r.kind == SystemRemoved {
		g = r.was
	}
	return s.kinds[r.kind] && !(s.noSystems && r.kind.level() == systemLevel) && (s.operators == nil || s.operators[r.operator]) &&
		(!s.generation || s.generations[g]) && (s.technologies == nil || s.technologies[r.technology])
}
