package measure

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"relais/internal/folder"
	"relais/internal/store"
	"relais/market"

	"github.com/cespare/xxhash/v2"
)

// ErrReadOnly is the error of changes to a store that was opened read-only.
var ErrReadOnly = errors.New("the measures were opened read-only")

// A Store has the measurements of a data folder, all of them in memory. Queries may run during
// an import, and see its measurements when it has ended.
type Store struct {
	dir      string
	db       *store.DB // nil for a read-only folder without one
	update   func(func(*store.Tx) error) error
	readOnly bool
	now      func() time.Time
	rowLimit int // of a segment: maxRows, smaller in tests

	blobs store.Blobs // see NewShared; else nil

	mu sync.Mutex // held by changes of the measurements, except while Merge writes a file
	// writing counts the files that Merge writes without mu. They have no row yet, so a sweep would take
	// them for those of a killed process.
	writing int

	// viewMu guards the fields up to merging. It is the last lock to be taken: apply takes it inside an
	// Update of the database, whose caller may hold mu.
	viewMu    sync.Mutex
	rows      []SegmentInfo // of the database
	viewErr   error         // why the current view does not have all of rows
	removable []string      // files that no longer count
	copies    int           // of the folder that are being made; see Hold
	// pendingSegments are the segments of the transaction that runs, so that show does not read the files
	// again that replace has just written.
	pendingSegments map[string]*segment

	merging sync.Mutex    // held by Merge
	changed chan struct{} // see Grew

	current atomic.Pointer[view]
}

// A view is the segments at one time. It does not change, so that a query reads it without a lock
// while an import makes the next one.
type view struct {
	segments []*segment // of the rows that can be used
	rows     []SegmentInfo
	newest   map[editionKey]bool              // the newest campaign of each source
	editions func() map[market.Code][]Edition // made by the first call
	version  string
	problems []string
	fetchErr error // why the file of a row is missing that another machine has
}

// New loads the measurements of a data folder whose database is open. A folder without a database
// is read-only, and a missing folder has no measurements. now is the clock. Damaged and missing
// files of segments are left out and reported by Problems. Rows that cannot be read are an error,
// errDamaged or ErrNewer; nothing is removed then.
func New(dir folder.Dir, db *store.DB, now func() time.Time) (*Store, error) {
	s := newStore(dir, db, now)
	if err := s.open(); err != nil {
		return nil, err
	}
	return s, nil
}

// newStore returns a store that has loaded nothing.
func newStore(dir folder.Dir, db *store.DB, now func() time.Time) *Store {
	s := &Store{dir: filepath.Join(string(dir), Dir), db: db, readOnly: db == nil || db.ReadOnly(), now: now,
		rowLimit: maxRows, changed: make(chan struct{}, 1)}
	if !s.readOnly {
		s.update = db.Update
	}
	s.current.Store(s.newView(nil, nil))
	return s
}

// open loads the rows of the database, and removes files that a killed process left.
func (s *Store) open() error {
	if err := s.db.Follow(s.load, s.apply, rowsBucket); err != nil || s.readOnly {
		return err
	}
	return s.sweep()
}

// show makes rows the current view, unless the file of another machine cannot be fetched: then the
// view stays until Fetch gets it. Segments that are loaded already are not read again. The caller holds
// s.viewMu.
func (s *Store) show(rows []SegmentInfo) {
	known := s.loaded()
	maps.Copy(known, s.pendingSegments)
	v := s.newView(rows, known)
	s.rows, s.viewErr = rows, v.fetchErr
	// A segment may replace others: a view without it would lack measurements that the shown view has.
	if shown := s.view(); v.fetchErr == nil || shown.fetchErr != nil || len(shown.rows) == 0 {
		s.current.Store(v)
	}
}

// newView returns a view of rows. It loads the segments that are not in loaded, by name.
func (s *Store) newView(rows []SegmentInfo, loaded map[string]*segment) *view {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTime)
	defer cancel()
	v := &view{rows: slices.Clone(rows)}
	version := xxhash.New()
	for _, row := range rows {
		seg := loaded[row.File]
		if seg == nil {
			var err error
			if seg, err = load(s.dir, row); err != nil && s.blobs != nil {
				seg, err = s.fetch(ctx, row)
			}
			if err != nil {
				v.problems = append(v.problems, err.Error())
				fmt.Fprint(version, "without ") // cached answers end when the file comes back
			}
			if s.blobs != nil && err != nil && !lasting(err) {
				v.fetchErr = err
			}
		}
		// Queries may read a segment of the shown view: its order is written only once, before the segment
		// is in a view.
		if seg != nil && seg.order == 0 {
			seg.order = row.order
		}
		fmt.Fprintln(version, row.File, row.Checksum)
		v.segments = append(v.segments, seg)
	}
	v.segments = slices.DeleteFunc(v.segments, func(g *segment) bool { return g == nil })
	v.newest, v.editions = newestCampaigns(rows), sync.OnceValue(v.listEditions)
	v.version = strconv.FormatUint(version.Sum64(), 16)
	go v.order()
	return v
}

// order prepares indexes in the background, which takes some seconds for ten million rows.
func (v *view) order() {
	for _, seg := range v.segments {
		seg.byCell()
	}
}

// load reads the file of a row and checks that it is the right one.
func load(dir string, row SegmentInfo) (*segment, error) {
	seg, err := readSegment(filepath.Join(dir, row.File))
	if err != nil {
		return nil, err
	}
	if sumText(seg.checksum) != row.Checksum || seg.Market != row.Market || seg.Kind != row.Kind {
		return nil, fmt.Errorf("%s: %w: it is not the file that its row names", row.File, errDamaged)
	}
	return seg, nil
}

// view returns the current view.
func (s *Store) view() *view { return s.current.Load() }

// Version identifies the content of the store.
func (s *Store) Version() string { return s.view().version }

// Segments returns the segments that count, the first import first.
func (s *Store) Segments() []SegmentInfo { return slices.Clone(s.view().rows) }

// Ages returns when the oldest and the newest measurement of the segments of a kind were made, zero without any.
// Segments whose newest is older than since do not count.
func (s *Store) Ages(code market.Code, kind Kind, since time.Time) (oldest, newest time.Time) {
	for _, row := range s.view().rows {
		if row.Market != code || row.Kind != kind || row.Newest.Before(since) {
			continue
		}
		if oldest.IsZero() || row.Oldest.Before(oldest) {
			oldest = row.Oldest
		}
		if row.Newest.After(newest) {
			newest = row.Newest
		}
	}
	return oldest, newest
}

// Problems returns the errors of files that count and cannot be used.
func (s *Store) Problems() []string {
	s.viewMu.Lock()
	defer s.viewMu.Unlock()
	list := slices.Clone(s.view().problems)
	if s.viewErr != nil && s.view().fetchErr == nil {
		list = append(list, s.viewErr.Error())
	}
	return list
}

// Count returns the number of measurements of a kind of a market.
func (s *Store) Count(code market.Code, kind Kind) (n int) {
	for _, seg := range s.view().segments {
		if seg.Market == code && seg.Kind == kind {
			n += seg.rows
		}
	}
	return n
}

// A Checked is a segment with the reason why its file cannot be used, nil if it can.
type Checked struct {
	SegmentInfo
	Err error
}

// Check reads every segment from disk again.
func (s *Store) Check() []Checked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return check(s.dir, s.counted())
}

// counted returns the rows of the database.
func (s *Store) counted() []SegmentInfo {
	s.viewMu.Lock()
	defer s.viewMu.Unlock()
	return s.rows
}

// Check reads the segments of a data folder whose database is open; db is nil for a folder without
// one. The error is that of the rows.
func Check(dir folder.Dir, db *store.DB) ([]Checked, error) {
	list, err := readRows(db)
	return check(filepath.Join(string(dir), Dir), list), err
}

// CountRows reads the rows of a database.
func CountRows(db *store.DB) (int, error) {
	list, err := readRows(db)
	return len(list), err
}

func check(dir string, rows []SegmentInfo) (list []Checked) {
	for _, row := range rows {
		_, err := load(dir, row)
		list = append(list, Checked{row, err})
	}
	return list
}

// loaded returns the segments in memory by the names of their files.
func (s *Store) loaded() map[string]*segment {
	by := map[string]*segment{}
	for _, seg := range s.view().segments {
		by[seg.file] = seg
	}
	return by
}
