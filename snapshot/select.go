package snapshot

import (
	"slices"

	"relais/market"
	"relais/site"
)

// Select returns a builder with the sites of a snapshot that keep chooses, and with its date, statuses and
// registers.
func Select(s *Snapshot, keep func(i int) bool) (*Builder, error) {
	b := NewBuilder(market.Get(s.Market), slices.Clone(s.Statuses))
	b.SourceDate, b.UpdatedAt, b.Synthetic, b.Registers = s.SourceDate, s.UpdatedAt, s.Synthetic, s.Registers
	var one site.Site
	for i := range s.Len() {
		if !keep(i) {
			continue
		}
		s.Site(i, &one)
		if err := b.Add(&one); err != nil {
			return nil, err
		}
	}
	return b, nil
}
