// Package sighting tells which site a cell is of that somebody saw, when nobody says so:
// the only site of its operator near the place, as long as it was never seen near
// another. It is one rule for the files that an ingest reads and for the measures of a
// running server. It keeps where a cell was seen only as the site that it was near.
package sighting

import "relais/site"

// Radius is how far from its site a cell may have been seen, in metres.
const Radius = 300

// A Cell is a cell that was seen, or its base station alone.
type Cell struct {
	Operator int    // position in the market's operators
	NR       bool   // of 5G; else of LTE
	Node     uint32 // eNB or gNB; 0: not stated, and of an ECI not needed
	ID       uint64 // ECI or NCI; 0: not stated
	PCI      int    // -1: not stated
}

// An Identity is what a Cell is called: an identifier of one operator, and of which kind.
// It is a number of the operator, four bits of kind, and the identifier's 36.
type Identity uint64

const (
	valueBits = 36
	kindBits  = 4
)

type kind uint8

// A node comes before its cells.
const (
	enb kind = iota
	gnb
	eci
	nci
)

func identity(k kind, operator int, value uint64) Identity {
	return Identity(uint64(operator)<<(valueBits+kindBits) | uint64(k)<<valueBits | value)
}

func (id Identity) kind() kind    { return kind(id >> valueBits & (1<<kindBits - 1)) }
func (id Identity) value() uint64 { return uint64(id & (1<<valueBits - 1)) }
func (id Identity) operator() int { return int(id >> (valueBits + kindBits)) }

// Identity is that of the cell, of the base station where that alone was seen.
func (c *Cell) Identity() Identity {
	switch {
	case c.ID == 0:
		return c.node()
	case c.NR:
		return identity(nci, c.Operator, c.ID)
	}
	return identity(eci, c.Operator, c.ID)
}

// node is the identity of the base station, 0 when it is not known. How much of an NCI
// is the base station's, its network chose.
func (c *Cell) node() Identity {
	value := uint64(c.Node)
	if value == 0 && !c.NR {
		value = c.ID >> site.ECICellBits
	}
	switch {
	case value == 0:
		return 0
	case c.NR:
		return identity(gnb, c.Operator, value)
	}
	return identity(enb, c.Operator, value)
}

// statedKinds are the kinds of what registers state: they do not tell an NCI from an ECI,
// and a PCI names no cell.
var statedKinds = map[site.RadioKind]kind{site.ENB: enb, site.GNB: gnb, site.Cell: eci}

// stated is the identity under which a register would state it.
func (id Identity) stated() Identity {
	if id.kind() == nci {
		return identity(eci, id.operator(), id.value())
	}
	return id
}

// radio is the identifier as a site has it.
func (id Identity) radio() site.RadioID {
	kinds := [...]site.RadioKind{enb: site.ENB, gnb: site.GNB, eci: site.Cell, nci: site.Cell}
	return site.RadioID{Kind: kinds[id.kind()], Operator: id.operator(), Value: id.value()}
}
