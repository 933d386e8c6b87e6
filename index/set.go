package index

import (
	"cmp"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"relais/market"
)

// A Set has the loaded markets of one moment. It does not change: a new snapshot makes a new
// Set, and the old one can still be used.
type Set struct {
	// Version identifies the content of all snapshots together.
	Version string
	// Learned identifies what the markets have learned, "" for nothing.
	Learned string
	// Problems has, by market, the reason why an existing snapshot is not loaded.
	Problems map[market.Code]string
	markets  map[market.Code]*Market
	public   *Set // nil: this one
	whole    *Set // whose public one this is; nil: this one
}

// NewSet returns the set of markets.
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
	public, differs := []*Market{}, false
	for m := range s.Loaded() {
		if m.Public != nil {
			m, differs = m.Public, true
		}
		public = append(public, m)
	}
	if differs {
		s.public = NewSet(public, problems)
		s.public.whole = s
	}
	return s
}

// Public returns the set for callers who see only what needs no permission: each market is its Market.Public, if it has
// one. A market that needs permission and has none is there as it is.
func (s *Set) Public() *Set { return cmp.Or(s.public, s) }

// Whole returns the set that s is the Public of, or s.
func (s *Set) Whole() *Set { return cmp.Or(s.whole, s) }

// Keep returns the set with what the markets of old have learned, if they have the same
// snapshot. old may be nil.
func (s *Set) Keep(old *Set) *Set {
	if old == nil {
		return s
	}
	var markets []*Market
	for m := range s.Loaded() {
		had := old.Market(m.Table.Code)
		if m.learned == nil && had != nil && had.learned != nil && had.Snap.Version == m.Snap.Version {
			learnt := *m
			learnt.learned, learnt.Public = had.learned, had.Public
			m = &learnt
		}
		markets = append(markets, m)
	}
	return NewSet(markets, s.Problems)
}

// Market returns a market, nil if it is not loaded.
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
