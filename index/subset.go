package index

import (
	"cmp"
	"context"
)

// A Subset is a set of sites of a Market. It does not change.
type Subset struct{ sites bitset }

// Len returns the number of sites.
func (s *Subset) Len() int { return s.sites.count() }

// keptSubsets is how many subsets a Market keeps. Each has a bit for each site.
const keptSubsets = 64

// Subset returns the sites that have one of the ids. The Market keeps it under a name, which stands
// for the ids: ids is not called for a name that is kept. Ids that no site has do not count. Errors: those
// of ids, and of ctx while another caller makes the same subset.
func (m *Market) Subset(ctx context.Context, name string, ids func(context.Context) ([]string, error)) (*Subset, error) {
	return m.subsets.Make(ctx, name, func(ctx context.Context) (*Subset, error) {
		list, err := ids(ctx)
		if err != nil {
			return nil, err
		}
		s := &Subset{newBitset(m.Len())}
		for _, id := range list {
			s.sites.add(m.siteIDs.find(id))
		}
		return s, nil
	})
}

// Named returns the sites that have one of the ids or siteKeys, and the names that no site has. It is not
// nil without any.
func (m *Market) Named(names []string) (s *Subset, unknown []string) {
	s, unknown = &Subset{newBitset(m.Len())}, []string{}
	for _, name := range names {
		sites := m.sitesWithID(name)
		if len(sites) == 0 {
			unknown = append(unknown, name)
		}
		s.sites.add(sites)
	}
	return s, unknown
}

// And returns the sites that are in both subsets. A nil one has all.
func (s *Subset) And(o *Subset) *Subset {
	if s == nil || o == nil {
		return cmp.Or(s, o)
	}
	both := &Subset{newBitset(len(s.sites.words) * 64)}
	both.sites.copy(s.sites)
	both.sites.and(o.sites)
	return both
}
