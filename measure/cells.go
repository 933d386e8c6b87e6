package measure

import (
	"slices"
	"sort"

	"relais/sighting"
	"relais/site"
)

// A byCell finds the rows of a segment that name a base station or a cell of one of the
// market's operators: for each class, its rows by operator, identifier and place, and the
// key of every keyStep'th of them. It takes five bytes for each identifier that a row
// names.
type byCell [cellClasses]struct {
	rows []uint32
	keys []uint64
}

// keyStep is how many rows are looked at one by one, which each cost several reads of
// memory that is far away.
const keyStep = 8

// A cellClass is what the rows of one list are ordered by.
type cellClass uint8

const (
	eciClass  cellClass = iota // of LTE: the ECI and a bit 1; of an eNB alone, it and zeros
	gnbClass                   // the gNB that a row states
	nciClass                   // of NR: the cell of rows that state their gNB
	bareClass                  // of NR: the cell of rows that do not
	cellClasses
)

// A key is an operator and an identifier; beside it in 64 bits there is room for a row.
const (
	valueBits   = site.NCIBits
	rowBits     = 21 // maxRows
	mostIndexed = 1 << (64 - valueBits - rowBits)
)

func cellKey(operator int, value uint64) uint64 { return uint64(operator)<<valueBits | value }

// cellsOf returns what a row says of its cells, false where its network is none of the
// market's operators.
func (s *segment) cellsOf(i uint32) (cells [2]sighting.Cell, ok bool) {
	operator := s.operators[s.network[i]]
	if operator < 0 {
		return cells, false
	}
	return s.cells(i, operator), true
}

func (s *segment) cells(i uint32, operator int) [2]sighting.Cell {
	r := row{technology: s.technology[i], enb: s.enb[i], gnb: s.gnb[i], cell: s.cell[i], pci: s.pci[i]}
	return r.cells(operator)
}

// keys calls f with the keys of a row.
func (s *segment) keys(i uint32, f func(cellClass, uint64)) {
	both, ok := s.cellsOf(i)
	lte, nr := &both[0], &both[1]
	if !ok || lte.Operator >= mostIndexed {
		return
	}
	switch {
	case lte.ID != 0:
		f(eciClass, cellKey(lte.Operator, lte.ID<<1|1))
	case lte.Node != 0:
		f(eciClass, cellKey(lte.Operator, uint64(lte.Node)<<(site.ECICellBits+1)))
	}
	switch {
	case nr.Node != 0:
		f(gnbClass, cellKey(nr.Operator, uint64(nr.Node)))
		if nr.ID != 0 {
			f(nciClass, cellKey(nr.Operator, nr.ID))
		}
	case nr.ID != 0:
		f(bareClass, cellKey(nr.Operator, nr.ID))
	}
}

// newByCell puts the rows in order.
func (s *segment) newByCell() *byCell {
	var counts [cellClasses]int
	for i := range uint32(s.rows) {
		s.keys(i, func(c cellClass, _ uint64) { counts[c]++ })
	}
	var keys [cellClasses][]uint64
	for c, n := range counts {
		keys[c] = make([]uint64, 0, n)
	}
	for i := range uint32(s.rows) {
		s.keys(i, func(c cellClass, key uint64) { keys[c] = append(keys[c], key<<rowBits|uint64(i)) })
	}
	b := &byCell{}
	for c, list := range keys {
		b[c].rows = make([]uint32, len(list))
		for k, key := range byKey(list) {
			b[c].rows[k] = uint32(key % (1 << rowBits))
			if k%keyStep == 0 {
				b[c].keys = append(b[c].keys, key>>rowBits)
			}
		}
	}
	return b
}

// byKey puts numbers, which come in the order of their rows, in that of their keys: digit
// by digit, which takes a fourth of the time of comparing millions of them.
func byKey(list []uint64) []uint64 {
	const digit = 11 // bits
	other := make([]uint64, len(list))
	for shift := rowBits; shift < 64; shift += digit {
		var starts [1<<digit + 1]int
		for _, key := range list {
			starts[key>>shift%(1<<digit)+1]++
		}
		for d := range 1 << digit {
			starts[d+1] += starts[d]
		}
		for _, key := range list {
			d := key >> shift % (1 << digit)
			other[starts[d]] = key
			starts[d]++
		}
		list, other = other, list
	}
	return list
}

// key is that of a row in the list of a class.
func (s *segment) key(c cellClass, i uint32) (key uint64) {
	s.keys(i, func(of cellClass, k uint64) {
		if of == c {
			key = k
		}
	})
	return key
}

// between returns the rows of a class whose identifiers are from first to last.
func (s *segment) between(c cellClass, operator int, first, last uint64) []uint32 {
	if operator < 0 || operator >= mostIndexed || last >= 1<<valueBits {
		return nil
	}
	list := &s.byCell()[c]
	step, _ := slices.BinarySearch(list.keys, cellKey(operator, first))
	end, most := cellKey(operator, last)+1, 1 // the last row is near the first one
	for ; step+most < len(list.keys) && list.keys[step+most] < end; most *= 2 {
	}
	beyond, _ := slices.BinarySearch(list.keys[step:min(step+most, len(list.keys))], end)
	return list.rows[s.search(c, step, cellKey(operator, first)):s.search(c, step+beyond, end)]
}

// search returns the place of the first row of a class whose key is not below one; step is
// that of the first of its keys.
func (s *segment) search(c cellClass, step int, key uint64) int {
	list := &s.byCell()[c]
	if step == 0 {
		return 0
	}
	from := (step-1)*keyStep + 1 // the row before is below
	to := min(step*keyStep, len(list.rows))
	return from + sort.Search(to-from, func(k int) bool { return s.key(c, list.rows[from+k]) >= key })
}

// naming returns the rows that name an identifier for certain: an NCI names a gNB whose
// length is known.
func (s *segment) naming(id site.RadioID) (lists [][]uint32) {
	if id.Value > id.Kind.Max() {
		return nil
	}
	switch id.Kind {
	case site.ENB:
		first := id.Value << (site.ECICellBits + 1)
		lists = append(lists, s.between(eciClass, id.Operator, first, first+1<<(site.ECICellBits+1)-1))
	case site.GNB:
		lists = append(lists, s.between(gnbClass, id.Operator, id.Value, id.Value))
		if id.Bits >= site.MinGNBBits && id.Bits <= site.MaxGNBBits {
			first := id.Value << (site.NCIBits - id.Bits)
			lists = append(lists, s.between(bareClass, id.Operator, first, first+1<<(site.NCIBits-id.Bits)-1))
		}
	case site.Cell:
		lists = append(lists, s.between(eciClass, id.Operator, id.Value<<1|1, id.Value<<1|1))
		lists = append(lists, s.between(nciClass, id.Operator, id.Value, id.Value))
		lists = append(lists, s.between(bareClass, id.Operator, id.Value, id.Value))
	}
	return lists
}
