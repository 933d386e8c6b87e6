package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"relais/ingest/anfr"
	"relais/ingest/anfr/column"
	"relais/internal/store"
)

// CopyTo copies of each publication the supports that keep chooses into another file, archives.db of a
// folder without archives. It returns how many publications have such supports. keep must choose a
// support in all publications or in none. Errors: errDamaged, errReplaced, those of ctx and writing.
func (s *Store) CopyTo(ctx context.Context, db *store.DB, keep func(*Site) bool) (n int, err error) {
	all, err := s.List()
	if err != nil {
		return 0, err
	}
	to := Open(db, s.now)
	for _, p := range slices.Backward(all) {
		part, err := s.partOf(p.Date, keep)
		if err == nil && part.rows.Len() > 0 {
			_, err = to.put(ctx, part, Options{Date: p.day(), Force: true})
			n++
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return n, err
		}
	}
	return n, nil
}

// partOf returns the rows of supports of a publication.
func (s *Store) partOf(date string, keep func(*Site) bool) (*file, error) {
	v, err := s.Whole(date)
	if err != nil {
		return nil, err
	}
	part := newFile(v.Synthetic)
	part.columns = v.site.Columns
	var row anfr.PublishedRow
	for support, err := range v.All() {
		if err != nil {
			return nil, err
		}
		if !keep(support) {
			continue
		}
		for i := range support.Records {
			support.Records[i].fill(&row)
			if reason := part.addRow(&row); reason != "" {
				return nil, damaged(fmt.Sprintf("%s, support %s: %s", date, support.ID, reason))
			}
		}
	}
	return part, nil
}

// fill makes row one that states what the record does.
func (r *Record) fill(row *anfr.PublishedRow) {
	for i := range column.Names {
		row.Values[i] = append(row.Values[i][:0], r.Values[i]...)
	}
	row.More, row.MoreNames = row.More[:0], row.MoreNames[:0]
	for _, m := range r.More {
		row.More, row.MoreNames = append(row.More, []byte(m.Value)), append(row.MoreNames, m.Name)
	}
}
