package archive

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"go.etcd.io/bbolt"

	"relais/geo"
	"relais/ingest/anfr"
)

// An Overview is the supports of a publication in brief, in memory: 60 bytes each. It
// may be asked from several goroutines.
type Overview struct {
	supports []uint32 // ascending
	points   []geo.Point
	from     []uint32 // where the labels of each support begin
	of       []uint32 // the labels
	labels   []label
}

// A label is a text that many supports have in a column.
type label struct {
	column int
	text   string
}

// A Brief is a support of an overview.
type Brief struct {
	ID    string    // sup_id
	Point geo.Point // of its first row
	Insee string    // code of the commune, of its first row; "" where none is stated
	// The distinct texts of its rows, in order.
	Operators, Systems, Statuses []string
}

// Overview returns the supports of the publication of a date. It takes a second of the
// first who asks and nothing of others, as long as it is among those that were asked
// for last. Errors: ErrNoArchive, ErrDamaged, those of ctx.
func (s *Store) Overview(ctx context.Context, date string) (o *Overview, err error) {
	for range 3 { // it may be replaced while it is read
		var name uint64
		if err = s.view(func(tx *bbolt.Tx) error {
			p, _, err := find(tx, date)
			if err != nil {
				return err
			}
			name, err = nameOf(value(tx, rowsBucket, numberKeyOf(uint32(p.day()))))
			return err
		}); err != nil {
			return nil, err
		}
		if name == 0 { // there is no file of archives
			return nil, ErrNoArchive
		}
		o, err = s.memory.overviews.get(ctx, name, func() (*Overview, int, error) { return s.overview(date) })
		if !errors.Is(err, ErrReplaced) {
			break
		}
	}
	return o, err
}

// overview reads a publication.
func (s *Store) overview(date string) (*Overview, int, error) {
	s.memory.overviews.making.Lock()
	defer s.memory.overviews.making.Unlock()
	sel := selection{}
	if err := s.view(func(tx *bbolt.Tx) error {
		p, _, err := find(tx, date)
		if err != nil {
			return err
		}
		return sel.pickAll(tx, 1, p)
	}); err != nil {
		return nil, 0, err
	}
	w := overviewWriter{o: &Overview{}, codes: map[label]uint32{}}
	if err := walk(s.fetch, sel, nil, w.add); err != nil {
		return nil, 0, err
	}
	return w.finish()
}

// An overviewWriter collects the supports of an overview.
type overviewWriter struct {
	o     *Overview
	codes map[label]uint32
	texts int // bytes
}

// add takes the rows of a support that come after those before.
func (w *overviewWriter) add(support uint32, items []item) error {
	first := slices.MinFunc(items, func(a, b item) int { return int(a.picked[1]) - int(b.picked[1]) })
	r := first.block.record(first.row, Unchanged, 0, "")
	p, ok := r.Point()
	if !ok {
		p = geo.Point{Lat: math.NaN(), Lng: math.NaN()} // in no box
	}
	o := w.o
	o.supports, o.points, o.from = append(o.supports, support), append(o.points, p), append(o.from, uint32(len(o.of)))
	w.label(anfr.PubInsee, insee(&r))
	for _, it := range items {
		c := it.content()
		w.label(anfr.PubOperator, c[inOperator])
		w.label(anfr.PubSystem, c[inSystem])
		w.label(anfr.PubStatus, c[inStatus])
	}
	return nil
}

// insee is the code of the commune.
func insee(r *Record) string {
	if code := r.Values[anfr.PubInsee]; code != "" {
		return code
	}
	return r.Values[anfr.PubInsee2]
}

// label gives the last support a text, once.
func (w *overviewWriter) label(column int, text string) {
	if text == "" {
		return
	}
	code, ok := w.codes[label{column, text}]
	if !ok {
		l := label{column, strings.Clone(text)} // a text keeps its whole block
		code = uint32(len(w.codes))
		w.codes[l], w.texts = code, w.texts+len(text)
	}
	if o := w.o; !slices.Contains(o.of[o.from[len(o.from)-1]:], code) {
		o.of = append(o.of, code)
	}
}

// finish returns the overview and its size in bytes.
func (w *overviewWriter) finish() (*Overview, int, error) {
	o := w.o
	o.from = append(o.from, uint32(len(o.of)))
	o.labels = make([]label, len(w.codes))
	for l, code := range maps.All(w.codes) {
		o.labels[code] = l
	}
	o.supports, o.points, o.from, o.of = slices.Clip(o.supports), slices.Clip(o.points), slices.Clip(o.from), slices.Clip(o.of)
	return o, 4*len(o.supports) + 16*len(o.points) + 4*len(o.from) + 4*len(o.of) + 24*len(o.labels) + w.texts, nil
}

// In returns the supports that stand in a box, by number, from offset on and at most
// limit, and how many there are in all.
func (o *Overview) In(box geo.Box, offset, limit int) (page []Brief, total int) {
	for i, p := range o.points {
		if !box.Contains(p) {
			continue
		}
		if total >= offset && len(page) < limit {
			page = append(page, o.brief(i))
		}
		total++
	}
	return page, total
}

func (o *Overview) brief(i int) Brief {
	b := Brief{ID: decimal(o.supports[i]), Point: o.points[i]}
	for _, code := range o.of[o.from[i]:o.from[i+1]] {
		switch l := o.labels[code]; l.column {
		case anfr.PubInsee:
			b.Insee = l.text
		case anfr.PubOperator:
			b.Operators = append(b.Operators, l.text)
		case anfr.PubSystem:
			b.Systems = append(b.Systems, l.text)
		case anfr.PubStatus:
			b.Statuses = append(b.Statuses, l.text)
		}
	}
	slices.Sort(b.Operators)
	slices.Sort(b.Systems)
	slices.Sort(b.Statuses)
	return b
}
