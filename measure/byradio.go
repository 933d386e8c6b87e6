package measure

import (
	"slices"
	"sort"

	"relais/site"
)

// A byRadio is the rows of a segment that state a number, in the order of the numbers. A
// site has few of them: nobody looks at all the others to find its speedtests.
type byRadio struct{ enb, gnb, cell []uint32 }

func (s *segment) newByRadio() byRadio {
	return byRadio{s.sortedBy(s.enbOf), s.sortedBy(s.gnbOf), s.sortedBy(s.cellOf)}
}

func (s *segment) enbOf(i uint32) uint64 {
	r := row{technology: s.technology[i], enb: s.enb[i], cell: s.cell[i]}
	return uint64(r.node())
}

func (s *segment) gnbOf(i uint32) uint64 { return uint64(s.gnb[i]) }

func (s *segment) cellOf(i uint32) uint64 { return s.cell[i] }

// sortedBy returns the rows whose number is not 0.
func (s *segment) sortedBy(number func(uint32) uint64) []uint32 {
	const rowBits = 21 // of maxRows; numbers have at most 36
	var order []uint64
	for i := range uint32(s.rows) {
		if n := number(i); n != 0 {
			order = append(order, n<<rowBits|uint64(i))
		}
	}
	slices.Sort(order)
	rows := make([]uint32, len(order))
	for i, o := range order {
		rows[i] = uint32(o & (1<<rowBits - 1))
	}
	return rows
}

// numbered returns the rows whose number is at least low and below high.
func numbered(rows []uint32, number func(uint32) uint64, low, high uint64) []uint32 {
	from := sort.Search(len(rows), func(i int) bool { return number(rows[i]) >= low })
	to := sort.Search(len(rows), func(i int) bool { return number(rows[i]) >= high })
	return rows[from:max(from, to)]
}

// mayName returns the rows whose radio may name one of the identifiers, in their order.
func (s *segment) mayName(ids []site.RadioID) (rows []uint32) {
	for _, id := range ids {
		switch id.Kind {
		case site.ENB:
			rows = append(rows, numbered(s.byRadio.enb, s.enbOf, id.Value, id.Value+1)...)
		case site.GNB:
			rows = append(rows, numbered(s.byRadio.gnb, s.gnbOf, id.Value, id.Value+1)...)
			least, most := site.MinGNBBits, site.MaxGNBBits
			if id.Bits != 0 {
				least, most = int(id.Bits), int(id.Bits)
			}
			for bits := least; bits <= min(most, site.NCIBits); bits++ {
				shift := site.NCIBits - bits
				rows = append(rows, numbered(s.byRadio.cell, s.cellOf, id.Value<<shift, (id.Value+1)<<shift)...)
			}
		case site.Cell:
			rows = append(rows, numbered(s.byRadio.cell, s.cellOf, id.Value, id.Value+1)...)
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}
