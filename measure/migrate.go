package measure

import (
	"errors"
	"slices"

	"relais/folder"
	"relais/store"
)

// loadRows reads the rows that count: those of the database or, as long as the folder has
// one, those of a manifest of rows.
func loadRows(db *store.DB, dir string) (list []SegmentInfo, old bool, err error) {
	if list, err = readRows(db); err != nil {
		return nil, false, err
	}
	m, err := readManifest(dir)
	if errors.Is(err, ErrDamaged) && len(list) > 0 {
		return list, false, nil // the rows are here, and the manifest is written again
	}
	if errors.Is(err, ErrDamaged) {
		names, listing := segmentFiles(dir)
		if listing == nil && len(names) == 0 {
			return list, false, nil // it named nothing
		}
	}
	if err != nil || m.Version != manifestOfRows {
		return list, false, err
	}
	return m.withRows(list), true, nil
}

// over returns the rows of a manifest of rows. A database beside it has what a migration
// that was killed has taken from it, which an older program may have changed since: the
// manifest is right. A row that only this program can have made says that somebody put the
// manifest back; then both count.
func (m *manifest) withRows(list []SegmentInfo) []SegmentInfo {
	if !slices.ContainsFunc(list, func(r SegmentInfo) bool { return !hasNumber(r.File) }) {
		return m.Segments
	}
	all, known := slices.Clone(list), map[string]bool{}
	for _, row := range list {
		known[row.File] = true
	}
	for _, row := range m.Segments {
		if !known[row.File] {
			all = append(all, row)
		}
	}
	return all
}

// migrate moves the rows of a manifest into the database, and replaces the manifest. It can
// be killed at any moment and be done again: until the manifest is replaced, nothing is
// written but these rows. A folder that cannot be written to is served as it is.
func (s *Store) migrate(list []SegmentInfo) error {
	before, err := readRows(s.db)
	if err != nil {
		return err
	}
	c := change{}
	for _, row := range before {
		c.drop = append(c.drop, row.File)
	}
	for _, row := range list {
		row.order = 0
		c.put = append(c.put, row)
	}
	if err = s.update(func(tx *store.Tx) error { return c.write(tx, before) }); err == nil {
		err = replaceManifest(s.dir)
	}
	if folder.ReadOnly(err) {
		s.readOnly, err = true, nil
	}
	return err
}

// prepare makes sure that older programs refuse the folder before its first segment is
// written.
func (s *Store) prepare() error {
	if s.prepared.Load() {
		return nil
	}
	m, err := readManifest(s.dir)
	if err != nil || m.Version != manifestOfDatabase {
		err = replaceManifest(s.dir)
	}
	s.prepared.Store(err == nil)
	return err
}
