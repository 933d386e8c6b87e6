package index

import (
	"fmt"

	"github.com/cespare/xxhash/v2"

	"relais/market"
)

// A Set is the registers of all loaded markets at one moment. It never changes:
// a new snapshot makes a new Set, and who holds the old one goes on with it.
type Set struct {
	// Version names the content of all markets together.
	Version string
	// Problems says, by market, why a snapshot that is there is not loaded.
	Problems map[market.Code]string
	markets  map[market.Code]*Market
}

// NewSet makes a set of markets.
func NewSet(markets []*Market, problems map[market.Code]string) *Set {
	s := &Set{Problems: problems, markets: map[market.Code]*Market{}}
	for _, m := range markets {
		s.markets[m.Table.Code] = m
	}
	d := xxhash.New()
	for m := range s.Loaded() {
		fmt.Fprintln(d, m.Table.Code, m.Snap.Version) // a hash's Write never fails
	}
	s.Version = fmt.Sprintf("%016x", d.Sum64())
	return s
}

// Market returns a loaded market, nil when it is not.
func (s *Set) Market(c market.Code) *Market { return s.markets[c] }

// Loaded calls yield for each loaded market, in table order.
func (s *Set) Loaded() func(yield func(*Market) bool) {
	return func(yield func(*Market) bool) {
		for i := range market.All {
			if m := s.markets[market.All[i].Code]; m != nil && !yield(m) {
				return
			}
		}
	}
}
