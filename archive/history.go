package archive

import (
	"bytes"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"

	"relais/ingest/anfr"
)

// A Version is what a publication changed of a site.
type Version struct {
	Date string
	// Records have no id, the number of their row in the file: it changes from week to
	// week though nothing else does. Replaced ones stand beside what they became.
	Records []Record
}

// History returns every publication that changed something of a support, oldest first;
// the first one with all its rows. It is empty for a support that was never there.
// Errors: ErrNoArchive for what is no sup_id, ErrDamaged.
func (s *Store) History(support string) (versions []Version, err error) {
	number, ok := supportNumber(support)
	if !ok {
		return nil, fmt.Errorf("no support number: %.40q: %w", support, ErrNoArchive)
	}
	err = s.view(func(tx *bbolt.Tx) (err error) {
		versions, err = history(tx, number)
		return err
	})
	return versions, err
}

func history(tx *bbolt.Tx, support uint32) (versions []Version, err error) {
	all, err := publications(tx)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	rows, err := rowsOf(tx, all, support)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	l, err := listingOf(tx, &all[0])
	if err != nil {
		return nil, err
	}
	first := Version{Date: all[0].Date}
	for _, r := range l.refs {
		if it, ok := rows[r]; ok {
			first.Records = append(first.Records, it.block.record(it.row, New, 0, all[0].Updated))
		}
	}
	versions = append(versions, first)
	for i := range all[1:] {
		v, err := versionOf(tx, &all[i], &all[i+1], support, rows)
		if err != nil {
			return nil, err
		}
		versions = append(versions, v)
	}
	return slices.DeleteFunc(versions, func(v Version) bool { return len(v.Records) == 0 }), nil
}

// rowsOf returns all rows of a support that any publication has.
func rowsOf(tx *bbolt.Tx, all []Publication, support uint32) (map[ref]item, error) {
	rows, seen := map[ref]item{}, map[uint32]bool{}
	for _, p := range all {
		for _, number := range p.Segments {
			if seen[number] {
				continue
			}
			seen[number] = true
			key, sealed, err := fetchIn(tx)(number, support)
			if err != nil {
				return nil, err
			}
			if key == nil {
				continue
			}
			b, err := openBlock(bytes.Clone(key), bytes.Clone(sealed))
			if err != nil {
				return nil, err
			}
			for row, n := range b.supports {
				if n == support {
					at := ref{number, b.ranks[row]}
					rows[at] = item{ref: at, block: b, row: row}
				}
			}
		}
	}
	return rows, nil
}

func versionOf(tx *bbolt.Tx, before, p *Publication, support uint32, rows map[ref]item) (Version, error) {
	v := Version{Date: p.Date}
	changes, err := changesOf(tx, p, support)
	if err != nil {
		return v, err
	}
	for _, c := range changes {
		it, ok := rows[c.ref]
		if !ok {
			return v, damaged("the changes of " + p.Date)
		}
		updated := p.Updated
		if c.kind.old() {
			updated = before.Updated
		}
		v.Records = append(v.Records, it.block.record(it.row, c.kind, 0, updated))
	}
	slices.SortStableFunc(v.Records, func(a, b Record) int {
		for _, c := range []int{anfr.PubOperator, anfr.PubSystem, anfr.PubStation} {
			if a.Values[c] != b.Values[c] {
				return bytes.Compare([]byte(a.Values[c]), []byte(b.Values[c]))
			}
		}
		return 0
	})
	return v, nil
}
