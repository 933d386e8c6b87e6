package measure

import (
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

	"relais/internal/folder"
	"relais/internal/store"
	"relais/market"
)

// DatabaseName is the database of the data folder that says which segments count. A segment counts
// from the commit of its row on, and its file may be removed when a commit has removed the row.
const DatabaseName = "measures.db"

// Buckets are the buckets of the database.
var Buckets = []string{rowsBucket, aboutBucket}

const (
	rowsBucket  = "segments" // a SegmentInfo as JSON by its order, eight bytes, big-endian
	aboutBucket = "about"
)

// formatKey has the format of the rows in aboutBucket, as digits. It is missing until the first change.
var formatKey = []byte("format")

// rowsFormat is the format of the rows.
const rowsFormat = 1

// A SegmentInfo is the row of a segment's file.
type SegmentInfo struct {
	File     string      `json:"file"`
	Market   market.Code `json:"market"`
	Kind     Kind        `json:"kind"`
	Rows     int         `json:"rows"`
	Bytes    int64       `json:"bytes"`
	Checksum string      `json:"checksum"` // xxHash64, hexadecimal
	Imported time.Time   `json:"imported"`
	Oldest   time.Time   `json:"oldest"` // measurement; one of unknown age is as old as its import
	Newest   time.Time   `json:"newest"`
	Campaign Campaign    `json:"campaign,omitzero"`

	order uint64 // the key; 0 for a row without a key yet
}

// OpenDatabase opens the database of a data folder. It creates a missing one, or returns nil if
// readOnly. A missing database in a folder with segments is errDamaged.
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

// mayBeMissing returns an error if a folder of segments must have a database.
func mayBeMissing(dir string) error {
	names, err := segmentFiles(dir)
	if err != nil || len(names) == 0 { // no measurement is lost
		return err
	}
	return fmt.Errorf("%s: %w: it is missing, and %s holds %d files of measures", DatabaseName, errDamaged, Dir,
		len(names))
}

// readRows reads the rows of a database in their order. A nil database has no rows.
func readRows(db *store.DB) (list []SegmentInfo, err error) {
	if db == nil {
		return nil, nil
	}
	err = db.View(func(tx *store.Tx) (err error) {
		list, err = rowsIn(tx)
		return err
	})
	return list, err
}

// rowsIn reads the rows of a transaction.
func rowsIn(tx *store.Tx) (list []SegmentInfo, err error) {
	if text := tx.Value(aboutBucket, formatKey); text != nil {
		switch format, err := strconv.Atoi(string(text)); {
		case err != nil:
			return nil, fmt.Errorf("%s: %w: its format is not a number", DatabaseName, errDamaged)
		case format > rowsFormat:
			return nil, fmt.Errorf("%s: %w (format %d, this program reads %d)", DatabaseName, ErrNewer, format,
				rowsFormat)
		}
	}
	err = store.Each(tx, rowsBucket, func(k, v []byte) error {
		row, err := parseRow(k, v)
		list = append(list, row)
		return err
	})
	return list, err
}

func parseRow(k, v []byte) (row SegmentInfo, err error) {
	if err := json.Unmarshal(v, &row); err != nil || len(k) != 8 || !segmentName.MatchString(row.File) {
		return row, fmt.Errorf("%s: %w: the row %x is invalid", DatabaseName, errDamaged, k)
	}
	row.order = binary.BigEndian.Uint64(k)
	return row, nil
}

// A change has the rows that a commit puts and drops.
type change struct {
	put  []SegmentInfo // an order of 0 is one behind all others
	drop []string      // files that no longer count
	adds bool          // it has rows that no dropped file has
}

// write applies the change to the present rows. It deletes before it puts: a row that replaces another
// may have its order.
func (c *change) write(tx *store.Tx, present []SegmentInfo) error {
	b, about := tx.Bucket([]byte(rowsBucket)), tx.Bucket([]byte(aboutBucket))
	for _, row := range present {
		if slices.Contains(c.drop, row.File) {
			if err := b.Delete(orderKey(row.order)); err != nil {
				return err
			}
		}
	}
	for _, row := range c.put {
		if row.order == 0 {
			n, err := b.NextSequence()
			if err != nil {
				return err
			}
			row.order = n
		}
		text, err := json.Marshal(row)
		if err == nil {
			err = b.Put(orderKey(row.order), text)
		}
		if err != nil {
			return err
		}
	}
	return about.Put(formatKey, []byte(strconv.Itoa(rowsFormat)))
}

func orderKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
