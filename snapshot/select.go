package snapshot

import (
	"slices"

	"relais/market"
	"relais/site"
)

// Select returns a builder with the sites of a snapshot that keep chooses, and with its date, statuses and
// registers.
func Select(s *Snapshot, keep func(i int) bool) (*Builder, error) {
	return choose(s, keep, func(*site.Site) {})
}

// choose is Select for sites that are edited.
func choose(s *Snapshot, keep func(i int) bool, edit func(*site.Site)) (*Builder, error) {
	b := NewBuilder(market.Get(s.Market), slices.Clone(s.Statuses))
	b.SourceDate, b.UpdatedAt, b.Synthetic, b.Registers = s.SourceDate, s.UpdatedAt, s.Synthetic, s.Registers
	var one site.Site
	for i := range s.Len() {
		if !keep(i) {
			continue
		}
		s.Site(i, &one)
		edit(&one)
		if err := b.Add(&one); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Public returns what everybody may have of a snapshot: all of it, or a copy without the registers that need their
// publisher's permission. It returns nil if these cannot be taken out, or if nothing is left: see
// market.Market.Withheld.
func Public(s *Snapshot) (*Snapshot, error) {
	m := market.Get(s.Market)
	withheld, apart := m.Withheld(s.Registers)
	switch {
	case withheld == 0:
		return s, nil
	case !apart:
		return nil, nil
	}
	b, err := choose(s, func(i int) bool { return s.registers[i]&^withheld != 0 || s.registers[i] == 0 },
		func(one *site.Site) {
			if one.Registers&withheld != 0 {
				one.Registers &^= withheld
				removeAntennas(one)
			}
		})
	if err != nil {
		return nil, err
	}
	b.Registers = slices.DeleteFunc(slices.Clone(s.Registers), func(name string) bool { return m.NeedsPermission([]string{name}) })
	data, err := b.Bytes()
	if err != nil {
		return nil, err
	}
	return Read(data)
}

// removeAntennas makes a site what it is without the registers that state its antennas. An operator whose emissions are
// those of antennas has one again, which says that it is there.
func removeAntennas(s *site.Site) {
	ofAntennas := make([]bool, len(s.Emissions))
	for _, a := range s.Antennas {
		ofAntennas[a.Emission] = true
	}
	var list []site.Emission
	for station := range s.Stations {
		first := true
		for i, e := range s.Emissions {
			switch {
			case e.Station != station:
			case !ofAntennas[i]:
				list = append(list, e)
			case first:
				list, first = append(list, site.Emission{Station: station, Status: e.Status, On: e.On}), false
			}
		}
	}
	s.Emissions, s.Antennas, s.TxFrequencies, s.FixedLink = list, nil, nil, false
}
