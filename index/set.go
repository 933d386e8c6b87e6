package index

import (
	"fmt"

	"github.com/cespare/xxhash/v2"

	"relais/market"
)

// A Set is the registers of all loaded markets at one moment. It never changes:
// a new snapshot makes a new Set, and who holds the old one goes on with it.
type Set struct {
	// Version names the content of all snapshots together.
	Version string
	// Learned names what the markets have learned beside, "" for nothing.
	Learned string
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
		if m.learned != nil && m.learned.version != "" {
			s.Learned += string(m.Table.Code) + m.learned.version
		}
	}
	s.Version = fmt.Sprintf("%016x", d.Sum64())
	return s
}

// Keep returns the set with what the markets of old, which may be nil, have learned:
// those of the same snapshot.
func (s *Set) Keep(old *Set) *Set {
	if old == nil {
		return s
	}
	var markets []*Market
	for m := range s.Loaded() {
		had := old.Market(m.Table.Code)
		if m.learned == nil && had != nil && had.learned != nil && had.Snap.Version == m.Snap.Version {
			taught := *m
			taught.learned = had.learned
			m = &taught
		}
		markets = append(markets, m)
	}
	return NewSet(markets, s.Problems)
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
