package measure

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"relais/internal/folder"
	"relais/internal/store"
)

// A Repaired is the result of Repair.
type Repaired struct {
	Files    int      `json:"files"`           // that count now
	Measures int      `json:"measures"`        // measurements in them
	Aside    string   `json:"aside,omitempty"` // new name of the database that could not be read
	Left     []string `json:"left,omitempty"`  // files that cannot be read, with the reasons; they stay
}

// Repair rebuilds the database of a data folder from its segments. No process may have the
// folder open. Each measurement of a readable segment counts once, including those of an import
// that was killed, and those that a killed Retain was about to remove. Errors: ErrNewer, those
// of the disk.
func Repair(dir folder.Dir, now func() time.Time) (r Repaired, err error) {
	path := filepath.Join(string(dir), Dir)
	db, aside, err := openAgain(filepath.Join(string(dir), DatabaseName))
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	r.Aside = aside
	s := &Store{dir: path, db: db, update: db.Update, now: now, rowLimit: maxRows, changed: make(chan struct{}, 1)}
	s.current.Store(s.newView(nil, nil))
	if err := db.Follow(s.load, s.apply, rowsBucket); err != nil {
		return r, err
	}
	segments, unreadable, err := s.readSegments()
	if err != nil {
		return r, err
	}
	r.Left = unreadable
	c := change{}
	base := s.view()
	for _, row := range base.rows {
		c.drop = append(c.drop, row.File)
	}
	if c.put, err = s.countOnce(segments); err != nil {
		return r, err
	}
	// Without its segments: most files of the change were there before, and must stay after an error.
	if err := s.replace(&c, base, nil); err != nil {
		return r, err
	}
	for _, row := range c.put {
		r.Files, r.Measures = r.Files+1, r.Measures+row.Rows
	}
	return r, s.sweep()
}

// openAgain opens a database. If it cannot be read, it renames it and opens a new one.
func openAgain(path string) (db *store.DB, aside string, err error) {
	db, err = store.Open(path, Buckets...)
	if err == nil {
		if _, err = readRows(db); err == nil {
			return db, "", nil
		}
		err = errors.Join(err, db.Close())
	}
	// A newer version can read its own database, and other errors may pass: only a damaged one is put aside.
	if errors.Is(err, ErrNewer) || !errors.Is(err, errDamaged) && !errors.Is(err, store.ErrDamaged) {
		return nil, "", err
	}
	for i := 0; ; i++ {
		name := path + ".damaged"
		if i > 0 {
			name = fmt.Sprintf("%s-%d.damaged", path, i+1)
		}
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			if err := os.Rename(path, name); err != nil {
				return nil, "", err
			}
			db, err := store.Open(path, Buckets...)
			return db, filepath.Base(name), err
		}
	}
}

// readSegments loads the readable segments, in the order of their imports. A file of a later
// version is an error, since it may replace others.
func (s *Store) readSegments() (segments []*segment, unreadable []string, err error) {
	names, err := segmentFiles(s.dir)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		seg, err := readSegment(filepath.Join(s.dir, name))
		if errors.Is(err, ErrNewer) {
			return nil, nil, err
		}
		if err != nil {
			unreadable = append(unreadable, err.Error())
			continue
		}
		segments = append(segments, seg)
	}
	order := map[string]uint64{}
	for _, row := range s.view().rows {
		order[row.File] = row.order
	}
	slices.SortFunc(segments, func(a, b *segment) int {
		return cmp.Or(cmp.Compare(a.Imported, b.Imported), cmp.Compare(order[a.file], order[b.file]),
			cmp.Compare(b.rows, a.rows), cmp.Compare(a.file, b.file))
	})
	return segments, unreadable, nil
}

// countOnce returns rows for segments such that each measurement counts once. A segment that
// another one replaces does not count. One that shares rows with others is rewritten without
// these.
func (s *Store) countOnce(segments []*segment) (list []SegmentInfo, err error) {
	replaced := map[string]bool{}
	for _, seg := range segments {
		for _, name := range seg.Replaces {
			replaced[name] = true
		}
	}
	// The first import keeps the rows that later ones share with it.
	var counted []*segment
	for _, seg := range segments {
		if replaced[seg.file] {
			continue
		}
		b := seg.builder()
		row := infoOf(seg)
		if b.sort(counted) > 0 {
			if len(b.entries) == 0 {
				continue
			}
			b.Replaces = []string{seg.file}
			if !b.Added { // an import keeps its name
				b.Origins = slices.Clone(seg.origins())
			}
			if row, seg, err = s.write(b); err != nil {
				return nil, err
			}
		}
		list, counted = append(list, row), append(counted, seg)
	}
	return list, nil
}
