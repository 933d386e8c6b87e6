package change

import (
	"encoding/binary"
	"errors"
	"slices"

	"relais/site"
)

// ErrDamaged says that bytes are not an encoded list or state.
var ErrDamaged = errors.New("not differences as they were written")

// Append appends the list, encoded: columns of numbers, most of them of one byte, and each different
// text once. It is not compressed.
func (l *List) Append(dst []byte) []byte {
	w := writer{dst}
	w.texts(&l.texts)
	w.sites(l.sites)
	w.column(l.sites, func(s siteRow) uint32 { return s.old })
	w.number(uint32(len(l.places)))
	for _, p := range l.places {
		w.place(p)
	}
	w.number(uint32(len(l.rows)))
	for _, column := range rowColumns {
		for i := range l.rows {
			w.number(uint32(column.get(&l.rows[i])))
		}
	}
	return w.b
}

// rowColumns are the columns of rows.
var rowColumns = []struct {
	get func(*row) uint16
	set func(*row, uint16)
}{
	{func(r *row) uint16 { return uint16(r.kind) }, func(r *row, n uint16) { r.kind = Kind(min(n, uint16(kinds))) }},
	{func(r *row) uint16 { return r.operator }, func(r *row, n uint16) { r.operator = n }},
	{func(r *row) uint16 { return r.technology }, func(r *row, n uint16) { r.technology = n }},
	{func(r *row) uint16 { return r.before }, func(r *row, n uint16) { r.before = n }},
	{func(r *row) uint16 { return r.after }, func(r *row, n uint16) { r.after = n }},
	{func(r *row) uint16 { return uint16(r.was) }, func(r *row, n uint16) { r.was = generation(n) }},
	{func(r *row) uint16 { return uint16(r.now) }, func(r *row, n uint16) { r.now = generation(n) }},
}

// generation returns a generation that was read, site.Generations for an unknown one.
func generation(n uint16) site.Generation { return site.Generation(min(n, site.Generations)) }

// ReadList reads what Append wrote. Its memory is bounded by a small multiple of the bytes. Error:
// ErrDamaged.
func ReadList(b []byte) (*List, error) {
	r := reader{b: b}
	l := &List{texts: r.texts()}
	l.sites = r.sites()
	for i := range l.sites {
		l.sites[i].old = r.number()
	}
	l.places = make([]placeRow, r.count(4))
	for i := range l.places {
		l.places[i] = r.place()
	}
	l.rows = make([]row, r.count(len(rowColumns)))
	for _, column := range rowColumns {
		for i := range l.rows {
			column.set(&l.rows[i], r.number16())
		}
	}
	if r.bad || len(r.b) > 0 || l.check() != nil {
		return nil, ErrDamaged
	}
	for _, row := range l.rows {
		if row.kind.shown() {
			l.shown++
		}
	}
	return l, nil
}

// check checks that all references of a list are valid, and that sites and their rows are in order.
func (l *List) check() error {
	n := uint16(len(l.texts.list) - 1) // the last text
	if !validSites(l.sites, l.places, len(l.rows), n) {
		return ErrDamaged
	}
	for _, r := range l.rows {
		if r.kind >= kinds || max(r.operator, r.technology, r.before, r.after) > n ||
			max(r.was, r.now) >= site.Generations {
			return ErrDamaged
		}
	}
	var deltas []delta
	for i := range l.sites {
		s := &l.sites[i]
		if int(s.old) > len(l.places) || len(l.rowsOf(i)) == 0 {
			return ErrDamaged
		}
		deltas = l.deltas(i, deltas[:0])
		for k, r := range l.rowsOf(i) {
			if kind, differs := deltas[k].kind(); !differs || kind != r.kind ||
				k > 0 && deltas[k-1].compare(&deltas[k]) >= 0 {
				return ErrDamaged
			}
		}
	}
	return nil
}

func validSites(sites []siteRow, places []placeRow, rows int, lastText uint16) bool {
	for i, s := range sites {
		if i > 0 && (s.id <= sites[i-1].id || s.first < sites[i-1].first) || i == 0 && s.first != 0 ||
			int(s.first) > rows || max(s.place.area, s.place.register) > lastText {
			return false
		}
	}
	return len(sites) > 0 == (rows > 0) && !slices.ContainsFunc(places, func(p placeRow) bool {
		return max(p.area, p.register) > lastText
	})
}

// Append appends the state, encoded like a list.
func (s *State) Append(dst []byte) []byte {
	w := writer{dst}
	w.texts(&s.texts)
	w.sites(s.sites)
	w.number(uint32(len(s.systems)))
	for _, get := range []func(systemRow) uint32{
		func(y systemRow) uint32 { return uint32(y.operator) },
		func(y systemRow) uint32 { return uint32(y.technology) },
		func(y systemRow) uint32 { return uint32(y.status) },
		func(y systemRow) uint32 { return uint32(y.generation) },
	} {
		for _, y := range s.systems {
			w.number(get(y))
		}
	}
	return w.b
}

// ReadState reads what Append wrote. Its memory is bounded by a small multiple of the bytes. Error:
// ErrDamaged.
func ReadState(b []byte) (*State, error) {
	r := reader{b: b}
	s := &State{texts: r.texts()}
	s.sites = r.sites()
	s.systems = make([]systemRow, r.count(4))
	for _, set := range []func(*systemRow, uint16){
		func(y *systemRow, n uint16) { y.operator = n },
		func(y *systemRow, n uint16) { y.technology = n },
		func(y *systemRow, n uint16) { y.status = n },
		func(y *systemRow, n uint16) { y.generation = generation(n) },
	} {
		for i := range s.systems {
			set(&s.systems[i], r.number16())
		}
	}
	last := uint16(len(s.texts.list) - 1)
	if r.bad || len(r.b) > 0 || len(s.sites) > 0 && s.sites[0].first != 0 {
		return nil, ErrDamaged
	}
	for i, at := range s.sites {
		if i > 0 && at.first < s.sites[i-1].first || int(at.first) > len(s.systems) ||
			max(at.place.area, at.place.register) > last {
			return nil, ErrDamaged
		}
	}
	for _, y := range s.systems {
		if max(y.operator, y.technology, y.status) > last || y.generation >= site.Generations {
			return nil, ErrDamaged
		}
	}
	if len(s.sites) == 0 && len(s.systems) > 0 {
		return nil, ErrDamaged
	}
	if _, err := (&StateBuilder{*s}).State(); err != nil {
		return nil, ErrDamaged
	}
	return s, nil
}

// A writer appends numbers and texts.
type writer struct{ b []byte }

func (w *writer) number(n uint32) { w.b = binary.AppendUvarint(w.b, uint64(n)) }
func (w *writer) signed(n int64)  { w.b = binary.AppendVarint(w.b, n) }

func (w *writer) text(s string) {
	w.number(uint32(len(s)))
	w.b = append(w.b, s...)
}

func (w *writer) texts(t *texts) {
	w.number(uint32(len(t.list)))
	for _, s := range t.list {
		w.text(s)
	}
}

func (w *writer) place(p placeRow) {
	w.signed(int64(p.lat))
	w.signed(int64(p.lng))
	w.number(uint32(p.area))
	w.number(uint32(p.register))
}

func (w *writer) column(sites []siteRow, get func(siteRow) uint32) {
	for _, s := range sites {
		w.number(get(s))
	}
}

// sites writes ids, places and how many rows each site has before it.
func (w *writer) sites(sites []siteRow) {
	w.number(uint32(len(sites)))
	for _, s := range sites {
		w.text(s.id)
	}
	for _, s := range sites {
		w.place(s.place)
	}
	last := uint32(0)
	w.column(sites, func(s siteRow) uint32 {
		n := s.first - last
		last = s.first
		return n
	})
}

// A reader reads what a writer wrote. After the first value that is missing it is bad, and returns
// zeros.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) advance(size int) bool {
	if size <= 0 {
		r.bad, r.b = true, nil
		return false
	}
	r.b = r.b[size:]
	return true
}

func (r *reader) number() uint32 {
	n, size := binary.Uvarint(r.b)
	if !r.advance(size) || n > 1<<32-1 {
		r.bad = true
		return 0
	}
	return uint32(n)
}

func (r *reader) number16() uint16 {
	n := r.number()
	if n > 1<<16-1 {
		r.bad = true
		return 0
	}
	return uint16(n)
}

func (r *reader) signed() int32 {
	n, size := binary.Varint(r.b)
	if !r.advance(size) || n < -1<<31 || n > 1<<31-1 {
		r.bad = true
		return 0
	}
	return int32(n)
}

// count reads the number of elements that follow, each of at least so many bytes.
func (r *reader) count(size int) int {
	n := int(r.number())
	if n > len(r.b)/size {
		r.bad = true
		return 0
	}
	return n
}

func (r *reader) text() string {
	n := r.count(1)
	t := string(r.b[:n])
	r.b = r.b[n:]
	return t
}

func (r *reader) texts() (t texts) {
	n := r.count(1)
	for range n {
		t.list = append(t.list, r.text())
	}
	if len(t.list) == 0 || len(t.list) > 1<<16 || t.list[0] != "" {
		r.bad, t.list = true, []string{""}
	}
	return t
}

func (r *reader) place() placeRow {
	return placeRow{r.signed(), r.signed(), r.number16(), r.number16()}
}

func (r *reader) sites() []siteRow {
	sites := make([]siteRow, r.count(6))
	for i := range sites {
		sites[i].id = r.text()
	}
	for i := range sites {
		sites[i].place = r.place()
	}
	last := uint32(0)
	for i := range sites {
		last += r.number()
		sites[i].first = last
	}
	return sites
}
