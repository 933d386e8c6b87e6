package observation

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"relais/geo"
	"relais/site"
	"relais/snapshot"
)

// A Register lists the sites that cells can belong to.
type Register interface {
	Len() int
	Place(i int) snapshot.Place
	RadioIDs(i int, f func(site.RadioID)) // the identifiers that the register states
}

// An Outcome is the result of adding an observation.
type Outcome uint8

// The outcomes.
const (
	Accepted     Outcome = iota
	NoSite               // of the operator within Radius
	SeveralSites         // of the operator within Radius
	Contradicted         // the register assigns the cell, or its base station, to another site
)

// Observations collects observed cells around the sites of a register. Call Add for
// each, then Finish, then the other methods. Memory grows with the number of distinct
// identifiers (16 bytes for each, with its PCI), not of observations.
type Observations struct {
	sites     []siteGrid // by operator
	stated    []entry    // the register's assignments, sorted by identity
	claims    []claim
	near      []uint32          // scratch
	groups    [][]uint32        // sites that are near one place
	groupOf   map[string]uint32 // positions in groups, by the bytes of the sites
	sortAt    int               // number of claims at which they are compacted
	maxClaims int
	full      bool
}

// A claim records that an identifier was observed near a site, or near the sites of a group.
type claim struct {
	id   Identity
	site uint32 // from firstGroup on that and the position of a group
	pci  uint16 // or noPCI
}

const (
	noPCI      = ^uint16(0)
	firstGroup = 1 << 31
)

// maxClaims bounds Observations to 256 MiB. At most half of the claims may be distinct;
// the networks of a large country have about two million cells.
const maxClaims = 1 << 24

// firstSort is the number of claims at which duplicates are first removed.
const firstSort = 1 << 16

// NewObservations returns Observations for a register with the given number of
// operators. It copies the register's assignments.
func NewObservations(r Register, operators int) *Observations {
	o := &Observations{sites: make([]siteGrid, operators), groupOf: map[string]uint32{}, sortAt: firstSort,
		maxClaims: maxClaims}
	for i := range r.Len() {
		p := r.Place(i)
		for k, operator := range p.Operators {
			if !slices.Contains(p.Operators[:k], operator) {
				o.sites[operator].add(uint32(i), p.Position)
			}
		}
		r.RadioIDs(i, func(id site.RadioID) {
			if k, ok := statedKinds[id.Kind]; ok {
				o.stated = append(o.stated, entry{uint64(identity(k, id.Operator, id.Value)), uint32(i)})
			}
		})
	}
	for i := range o.sites {
		o.sites[i].register = r
		o.sites[i].sort()
	}
	slices.SortFunc(o.stated, compareEntries)
	return o
}

// Add adds the observation of a cell by a phone at p. An observed base station
// contradicts the register also when the register assigns one of its cells to another
// site.
func (o *Observations) Add(c *Cell, p geo.Point) Outcome {
	own, node := c.Identity(), c.node()
	o.near = o.sites[c.Operator].near(p, o.near[:0])
	switch len(o.near) {
	case 0:
		return NoSite
	case 1:
	default: // it may belong to one of them, and to no other site
		group := o.internGroup()
		o.addClaim(claim{own, group, noPCI})
		if node != 0 && node != own {
			o.addClaim(claim{node, group, noPCI})
		}
		return SeveralSites
	}
	at := o.near[0]
	if o.statedElsewhere(own.stated(), at) || node != 0 && o.statedElsewhere(node, at) ||
		own == node && o.splitNode(node, at) {
		return Contradicted
	}
	pci := noPCI
	if c.PCI >= 0 {
		pci = uint16(c.PCI)
	}
	o.addClaim(claim{own, at, pci})
	if node != 0 && node != own {
		o.addClaim(claim{node, at, noPCI})
	}
	return Accepted
}

// internGroup returns the number for claims of the sites that are near.
func (o *Observations) internGroup() uint32 {
	var key []byte
	for _, at := range o.near {
		key = binary.LittleEndian.AppendUint32(key, at)
	}
	g, ok := o.groupOf[string(key)]
	if !ok {
		g = uint32(len(o.groups))
		o.groups, o.groupOf[string(key)] = append(o.groups, slices.Clone(o.near)), g
	}
	return firstGroup + g
}

// statedElsewhere reports whether the register assigns id to other sites only.
func (o *Observations) statedElsewhere(id Identity, at uint32) bool {
	here, others := o.statedAt(id, id, at)
	return others && !here
}

// statedAt reports whether the register assigns an identity from first to last to the
// site, and whether to other sites.
func (o *Observations) statedAt(first, last Identity, at uint32) (here, others bool) {
	from, _ := slices.BinarySearchFunc(o.stated, entry{key: uint64(first)}, compareEntries)
	for _, e := range o.stated[from:] {
		if e.key > uint64(last) {
			break
		}
		here, others = here || e.site == at, others || e.site != at
	}
	return here, others
}

func (o *Observations) addClaim(c claim) {
	if o.full {
		return
	}
	o.claims = append(o.claims, c)
	if len(o.claims) < o.sortAt {
		return
	}
	o.compact()
	o.full = len(o.claims) > o.maxClaims/2
	o.sortAt = max(o.sortAt, 2*len(o.claims))
}

// compact sorts the claims by identity and removes duplicates. Of an identity that cannot belong to one site it keeps
// two claims. Claims of groups that have the only site do not matter.
func (o *Observations) compact() {
	slices.SortFunc(o.claims, func(x, y claim) int {
		if x.id != y.id {
			return cmp.Compare(x.id, y.id)
		}
		return cmp.Compare(uint64(x.site)<<16|uint64(x.pci), uint64(y.site)<<16|uint64(y.pci))
	})
	kept := o.claims[:0]
	for rest := slices.Compact(o.claims); len(rest) > 0; {
		var all []claim
		all, rest = cutGroup(rest)
		if other := o.contradicts(all); other != nil {
			kept = append(kept, all[0], *other)
			continue
		}
		for _, c := range all {
			if c.site < firstGroup || all[0].site >= firstGroup {
				kept = append(kept, c)
			}
		}
	}
	o.claims = kept
}

// contradicts returns a claim of an identity's sorted claims that the site of the first one does not fit, nil if it
// fits all. Groups alone do not contradict each other: they claim no site.
func (o *Observations) contradicts(all []claim) *claim {
	at := all[0].site
	for i := range all {
		switch c := &all[i]; {
		case at >= firstGroup:
			return nil
		case c.site < firstGroup && c.site != at, c.site >= firstGroup && !slices.Contains(o.groups[c.site-firstGroup], at):
			return c
		}
	}
	return nil
}

// siteOf returns the only site of an identity's sorted claims. ok is false if it does not exist.
func (o *Observations) siteOf(all []claim) (at uint32, ok bool) {
	return all[0].site, all[0].site < firstGroup && o.contradicts(all) == nil
}

// cutGroup splits sorted claims after those of the first identity.
func cutGroup(list []claim) (first, rest []claim) {
	n := 1
	for n < len(list) && list[n].id == list[0].id {
		n++
	}
	return list[:n], list[n:]
}

// Finish ends adding. It fails if there were too many distinct identifiers to keep:
// then no identifier is known to belong to one site only.
func (o *Observations) Finish() error {
	o.compact()
	if o.full {
		return fmt.Errorf("over %d cells and base stations were observed near sites", o.maxClaims/2)
	}
	return nil
}

// Unambiguous reports whether observations of an identity were near one site only, or near that one and others. Call it
// after Finish.
func (o *Observations) Unambiguous(id Identity) bool {
	at, ok := slices.BinarySearchFunc(o.claims, id, func(c claim, id Identity) int { return cmp.Compare(c.id, id) })
	if !ok {
		return false
	}
	all, _ := cutGroup(o.claims[at:])
	_, ok = o.siteOf(all)
	return ok
}

// Assignments yields the identifiers that observations assign to sites, sorted by
// operator, kind and value: cells and base stations that were observed near one site
// only, and every PCI of theirs. A base station is assigned only if all its observed
// cells, and all that the register states, belong to the site. Call it after Finish.
func (o *Observations) Assignments() iter.Seq2[uint32, site.RadioID] {
	return func(yield func(uint32, site.RadioID) bool) {
		for rest := o.claims; len(rest) > 0; {
			var all []claim
			all, rest = cutGroup(rest)
			if _, ok := o.siteOf(all); !ok {
				continue
			}
			if !o.yieldAssigned(all, yield) {
				return
			}
		}
	}
}

// yieldAssigned yields the identifiers of one group of claims, which is of one site.
func (o *Observations) yieldAssigned(all []claim, yield func(uint32, site.RadioID) bool) bool {
	id, at := all[0].id, all[0].site
	if !o.splitNode(id, at) && !yield(at, id.radio()) {
		return false
	}
	for _, c := range all {
		if c.pci != noPCI && !yield(at, site.RadioID{Kind: site.PCI, Operator: id.operator(), Value: uint64(c.pci)}) {
			return false
		}
	}
	return true
}

// splitNode reports whether id is an eNB with a cell that the register assigns to
// another site.
func (o *Observations) splitNode(id Identity, at uint32) bool {
	if id.kind() != enb {
		return false
	}
	first := identity(eci, id.operator(), id.value()<<site.ECICellBits)
	_, others := o.statedAt(first, first+1<<site.ECICellBits-1, at)
	return others
}
