package index

import (
	"cmp"
	"slices"

	"relais/site"
	"relais/snapshot"
)

// A RadioType is what a radio look-up takes its value for.
type RadioType string

// The types of look-ups.
const (
	LookupENB    RadioType = "enb"
	LookupGNB    RadioType = "gnb"
	LookupCI     RadioType = "ci"     // ECI or NCI
	LookupCellID RadioType = "cellid" // the same under its other name
	LookupPCI    RadioType = "pci"
)

// RadioTypes lists the types, in the order in which matches are answered.
var RadioTypes = []RadioType{LookupENB, LookupGNB, LookupCI, LookupCellID, LookupPCI}

// A RadioMatch is a site with the types under which the value hit it.
type RadioMatch struct {
	Site  uint32
	Types []RadioType
}

// radio finds sites by radio identifiers: a list for each kind, by value.
type radio [site.RadioKinds][]radioRow

type radioRow struct {
	value    uint64
	site     uint32
	operator uint8
	bits     uint8
}

func newRadio(s *snapshot.Snapshot) *radio {
	r := &radio{}
	for i := range s.Len() {
		s.RadioIDs(i, func(id site.RadioID) {
			r[id.Kind] = append(r[id.Kind], radioRow{id.Value, uint32(i), uint8(id.Operator), id.Bits})
		})
	}
	for kind, rows := range r {
		r[kind] = byValue(rows)
	}
	return r
}

// byValue returns rows, which come in site order, by value and then site. Sorting
// numbers is several times faster than sorting rows.
func byValue(rows []radioRow) []radioRow {
	keys := make([]uint64, len(rows))
	for i, row := range rows {
		keys[i] = row.value<<rowBits | uint64(i)
	}
	slices.Sort(keys)
	sorted := make([]radioRow, len(rows))
	for i, k := range keys {
		sorted[i] = rows[k&(1<<rowBits-1)]
	}
	return sorted
}

// rowBits leaves the 36 bits of the longest identifier beside the row's number.
const rowBits = 28

// rows returns the rows of a kind with this value.
func (r *radio) rows(kind site.RadioKind, value uint64) []radioRow {
	list := r[kind]
	from, _ := slices.BinarySearchFunc(list, value, func(row radioRow, v uint64) int { return cmp.Compare(row.value, v) })
	to := from
	for to < len(list) && list[to].value == value {
		to++
	}
	return list[from:to]
}

// eciBits is the length of an ECI: 20 bits of eNB and 8 of cell. An NCI has 36:
// 22 to 32 of gNB, as the network chose, and the cell.
const (
	eciBits, eciCellBits = 28, 8
	nciBits              = 36
	minGNBBits           = 22
	maxGNBBits           = 32
)

// cell returns the rows that a cell identifier leads to: those that state it,
// and the node in its upper bits. As an ECI it names one eNB. As an NCI it names
// a gNB whose length must be known: where the data states lengths, those are
// tried; where it does not, every length is, but only for a value that no eNB
// explains.
func (r *radio) cell(value uint64) []radioRow {
	found := slices.Clone(r.rows(site.Cell, value))
	isECI := false
	if value < 1<<eciBits {
		nodes := r.rows(site.ENB, value>>eciCellBits)
		isECI = len(nodes) > 0
		found = append(found, nodes...)
	}
	for bits := minGNBBits; bits <= maxGNBBits; bits++ {
		for _, row := range r.rows(site.GNB, value>>(nciBits-bits)) {
			if int(row.bits) == bits || row.bits == 0 && !isECI {
				found = append(found, row)
			}
		}
	}
	return found
}

// Lookup finds the sites that a radio identifier names under any of the types,
// for an operator or Any, in site order.
func (m *Market) Lookup(value uint64, types []RadioType, operator int) []RadioMatch {
	var found []RadioMatch
	for _, t := range RadioTypes {
		if !slices.Contains(types, t) {
			continue
		}
		var rows []radioRow
		switch t {
		case LookupENB:
			rows = m.radio.rows(site.ENB, value)
		case LookupGNB:
			rows = m.radio.rows(site.GNB, value)
		case LookupPCI:
			rows = m.radio.rows(site.PCI, value)
		default:
			rows = m.radio.cell(value)
		}
		for _, row := range rows {
			if operator == Any || int(row.operator) == operator {
				found = addMatch(found, row.site, t)
			}
		}
	}
	return found
}

// addMatch keeps found in site order.
func addMatch(found []RadioMatch, at uint32, t RadioType) []RadioMatch {
	i, ok := slices.BinarySearchFunc(found, at, func(f RadioMatch, at uint32) int { return cmp.Compare(f.Site, at) })
	if !ok {
		return slices.Insert(found, i, RadioMatch{at, []RadioType{t}})
	}
	if !slices.Contains(found[i].Types, t) {
		found[i].Types = append(found[i].Types, t)
	}
	return found
}
