package coverage

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"

	"relais/geo"
	"relais/internal/cache"
	"relais/internal/folder"
	"relais/market"
)

// Suffix is the end of the names of the files of layers.
const Suffix = ".grid"

// A Layer is a layer of a folder. It may be used while its file is replaced or removed.
type Layer struct {
	Info
	proj  *geo.Projection
	file  *os.File
	grids [grids]grid
	sum   uint64
	cells *cache.Cache[cellsKey, *cells] // of the store, nil without one
}

// A cellsKey is a block of a grid of a layer.
type cellsKey struct {
	layer *Layer
	grid  uint8
	block int32
}

// keptBytes is how many unpacked cells are kept in memory.
const keptBytes = 6 << 20

// A Store has the layers of a folder, whose files may be added, replaced and removed at any time: each question looks.
// A nil Store has none.
type Store struct {
	dir   string
	cells *cache.Cache[cellsKey, *cells]

	mu     sync.Mutex
	seen   time.Time // of the folder
	looked time.Time
	files  map[string]*opened
	state  *state
}

// An opened file has its layer, or why it has none.
type opened struct {
	info  fs.FileInfo
	layer *Layer
	err   error
}

// holds reports whether opening a file again would give the same. The file must be unchanged. A failure counts only if
// the content is its cause: a missing permission may be granted meanwhile.
func (o *opened) holds(info fs.FileInfo) bool {
	return info != nil && o.info != nil && os.SameFile(o.info, info) && o.info.Size() == info.Size() &&
		o.info.ModTime().Equal(info.ModTime()) &&
		(o.err == nil || errors.Is(o.err, ErrDamaged) || errors.Is(o.err, ErrVersion))
}

// A state is what a folder has.
type state struct {
	layers  []*Layer              // by name; of the editions of a layer the newest first
	failed  map[market.Code]error // of files, by the market in their names; of the folder under ""
	version string
}

// Files lists the files of layers in a folder, none if it is missing.
func Files(dir string) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), Suffix) && !folder.IsTemporary(e) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, err
}

// NewStore returns the store of the layers in a folder, which may be missing.
func NewStore(dir string) *Store {
	return &Store{dir: dir, files: map[string]*opened{}, state: &state{version: "no coverage maps"},
		cells: cache.New(cache.Options[cellsKey, *cells]{MaxSize: keptBytes,
			Size: func(cellsKey, *cells) int64 { return blockBytes + 128 }})}
}

// settled is how long after a change of a folder another may have the same time.
const settled = 3 * time.Second

// current returns what the folder has now.
func (s *Store) current() *state {
	if s == nil {
		return &state{version: "no coverage maps"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	info, err := os.Stat(s.dir)
	var changed time.Time
	if err == nil {
		changed = info.ModTime()
	}
	now := time.Now()
	if changed.Equal(s.seen) && s.looked.Sub(changed) > settled && len(s.state.failed) == 0 {
		return s.state
	}
	s.load()
	s.seen, s.looked = changed, now
	return s.state
}

// load reads the files that are new or changed, and those that could not be opened.
func (s *Store) load() {
	files, next := map[string]*opened{}, &state{failed: map[market.Code]error{}}
	paths, err := Files(s.dir)
	if err != nil {
		next.failed[""] = err
	}
	digest := xxhash.New()
	changed := (err != nil) != (s.state.failed[""] != nil)
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			if _, gone := os.Lstat(path); gone != nil {
				continue // removed meanwhile
			}
		}
		o := s.files[path]
		if o == nil || !o.holds(info) {
			before := o
			o = &opened{info: info, err: err}
			if err == nil {
				o.layer, o.err = openLayer(path, s.cells)
			}
			changed = changed || before == nil || before.layer != nil || o.layer != nil
		}
		files[path] = o
		if o.err != nil {
			code, _, _ := strings.Cut(filepath.Base(path), "-")
			next.failed[market.Code(strings.ToUpper(code))] = o.err
			continue
		}
		next.layers = append(next.layers, o.layer)
		_, _ = digest.WriteString(o.layer.Name() + strconv.FormatUint(o.layer.sum, 16)) // never fails
	}
	if !changed && len(files) == len(s.files) {
		return
	}
	s.cells.Clear() // of layers that went too, whose files are closed when nothing has them any more
	slices.SortFunc(next.layers, func(a, b *Layer) int {
		return cmp.Or(strings.Compare(a.Info.name(), b.Info.name()), strings.Compare(b.Edition, a.Edition))
	})
	next.version = "coverage " + strconv.FormatUint(digest.Sum64(), 16)
	s.files, s.state = files, next
}

// Failed returns why some files of a market, "" for any, cannot be used, nil if all can.
func (s *Store) Failed(code market.Code) error {
	failed := s.current().failed
	if err := failed[""]; err != nil || code != "" {
		return cmp.Or(err, failed[code])
	}
	for _, err := range failed {
		return err
	}
	return nil
}

// Version changes with what the store answers.
func (s *Store) Version() string { return s.current().version }

// A Filter selects layers.
type Filter struct {
	Market       market.Code // "" for all
	Operators    []string    // keys, nil for all; layers whose source names none are in any selection
	Technologies []string    // nil for all; 2G/3G is of both
	Edition      string      // "" for the newest of each layer
	Free         bool        // only those that may be redistributed
}

// Layers returns the layers that a filter selects.
func (s *Store) Layers(q Filter) (list []*Layer) {
	newest := ""
	for _, l := range s.current().layers {
		if !q.Has(l) || q.Edition != "" && l.Edition != q.Edition || q.Edition == "" && l.Info.name() == newest {
			continue
		}
		newest = l.Info.name()
		list = append(list, l)
	}
	return list
}

// Editions lists the editions of the layers that a filter selects, whatever its own, the newest first.
func (s *Store) Editions(q Filter) []string {
	list := []string{}
	for _, l := range s.current().layers {
		if q.Has(l) && !slices.Contains(list, l.Edition) {
			list = append(list, l.Edition)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return strings.Compare(b, a) })
	return list
}

// Has reports whether the filter selects a layer, whatever its edition.
func (q *Filter) Has(l *Layer) bool {
	return (q.Market == "" || l.Market == q.Market) && !(q.Free && l.Withheld()) &&
		(q.Operators == nil || l.Operator == "" || slices.Contains(q.Operators, l.Operator)) &&
		(q.Technologies == nil || slices.ContainsFunc(strings.Split(l.Technology, "/"),
			func(t string) bool { return slices.Contains(q.Technologies, t) }))
}

// Before returns the edition of a layer that came before it, nil if the folder has none.
func (s *Store) Before(l *Layer) *Layer {
	for _, other := range s.current().layers {
		if other.Info.name() == l.Info.name() && other.Edition < l.Edition {
			return other
		}
	}
	return nil
}

// block returns the cells of a block.
func (l *Layer) block(level, i int) (*cells, error) {
	return l.cells.Make(context.Background(), cellsKey{l, uint8(level), int32(i)}, func(context.Context) (*cells, error) {
		return l.readBlock(level, i)
	})
}

// A reader reads cells of a grid. It remembers the last block: neighbours are mostly in the same.
type reader struct {
	layer *Layer
	level int
	block int // -1 for none
	cells *cells
}

// cell returns the value of a cell, which must be one of the grid.
func (r *reader) cell(col, row int) (v Value, err error) {
	g := &r.layer.grids[r.level]
	i := row>>blockBits*g.wide + col>>blockBits
	if b := &g.blocks[i]; b.length == 0 {
		return b.low, nil
	}
	if i != r.block {
		if r.cells, err = r.layer.block(r.level, i); err != nil {
			return 0, err
		}
		r.block = i
	}
	return r.cells.at(col&(blockSide-1), row&(blockSide-1)), nil
}

// cell returns the value of a cell of the finest grid, which must have it.
func (l *Layer) cell(col, row int) (Value, error) {
	r := reader{layer: l, block: -1}
	return r.cell(col, row)
}
