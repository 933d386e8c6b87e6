package index

import (
	"cmp"
	"fmt"
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

// A RadioMatch is a site, by its place in the snapshot, with the types under
// which the value hit it, in the order of RadioTypes.
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

// of tells whether the identifier is one of an operator, or Any.
func (r radioRow) of(operator int) bool { return operator == Any || int(r.operator) == operator }

func newRadio(s *snapshot.Snapshot) (*radio, error) {
	r := &radio{}
	for i := range s.Len() {
		s.RadioIDs(i, func(id site.RadioID) {
			r[id.Kind] = append(r[id.Kind], radioRow{id.Value, uint32(i), uint8(id.Operator), id.Bits})
		})
	}
	for kind, rows := range r {
		if len(rows) > maxRows {
			return nil, fmt.Errorf("%d radio identifiers of one kind, at most %d", len(rows), maxRows)
		}
		r[kind] = byValue(rows)
	}
	return r, nil
}

// A row's number stands beside its value in 64 bits. Values fit: a snapshot has
// none above its kind's Max, and an NCI is the longest.
const (
	rowBits = 64 - nciBits
	maxRows = 1 << rowBits
)

// byValue returns at most maxRows rows, which come in site order, by value and
// then site. Sorting numbers is several times faster than sorting rows.
func byValue(rows []radioRow) []radioRow {
	keys := make([]uint64, len(rows))
	for i, row := range rows {
		keys[i] = row.value<<rowBits | uint64(i)
	}
	slices.Sort(keys)
	sorted := make([]radioRow, len(rows))
	for i, k := range keys {
		sorted[i] = rows[k%maxRows]
	}
	return sorted
}

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

// cell returns the rows that a cell identifier of an operator, or Any, leads to:
// those that state it, and the node in its upper bits. As an ECI it names one
// eNB. As an NCI it names a gNB whose length must be known: where the data states
// lengths, those are tried; where it does not, every length is, but only for a
// value that no eNB explains.
func (r *radio) cell(value uint64, operator int) []radioRow {
	found := slices.Clone(r.rows(site.Cell, value))
	isECI := false
	if value < 1<<eciBits {
		nodes := r.rows(site.ENB, value>>eciCellBits)
		isECI = slices.ContainsFunc(nodes, func(row radioRow) bool { return row.of(operator) })
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
			rows = m.radio.cell(value, operator)
		}
		for _, row := range rows {
			if row.of(operator) {
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
