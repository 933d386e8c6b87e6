package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"sync/atomic"
	"time"
)

// JournalBucket has the entries of the journal. It is made with the first one.
const JournalBucket = "journal" // number, 8 bytes big endian → Entry in JSON

// News returns the text of the journal about a record that an Update put, nil for no entry. old is
// the value that it replaces, nil for a new record. It must not keep its arguments.
type News func(key, old, value []byte) []byte

// An Entry of a journal is about one record that was put.
type Entry struct {
	Number uint64    `json:"-"` // from 1, in the order of the commits
	Bucket string    `json:"bucket"`
	Text   string    `json:"text"` // by News
	At     time.Time `json:"at"`
}

// A Journal is the entries that the Updates of a file add in their own commits. It has no lock: what SetNews and
// SetRead set is read by each Update when it begins, or adds an entry. A nil Journal, that of a nil DB, is empty.
type Journal struct {
	db   *DB
	news atomic.Pointer[map[string]News]
	read atomic.Uint64 // see SetRead
}

// Journal returns the journal of the file.
func (db *DB) Journal() *Journal {
	if db == nil {
		return nil
	}
	return &db.journal
}

// SetNews makes each Update add an entry for each record of these buckets about which there is
// news, in the same commit: a later reader of the journal misses none, whenever the process was
// killed. Replicas get the entries with the commit that has them. nil ends it. It may be called
// while the file is used, and concerns the Updates that begin later.
func (j *Journal) SetNews(news map[string]News) {
	if j != nil {
		j.news.Store(&news)
	}
}

// SetRead says that the entries up to a number have been read. The next ones replace them.
func (j *Journal) SetRead(upTo uint64) {
	if j != nil {
		j.read.Store(upTo)
	}
}

// End returns the number of the last entry, 0 before the first. Errors: those of View.
func (j *Journal) End() (n uint64, err error) {
	if j == nil {
		return 0, nil
	}
	err = j.db.View(func(tx *Tx) error {
		if b := tx.Bucket([]byte(JournalBucket)); b != nil {
			n = b.Sequence()
		}
		return nil
	})
	return n, err
}

// After returns the next entries after a number, at most most. A number greater than
// End is of a newer file that was replaced by this older one: all entries are after it.
// Damaged entries are passed over. Errors: those of View.
func (j *Journal) After(n uint64, most int) (list []Entry, err error) {
	if j == nil {
		return nil, nil
	}
	err = j.db.View(func(tx *Tx) error {
		tx.LeaveOut(func(error) {})
		b := tx.Bucket([]byte(JournalBucket))
		if b == nil {
			return nil
		}
		if n > b.Sequence() {
			n = 0
		}
		c := b.Cursor()
		for k, v := c.Seek(journalKey(n + 1)); k != nil && len(list) < most; k, v = c.Next() {
			e := Entry{}
			if err := json.Unmarshal(v, &e); err != nil || len(k) != 8 {
				return fmt.Errorf("%s: entry %x of the journal: %w", tx.name, k, err)
			}
			e.Number = binary.BigEndian.Uint64(k)
			list = append(list, e)
		}
		return nil
	})
	return list, err
}

func journalKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// newsOf returns the entry about a record that is about to be put, nil for none.
func (b *Bucket) newsOf(key, value []byte) *Entry {
	if b.tx.news == nil || b.parent != nil {
		return nil
	}
	news := b.tx.news[string(b.name)]
	if news == nil {
		return nil
	}
	old, _ := b.Read(key) // a damaged value counts as none
	text := news(key, old, value)
	if text == nil {
		return nil
	}
	return &Entry{Bucket: string(b.name), Text: string(text), At: time.Now().UTC()}
}

// trimmed is how many old entries an Update removes at most when it adds one: a reader that comes after a long time
// does not make one commit large.
const trimmed = 100

// mostEntries is how many entries wait for a reader. Then each new one replaces the oldest, so that a journal
// without a reader does not fill the disk.
var mostEntries uint64 = 100_000

// addToJournal adds an entry, and removes some that have been read, or that are too many.
func (tx *Tx) addToJournal(e *Entry) error {
	b, err := tx.CreateBucketIfNotExists([]byte(JournalBucket))
	if err != nil {
		return err
	}
	old := tx.db.journal.read.Load()
	if old > b.Sequence() { // of a newer file than this one, which was restored
		old = 0
	}
	if b.Sequence() >= mostEntries {
		old = max(old, b.Sequence()+1-mostEntries)
	}
	if err := b.trimJournal(old, trimmed); err != nil {
		return err
	}
	n, err := b.NextSequence()
	if err != nil {
		return err
	}
	return PutJSON(tx, JournalBucket, journalKey(n), e)
}

// Empty removes the entries up to a number. Errors: those of Update.
func (j *Journal) Empty(upTo uint64) error {
	if j == nil {
		return nil
	}
	return j.db.Update(func(tx *Tx) error {
		if b := tx.Bucket([]byte(JournalBucket)); b != nil {
			return b.trimJournal(upTo, math.MaxInt)
		}
		return nil
	})
}

// trimJournal removes entries up to a number, the oldest first.
func (b *Bucket) trimJournal(upTo uint64, most int) error {
	var old [][]byte
	c := b.bolt.Cursor()
	for k, _ := c.First(); k != nil && len(old) < most && bytes.Compare(k, journalKey(upTo)) <= 0; k, _ = c.Next() {
		old = append(old, bytes.Clone(k))
	}
	for _, k := range old {
		if err := b.Delete(k); err != nil {
			return err
		}
	}
	return nil
}
