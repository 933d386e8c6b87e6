package store

import (
	bolt "go.etcd.io/bbolt"
)

// A Bucket holds records and buckets by key. Keys and values are valid until the
// transaction ends and must not be changed.
type Bucket struct {
	bolt   *bolt.Bucket
	tx     *Tx
	parent *Bucket // nil for an outermost one
	name   []byte
	kind   []byte // the name of the outermost bucket, for errors: inner buckets may be named after people
	seed   uint64 // of the sums of its records
	// followed says that its changes are recorded.
	followed bool
}

// outermostBucket returns nil for a nil b.
func outermostBucket(tx *Tx, name []byte, b *bolt.Bucket) *Bucket {
	if b == nil {
		return nil
	}
	return &Bucket{bolt: b, tx: tx, name: name, kind: name, seed: seedOf(0, name)}
}

// inner returns nil for a nil inner.
func (b *Bucket) inner(name []byte, inner *bolt.Bucket) *Bucket {
	if inner == nil {
		return nil
	}
	return &Bucket{bolt: inner, tx: b.tx, parent: b, name: name, kind: b.kind, seed: seedOf(b.seed, name)}
}

// Bucket returns a bucket of this one, nil when it is missing.
func (b *Bucket) Bucket(name []byte) *Bucket { return b.inner(name, b.bolt.Bucket(name)) }

// CreateBucket makes a bucket in this one. It fails when the bucket exists.
func (b *Bucket) CreateBucket(name []byte) (*Bucket, error) {
	made, err := b.bolt.CreateBucket(name)
	if err != nil {
		return nil, err
	}
	c := b.inner(name, made)
	c.step(Op{Kind: OpCreate})
	return c, nil
}

// CreateBucketIfNotExists returns a bucket of this one, and makes it when it is missing.
func (b *Bucket) CreateBucketIfNotExists(name []byte) (*Bucket, error) {
	if made := b.Bucket(name); made != nil {
		return made, nil
	}
	return b.CreateBucket(name)
}

// DeleteBucket deletes a bucket of this one with all that it holds.
func (b *Bucket) DeleteBucket(name []byte) error {
	c := b.Bucket(name)
	if err := b.bolt.DeleteBucket(name); err != nil {
		return err
	}
	if c != nil {
		c.step(Op{Kind: OpDrop})
	}
	return nil
}

// Get returns the value of a key, nil when the key is missing or its record is damaged.
func (b *Bucket) Get(key []byte) []byte {
	v, err := b.Read(key)
	b.tx.note(err)
	return v
}

// Read returns the value of a key, nil when the key is missing. The transaction goes on
// after its error, ErrDamaged.
func (b *Bucket) Read(key []byte) ([]byte, error) { return b.open(key, b.bolt.Get(key)) }

// Has reports whether there is a value for a key, damaged or not.
func (b *Bucket) Has(key []byte) bool { return b.bolt.Get(key) != nil }

// Put stores a value.
func (b *Bucket) Put(key, value []byte) error {
	news := b.newsOf(key, value) // before the old value is replaced
	sealed := b.sealed(key, value)
	if err := b.bolt.Put(key, sealed); err != nil {
		return err
	}
	b.step(Op{Kind: OpPut, Key: key, Value: sealed[:len(value):len(value)]})
	if news != nil {
		return b.tx.addToJournal(news)
	}
	return nil
}

// Delete removes a value. It may be missing: then it is not a change, which would be written and sent to others.
func (b *Bucket) Delete(key []byte) error {
	if !b.Has(key) {
		return nil
	}
	if err := b.bolt.Delete(key); err != nil {
		return err
	}
	b.step(Op{Kind: OpDelete, Key: key})
	return nil
}

// Sequence returns the number that the bucket has in addition to its records, 0 at first.
func (b *Bucket) Sequence() uint64 { return b.bolt.Sequence() }

// SetSequence changes the number that the bucket has in addition to its records.
func (b *Bucket) SetSequence(n uint64) error {
	if err := b.bolt.SetSequence(n); err != nil {
		return err
	}
	b.step(Op{Kind: OpSequence, N: n})
	return nil
}

// NextSequence adds one to the number that the bucket has in addition to its records.
func (b *Bucket) NextSequence() (uint64, error) {
	n := b.Sequence() + 1
	return n, b.SetSequence(n)
}

// ForEach calls fn with every key and value in the order of the keys, and ends with its
// first error. The value of a bucket is nil.
func (b *Bucket) ForEach(fn func(k, v []byte) error) error {
	c := b.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if err := fn(k, v); err != nil {
			return err
		}
	}
	return nil
}

// forEachKey calls fn with every key, also of damaged records and of buckets.
func (b *Bucket) forEachKey(fn func(k []byte) error) error {
	return b.bolt.ForEach(func(k, _ []byte) error { return fn(k) })
}

// ForEachBucket calls fn with the name of every bucket in this one.
func (b *Bucket) ForEachBucket(fn func(name []byte) error) error { return b.bolt.ForEachBucket(fn) }

// Cursor returns a cursor over the records, which steps over damaged ones.
func (b *Bucket) Cursor() *Cursor { return &Cursor{b.bolt.Cursor(), b} }

// A Cursor goes through the records of a bucket in the order of the keys. Its methods
// return nil after the last.
type Cursor struct {
	bolt   *bolt.Cursor
	bucket *Bucket
}

// First goes to the first record.
func (c *Cursor) First() (k, v []byte) {
	k, v = c.bolt.First()
	return c.sound(k, v, c.bolt.Next)
}

// Last goes to the last record.
func (c *Cursor) Last() (k, v []byte) {
	k, v = c.bolt.Last()
	return c.sound(k, v, c.bolt.Prev)
}

// Next goes to the record after this one.
func (c *Cursor) Next() (k, v []byte) {
	k, v = c.bolt.Next()
	return c.sound(k, v, c.bolt.Next)
}

// Prev goes to the record before this one.
func (c *Cursor) Prev() (k, v []byte) {
	k, v = c.bolt.Prev()
	return c.sound(k, v, c.bolt.Prev)
}

// Seek goes to the first record whose key is key or after it.
func (c *Cursor) Seek(key []byte) (k, v []byte) {
	k, v = c.bolt.Seek(key)
	return c.sound(k, v, c.bolt.Next)
}

// sound goes on from a record until there is one that is not damaged.
func (c *Cursor) sound(k, v []byte, step func() (k, v []byte)) ([]byte, []byte) {
	for k != nil && v != nil {
		plain, err := c.bucket.open(k, v)
		if err == nil {
			return k, plain
		}
		c.bucket.tx.note(err)
		k, v = step()
	}
	return k, v
}
