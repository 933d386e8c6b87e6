package sighting

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"relais/geo"
	"relais/site"
	"relais/snapshot"
)

// A Register is the sites that cells can be of.
type Register interface {
	Len() int
	Place(i int) snapshot.Place
	RadioIDs(i int, f func(site.RadioID)) // that its sources state
}

// An Outcome says what became of a sighting.
type Outcome uint8

// The outcomes.
const (
	Taken        Outcome = iota
	NoSite               // of the operator within Radius
	SeveralSites         // of the operator within Radius
	Contradicted         // the register gives the cell, or its base station, to another site
)

// A Book gathers sightings around the sites of a register: See takes them in, Settle
// closes it, and then it can be asked. Its memory follows the different identifiers that
// were taken, 16 bytes for each and its PCI, and not the sightings.
type Book struct {
	sites  []near  // by operator
	stated []entry // what the register gives to sites, by identity
	claims []claim
	next   int // number of claims at which they are sorted
	most   int // that are kept
	full   bool
}

// A claim says that an identifier was seen near a site.
type claim struct {
	id   Identity
	site uint32
	pci  uint16 // noPCI: none
}

const noPCI = ^uint16(0)

// mostClaims bounds a Book to 256 MiB; half of them may be different ones. The networks
// of a large country have about two million cells.
const mostClaims = 1 << 24

// firstSort is how many claims there are when they are first freed of repetitions.
const firstSort = 1 << 16

// NewBook opens a book for a register with that many operators. What the register's
// sources state is taken as it is at that time.
func NewBook(r Register, operators int) *Book {
	b := &Book{sites: make([]near, operators), next: firstSort, most: mostClaims}
	for i := range r.Len() {
		p := r.Place(i)
		for k, o := range p.Operators {
			if !slices.Contains(p.Operators[:k], o) {
				b.sites[o].add(uint32(i), p.Position)
			}
		}
		r.RadioIDs(i, func(id site.RadioID) {
			if k, ok := statedKinds[id.Kind]; ok {
				b.stated = append(b.stated, entry{uint64(identity(k, id.Operator, id.Value)), uint32(i)})
			}
		})
	}
	for i := range b.sites {
		b.sites[i].of = r
		b.sites[i].sort()
	}
	slices.SortFunc(b.stated, compareEntries)
	return b
}

// See takes in that a cell was seen by somebody who was at p. Where only its base station
// is stated, the cells of it that the register states count as well.
func (b *Book) See(c *Cell, p geo.Point) Outcome {
	count, at := b.sites[c.Operator].find(p)
	switch count {
	case 0:
		return NoSite
	case 2:
		return SeveralSites
	}
	own, node := c.Identity(), c.node()
	if b.elsewhere(own.stated(), at) || node != 0 && b.elsewhere(node, at) || own == node && b.splitNode(node, at) {
		return Contradicted
	}
	pci := noPCI
	if c.PCI >= 0 {
		pci = uint16(c.PCI)
	}
	b.add(claim{own, at, pci})
	if node != 0 && node != own {
		b.add(claim{node, at, noPCI})
	}
	return Taken
}

// elsewhere tells whether the register gives an identity to sites, but not to this one.
func (b *Book) elsewhere(id Identity, at uint32) bool {
	here, others := b.statedAt(id, id, at)
	return others && !here
}

// statedAt tells whether the register gives one of the identities from first to last to
// a site, and whether to others.
func (b *Book) statedAt(first, last Identity, at uint32) (here, others bool) {
	from, _ := slices.BinarySearchFunc(b.stated, entry{key: uint64(first)}, compareEntries)
	for _, e := range b.stated[from:] {
		if e.key > uint64(last) {
			break
		}
		here, others = here || e.site == at, others || e.site != at
	}
	return here, others
}

func (b *Book) add(c claim) {
	if b.full {
		return
	}
	b.claims = append(b.claims, c)
	if len(b.claims) < b.next {
		return
	}
	b.sort()
	b.full = len(b.claims) > b.most/2
	b.next = max(b.next, 2*len(b.claims))
}

// sort orders the claims by identity and leaves each once; of an identity that was seen
// near several sites, two.
func (b *Book) sort() {
	slices.SortFunc(b.claims, func(x, y claim) int {
		if x.id != y.id {
			return cmp.Compare(x.id, y.id)
		}
		return cmp.Compare(uint64(x.site)<<16|uint64(x.pci), uint64(y.site)<<16|uint64(y.pci))
	})
	kept := b.claims[:0]
	for rest := slices.Compact(b.claims); len(rest) > 0; {
		var all []claim
		all, rest = group(rest)
		if last := all[len(all)-1]; last.site != all[0].site {
			kept = append(kept, all[0], last)
		} else {
			kept = append(kept, all...)
		}
	}
	b.claims = kept
}

// group cuts the claims of the first identity off sorted ones.
func group(list []claim) (first, rest []claim) {
	n := 1
	for n < len(list) && list[n].id == list[0].id {
		n++
	}
	return list[:n], list[n:]
}

// Settle ends the sightings. It fails when there were too many different identifiers to
// keep, of which none can then be trusted to have been seen near one site only.
func (b *Book) Settle() error {
	b.sort()
	if b.full {
		return fmt.Errorf("over %d cells and base stations were seen near sites", b.most/2)
	}
	return nil
}

// Agreed tells, after Settle, whether an identity whose sightings were taken was seen
// near one site only.
func (b *Book) Agreed(id Identity) bool {
	at, ok := slices.BinarySearchFunc(b.claims, id, func(c claim, id Identity) int { return cmp.Compare(c.id, id) })
	if !ok {
		return false
	}
	all, _ := group(b.claims[at:])
	return all[0].site == all[len(all)-1].site
}

// Given goes, after Settle, over what the sightings give to sites, by operator, kind and
// value: the cells and base stations that were seen near one site only, and the PCIs of
// both, as often as they were seen with different ones. A base station is given when all
// its cells that were seen, and all that the register states, are the site's.
func (b *Book) Given() iter.Seq2[uint32, site.RadioID] {
	return func(yield func(uint32, site.RadioID) bool) {
		for rest := b.claims; len(rest) > 0; {
			var all []claim
			all, rest = group(rest)
			if all[0].site != all[len(all)-1].site {
				continue
			}
			if !b.give(all, yield) {
				return
			}
		}
	}
}

// give yields what the claims of one identity give to their one site.
func (b *Book) give(all []claim, yield func(uint32, site.RadioID) bool) bool {
	id, at := all[0].id, all[0].site
	if !b.splitNode(id, at) && !yield(at, id.radio()) {
		return false
	}
	for _, c := range all {
		if c.pci != noPCI && !yield(at, site.RadioID{Kind: site.PCI, Operator: id.operator(), Value: uint64(c.pci)}) {
			return false
		}
	}
	return true
}

// splitNode tells whether an identity is an eNB of which the register states a cell at
// another site.
func (b *Book) splitNode(id Identity, at uint32) bool {
	if id.kind() != enb {
		return false
	}
	first := identity(eci, id.operator(), id.value()<<site.ECICellBits)
	_, others := b.statedAt(first, first+1<<site.ECICellBits-1, at)
	return others
}
