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

	certain bool // under one of them, at least
}

// radio finds sites by radio identifiers: a list for each kind, by value.
type radio [site.RadioKinds][]radioRow

type radioRow struct {
	value    uint64
	site     uint32
	operator uint8
	bits     uint8
}

func newRadio(s *snapshot.Snapshot) (*radio, error) {
	r := &radio{}
	for kind, n := range s.RadioRows() {
		r[kind] = make([]radioRow, 0, n)
	}
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
	eciBits    = 28
	nciBits    = 36
	minGNBBits = 22
	maxGNBBits = 32
)

// cell returns the rows that a cell identifier leads to. Those that state it, its
// eNB as an ECI, and a gNB whose length is stated are certain. Where the length is
// not, every length is tried, and what that finds is only possible.
func (r *radio) cell(value uint64) (certain, possible []radioRow) {
	certain = slices.Clone(r.rows(site.Cell, value))
	if value < 1<<eciBits {
		certain = append(certain, r.rows(site.ENB, value>>site.CellBits)...)
	}
	for bits := minGNBBits; bits <= maxGNBBits; bits++ {
		for _, row := range r.rows(site.GNB, value>>(nciBits-bits)) {
			switch int(row.bits) {
			case bits:
				certain = append(certain, row)
			case 0:
				possible = append(possible, row)
			}
		}
	}
	return certain, possible
}

// Lookup finds the sites that a radio identifier names under any of the types,
// for an operator or Any: those that it certainly names before those that it only
// may, each in site order.
func (m *Market) Lookup(value uint64, types []RadioType, operator int) []RadioMatch {
	var found []RadioMatch
	for _, t := range RadioTypes {
		if !slices.Contains(types, t) {
			continue
		}
		var certain, possible []radioRow
		switch t {
		case LookupENB:
			certain = m.radio.rows(site.ENB, value)
		case LookupGNB:
			certain = m.radio.rows(site.GNB, value)
		case LookupPCI:
			certain = m.radio.rows(site.PCI, value)
		default:
			certain, possible = m.radio.cell(value)
		}
		for i, row := range slices.Concat(certain, possible) {
			if operator == Any || int(row.operator) == operator {
				found = addMatch(found, row.site, t, i < len(certain))
			}
		}
	}
	slices.SortStableFunc(found, func(a, b RadioMatch) int {
		switch {
		case a.certain == b.certain:
			return 0
		case a.certain:
			return -1
		}
		return 1
	})
	return found
}

// addMatch keeps found in site order.
func addMatch(found []RadioMatch, at uint32, t RadioType, certain bool) []RadioMatch {
	i, ok := slices.BinarySearchFunc(found, at, func(f RadioMatch, at uint32) int { return cmp.Compare(f.Site, at) })
	if !ok {
		return slices.Insert(found, i, RadioMatch{at, []RadioType{t}, certain})
	}
	f := &found[i]
	f.certain = f.certain || certain
	if !slices.Contains(f.Types, t) {
		f.Types = append(f.Types, t)
	}
	return found
}
