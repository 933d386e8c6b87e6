package store

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// A Tx is a transaction of View or Update. A record that differs from the one that
// was stored is damaged: the read returns nil, and the transaction ends with ErrDamaged
// whatever its function returns, unless LeaveOut was called.
type Tx struct {
	bolt     *bolt.Tx
	name     string      // of the file, for errors
	damage   error       // the first damaged record, unless there is onDamage
	onDamage func(error) // see LeaveOut
	changed  bool
	db       *DB      // of an Update
	changes  []Change // of buckets that are followed
	shared   bool     // steps are kept for a Log
	ops      []Op
	news     map[string]News // of the journal, by bucket
}

// LeaveOut makes this transaction go on without the damaged records that it meets, and
// calls f with the error of each.
func (tx *Tx) LeaveOut(f func(error)) { tx.onDamage = f }

// note reports a damaged record to LeaveOut, or keeps the first as the error of the transaction.
func (tx *Tx) note(err error) {
	switch {
	case err == nil:
	case tx.onDamage != nil:
		tx.onDamage(err)
	case tx.damage == nil:
		tx.damage = err
	}
}

// Value returns the value of a key in a bucket of the file, nil if it is missing. It is valid until the
// end of the transaction.
func (tx *Tx) Value(bucket string, key []byte) []byte {
	b := tx.Bucket([]byte(bucket))
	if b == nil || len(key) == 0 {
		return nil
	}
	return b.Get(key)
}

// Bucket returns a bucket of the file, nil when it is missing.
func (tx *Tx) Bucket(name []byte) *Bucket {
	return tx.outermost(name, tx.bolt.Bucket(stored(name)))
}

// outermost returns nil for a nil b.
func (tx *Tx) outermost(name []byte, b *bolt.Bucket) *Bucket {
	in := outermostBucket(tx, name, b)
	if in != nil && tx.db != nil {
		in.followed = tx.db.followers.followed(name)
	}
	return in
}

// stored returns the name of a bucket in the file.
func stored(name []byte) []byte { return append([]byte(sealedPrefix), name...) }

// CreateBucketIfNotExists returns a bucket, and makes it when it is missing.
func (tx *Tx) CreateBucketIfNotExists(name []byte) (*Bucket, error) {
	if b := tx.Bucket(name); b != nil {
		return b, nil
	}
	if len(name) == 0 {
		return nil, fmt.Errorf("a bucket needs a name")
	}
	made, err := tx.bolt.CreateBucket(stored(name))
	if err != nil {
		return nil, err
	}
	b := tx.outermost(name, made)
	b.step(Op{Kind: OpCreate})
	return b, nil
}

// Size returns the size of the file in bytes as this transaction sees it.
func (tx *Tx) Size() int64 { return tx.bolt.Size() }

// WriteTo writes the whole file, Size bytes.
func (tx *Tx) WriteTo(w io.Writer) (int64, error) { return tx.bolt.WriteTo(w) }

// PutJSON stores a value in a bucket as JSON.
func PutJSON(tx *Tx, bucket string, key []byte, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return tx.Bucket([]byte(bucket)).Put(key, text)
}

// Each calls fn with every key and value of a bucket, and ends with its first error. A
// bucket that is missing has none.
func Each(tx *Tx, bucket string, fn func(k, v []byte) error) error {
	if b := tx.Bucket([]byte(bucket)); b != nil {
		return b.ForEach(fn)
	}
	return nil
}

// EachKey is Each without the values, which are not read: also the keys of damaged
// records come.
func EachKey(tx *Tx, bucket string, fn func(k []byte) error) error {
	if b := tx.Bucket([]byte(bucket)); b != nil {
		return b.forEachKey(fn)
	}
	return nil
}

// IDs returns the ids in a bucket, as id writes keys, that begin with a text. Values are not read.
func IDs(tx *Tx, bucket, begin string, id func(k []byte) string) (list []string, err error) {
	err = EachKey(tx, bucket, func(k []byte) error {
		if text := id(k); strings.HasPrefix(text, begin) {
			list = append(list, text)
		}
		return nil
	})
	return list, err
}
