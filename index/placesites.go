package index

import (
	"strings"

	"relais/internal/fold"
)

// matchPlace removes from set the sites outside a place.
func (m *Market) matchPlace(p *Place, set bitset, w *work) {
	switch p.Kind {
	case Town:
		m.matchTown(p, set, w)
		return
	case Commune:
		name := fold.String(p.Name)
		w.other.clear()
		w.other.add(m.text().communes.withValue(name))
		for _, i := range m.text().communes.withPrefix(name + " ") { // districts of a city
			commune := string(textField(m.text().texts.text(i), fieldCommune))
			if cityOf(commune) == name {
				w.other.add([]uint32{i})
			}
		}
		set.and(w.other)
	case PostalCode:
		w.other.clear()
		w.other.add(m.text().postal.withValue(fold.String(p.Name)))
		set.and(w.other)
	}
	in := m.areasOf(p)
	set.filter(func(i uint32) bool {
		area := m.Snap.Area(int(i))
		return in == nil && area < 0 || area >= 0 && area < len(in) && in[area]
	})
}

// areasOf reports for each area whether the place is in it. It returns nil for a place outside
// all areas.
func (m *Market) areasOf(p *Place) []bool {
	if p.Kind != Region && p.Area == Any {
		return nil
	}
	in := make([]bool, len(m.Table.Areas))
	if p.Kind != Region {
		in[p.Area] = true
		return in
	}
	for area := range in {
		r, ok := m.Table.RegionOf(area)
		in[area] = ok && m.Table.Regions[r].Label == p.Name
	}
	return in
}

// HasPostalCode reports whether sites of the place have a postal code.
func (p *Place) HasPostalCode(code string) bool {
	for _, one := range p.PostalCodes {
		if strings.EqualFold(one, code) {
			return true
		}
	}
	return false
}
