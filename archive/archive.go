// Package archive stores the dated publications of the ANFR's observatoire, and what editions of every
// market's register changed. All publications are stored completely, in little space, so that any date
// can be shown with its changes. The package reads files with package anfr, and does not know HTTP.
//
// A row is stored once as long as it stays the same. The rows that a publication has and its
// neighbours in time lack make a segment: blocks of rows in order of their support. The publication
// itself is the list of its rows in the order of the file, as runs of rows of segments. So each
// date is independent: adding one between two others, or replacing one, does not touch other
// publications. Each publication also has the list of rows that differ from the publication before
// it.
//
// Of markets without publications, the newest edition that was noted is stored, and for each edition
// the differences from the one before it: see package change. The differences of FR and DROM are
// derived from the publications.
package archive

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"relais/ingest/anfr/column"
	"relais/internal/store"
	"relais/site"
)

// Errors that callers distinguish. Other errors are those of package store, of reading a file, and
// of its content.
var (
	ErrNoArchive = errors.New("no archive of that date")
	ErrExists    = errors.New("there is an archive of that date")
	// ErrRefused says that a publication cannot be true; force overrides it.
	ErrRefused  = errors.New("refused")
	errReadOnly = fmt.Errorf("the folder cannot be written to: %w", fs.ErrPermission)
	// errDamaged says that a record cannot be read as it was written.
	errDamaged = errors.New("archives.db is damaged: restore it from a backup")
	// errReplaced says that a publication was replaced while it was read.
	errReplaced = errors.New("the archive was replaced meanwhile")
)

// Buckets of archives.db. Numbers are big-endian, so that keys are in their order; a date is the
// number of its day. Values are sealed.
const (
	publicationsBucket = "publications" // date → Publication in JSON
	rowsBucket         = "rows"         // date → which rows, in the order of the file
	changesBucket      = "changes"      // date, greatest support → rows that differ from the date before
	segmentsBucket     = "segments"     // number → segment in JSON
	blocksBucket       = "blocks"       // segment, greatest support → rows
	differencesBucket  = "differences"  // market, date → differences from the edition before
	editionsBucket     = "editions"     // market, date → noted edition in JSON
	statesBucket       = "states"       // market → newest noted edition
	toldBucket         = "told"         // market, date, number → what was told of an edition that was corrected
)

// Buckets are those of archives.db.
var Buckets = []string{publicationsBucket, rowsBucket, changesBucket, segmentsBucket, blocksBucket,
	differencesBucket, editionsBucket, statesBucket, toldBucket}

// A Store is the archives of a data folder. Its methods may be called from several
// goroutines.
type Store struct {
	db     *store.DB // nil for a read-only folder without archives
	now    func() time.Time
	memory *memory
}

// Open opens the archives in db, which is archives.db. Closing db stays the caller's task. With nil
// or a read-only db, Add fails with errReadOnly.
func Open(db *store.DB, now func() time.Time) *Store {
	return &Store{db: db, now: now, memory: newMemory()}
}

// A Publication describes the publication of one date.
type Publication struct {
	Date     string `json:"date"`    // YYYY-MM-DD
	Updated  string `json:"updated"` // date_maj of its first row
	Rows     int    `json:"rows"`
	Supports int    `json:"supports"`
	// Repeated is how many rows have the key of an earlier row of the file.
	Repeated int `json:"repeated,omitempty"`
	Changes  int `json:"changes"` // rows that differ from the publication before, in either
	// Columns are those of the file that not all publications have: list_azimut, and unknown ones.
	Columns []string `json:"columns,omitempty"`
	// Synthetic reports that the data was made up for a demonstration: nobody published it.
	Synthetic bool      `json:"synthetic,omitempty"`
	Added     time.Time `json:"added"`
	// Corrected is the number of its last correction: that it was replaced while it was the newest.
	Corrected int `json:"corrected,omitempty"`
	// Late reports that a later publication was there when it was added.
	Late     bool     `json:"late,omitempty"`
	Bytes    int      `json:"bytes"` // stored for this publication alone
	Segments []uint32 `json:"segments"`
}

// A segment describes one segment.
type segment struct {
	Rows  int `json:"rows"`
	Bytes int `json:"bytes"`
}

// HasColumn reports whether the file had a column.
func (p *Publication) HasColumn(at int) bool {
	return at != column.Azimuths || slices.Contains(p.Columns, column.Names[at])
}

func (s *Store) readOnly() bool { return s.db == nil || s.db.ReadOnly() }

func (s *Store) view(fn func(*store.Tx) error) error {
	if s.db == nil {
		return nil
	}
	return s.db.View(fn)
}

// List returns the publications, oldest first.
func (s *Store) List() (all []Publication, err error) {
	err = s.view(func(tx *store.Tx) (err error) {
		all, err = s.publicationsIn(tx)
		return err
	})
	return slices.Clone(all), err
}

// Dates returns the dates of the publications, oldest first. current is the newest, "" without
// publications.
func (s *Store) Dates() (dates []string, current string, err error) {
	all, err := s.List()
	dates = []string{}
	for _, p := range all {
		dates, current = append(dates, p.Date), p.Date
	}
	return dates, current, err
}

// Version returns the version of the file: see store.DB.Version.
func (s *Store) Version() string { return s.db.Version() }

// publications returns all of them, oldest first.
func publications(tx *store.Tx) (all []Publication, err error) {
	err = store.Each(tx, publicationsBucket, func(k, v []byte) error {
		var p Publication
		if err := readJSON(publicationsBucket, k, v, &p); err != nil {
			return err
		}
		if p.day() == 0 || uint32(p.day()) != numberIn(k) {
			return damaged("a publication")
		}
		all = append(all, p)
		return nil
	})
	return all, err
}

func (p *Publication) day() site.Date { return site.ParseDate([]byte(p.Date)) }

// neighbours returns the publication of a date and those before and after it; each may be nil.
func neighbours(all []Publication, date string) (before, at, after *Publication) {
	for i := range all {
		switch p := &all[i]; {
		case p.Date < date:
			before = p
		case p.Date == date:
			at = p
		case after == nil:
			after = p
		}
	}
	return before, at, after
}

func damaged(what string) error { return fmt.Errorf("%s: %w", what, errDamaged) }

func numberKey(n uint32) (key [4]byte) {
	binary.BigEndian.PutUint32(key[:], n)
	return key
}

// pairKey is the key of a part of something that has a number.
func pairKey(n, part uint32) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, n), part)
}

func putJSON(tx *store.Tx, bucket string, key []byte, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return tx.Bucket([]byte(bucket)).Put(key, seal(bucket, key, text))
}

// readJSON reads what putJSON stored. Errors: errDamaged.
func readJSON(bucket string, key, sealed []byte, v any) error {
	text, err := unseal(bucket, key, sealed)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return damaged(fmt.Sprintf("%s: %v", bucket, err))
	}
	return nil
}

// numberIn returns the number that a key begins with.
func numberIn(key []byte) uint32 {
	if len(key) < 4 {
		return 0
	}
	return binary.BigEndian.Uint32(key)
}
