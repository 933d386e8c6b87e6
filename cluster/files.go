package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"relais/internal/folder"
	"relais/internal/store"
)

// Buckets are the buckets of the store named files.
var Buckets = []string{filesBucket}

// ListName is the file of a folder that lists the rows whose files it has.
const ListName = "cluster-files.json"

const (
	filesBucket = "files"         // path below the data folder → fileRow in JSON
	bringAgain  = 2 * time.Second // after an error
)

// A fileRow is a file that all nodes have.
type fileRow struct {
	Blob     string    `json:"blob"` // another name each time that the file is published
	Sum      string    `json:"sha256"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"` // which may be the only sign of a source's age
}

// A Local is a file of a node that is to become one of all nodes.
type Local struct {
	Path string `json:"path"` // below the data folder, with slashes
	From string `json:"from"` // where its bytes are now
}

// errMoved says that an ingest began with other files.
var errMoved = errors.New("another node has published files of the same authority meanwhile: run it again")

// Files are the snapshots and kept sources of the cluster. Each node has a copy of all of them in
// its folder.
type Files struct {
	dir   folder.Dir
	db    *store.DB
	blobs Blobs
	log   *slog.Logger
	wake  chan struct{}
	ready atomic.Bool // the folder had all files once; without mu, which Bring holds while it downloads

	mu      sync.Mutex
	present map[string]fileRow // the files that the folder has, by path
	copies  map[string]string  // sum → a file of this node with these bytes, which need not be downloaded
}

// OpenFiles returns the files of a node's folder. Bring, or Run, brings them up to date.
func OpenFiles(dir folder.Dir, db *store.DB, blobs Blobs, log *slog.Logger) (*Files, error) {
	f := &Files{dir: dir, db: db, blobs: blobs, log: log, wake: make(chan struct{}, 1),
		present: map[string]fileRow{}, copies: map[string]string{}}
	if err := folder.ReadJSON(f.path(ListName), &f.present); err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Warn("reading the list of shared files failed: they are compared again", "error", err)
	}
	// Only the sizes are compared: to read all files would take long at each start.
	for path, row := range f.present {
		if info, err := os.Stat(f.path(path)); err != nil || info.Size() != row.Size {
			delete(f.present, path)
		}
	}
	poke := func() {
		select {
		case f.wake <- struct{}{}:
		default: // Run will look again anyway
		}
	}
	return f, db.Follow(func(*store.Tx) error { poke(); return nil }, func([]store.Change) { poke() }, filesBucket)
}

func (f *Files) path(name string) string {
	return filepath.Join(string(f.dir), filepath.FromSlash(name))
}

// Run brings the folder up to date whenever the cluster has other files, until ctx ends.
func (f *Files) Run(ctx context.Context) {
	for {
		again := time.Duration(0)
		if err := f.Bring(ctx); err != nil && ctx.Err() == nil {
			f.log.Error("bringing files of the cluster to this node failed", "error", err)
			again = bringAgain
		}
		retry := make(<-chan time.Time) // which never comes
		if again > 0 {
			retry = time.After(again)
		}
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		case <-retry:
		}
	}
}

// Ready reports whether the folder has had all files since the process began.
func (f *Files) Ready() bool { return f.ready.Load() }

// rows reads the list of the cluster's files.
func (f *Files) rows() (all map[string]fileRow, err error) {
	err = f.db.View(func(tx *store.Tx) error {
		all, err = rowsIn(tx, "")
		return err
	})
	return all, err
}

// rowsIn returns the files whose path begins with prefix.
func rowsIn(tx *store.Tx, prefix string) (map[string]fileRow, error) {
	all := map[string]fileRow{}
	return all, store.Each(tx, filesBucket, func(k, v []byte) error {
		var row fileRow
		if err := json.Unmarshal(v, &row); err != nil {
			return fmt.Errorf("shared file %.100q: %w", k, err)
		}
		if !sharedPath(string(k)) {
			return fmt.Errorf("shared file %.100q: it lies outside snapshots and sources", k)
		}
		if strings.HasPrefix(string(k), prefix) {
			all[string(k)] = row
		}
		return nil
	})
}

// sharedPath reports whether a path is one of the files that nodes share. Paths come from the database, and must not
// lead out of the folder.
func sharedPath(path string) bool {
	return fs.ValidPath(path) && filepath.IsLocal(filepath.FromSlash(path)) &&
		(strings.HasPrefix(path, "snapshots/") || strings.HasPrefix(path, "sources/"))
}

// Bring gives the folder the files that the cluster has: those that differ are all replaced when
// all of them are on disk, so that no answer mixes two publications. Files that the cluster no longer has are
// removed after that. If Bring fails, the list on disk stays as it was, and the next Bring finds the files that came
// by their sums.
func (f *Files) Bring(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	rows, err := f.rows()
	if err != nil {
		return err
	}
	var staged []*folder.Staged
	defer func() {
		for _, s := range staged {
			s.Discard()
		}
	}()
	// They get their names in this order: sources before the manifest that names them, and that before the
	// snapshots, whose change makes a server load them.
	missing := slices.SortedFunc(maps.Keys(rows), func(a, b string) int {
		return strings.Compare(order(a)+a, order(b)+b)
	})
	missing = slices.DeleteFunc(missing, func(path string) bool {
		return f.present[path] == rows[path] || f.adopt(path, rows[path])
	})
	for _, path := range missing {
		s, err := folder.Stage(f.path(path), func(w io.Writer) error { return f.fetch(ctx, w, rows[path]) })
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		staged = append(staged, s)
	}
	if err := folder.CommitAll(staged); err != nil {
		return err
	}
	for _, path := range missing {
		if err := os.Chtimes(f.path(path), time.Time{}, rows[path].Modified); err != nil {
			return err
		}
	}
	undeleted := f.removeOthers(rows)
	clear(f.copies)
	f.ready.Store(true)
	maps.Copy(rows, undeleted) // to be removed the next time
	if maps.Equal(f.present, rows) {
		return nil
	}
	f.present = rows
	return folder.ReplaceJSON(f.path(ListName), f.present)
}

// order returns a prefix by which the kinds of files are sorted.
func order(path string) string {
	switch {
	case strings.HasPrefix(path, "snapshots/"):
		return "3"
	case strings.HasSuffix(path, "/"+folder.ManifestName):
		return "2"
	}
	return "1"
}

// adopt reports whether the folder already has a file that its list lacks: a Bring that failed put it there, or the
// list was lost.
func (f *Files) adopt(path string, row fileRow) bool {
	info, err := os.Stat(f.path(path))
	if err != nil || info.Size() != row.Size {
		return false
	}
	sum, _, err := sumFile(f.path(path))
	return err == nil && sum == row.Sum && os.Chtimes(f.path(path), time.Time{}, row.Modified) == nil
}

// fetch writes the bytes of a file, and makes sure that they are the right ones.
func (f *Files) fetch(ctx context.Context, w io.Writer, row fileRow) error {
	var in io.ReadCloser
	if path, ok := f.copies[row.Sum]; ok {
		delete(f.copies, row.Sum) // if the file was removed or changed, the next Bring takes the blob
		if file, err := os.Open(path); err == nil {
			in = file
		}
	}
	if in == nil {
		blob, err := f.blobs.Get(ctx, row.Blob)
		if err != nil {
			return err
		}
		in = blob
	}
	defer in.Close()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, sum), io.LimitReader(in, row.Size+1))
	if err != nil {
		return err
	}
	if n != row.Size || hex.EncodeToString(sum.Sum(nil)) != row.Sum {
		return fmt.Errorf("the bytes of %s are not those that were stored", row.Blob)
	}
	return nil
}

// removeOthers removes the files that the cluster no longer has, and returns those that it could not
// remove.
func (f *Files) removeOthers(rows map[string]fileRow) map[string]fileRow {
	undeleted := map[string]fileRow{}
	for path, row := range f.present {
		if _, ok := rows[path]; ok || !sharedPath(path) {
			continue
		}
		if err := os.Remove(f.path(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			f.log.Warn("removing an old shared file failed", "error", err)
			undeleted[path] = row
		}
		_ = os.Remove(filepath.Dir(f.path(path))) // it fails unless the folder is empty
	}
	return undeleted
}

// RemoveList removes the list of a folder's shared files, which only the folder of a node needs.
func RemoveList(dir folder.Dir) error {
	err := os.Remove(filepath.Join(string(dir), ListName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// CountFiles returns how many files the nodes share.
func CountFiles(db *store.DB) (n int, err error) {
	err = db.View(func(tx *store.Tx) error {
		rows, err := rowsIn(tx, "")
		n = len(rows)
		return err
	})
	return n, err
}

// sumFile returns the SHA-256 of a file as text.
func sumFile(path string) (text string, info fs.FileInfo, err error) {
	in, err := os.Open(path)
	if err != nil {
		return "", nil, err
	}
	defer in.Close()
	if info, err = in.Stat(); err != nil {
		return "", nil, err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, in)
	return hex.EncodeToString(sum.Sum(nil)), info, err
}
