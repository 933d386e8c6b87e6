package access

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/buntdb"
)

// Counts keep the day's requests of each client over a restart. The counts are in
// memory; with a Save every second, a crash loses a second's worth at most.
type Counts struct {
	db     *buntdb.DB
	path   string            // "" in memory
	mu     sync.Mutex        // of what follows, and so that no Save brings back what Forget removed
	saved  map[string]uint64 // by client: what was written last
	shrunk int64             // bytes of the file after the last rewrite
}

// leastShrunk is the size in bytes from which on the file is rewritten without being asked.
const leastShrunk = 16 << 20

// keptFor is how long a day's count is kept: a little longer than it is of use.
const keptFor = 48 * time.Hour

const dayKey = "day:" // followed by the client's id; the value is DAY:UNITS/20

// writeCount writes a day's count.
func writeCount(word uint64) string {
	day, units := split(word)
	return fmt.Sprintf("%d:%d/%d", day, units, Whole)
}

// readCount reads a day's count, false when it is invalid.
func readCount(text string) (day uint32, units uint64, ok bool) {
	first, rest, _ := strings.Cut(text, ":")
	count, unit, _ := strings.Cut(rest, "/")
	d, err1 := strconv.ParseUint(first, 10, 32)
	n, err2 := strconv.ParseUint(count, 10, unitBits)
	return uint32(d), n, err1 == nil && err2 == nil && unit == strconv.Itoa(Whole)
}

// OpenCounts opens the file, and makes a missing one. With "", counts are in memory only. A tail
// that a power cut left unfinished is cut off. A damaged file is repaired as far as it can be read,
// because the service is worth more than a day's counts; aside is then the path of the damaged
// file.
func OpenCounts(path string) (c *Counts, aside string, err error) {
	name := ":memory:"
	if path != "" {
		if aside, err = prepareCounts(path); err != nil {
			return nil, "", err
		}
		name = path
	}
	db, err := buntdb.Open(name)
	if err != nil {
		return nil, "", fmt.Errorf("open the counts: %w", err)
	}
	if err := db.SetConfig(configOf(db)); err != nil {
		return nil, "", errors.Join(err, db.Close())
	}
	return &Counts{db: db, path: path, saved: map[string]uint64{}}, aside, nil
}

// prepareCounts makes the file one that buntdb can open and that only its owner can read.
func prepareCounts(path string) (aside string, err error) {
	os.Remove(path + ".tmp") // of a Compact that was killed; it fails where nothing can be written
	if c, err := ReadCounts(path); err == nil {
		if aside, err = c.repair(path); err != nil {
			return "", fmt.Errorf("mend the counts: %w", err)
		}
	}
	return aside, makePrivate(path)
}

// makePrivate makes a missing file, and takes the rights to read it from everyone except its owner.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("open the counts: %w", err)
	}
	return errors.Join(f.Chmod(0o600), f.Close())
}

func configOf(db *buntdb.DB) (c buntdb.Config) {
	db.ReadConfig(&c)           // fails for a closed one only
	c.SyncPolicy = buntdb.Never // it would hold up who saves; see Sync and Answers
	c.AutoShrinkDisabled = true // its panics would end the process; shrink turns them into errors
	return c
}

// Answers returns the answers that the same file keeps. It is called once.
func (c *Counts) Answers() Answers {
	return &fileAnswers{db: c.db, path: c.path, sync: syncFile, running: map[string]chan struct{}{}}
}

// Restore gives the clients the counts that were saved, and removes those of
// deleted clients: a process may be killed between Delete and Forget.
func (c *Counts) Restore(clients *Clients) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := clients.table.Load()
	var gone []string
	return c.db.Update(func(tx *buntdb.Tx) error {
		err := tx.AscendKeys(dayKey+"*", func(key, value string) bool {
			l, known := t.clients[strings.TrimPrefix(key, dayKey)]
			day, units, ok := readCount(value)
			switch {
			case !known:
				gone = append(gone, key)
			case ok: // an invalid count is left out
				l.counter.restore(day, units) // a day to come counts for nothing, see current
				c.saved[l.ID] = join(day, units)
			}
			return true
		})
		return errors.Join(err, remove(tx, gone))
	})
}

// Save writes the counts that have changed since the last time.
func (c *Counts) Save(clients *Clients) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	changed := map[string]uint64{}
	for id, l := range clients.table.Load().clients {
		if now := join(l.counter.today()); now != 0 && now != c.saved[id] {
			changed[id] = now
		}
	}
	if len(changed) == 0 {
		return nil
	}
	err := c.db.Update(func(tx *buntdb.Tx) error {
		for id, word := range changed {
			if _, _, err := tx.Set(dayKey+id, writeCount(word),
				&buntdb.SetOptions{Expires: true, TTL: keptFor}); err != nil {
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
	return c.shrinkLarge()
}

// Sync puts on disk what was saved, so that it survives a power cut. Save does not wait for it.
func (c *Counts) Sync() error {
	if c.path == "" {
		return nil
	}
	return syncFile(c.path)
}

// shrinkLarge rewrites the file when it has grown to several times its live content.
func (c *Counts) shrinkLarge() error {
	if c.path == "" {
		return nil
	}
	now, err := os.Stat(c.path)
	if err != nil || now.Size() < max(leastShrunk, 4*c.shrunk) {
		return err
	}
	return c.shrink()
}

// Forget removes the counts of a deleted client and the answers that are kept for it. The next
// Compact removes their last traces from the file.
func (c *Counts) Forget(id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.saved, id)
	return c.db.Update(func(tx *buntdb.Tx) error {
		gone := []string{dayKey + id}
		err := tx.AscendKeys(answerKey+id+":*", func(key, _ string) bool {
			gone = append(gone, key)
			return true
		})
		return errors.Join(err, remove(tx, gone))
	})
}

// ForgetAnswers removes the kept answers that contain a text, such as the id of a deleted photo.
func (c *Counts) ForgetAnswers(text string) error {
	return c.db.Update(func(tx *buntdb.Tx) error {
		var gone []string
		err := tx.AscendKeys(answerKey+"*", func(key, value string) bool {
			if strings.Contains(value, text) {
				gone = append(gone, key)
			}
			return true
		})
		return errors.Join(err, remove(tx, gone))
	})
}

// remove removes keys; missing ones are ignored.
func remove(tx *buntdb.Tx, keys []string) error {
	for _, key := range keys {
		if _, err := tx.Delete(key); err != nil && !errors.Is(err, buntdb.ErrNotFound) {
			return err
		}
	}
	return nil
}

// Compact rewrites the file with the current counts. It returns the sizes in bytes before and
// after, 0 if counts are in memory. It takes a quarter of a second: requests are counted meanwhile,
// and no counts are saved.
func (c *Counts) Compact() (before, after int64, err error) {
	if c.path == "" {
		return 0, 0, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	old, err := os.Stat(c.path)
	if err != nil {
		return 0, 0, err
	}
	if err := c.shrink(); err != nil {
		return 0, 0, err
	}
	return old.Size(), c.shrunk, nil
}

// shrink rewrites the file. buntdb panics if the new file cannot be renamed or opened: shrink
// returns that as an error, and counts are then kept in memory only.
func (c *Counts) shrink() (err error) {
	if err := makePrivate(c.path + ".tmp"); err != nil { // buntdb would let everybody read it
		return err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("compact the counts: %v", p)
		}
	}()
	if err := c.db.Shrink(); err != nil {
		return fmt.Errorf("compact the counts: %w", err)
	}
	now, err := os.Stat(c.path)
	if err != nil {
		return err
	}
	c.shrunk = now.Size()
	return nil
}

// Close closes the file. It saves nothing.
func (c *Counts) Close() error {
	c.mu.Lock() // a Compact that runs would leave half a file
	defer c.mu.Unlock()
	return c.db.Close()
}
