package store

import (
	"encoding/binary"
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// Each record has a sum. The buckets have a prefix, and a bucket of the store says the format and
// counts the commits.
const (
	format       = 2
	sealedPrefix = "sealed:"      // of the names of buckets
	infoBucket   = "relais:store" // formatKey and commitsKey → 8 bytes and their sum
	formatKey    = "format"
	commitsKey   = "commits"
	markKey      = "mark" // of a replica → Mark
)

var infoSeed = seedOf(0, []byte(infoBucket))

// putFormat writes the format and the commits of a new file.
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

// readFormat reads the format, the commits and the mark. Errors: errNewer, errOlder, ErrDamaged.
func (f *file) readFormat() error {
	return f.bolt.View(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte(infoBucket))
		if b == nil {
			if k, _ := tx.Cursor().Seek([]byte(sealedPrefix)); len(k) >= len(sealedPrefix) &&
				string(k[:len(sealedPrefix)]) == sealedPrefix {
				return damaged(f.name, errors.New("its format is not stated"))
			}
			return errOlder
		}
		n, err := getNumber(b, formatKey)
		switch {
		case err != nil:
			return damaged(f.name, err)
		case n > format:
			return errNewer
		case n < format:
			return errOlder
		}
		if f.commits, err = getNumber(b, commitsKey); err != nil {
			return damaged(f.name, err)
		}
		if f.mark, err = getMark(b); err != nil {
			return damaged(f.name, err)
		}
		return nil
	})
}
