package snapshot

import (
	"fmt"

	"relais/geo"
	"relais/site"
)

// A Place is the position of a site and its operators.
type Place struct {
	Position  geo.Point
	Operators []uint8 // of each station: position in the market's operators; must not be changed
}

// Place returns the place of site i. In a Builder, sites are numbered in the order of Add.
func (s *columns) Place(i int) Place {
	return Place{
		Position:  geo.Point{Lat: geo.Degrees(s.lat[i]), Lng: geo.Degrees(s.lng[i])},
		Operators: s.stationOperator[s.stationStart[i]:s.stationStart[i+1]],
	}
}

// AddRadio adds radio identifiers to sites, which are numbered in the order of Add. It
// leaves out those that a site already has. An error names the site, and nothing was
// added then.
func (b *Builder) AddRadio(more map[int][]site.RadioID) error {
	for i, ids := range more {
		if i < 0 || i >= b.Len() {
			return fmt.Errorf("radio identifiers for site %d of %d", i, b.Len())
		}
		if err := b.checkRadio(ids); err != nil {
			return fmt.Errorf("site %s: %w", b.strings.Text(uint32(b.id[i])), err)
		}
	}
	old := b.columns
	b.radioStart = make([]uint32, 1, len(old.radioStart))
	b.radioKind, b.radioOperator, b.radioBits, b.radioValue = nil, nil, nil, nil
	for i := range b.Len() {
		seen := make(map[site.RadioID]bool, len(more[i]))
		old.RadioIDs(i, func(r site.RadioID) {
			b.addRadio(r)
			if len(more[i]) > 0 {
				seen[withoutBits(r)] = true
			}
		})
		for _, r := range more[i] {
			if !seen[withoutBits(r)] {
				b.addRadio(r)
				seen[withoutBits(r)] = true
			}
		}
		b.radioStart = append(b.radioStart, uint32(len(b.radioKind)))
	}
	b.countRadio()
	return nil
}

// withoutBits returns r without the length of a gNB's number, which some sources state and
// others do not.
func withoutBits(r site.RadioID) site.RadioID {
	r.Bits = 0
	return r
}

func (b *Builder) checkRadio(ids []site.RadioID) error {
	for _, r := range ids {
		if r.Operator < 0 || r.Operator >= len(b.Operators) || int(r.Kind) >= site.RadioKinds ||
			r.Value > r.Kind.Max() {
			return fmt.Errorf("radio identifier %+v", r)
		}
	}
	return nil
}

func (b *Builder) addRadio(r site.RadioID) {
	b.radioKind = append(b.radioKind, uint8(r.Kind))
	b.radioOperator = append(b.radioOperator, uint8(r.Operator))
	b.radioBits = append(b.radioBits, r.Bits)
	b.radioValue = append(b.radioValue, r.Value)
}
