package measure

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"

	"relais/folder"
	"relais/market"
)

// ErrReadOnly is returned by what would change a store that was opened to be read.
var ErrReadOnly = errors.New("the measures were opened read-only")

// A Store is the measures of a data folder, all of them in memory. Questions may be
// asked while an import runs, and see it when it has ended.
type Store struct {
	dir      string
	readOnly bool
	now      func() time.Time
	most     int        // rows of a segment: maxRows, but in tests
	mu       sync.Mutex // held by what changes the folder
	manifest manifest   // under mu
	current  atomic.Pointer[view]
}

// A view is the segments at one time. Who reads them keeps it alive.
type view struct {
	segments []*segment // of the manifest's rows that can be used
	rows     []Segment
	version  string
	problems []string
}

// Open loads the measures of a data folder, of which one process may have the store open
// to change it; a missing folder holds none. now is the clock's. A segment's file that
// is damaged or gone is left out and named by Problems; a manifest that cannot be read
// is an error.
func Open(dir folder.Dir, readOnly bool, now func() time.Time) (*Store, error) {
	s := &Store{dir: filepath.Join(string(dir), Dir), readOnly: readOnly, now: now, most: maxRows}
	var err error
	if s.manifest, err = readManifest(s.dir); err != nil {
		return nil, err
	}
	if !readOnly {
		if err := s.manifest.sweep(s.dir); err != nil {
			return nil, err
		}
	}
	s.current.Store(s.newView(s.manifest.Segments, nil))
	return s, nil
}

// newView loads the segments of rows, but for those that are loaded already, by name.
func (s *Store) newView(rows []Segment, loaded map[string]*segment) *view {
	v := &view{rows: slices.Clone(rows)}
	version := xxhash.New()
	for _, row := range rows {
		seg := loaded[row.File]
		if seg == nil {
			var err error
			if seg, err = load(s.dir, row); err != nil {
				v.problems = append(v.problems, err.Error())
				fmt.Fprint(version, "without ")
			}
		}
		fmt.Fprintln(version, row.File, row.Checksum)
		v.segments = append(v.segments, seg)
	}
	v.segments = slices.DeleteFunc(v.segments, func(g *segment) bool { return g == nil })
	v.version = strconv.FormatUint(version.Sum64(), 16)
	go v.order()
	return v
}

// order makes ready what takes a second for ten million rows, beside everything else.
func (v *view) order() {
	for _, seg := range v.segments {
		seg.byCell()
	}
}

// load reads the file of a row and makes sure that it is that file.
func load(dir string, row Segment) (*segment, error) {
	seg, err := readSegment(filepath.Join(dir, row.File))
	if err != nil {
		return nil, err
	}
	if sumText(seg.checksum) != row.Checksum || seg.Market != row.Market || seg.Kind != row.Kind {
		return nil, fmt.Errorf("%s: %w: it is not the file that the manifest names", row.File, ErrDamaged)
	}
	return seg, nil
}

// view returns what can be asked now; it must be kept alive while it is read.
func (s *Store) view() *view { return s.current.Load() }

// Version changes with what the store answers.
func (s *Store) Version() string { return s.view().version }

// Segments lists the segments that count, the first import first.
func (s *Store) Segments() []Segment { return slices.Clone(s.view().rows) }

// Problems names the files that count and could not be used.
func (s *Store) Problems() []string { return slices.Clone(s.view().problems) }

// Count returns how many measures of a kind a market has.
func (s *Store) Count(code market.Code, kind Kind) (n int) {
	for _, seg := range s.view().segments {
		if seg.Market == code && seg.Kind == kind {
			n += seg.rows
		}
	}
	return n
}

// A Checked is what a check found of a segment: Err says why its file cannot be used.
type Checked struct {
	Segment
	Err error
}

// Check reads every segment from disk again.
func (s *Store) Check() []Checked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.manifest.check(s.dir)
}

// Check reads the segments of a data folder that nobody has open to change it. The error
// is that of the manifest.
func Check(dir folder.Dir) ([]Checked, error) {
	path := filepath.Join(string(dir), Dir)
	m, err := readManifest(path)
	if err != nil {
		return nil, err
	}
	return m.check(path), nil
}

func (m *manifest) check(dir string) (list []Checked) {
	for _, row := range m.Segments {
		_, err := load(dir, row)
		list = append(list, Checked{row, err})
	}
	return list
}

// Freeze calls do with the paths of the files that count, the manifest last, below the
// data folder; none of them changes until it returns. It is for a copy of the folder.
func (s *Store) Freeze(do func(paths []string) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return do(s.manifest.files(s.dir))
}

// Files are the paths that Freeze gives, of a data folder that nobody has open to change
// it.
func Files(dir folder.Dir) ([]string, error) {
	path := filepath.Join(string(dir), Dir)
	m, err := readManifest(path)
	if err != nil {
		return nil, err
	}
	return m.files(path), nil
}

func (m *manifest) files(dir string) (paths []string) {
	for _, row := range m.Segments {
		paths = append(paths, Dir+"/"+row.File)
	}
	if _, err := os.Stat(filepath.Join(dir, ManifestName)); err == nil {
		paths = append(paths, Dir+"/"+ManifestName)
	}
	return paths
}

// IsFile tells whether a path below the data folder is one that Freeze can give.
func IsFile(path string) bool {
	dir, name, _ := strings.Cut(path, "/")
	return dir == Dir && (name == ManifestName || segmentName.MatchString(name))
}

// loaded returns the segments in memory by the names of their files.
func (s *Store) loaded() map[string]*segment {
	by := map[string]*segment{}
	for _, seg := range s.view().segments {
		by[seg.file] = seg
	}
	return by
}

// replace makes the rows of next what counts, with what was loaded of it already.
func (s *Store) replace(next manifest, fresh map[string]*segment) error {
	if err := next.write(s.dir); err != nil {
		return err
	}
	s.manifest = next
	known := s.loaded()
	for name, seg := range fresh {
		known[name] = seg
	}
	s.current.Store(s.newView(next.Segments, known))
	return nil
}

// abandon removes the files that were written for nothing, and returns why.
func (s *Store) abandon(why error) error { return errors.Join(why, s.manifest.sweep(s.dir)) }
