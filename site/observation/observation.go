// Package observation decides which site an observed cell belongs to when no source says
// so: the only site of its operator near the place, if the cell was never observed near
// another. Ingested files and the measurements of a running server follow this one rule.
// Of an observation's place it keeps only the site.
package observation

import "relais/site"

// Radius is how far from its site a cell may be observed, in metres.
const Radius = 300

// A Cell is an observed cell, or only its base station.
type Cell struct {
	Operator int    // position in the market's operators
	NR       bool   // 5G; false: LTE
	Node     uint32 // eNB or gNB; 0: unknown (an ECI contains its eNB)
	ID       uint64 // ECI or NCI; 0: unknown
	PCI      int    // -1: unknown
}

// An Identity is an identifier of one operator: the operator's number, four bits for the
// kind of identifier, and 36 bits for its value.
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

// Identity returns the identity of the cell, or of the base station if only that was
// observed.
func (c *Cell) Identity() Identity {
	switch {
	case c.ID == 0:
		return c.node()
	case c.NR:
		return identity(nci, c.Operator, c.ID)
	}
	return identity(eci, c.Operator, c.ID)
}

// node returns the identity of the base station, 0 if it is unknown. An NCI alone does
// not give it: each network chooses how many bits are the gNB's.
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

// statedKinds maps the identifiers of registers. They do not distinguish NCI from ECI;
// a PCI does not identify a cell.
var statedKinds = map[site.RadioKind]kind{site.ENB: enb, site.GNB: gnb, site.Cell: eci}

// stated returns the identity under which a register would state id.
func (id Identity) stated() Identity {
	if id.kind() == nci {
		return identity(eci, id.operator(), id.value())
	}
	return id
}

// radio returns the identifier in the form that sites have.
func (id Identity) radio() site.RadioID {
	kinds := [...]site.RadioKind{enb: site.ENB, gnb: site.GNB, eci: site.Cell, nci: site.Cell}
	return site.RadioID{Kind: kinds[id.kind()], Operator: id.operator(), Value: id.value()}
}
