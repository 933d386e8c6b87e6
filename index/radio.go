package index

import (
	"cmp"
	"fmt"
	"slices"

	"relais/site"
	"relais/snapshot"
)

// A RadioType is the kind of identifier that a radio look-up looks for.
type RadioType string

// The types of look-ups.
const (
	LookupENB    RadioType = "enb"
	LookupGNB    RadioType = "gnb"
	LookupCI     RadioType = "ci"     // ECI or NCI
	LookupCellID RadioType = "cellid" // another name of LookupCI
	LookupPCI    RadioType = "pci"
)

// RadioTypes has all types, in the order of matches.
var RadioTypes = []RadioType{LookupENB, LookupGNB, LookupCI, LookupCellID, LookupPCI}

// A RadioMatch is a site, by its position in the snapshot, with the types under which it
// has the value, in the order of RadioTypes.
type RadioMatch struct {
	Site    uint32
	Types   []RadioType
	Learned bool // only observations assign the value to the site: see Market.Learn
	// Operators are the positions in the market's table of the site's operators that have the
	// value.
	Operators []int

	certain bool // under at least one type
}

// radio finds sites by radio identifiers. It has a list for each kind, ordered by value.
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
		r[kind] = sortedByValue(rows)
	}
	return r, nil
}

// A value and a row number are sorted as one number of 64 bits. The longest value is an
// NCI: a snapshot has no value above the Max of its kind.
const (
	rowBits = 64 - site.NCIBits
	maxRows = 1 << rowBits
)

// sortedByValue returns at most maxRows rows, given in site order, by value and then by
// site. Sorting numbers is several times faster than sorting rows.
func sortedByValue(rows []radioRow) []radioRow {
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
	from, _ := slices.BinarySearchFunc(list, value,
		func(row radioRow, v uint64) int { return cmp.Compare(row.value, v) })
	to := from
	for to < len(list) && list[to].value == value {
		to++
	}
	return list[from:to]
}

// cell returns the rows that match a cell identifier. Rows with the identifier, with its
// eNB, and with its gNB of a stated length match certainly. A gNB of an unknown length is
// compared at every length, and matches possibly.
func (r *radio) cell(value uint64) (certain, possible []radioRow) {
	certain = slices.Clone(r.rows(site.Cell, value))
	if value < 1<<site.ECIBits {
		certain = append(certain, r.rows(site.ENB, value>>site.ECICellBits)...)
	}
	for bits := site.MinGNBBits; bits <= site.MaxGNBBits; bits++ {
		for _, row := range r.rows(site.GNB, value>>(site.NCIBits-bits)) {
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

// hits returns the rows that match a value under a type; see cell.
func (r *radio) hits(value uint64, t RadioType) (certain, possible []radioRow) {
	switch t {
	case LookupENB:
		return r.rows(site.ENB, value), nil
	case LookupGNB:
		return r.rows(site.GNB, value), nil
	case LookupPCI:
		return r.rows(site.PCI, value), nil
	}
	return r.cell(value)
}

// Lookup finds the sites that a radio identifier names under any of the types, for an
// operator or Any. Those to which a source gives it come before those that were learned
// for it; of each, those that it certainly names before those that it only may; and then
// they are in site order.
func (m *Market) Lookup(value uint64, types []RadioType, operator int) []RadioMatch {
	if operator == Any {
		return m.LookupOf(value, types, nil)
	}
	return m.LookupOf(value, types, Choice{operator})
}

// LookupOf is Lookup for several operators.
func (m *Market) LookupOf(value uint64, types []RadioType, operators Choice) []RadioMatch {
	var found []RadioMatch
	for _, t := range RadioTypes {
		if !slices.Contains(types, t) {
			continue
		}
		add := func(rows []radioRow, learned, certain bool) {
			for _, row := range rows {
				if operators.has(int(row.operator)) {
					found = addMatch(found,
						RadioMatch{row.site, []RadioType{t}, learned, []int{int(row.operator)}, certain})
				}
			}
		}
		certain, possible := m.radio.hits(value, t)
		add(certain, false, true)
		add(possible, false, false)
		if m.learned != nil {
			certain, possible = m.learned.radio.hits(value, t)
			add(certain, true, true)
			add(possible, true, false)
		}
	}
	slices.SortStableFunc(found, func(a, b RadioMatch) int { return cmp.Compare(a.rank(), b.rank()) })
	return found
}

// rank orders matches, the best first.
func (f *RadioMatch) rank() (rank int) {
	if f.Learned {
		rank += 2
	}
	if !f.certain {
		rank++
	}
	return rank
}

// addMatch adds a match to found, which is in site order.
func addMatch(found []RadioMatch, add RadioMatch) []RadioMatch {
	i, ok := slices.BinarySearchFunc(found, add.Site,
		func(f RadioMatch, at uint32) int { return cmp.Compare(f.Site, at) })
	if !ok {
		return slices.Insert(found, i, add)
	}
	f := &found[i]
	if add.rank() < f.rank() {
		f.Learned, f.certain = add.Learned, add.certain
	}
	if !slices.Contains(f.Types, add.Types[0]) {
		f.Types = append(f.Types, add.Types[0])
	}
	if o, known := slices.BinarySearch(f.Operators, add.Operators[0]); !known {
		f.Operators = slices.Insert(f.Operators, o, add.Operators[0])
	}
	return found
}
