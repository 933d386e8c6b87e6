package archive

import (
	"slices"

	"relais/internal/store"
)

// A ref names a row: its segment and its rank there.
type ref struct{ segment, rank uint32 }

// A listing is the rows of a publication in the order of its file.
type listing struct {
	refs []ref
	ids  []uint32 // of the file's column id: 0 for none, else the number and 1
}

// pack writes runs of rows that follow each other in a segment.
func (l *listing) pack() []byte {
	type run struct{ segment, start, length uint32 }
	var runs []run
	for _, r := range l.refs {
		if n := len(runs); n > 0 && runs[n-1].segment == r.segment && runs[n-1].start+runs[n-1].length == r.rank {
			runs[n-1].length++
		} else {
			runs = append(runs, run{r.segment, r.rank, 1})
		}
	}
	segments, lengths := make([]uint32, len(runs)), make([]uint32, len(runs))
	ends := map[uint32]uint32{}
	var w, gaps writer
	for i, r := range runs {
		segments[i], lengths[i] = r.segment, r.length
		gaps.signed(int64(r.start) - int64(ends[r.segment])) // few rows after the run before
		ends[r.segment] = r.start + r.length
	}
	w.number(uint32(len(l.refs)))
	w.number(uint32(len(runs)))
	w.column(segments)
	w.b = append(w.b, gaps.b...)
	for _, n := range lengths {
		w.number(n)
	}
	w.column(l.ids)
	return w.b
}

// readListing reads what pack wrote. Errors: errDamaged.
func readListing(plain []byte) (*listing, error) {
	r := reader{b: plain}
	rows, runs := r.count(), r.count()
	segments, starts := make([]uint32, runs), make([]uint32, runs)
	r.column(segments)
	ends := map[uint32]int64{}
	l := &listing{refs: make([]ref, 0, rows), ids: make([]uint32, rows)}
	at := make([]int64, runs)
	for i := range at {
		at[i] = r.signed()
	}
	for i := range starts {
		start, n := ends[segments[i]]+at[i], int64(r.number())
		if start < 0 || start+n > maxRows || n > int64(rows-len(l.refs)) {
			return nil, damaged("the rows of a publication")
		}
		for k := range n {
			l.refs = append(l.refs, ref{segments[i], uint32(start + k)})
		}
		ends[segments[i]] = start + n
	}
	r.column(l.ids)
	if !r.end() || len(l.refs) != rows {
		return nil, damaged("the rows of a publication")
	}
	return l, nil
}

// segments returns the segments of the rows, ascending.
func (l *listing) segments() (numbers []uint32) {
	seen := map[uint32]bool{}
	for _, r := range l.refs {
		if !seen[r.segment] {
			seen[r.segment] = true
			numbers = append(numbers, r.segment)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// listingOf returns the rows of a publication. Errors: errDamaged.
func listingOf(tx *store.Tx, p *Publication) (*listing, error) {
	key := numberKey(uint32(p.day()))
	plain, err := unseal(rowsBucket, key[:], tx.Value(rowsBucket, key[:]))
	if err != nil {
		return nil, err
	}
	l, err := readListing(plain)
	if err == nil && len(l.refs) != p.Rows {
		err = damaged("the rows of " + p.Date)
	}
	return l, err
}

// A selection is the rows of one or two publications, by segment.
type selection map[uint32]*picks

// picks has for each rank, and for each of the two publications, 0 if the publication lacks the
// row, else the id of the listing plus 1.
type picks [2][]uint32

// pick adds a row of a publication. It allocates at the first row of a segment.
func (s selection) pick(tx *store.Tx, side int, at ref, id uint32) error {
	of, err := s.side(tx, side, at.segment)
	if err != nil {
		return err
	}
	if int(at.rank) >= len(of) {
		return damaged("a segment has fewer rows than are used")
	}
	of[at.rank] = id + 1
	return nil
}

// side returns the picks of a publication in a segment.
func (s selection) side(tx *store.Tx, side int, segment uint32) ([]uint32, error) {
	p := s[segment]
	if p == nil {
		p = &picks{}
		s[segment] = p
	}
	if p[side] == nil {
		g, err := segmentOf(tx, segment)
		if err != nil {
			return nil, err
		}
		p[side] = make([]uint32, g.Rows)
	}
	return p[side], nil
}

// pickAll adds the rows of a publication; none if p is nil.
func (s selection) pickAll(tx *store.Tx, side int, p *Publication) error {
	if p == nil {
		return nil
	}
	l, err := listingOf(tx, p)
	if err != nil {
		return err
	}
	return s.pickRows(tx, side, l.refs, func(i int) uint32 { return l.ids[i] })
}

// pickPositions adds the rows of a publication, with their positions in its file as ids.
func (s selection) pickPositions(tx *store.Tx, side int, l *listing) error {
	return s.pickRows(tx, side, l.refs, func(i int) uint32 { return uint32(i) })
}

// pickRows adds rows of a publication with the ids of their positions.
func (s selection) pickRows(tx *store.Tx, side int, rows []ref, id func(i int) uint32) (err error) {
	var of []uint32
	for i, r := range rows {
		if i == 0 || r.segment != rows[i-1].segment {
			if of, err = s.side(tx, side, r.segment); err != nil {
				return err
			}
		}
		if int(r.rank) >= len(of) {
			return damaged("a segment has fewer rows than are used")
		}
		of[r.rank] = id(i) + 1
	}
	return nil
}
