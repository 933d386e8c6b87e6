package measure

import (
	"iter"
	"slices"

	"relais/site"
	"relais/site/observation"
)

// A cellKey is an identifier with its class in the upper bits. It does not include the
// network, although networks use the same numbers.
type cellKey uint64

const (
	keyENB    cellKey = (iota + 1) << 60
	keyGNB            // stated by the row
	keyPrefix         // the first MinGNBBits of an NCI, if the row does not state a gNB
	keyCell           // ECI or NCI
)

// prefixShift is the number of bits after the prefix of an NCI.
const prefixShift = site.NCIBits - site.MinGNBBits

// cellKeys returns the keys of a row. A key of 0 is not used.
func (s *segment) cellKeys(i uint32) (keys [3]cellKey) {
	r := row{technology: s.technology[i], enb: s.enb[i], gnb: s.gnb[i], cell: s.cell[i]}
	if n := r.node(); n != 0 {
		keys[0] = keyENB | cellKey(n)
	}
	switch {
	case r.gnb != 0:
		keys[1] = keyGNB | cellKey(r.gnb)
	case r.cell != 0 && technologies[r.technology].generation == 5:
		keys[1] = keyPrefix | cellKey(r.cell>>prefixShift)
	}
	if r.cell != 0 {
		keys[2] = keyCell | cellKey(r.cell)
	}
	return keys
}

// rowsByCell returns the rows of each key, in ascending order. All lists are parts of one that has their
// size from the start: ten million rows would leave hundreds of megabytes of lists that were too small.
func (s *segment) rowsByCell() map[cellKey][]uint32 {
	sizes, sum := map[cellKey]int{}, 0
	for key := range s.rowKeys() {
		sizes[key]++
		sum++
	}
	all, rows := make([]uint32, sum), make(map[cellKey][]uint32, len(sizes))
	for key, n := range sizes {
		rows[key], all = all[:0:n], all[n:]
	}
	for key, i := range s.rowKeys() {
		rows[key] = append(rows[key], i)
	}
	return rows
}

// rowKeys yields the keys of each row.
func (s *segment) rowKeys() iter.Seq2[cellKey, uint32] {
	return func(yield func(cellKey, uint32) bool) {
		for i := range uint32(s.rows) {
			for _, key := range s.cellKeys(i) {
				if key != 0 && !yield(key, i) {
					return
				}
			}
		}
	}
}

// candidates returns the rows that may name one of the identifiers, in ascending order.
func (s *segment) candidates(ids ...site.RadioID) (rows []uint32) {
	byCell := s.byCell()
	for _, id := range ids {
		if id.Value > id.Kind.Max() {
			continue
		}
		switch id.Kind {
		case site.ENB:
			rows = append(rows, byCell[keyENB|cellKey(id.Value)]...)
		case site.GNB:
			rows = append(rows, byCell[keyGNB|cellKey(id.Value)]...)
			// An NCI begins with its gNB. One that is longer than a prefix is cut to it; callers look at the rest.
			for bits := site.MinGNBBits; bits <= site.MaxGNBBits; bits++ {
				if id.Bits == 0 || int(id.Bits) == bits {
					rows = append(rows, byCell[keyPrefix|cellKey(id.Value>>(bits-site.MinGNBBits))]...)
				}
			}
		case site.Cell:
			rows = append(rows, byCell[keyCell|cellKey(id.Value)]...)
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// operator returns the position of a row's operator in the market's table, or -1.
func (s *segment) operator(i uint32) int { return s.operators[s.network[i]] }

// cells returns the cells that a row of an operator's network names.
func (s *segment) cells(i uint32, operator int) [2]observation.Cell {
	r := row{technology: s.technology[i], enb: s.enb[i], gnb: s.gnb[i], cell: s.cell[i], pci: s.pci[i]}
	return r.cells(operator)
}

// names reports whether a row of the identifier's operator certainly names it. An NCI names
// a gNB only if the length of the gNB is known.
func (s *segment) names(i uint32, id *site.RadioID) bool {
	both := s.cells(i, id.Operator)
	lte, nr := &both[0], &both[1]
	switch id.Kind {
	case site.ENB:
		return uint64(lte.Node) == id.Value
	case site.GNB:
		if nr.Node == 0 && nr.ID != 0 {
			_, certain := id.OfNCI(nr.ID)
			return certain
		}
		return uint64(nr.Node) == id.Value
	case site.Cell:
		return lte.ID == id.Value || nr.ID == id.Value
	}
	return false
}
