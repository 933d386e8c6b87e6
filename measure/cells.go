package measure

import (
	"slices"

	"relais/sighting"
	"relais/site"
)

// A byCell finds the rows of a segment that may name a base station or a cell. It takes
// four bytes for each key of a row, and about twenty for each different key.
type byCell struct {
	numbers map[cellKey]uint32
	starts  []uint32 // in rows, by number; and the end
	rows    []uint32
}

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

func (s *segment) newByCell() *byCell {
	b := &byCell{numbers: map[cellKey]uint32{}}
	var numbers, counts []uint32 // of each key of each row; how many rows a number has
	for i := range uint32(s.rows) {
		for _, key := range s.cellKeys(i) {
			if key == 0 {
				continue
			}
			n, ok := b.numbers[key]
			if !ok {
				n = uint32(len(counts))
				b.numbers[key], counts = n, append(counts, 0)
			}
			counts[n]++
			numbers = append(numbers, n)
		}
	}
	b.starts = make([]uint32, len(counts)+1)
	for n, rows := range counts {
		b.starts[n+1] = b.starts[n] + rows
	}
	next := slices.Clone(b.starts)
	b.rows = make([]uint32, len(numbers))
	k := 0
	for i := range uint32(s.rows) {
		for _, key := range s.cellKeys(i) {
			if key == 0 {
				continue
			}
			b.rows[next[numbers[k]]] = i
			next[numbers[k]]++
			k++
		}
	}
	return b
}

// get returns the rows with a key.
func (b *byCell) get(key cellKey) []uint32 {
	n, ok := b.numbers[key]
	if !ok {
		return nil
	}
	return b.rows[b.starts[n]:b.starts[n+1]]
}

// candidates returns the rows that may name one of the identifiers, in ascending order.
func (s *segment) candidates(ids ...site.RadioID) (rows []uint32) {
	b := s.byCell()
	for _, id := range ids {
		if id.Value > id.Kind.Max() {
			continue
		}
		switch id.Kind {
		case site.ENB:
			rows = append(rows, b.get(keyENB|cellKey(id.Value))...)
		case site.GNB:
			rows = append(rows, b.get(keyGNB|cellKey(id.Value))...)
			for bits := site.MinGNBBits; bits <= site.MaxGNBBits; bits++ {
				if id.Bits == 0 || int(id.Bits) == bits {
					rows = append(rows, b.get(keyPrefix|cellKey(id.Value>>(bits-site.MinGNBBits)))...)
				}
			}
		case site.Cell:
			rows = append(rows, b.get(keyCell|cellKey(id.Value))...)
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// operator returns the position of a row's operator in the market's table, or -1.
func (s *segment) operator(i uint32) int { return s.operators[s.network[i]] }

// cells returns the cells that a row of an operator's network names.
func (s *segment) cells(i uint32, operator int) [2]sighting.Cell {
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
