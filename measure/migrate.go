package measure

import (
	"errors"
	"slices"

	"relais/internal/folder"
	"relais/internal/store"
)

// loadRows reads the rows that count: those of a manifest of rows if the folder has one, else
// those of the database. old reports that it has one.
func loadRows(db *store.DB, dir string) (list []SegmentInfo, old bool, err error) {
	if list, err = readRows(db); err != nil {
		return nil, false, err
	}
	m, err := readManifest(dir)
	if errors.Is(err, errDamaged) && len(list) > 0 {
		return list, false, nil // the manifest is written again
	}
	if errors.Is(err, errDamaged) {
		names, listing := segmentFiles(dir)
		if listing == nil && len(names) == 0 {
			return list, false, nil // it cannot have named any file
		}
	}
	if err != nil || m.Version != manifestOfRows {
		return list, false, err
	}
	return m.withRows(list), true, nil
}

// withRows returns the rows that count, of a manifest of rows and a database together. If all rows
// of the database are of a migration that was killed, only the manifest counts: an older program
// may have changed it since. If the database also has rows of this program, somebody restored the
// manifest, and both count.
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

// migrate moves the rows of a manifest into the database, and replaces the manifest. It can be
// killed at any time and repeated: before the manifest is replaced, it only writes these rows.
// A read-only folder is served as it is.
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

// prepare makes older programs refuse the folder. It must be called before the first segment is
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
