package access

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/buntdb"
)

// Counts keep the day's requests of each client over a restart. What counts is in
// memory; a Save a second writes what has changed, so that at most a second's worth
// is lost.
type Counts struct {
	db    *buntdb.DB
	saved map[string]uint64 // by client: what was written last
}

// keptFor is how long a day's count is of use, and some.
const keptFor = 48 * time.Hour

const dayKey = "day:" // followed by the client's id; the value is DAY:REQUESTS

// OpenCounts opens the file, and makes it when it is missing. "" keeps the counts
// in memory only. A file that cannot be read is put aside, because the service is
// worth more than a day's counts; aside is then where it lies.
func OpenCounts(path string) (c *Counts, aside string, err error) {
	name := path
	if name == "" {
		name = ":memory:"
	} else if err := makePrivate(name); err != nil {
		return nil, "", fmt.Errorf("open the counts: %w", err)
	}
	db, err := buntdb.Open(name)
	if errors.Is(err, buntdb.ErrInvalid) {
		aside = path + ".damaged"
		if err = os.Rename(path, aside); err != nil {
			return nil, "", err
		}
		db, err = buntdb.Open(name)
	}
	if err != nil {
		return nil, "", fmt.Errorf("open the counts: %w", err)
	}
	// An answer is on disk before it is sent; two writes a second of counts cost
	// nothing.
	if err := db.SetConfig(onDisk(db)); err != nil {
		return nil, "", errors.Join(err, db.Close())
	}
	return &Counts{db: db, saved: map[string]uint64{}}, aside, nil
}

// makePrivate makes a missing file, which buntdb would let everybody read.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func onDisk(db *buntdb.DB) (c buntdb.Config) {
	db.ReadConfig(&c) // fails for a closed one only
	c.SyncPolicy = buntdb.Always
	return c
}

// Answers returns what keeps answers in the same file. It is called once.
func (c *Counts) Answers() *Answers {
	return &Answers{db: c.db, running: map[string]chan struct{}{}}
}

// Restore gives the clients the counts that were saved.
func (c *Counts) Restore(clients *Clients) error {
	t := clients.table.Load()
	return c.db.View(func(tx *buntdb.Tx) error {
		return tx.AscendKeys(dayKey+"*", func(key, value string) bool {
			l, known := t.clients[strings.TrimPrefix(key, dayKey)]
			day, n, _ := strings.Cut(value, ":")
			d, err1 := strconv.ParseUint(day, 10, 32)
			k, err2 := strconv.ParseUint(n, 10, 32)
			if known && err1 == nil && err2 == nil { // what is no count counts nothing
				l.counter.Restore(uint32(d), uint32(k))
				c.saved[l.ID] = join(uint32(d), uint32(k))
			}
			return true
		})
	})
}

// Save writes the counts that have changed since the last time.
func (c *Counts) Save(clients *Clients) error {
	changed := map[string]uint64{}
	for id, l := range clients.table.Load().clients {
		if now := join(l.counter.Day()); now != 0 && now != c.saved[id] {
			changed[id] = now
		}
	}
	if len(changed) == 0 {
		return nil
	}
	err := c.db.Update(func(tx *buntdb.Tx) error {
		for id, word := range changed {
			day, n := split(word)
			if _, _, err := tx.Set(dayKey+id, fmt.Sprintf("%d:%d", day, n), &buntdb.SetOptions{Expires: true, TTL: keptFor}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for id, word := range changed {
		c.saved[id] = word
	}
	return nil
}

// Close saves nothing; it ends the use of the file.
func (c *Counts) Close() error { return c.db.Close() }
