package store

import (
	"encoding/binary"
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// In the first format a record is stored as it was put. In the second each has a sum, the
// buckets have other names, and a bucket of the store says the format and counts the
// commits. Programs that know only the first format find a notice under the old names:
// they cannot read it as a record, and show it in their error.
const (
	format       = 2
	sealedPrefix = "sealed:"      // of the names of buckets
	infoBucket   = "relais:store" // formatKey and commitsKey → 8 bytes and their sum
	formatKey    = "format"
	commitsKey   = "commits"
	markKey      = "mark" // of a replica → Mark
	notice       = " this folder was written by a newer relais: install that version, or restore a backup made by this one"
)

var infoSeed = seedOf(0, []byte(infoBucket))

// putNotice puts the notice where older programs look for a bucket.
func putNotice(tx *bolt.Tx, name []byte) error {
	b, err := tx.CreateBucketIfNotExists(name)
	if err != nil {
		return err
	}
	return b.Put([]byte(notice), nil)
}

// putFormat says the format of a file that has none, and its commits.
func putFormat(tx *bolt.Tx, commits uint64) error {
	b, err := tx.CreateBucket([]byte(infoBucket))
	if err != nil {
		return err
	}
	return errors.Join(putNumber(b, formatKey, format), putNumber(b, commitsKey, commits))
}

// putCommits changes the number of commits.
func putCommits(tx *bolt.Tx, commits uint64) error {
	return putNumber(tx.Bucket([]byte(infoBucket)), commitsKey, commits)
}

func putNumber(b *bolt.Bucket, key string, n uint64) error {
	return b.Put([]byte(key), seal(infoSeed, []byte(key), binary.BigEndian.AppendUint64(nil, n)))
}

func getNumber(b *bolt.Bucket, key string) (uint64, error) {
	v, ok := unseal(infoSeed, []byte(key), b.Get([]byte(key)))
	if !ok || len(v) != 8 {
		return 0, fmt.Errorf("its %s cannot be read", key)
	}
	return binary.BigEndian.Uint64(v), nil
}

// putMark changes the mark of a replica.
func putMark(tx *bolt.Tx, m Mark) error {
	v := append(binary.BigEndian.AppendUint64(nil, m.Seq), m.Nonce[:]...)
	return tx.Bucket([]byte(infoBucket)).Put([]byte(markKey), seal(infoSeed, []byte(markKey), v))
}

// getMark returns the zero Mark for a file that is not a replica.
func getMark(b *bolt.Bucket) (m Mark, err error) {
	stored := b.Get([]byte(markKey))
	if stored == nil {
		return m, nil
	}
	v, ok := unseal(infoSeed, []byte(markKey), stored)
	if !ok || len(v) != 8+len(m.Nonce) {
		return m, errors.New("its mark cannot be read")
	}
	return Mark{binary.BigEndian.Uint64(v), [16]byte(v[8:])}, nil
}

// readFormat reads the format, the commits and the mark. Errors: errNewer, ErrDamaged.
func (f *file) readFormat(name string) error {
	return f.bolt.View(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte(infoBucket))
		if b == nil {
			if k, _ := tx.Cursor().Seek([]byte(sealedPrefix)); len(k) >= len(sealedPrefix) &&
				string(k[:len(sealedPrefix)]) == sealedPrefix {
				return damaged(name, errors.New("its format is not stated"))
			}
			return nil
		}
		n, err := getNumber(b, formatKey)
		if err != nil {
			return damaged(name, err)
		}
		if n > format {
			return errNewer
		}
		if f.commits, err = getNumber(b, commitsKey); err != nil {
			return damaged(name, err)
		}
		f.sealed = true
		if f.mark, err = getMark(b); err != nil {
			return damaged(name, err)
		}
		return nil
	})
}

// seal replaces a file of the first format by one of the second, as Compact does: a
// process that is killed leaves the one or the other. The caller holds db.writing.
func (db *DB) seal() error {
	if db.current.sealed {
		return nil
	}
	err := db.sealing.again(func() error {
		_, _, err := db.rewrite(db.sealTo)
		return err
	})
	if db.current.sealed { // also when only the name could not be made to last
		return nil
	}
	return failed("bring to the format of this version", db.name, err)
}

// sealTo copies everything into an empty file, with sums.
func (db *DB) sealTo(dst *bolt.DB) error {
	return guard(db.name, func() error {
		return db.current.bolt.View(func(from *bolt.Tx) error {
			c := &copying{dst: dst}
			defer c.abandon()
			return c.copyAll(from)
		})
	})
}

// A copying fills a file with the records of another, in transactions of some size.
type copying struct {
	dst  *bolt.DB
	tx   *bolt.Tx
	size int // of what was put in tx, in bytes
}

// abandon ends a copy that did not end, also after a panic: dst could not be closed else.
func (c *copying) abandon() {
	if c.tx != nil {
		c.tx.Rollback()
	}
}

func (c *copying) copyAll(from *bolt.Tx) (err error) {
	if c.tx, err = c.dst.Begin(true); err != nil {
		return err
	}
	if err := putFormat(c.tx, 0); err != nil {
		return err
	}
	err = from.ForEach(func(name []byte, b *bolt.Bucket) error {
		if string(name) == deletedBucket {
			_, err := c.tx.CreateBucket(name)
			return err
		}
		if err := putNotice(c.tx, name); err != nil {
			return err
		}
		return c.bucket([][]byte{append([]byte(sealedPrefix), name...)}, seedOf(0, name), b)
	})
	if err != nil {
		return err
	}
	tx := c.tx
	c.tx = nil
	return tx.Commit()
}

// bucket copies a bucket to where the path leads.
func (c *copying) bucket(path [][]byte, seed uint64, from *bolt.Bucket) error {
	to, err := c.bucketAt(path)
	if err != nil {
		return err
	}
	if err := to.SetSequence(from.Sequence()); err != nil {
		return err
	}
	return from.ForEach(func(k, v []byte) error {
		if v == nil {
			inner := append(path[:len(path):len(path)], k)
			err := c.bucket(inner, seedOf(seed, k), from.Bucket(k))
			if err == nil {
				to, err = c.bucketAt(path) // the transaction may be another
			}
			return err
		}
		if c.size += len(k) + len(v); c.size > copied {
			if err := c.next(); err != nil {
				return err
			}
			if to, err = c.bucketAt(path); err != nil {
				return err
			}
		}
		return to.Put(k, seal(seed, k, v))
	})
}

// copied is how many bytes are copied in a transaction.
const copied = 1 << 20

func (c *copying) next() (err error) {
	tx := c.tx
	c.tx = nil
	if err := tx.Commit(); err != nil {
		return err
	}
	c.size = 0
	c.tx, err = c.dst.Begin(true)
	return err
}

// bucketAt returns the bucket at a path, and makes it when it is missing.
func (c *copying) bucketAt(path [][]byte) (*bolt.Bucket, error) {
	b, err := c.tx.CreateBucketIfNotExists(path[0])
	for _, name := range path[1:] {
		if err == nil {
			b, err = b.CreateBucketIfNotExists(name)
		}
	}
	if err == nil {
		b.FillPercent = 0.9 // the keys come in order
	}
	return b, err
}
