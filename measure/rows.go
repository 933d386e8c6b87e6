package measure

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"relais/folder"
	"relais/market"
	"relais/store"
)

// DatabaseName is the file of the data folder that says which segments count: a segment
// counts from the commit of its row, and its file may go when a commit has removed the row.
const DatabaseName = "measures.db"

// Buckets are those of the database.
var Buckets = []string{rowsBucket, aboutBucket}

const (
	rowsBucket  = "segments" // a Segment as JSON by its order, eight bytes, big-endian
	aboutBucket = "about"
)

// Keys of aboutBucket. Each commit counts up the one of commits, so that a commit whose
// outcome was not known is noticed.
var (
	formatKey  = []byte("format")
	commitsKey = []byte("commits")
)

// rowsFormat is the format of the rows.
const rowsFormat = 1

// A Segment is the row on a file.
type Segment struct {
	File     string      `json:"file"`
	Market   market.Code `json:"market"`
	Kind     Kind        `json:"kind"`
	Rows     int         `json:"rows"`
	Bytes    int64       `json:"bytes"`
	Checksum string      `json:"checksum"` // xxHash64, hexadecimal
	Imported time.Time   `json:"imported"`
	Oldest   time.Time   `json:"oldest"` // measures; that of unknown age are as old as their import
	Newest   time.Time   `json:"newest"`

	order uint64 // the key; 0 for a row that has none yet
}

// A state is the segments that count, in their order, after so many commits.
type state struct {
	list    []Segment
	commits uint64
}

// OpenDatabase opens the database of a data folder. nil is that of a folder that has none
// and is opened read-only. A missing one is made where there is nothing that it should
// name; it is damage where segments lie.
func OpenDatabase(dir folder.Dir, readOnly bool) (*store.DB, error) {
	path := filepath.Join(string(dir), DatabaseName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := mayBeMissing(filepath.Join(string(dir), Dir)); err != nil || readOnly {
			return nil, err
		}
	}
	if readOnly {
		return store.OpenReadOnly(path)
	}
	return store.Open(path, Buckets...)
}

// mayBeMissing returns why a folder of segments cannot be without a database.
func mayBeMissing(dir string) error {
	m, err := readManifest(dir)
	if err == nil && m.Version == manifestOfRows || errors.Is(err, ErrNewer) {
		return err
	}
	names, listing := segmentFiles(dir)
	if listing != nil {
		return listing
	}
	if len(names) == 0 {
		return nil // nothing is lost
	}
	return errors.Join(err, fmt.Errorf("%s: %w: it is missing, and %s holds %d files of measures", DatabaseName,
		ErrDamaged, Dir, len(names)))
}

// readRows reads the rows of a database; nil has none.
func readRows(db *store.DB) (r state, err error) {
	if db == nil {
		return r, nil
	}
	err = db.View(func(tx *store.Tx) (err error) {
		r, err = rowsOf(tx)
		return err
	})
	return r, err
}

// rowsOf reads the rows of a transaction.
func rowsOf(tx *store.Tx) (r state, err error) {
	if b := tx.Bucket([]byte(aboutBucket)); b != nil {
		if r.commits, err = numberOf(b, commitsKey); err != nil {
			return r, err
		}
		format, err := numberOf(b, formatKey)
		if err != nil {
			return r, err
		}
		if format > rowsFormat {
			return r, fmt.Errorf("%s: %w (format %d, this program reads %d)", DatabaseName, ErrNewer, format,
				rowsFormat)
		}
	}
	err = store.Each(tx, rowsBucket, func(k, v []byte) error {
		var row Segment
		if err := json.Unmarshal(v, &row); err != nil || len(k) != 8 || !segmentName.MatchString(row.File) {
			return fmt.Errorf("%s: %w: the row %x is none", DatabaseName, ErrDamaged, k)
		}
		row.order = binary.BigEndian.Uint64(k)
		r.list = append(r.list, row)
		return nil
	})
	return r, err
}

// numberOf reads a number of aboutBucket, 0 when it is not there.
func numberOf(b interface{ Get([]byte) []byte }, key []byte) (uint64, error) {
	text := b.Get(key)
	if text == nil {
		return 0, nil
	}
	n, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %w: its %s are no number", DatabaseName, ErrDamaged, key)
	}
	return n, nil
}

// A change is what a commit does to the rows.
type change struct {
	put  []Segment // an order of 0 is one behind all others
	drop []string  // files that no longer count
}

// errMoved says that the rows on disk are not those that a change was made for.
var errMoved = errors.New("an earlier change of the measures ended otherwise than it seemed: try again")

// apply makes a change of the rows before it, and returns the rows after it.
func (c *change) apply(tx *store.Tx, before state) (after state, err error) {
	b, about := tx.Bucket([]byte(rowsBucket)), tx.Bucket([]byte(aboutBucket))
	commits, err := numberOf(about, commitsKey)
	if err != nil {
		return after, err
	}
	if commits != before.commits {
		return after, errMoved
	}
	after.commits = commits + 1
	dropped := map[string]bool{}
	for _, name := range c.drop {
		dropped[name] = true
	}
	for _, row := range before.list {
		if !dropped[row.File] {
			after.list = append(after.list, row)
		} else if err := b.Delete(orderKey(row.order)); err != nil {
			return after, err
		}
	}
	for _, row := range c.put {
		if row.order == 0 {
			if row.order, err = b.NextSequence(); err != nil {
				return after, err
			}
		}
		text, err := json.Marshal(row)
		if err == nil {
			err = b.Put(orderKey(row.order), text)
		}
		if err != nil {
			return after, err
		}
		after.list = append(after.list, row)
	}
	slices.SortFunc(after.list, func(a, b Segment) int { return cmp.Compare(a.order, b.order) })
	return after, errors.Join(about.Put(formatKey, []byte(strconv.Itoa(rowsFormat))),
		about.Put(commitsKey, strconv.AppendUint(nil, after.commits, 10)))
}

func orderKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
