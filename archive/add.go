package archive

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"relais/ingest/source"
	"relais/internal/store"
	"relais/site"
)

// Options say how to add a publication.
type Options struct {
	Date  site.Date // 0: the one that the file states
	Force bool      // in place of one of that date, and without the guards
	// Newest allows it in place of one of that date, if this one is the newest and has other rows. It must have
	// 95 % of its supports.
	Newest bool
	Draft  *Draft // what was read of the file already; nil: Add reads it
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
	p, read, err := publicationOf(ctx, f, o.Draft)
	if err != nil {
		return nil, err
	}
	report, err := s.put(ctx, p, o)
	if err != nil {
		return nil, err
	}
	report.File, report.Seconds = read, time.Since(start).Seconds()
	return report, nil
}

// put stores a publication that is read.
func (s *Store) put(ctx context.Context, p *file, o Options) (*Report, error) {
	report := &Report{Date: o.Date.String(), Updated: p.updated, Changes: map[string]int{}, Supports: len(p.supports)}
	return report, s.db.Update(func(tx *store.Tx) error {
		a := adding{ctx: ctx, tx: tx, file: p, date: o.Date, now: s.now(), report: report}
		return a.run(o)
	})
}

// publicationOf returns what the draft has, or reads the file if there is no draft.
func publicationOf(ctx context.Context, f *source.Found, d *Draft) (*file, *source.Report, error) {
	if d != nil {
		return d.finish()
	}
	return readFile(ctx, f)
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
	if _, at, after := neighbours(kept, o.Date.String()); at != nil && !o.mayReplace(after) {
		return exists(o.Date)
	}
	return nil
}

// mayReplace reports whether a publication may be replaced that has one after it, or nil.
func (o *Options) mayReplace(after *Publication) bool { return o.Force || o.Newest && after == nil }

func exists(date site.Date) error { return fmt.Errorf("%s: %w (--force replaces it)", date, ErrExists) }

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
	if err := removeChanges(tx, uint32(p.day())); err != nil {
		return err
	}
	return errors.Join(tx.Bucket([]byte(rowsBucket)).Delete(key), tx.Bucket([]byte(publicationsBucket)).Delete(key),
		removeDifferences(tx, p.day()), removeTold(tx, Markets, p.day()))
}

// An adding is the transaction of an Add.
type adding struct {
	ctx    context.Context
	tx     *store.Tx
	file   *file
	date   site.Date
	now    time.Time
	report *Report

	sides    [2]*neighbour // before and after, nil for none
	order    []uint32      // rows of the file by support
	rows     *listing      // of the file
	repeated int
	// corrected is the number of the publication's last correction. corrects is nil unless that is this one.
	corrected int
	corrects  *correction
}

func (a *adding) run(o Options) error {
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
	before, at, after := neighbours(kept, a.date.String())
	if at != nil && !o.mayReplace(after) {
		return exists(a.date)
	}
	if before != nil {
		a.report.Before = before.Date
	}
	for _, p := range []*Publication{before, at} {
		if err := a.refuseFewer(p, o.Force); err != nil {
			return err
		}
	}
	a.report.Replaced = at != nil
	if err := a.correct(before, at, after); err != nil {
		return err
	}
	a.order, a.rows = a.file.bySupport(), a.file.listing()
	var counting sync.WaitGroup
	counting.Go(func() { a.repeated = a.file.repeated() })
	if at != nil && !o.Force {
		after = at // to find out what differs
	}
	err = a.findKnown(before, after)
	counting.Wait()
	if err != nil {
		return err
	}
	if at != nil && !o.Force {
		if now := a.sides[1]; len(now.differs) == 0 && now.Rows == a.file.rows.Len() && now.Updated == a.file.updated {
			return exists(a.date)
		}
		a.sides[1] = nil // it goes
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

// correct notes that the newest publication is replaced, and what was told of it until now. What was told of an old
// one that is replaced, and of the one after the file, is not true any more.
func (a *adding) correct(before, at, after *Publication) (err error) {
	if at != nil {
		a.corrected = at.Corrected
	}
	switch {
	case after != nil:
		err = removeTold(a.tx, Markets, after.day())
	case at != nil && before != nil:
		previous, err1 := editionOf(a.tx, before)
		was, err2 := editionOf(a.tx, at)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		a.corrects, err = newCorrection(a.tx, Markets, previous, was)
		if errors.Is(err, errDamaged) {
			a.corrects, err = nil, nil // what replaces it may be the cure
		}
		if a.corrects != nil || err != nil {
			a.corrected++
			return err
		}
	}
	return errors.Join(err, removeTold(a.tx, Markets, a.date))
}

// refuseFewer returns an error if the file has so much less than a publication that it may be a part.
func (a *adding) refuseFewer(p *Publication, force bool) error {
	if n := a.report.Supports; p != nil && !force && n*100 < p.Supports*95 {
		return fmt.Errorf("%s has %d supports, the archive of %s %d: over 5 %% would be gone, so the file may be a part: %w "+
			"(--force overrides)", a.date, n, p.Date, p.Supports, ErrRefused)
	}
	return nil
}

// putPublication stores the list of rows and what differs from the publication before. What the
// publication after it changed is stored again.
func (a *adding) putPublication() error {
	before, after := a.sides[0], a.sides[1]
	p := withRows{&Publication{
		Date: a.date.String(), Updated: a.file.updated, Rows: a.file.rows.Len(), Supports: len(a.file.supports),
		Repeated: a.repeated, Synthetic: a.file.synthetic, Added: a.now.UTC(), Late: after != nil, Corrected: a.corrected,
		Segments: a.rows.segments(), Columns: a.file.columns,
	}, a.rows}
	key := numberKeyOf(uint32(a.date))
	if err := a.tx.Bucket([]byte(rowsBucket)).Put(key, seal(rowsBucket, key, a.rows.pack())); err != nil {
		return err
	}
	var changes []rowChange
	var err error
	if before == nil {
		err = errors.Join(removeDifferences(a.tx, a.date), putChanges(a.tx, p.Publication, nil))
	} else {
		changes, err = a.putCompared(before.withRows, p, before.differs)
	}
	if err != nil {
		return err
	}
	a.count(p.Publication, changes)
	a.report.Bytes += p.Bytes
	if after != nil {
		_, err = a.putCompared(p, after.withRows, after.differs)
	}
	if a.corrects == nil || err != nil {
		return err
	}
	is, err := editionOf(a.tx, p.Publication)
	if err != nil {
		return err
	}
	return a.corrects.put(a.tx, is)
}

func (a *adding) count(p *Publication, changes []rowChange) {
	for _, k := range []Kind{New, Added, Activated, Deleted} {
		a.report.Changes[k.Type()] = 0
	}
	if a.sides[0] == nil {
		a.report.Changes[New.Type()] = p.Rows
	}
	for _, c := range changes {
		if t := c.kind.Type(); t != "" {
			a.report.Changes[t]++
		}
	}
}
