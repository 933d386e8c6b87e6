package archive

import (
	"context"
	"errors"
	"fmt"
	"time"

	"relais/ingest/source"
	"relais/internal/store"
	"relais/site"
)

// Options say how to add a publication.
type Options struct {
	Date  site.Date // 0: the one that the file states
	Force bool      // in place of one of that date, and without the guards
}

// A Report says what an Add did.
type Report struct {
	Seconds float64        `json:"seconds"`
	Date    string         `json:"date"`
	Updated string         `json:"updated"` // the date_maj of the file's first row
	File    *source.Report `json:"file"`
	// Before is the date of the publication that this one is compared with; "" for none.
	Before   string         `json:"before"`
	Changes  map[string]int `json:"changes"` // by type
	Supports int            `json:"supports"`
	Replaced bool           `json:"replaced,omitempty"`
	Bytes    int            `json:"bytes"` // that were stored
}

// Add stores a publication: it is on disk when Add returns nil, and nothing has changed otherwise.
// Dates may come in any order. Errors that Force overrides: ErrExists; ErrRefused for a date in the
// future, and for a publication with less than 95 % of the supports of the one before it. Other
// errors: ErrRefused for synthetic data next to the authority's (the authority's first publication
// replaces all synthetic ones), errReadOnly, those of reading the file, of ctx and of writing.
func (s *Store) Add(ctx context.Context, f *source.Found, o Options) (*Report, error) {
	start := time.Now()
	if s.readOnly() {
		return nil, errReadOnly
	}
	if o.Date == 0 {
		var err error
		if o.Date, err = dateOf(f); err != nil {
			return nil, err
		}
	}
	if err := s.mayAdd(f.Synthetic(), o); err != nil { // before a long file is read
		return nil, err
	}
	p, read, err := readFile(ctx, f)
	if err != nil {
		return nil, err
	}
	report := &Report{Date: o.Date.String(), Updated: p.updated, File: read, Changes: map[string]int{},
		Supports: len(p.ofEach)}
	err = s.db.Update(func(tx *store.Tx) error {
		a := adding{ctx: ctx, tx: tx, file: p, date: o.Date, now: s.now(), report: report}
		return a.run(o.Force)
	})
	if err != nil {
		return nil, err
	}
	report.Seconds = time.Since(start).Seconds()
	return report, nil
}

// mayAdd checks whether a publication of that date may be added.
func (s *Store) mayAdd(synthetic bool, o Options) error {
	if day := o.Date.Time(); !o.Force && !source.NewNewest(s.now()).Add(day) {
		return fmt.Errorf("%s is in the future of this machine's clock: %w (--force overrides)", o.Date, ErrRefused)
	}
	all, err := s.List()
	if err != nil {
		return err
	}
	kept, _, err := splitSynthetic(all, synthetic)
	if err != nil {
		return err
	}
	if _, at, _ := neighbours(kept, o.Date.String()); at != nil && !o.Force {
		return fmt.Errorf("%s: %w (--force replaces it)", o.Date, ErrExists)
	}
	return nil
}

// splitSynthetic splits the publications into those that stay next to a new one and those that it
// replaces. Synthetic and published data never mix: their differences would not be changes. Error:
// ErrRefused.
func splitSynthetic(all []Publication, synthetic bool) (kept, gone []Publication, err error) {
	for _, p := range all {
		switch {
		case p.Synthetic == synthetic:
			kept = append(kept, p)
		case synthetic:
			return nil, nil, fmt.Errorf("demonstration data cannot be added to published data (%s): %w", p.Date,
				ErrRefused)
		default:
			gone = append(gone, p)
		}
	}
	return kept, gone, nil
}

// remove deletes a publication except its segments.
func remove(tx *store.Tx, p *Publication) error {
	key := numberKeyOf(uint32(p.day()))
	if _, err := putChanges(tx, uint32(p.day()), nil); err != nil {
		return err
	}
	return errors.Join(tx.Bucket([]byte(rowsBucket)).Delete(key), tx.Bucket([]byte(publicationsBucket)).Delete(key),
		removeDifferences(tx, p.day()))
}

// An adding is the transaction of an Add.
type adding struct {
	ctx    context.Context
	tx     *store.Tx
	file   *file
	date   site.Date
	now    time.Time
	report *Report

	before, after *Publication
	order         []uint32 // rows of the file by support
	refs          []ref    // by row of the file
}

func (a *adding) run(force bool) error {
	all, err := publications(a.tx)
	if err != nil {
		return err
	}
	kept, gone, err := splitSynthetic(all, a.file.synthetic)
	if err != nil {
		return err
	}
	for i := range gone {
		if err := remove(a.tx, &gone[i]); err != nil {
			return err
		}
	}
	var at *Publication
	a.before, at, a.after = neighbours(kept, a.date.String())
	if at != nil && !force {
		return fmt.Errorf("%s: %w (--force replaces it)", a.date, ErrExists)
	}
	if a.before != nil {
		a.report.Before = a.before.Date
		if n := a.report.Supports; !force && n*100 < a.before.Supports*95 {
			return fmt.Errorf(
				"%s has %d supports, %s before it %d: over 5 %% would be gone, so the file may be a part: %w (--force overrides)", a.date, n, a.before.Date, a.before.Supports, ErrRefused)
		}
	}
	a.report.Replaced = at != nil
	a.order = a.file.bySupport()
	if err := a.known(); err != nil {
		return err
	}
	if err := a.putSegment(); err != nil {
		return err
	}
	if err := a.putPublication(); err != nil {
		return err
	}
	if at != nil || len(gone) > 0 {
		return a.sweep()
	}
	return nil
}

// known finds the rows that the publications before and after the new one have too.
func (a *adding) known() error {
	a.refs = make([]ref, len(a.file.rows))
	sel := selection{}
	if err := sel.pickAll(a.tx, 0, a.before); err != nil {
		return err
	}
	if err := sel.pickAll(a.tx, 1, a.after); err != nil {
		return err
	}
	var supports []uint32
	for _, row := range a.order {
		if n := a.file.rows[row].support; len(supports) == 0 || n != supports[len(supports)-1] {
			supports = append(supports, n)
		}
	}
	at := 0
	same := map[content]ref{}
	return walk(fetchIn(a.tx), sel, supports, func(support uint32, items []item) error {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		clear(same)
		for i := range items {
			if c := items[i].content(); same[c] == (ref{}) || items[i].picked[0] > 0 {
				same[c] = items[i].ref
			}
		}
		for ; at < len(a.order) && a.file.rows[a.order[at]].support == support; at++ {
			if len(items) == 0 {
				continue
			}
			c := a.file.content(int(a.order[at]))
			if r, ok := same[c]; ok {
				a.refs[a.order[at]] = r
				delete(same, c) // a row that stands twice in the file is two rows
			}
		}
		return nil
	})
}

// putPublication stores the list of rows and the changes since the publication before. The changes
// of the publication after it are stored again.
func (a *adding) putPublication() error {
	p := &Publication{
		Date: a.date.String(), Updated: a.file.updated, Rows: len(a.file.rows), Supports: len(a.file.ofEach),
		Repeated: a.file.repeated(), Synthetic: a.file.synthetic, Added: a.now.UTC(),
		Late: a.after != nil,
	}
	l := &listing{refs: a.refs}
	for _, r := range a.file.rows {
		l.ids = append(l.ids, r.id)
	}
	key := numberKeyOf(uint32(a.date))
	if err := a.tx.Bucket([]byte(rowsBucket)).Put(key, seal(rowsBucket, key, l.pack())); err != nil {
		return err
	}
	p.Segments = l.segments()
	changes, err := a.putChanges(a.before, p)
	if err != nil {
		return err
	}
	a.count(p, changes)
	a.report.Bytes += p.Bytes
	if a.after != nil {
		if _, err = a.putChanges(p, a.after); err != nil {
			return err
		}
	}
	return a.putDifferences(p)
}

// putDifferences stores what changed from the publication before and to the one after.
func (a *adding) putDifferences(p *Publication) error {
	if a.before == nil {
		if err := removeDifferences(a.tx, a.date); err != nil {
			return err
		}
	} else if err := putDifferences(a.ctx, a.tx, a.before, p); err != nil {
		return err
	}
	if a.after != nil {
		return putDifferences(a.ctx, a.tx, p, a.after)
	}
	return nil
}

// putChanges stores a publication and its changes. Its rows are stored already.
func (a *adding) putChanges(before, p *Publication) (changes []rowChange, err error) {
	if before != nil {
		sel := selection{}
		if err := errors.Join(sel.pickAll(a.tx, 0, before), sel.pickAll(a.tx, 1, p)); err != nil {
			return nil, err
		}
		if changes, err = diff(fetchIn(a.tx), sel, before.Repeated+p.Repeated > 0); err != nil {
			return nil, err
		}
	}
	size, err := putChanges(a.tx, uint32(p.day()), changes)
	if err != nil {
		return nil, err
	}
	key := numberKeyOf(uint32(p.day()))
	p.Changes, p.Bytes = len(changes), len(a.tx.Value(rowsBucket, key))+size
	return changes, putJSON(a.tx, publicationsBucket, key, p)
}

func (a *adding) count(p *Publication, changes []rowChange) {
	for _, k := range []Kind{New, Added, Activated, Deleted} {
		a.report.Changes[k.Type()] = 0
	}
	if a.before == nil {
		a.report.Changes[New.Type()] = p.Rows
	}
	for _, c := range changes {
		if t := c.kind.Type(); t != "" {
			a.report.Changes[t]++
		}
	}
}
