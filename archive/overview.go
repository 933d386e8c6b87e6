package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"relais/geo"
	"relais/ingest/anfr/column"
	"relais/internal/store"
)

// An Overview is the supports of a publication in memory: 4 bytes for each support, and states that
// publications share. Several goroutines may use it.
type Overview struct {
	briefs *briefs
	states []uint32 // by support, ascending
}

// Overview returns the supports of the publication of a date. The first call takes about a second,
// later ones nothing, as long as the publication is one of those asked for last. Errors:
// ErrNoArchive, errDamaged, those of ctx.
func (s *Store) Overview(ctx context.Context, date string) (o *Overview, err error) {
	for range 3 { // it may be replaced while it is read
		var name uint64
		if err = s.view(func(tx *store.Tx) error {
			all, err := s.publicationsIn(tx)
			if err != nil {
				return err
			}
			_, p, _ := neighbours(all, date)
			if p == nil {
				return fmt.Errorf("%.40q: %w", date, ErrNoArchive)
			}
			name, err = nameOf(tx.Value(rowsBucket, numberKeyOf(uint32(p.day()))))
			return err
		}); err != nil {
			return nil, err
		}
		if name == 0 { // the file of archives is missing
			return nil, ErrNoArchive
		}
		o, err = s.memory.overviews.Make(ctx, name, func(context.Context) (*Overview, error) { return s.overview(date) })
		if !errors.Is(err, errReplaced) {
			break
		}
	}
	return o, err
}

// overview reads a publication.
func (s *Store) overview(date string) (*Overview, error) {
	sel := selection{}
	if err := s.view(func(tx *store.Tx) error {
		p, _, err := find(tx, date)
		if err != nil {
			return err
		}
		return sel.pickAll(tx, 1, p)
	}); err != nil {
		return nil, err
	}
	o := &Overview{briefs: s.memory.briefsNow()}
	err := walk(s.fetch, sel, nil, o.add)
	o.states = slices.Clip(o.states)
	o.briefs.sort()
	return o, err
}

// briefsNow returns the briefs to which an overview is added. It starts new ones when they have
// grown too large.
func (m *memory) briefsNow() *briefs {
	if m.briefs == nil || m.briefs.bytes > mostBriefs {
		m.briefs = newBriefs()
		m.overviews.Clear()
	}
	return m.briefs
}

// add adds the rows of the next support.
func (o *Overview) add(support uint32, items []item) error {
	first := slices.MinFunc(items, func(a, b item) int { return cmp.Compare(a.picked[1], b.picked[1]) })
	r := first.block.record(first.row, Unchanged, 0, "")
	p, ok := r.Point()
	if !ok {
		p = noPoint
	}
	var rows []label
	for _, it := range items {
		c := it.content()
		for _, l := range []label{{column.Operator, c[inOperator]}, {column.System, c[inSystem]},
			{column.Status, c[inStatus]}} {
			if l.text != "" && !slices.Contains(rows, l) {
				rows = append(rows, l)
			}
		}
	}
	o.states = append(o.states, o.briefs.state(support, p, cmp.Or(r.Values[column.Insee], r.Values[column.Insee2]),
		rows))
	return nil
}

// noPoint is outside of every box.
var noPoint = geo.Point{Lat: 1000}

// InBox returns the supports in a box, sorted by number, at most limit from offset on, and how many
// there are in all.
func (o *Overview) InBox(box geo.Box, offset, limit int) (page []Brief, total int) {
	o.briefs.mu.RLock()
	defer o.briefs.mu.RUnlock()
	in := o.briefs.inBox(box)
	for _, n := range o.states {
		if in[n>>6]>>(n&63)&1 == 0 {
			continue
		}
		if total >= offset && len(page) < limit {
			page = append(page, o.briefs.brief(n))
		}
		total++
	}
	return page, total
}
