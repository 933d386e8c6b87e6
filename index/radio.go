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
	Site    uint32
	Types   []RadioType
	Learned bool // no source names the site: see Market.Learn
	// Operators are those of the site that have the value, by their places in the market's
	// table.
	Operators []int

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
	rowBits = 64 - site.NCIBits
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
	from, _ := slices.BinarySearchFunc(list, value,
		func(row radioRow, v uint64) int { return cmp.Compare(row.value, v) })
	to := from
	for to < len(list) && list[to].value == value {
		to++
	}
	return list[from:to]
}

// cell returns the rows that a cell identifier leads to. Those that state it, its
// eNB as an ECI, and a gNB whose length is stated are certain. Where the length is
// not, every length is tried, and what that finds is only possible.
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

// hits returns the rows that a value leads to under a type; see cell.
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

// addMatch keeps found in site order.
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
