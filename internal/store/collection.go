package store

import (
	"fmt"
	"maps"
	"slices"
	"sync"
)

// A Collection is all records of a bucket, in memory. What it returns must not be changed.
// It is read with the lock that Keep was given, or in an Update of the same file.
type Collection[T any] struct {
	bucket string
	parse  func(key string, value []byte) (*T, error)
	show   func(old, current *T)
	all    map[string]*T
	lost   map[string]error
}

// NewCollection returns an empty collection of a bucket. parse makes the value kept for a
// record. show, which may be nil, is called when a record changes, for indexes over the
// collection: old is nil for a new record, current for a deleted one.
func NewCollection[T any](bucket string, parse func(key string, value []byte) (*T, error),
	show func(old, current *T)) *Collection[T] {
	return &Collection[T]{bucket, parse, show, map[string]*T{}, map[string]error{}}
}

// Get returns a record, nil when it is missing or cannot be used.
func (c *Collection[T]) Get(key string) *T { return c.all[key] }

// All returns the records by key.
func (c *Collection[T]) All() map[string]*T { return c.all }

// Lost says why records are left out, by key: they are damaged, or parse refused them.
func (c *Collection[T]) Lost() map[string]error { return c.lost }

// Problems returns the errors of Lost in the order of the keys.
func (c *Collection[T]) Problems() (list []error) {
	for _, key := range slices.Sorted(maps.Keys(c.lost)) {
		list = append(list, c.lost[key])
	}
	return list
}

// Put stores v as JSON. The collection has it when the transaction is on disk.
func (c *Collection[T]) Put(tx *Tx, key string, v any) error {
	return PutJSON(tx, c.bucket, []byte(key), v)
}

// Delete removes a record, also one that is lost.
func (c *Collection[T]) Delete(tx *Tx, key string) error {
	return tx.Bucket([]byte(c.bucket)).Delete([]byte(key))
}

func (c *Collection[T]) name() string { return c.bucket }

// load brings the collection to the state of a transaction. It changes record by record, so that show keeps its
// indexes: the file may have been opened again in an earlier state.
func (c *Collection[T]) load(tx *Tx) error {
	b := tx.Bucket([]byte(c.bucket))
	for key := range c.all {
		if b == nil || !b.Has([]byte(key)) {
			c.setRecord(key, nil, nil)
		}
	}
	clear(c.lost)
	return EachKey(tx, c.bucket, func(key []byte) error {
		value, err := b.Read(key)
		if err != nil {
			err = fmt.Errorf("%s %.50q: %w", c.bucket, key, err)
		}
		c.setRecord(string(key), value, err)
		return nil
	})
}

// setRecord replaces a record. err is the error of reading it.
func (c *Collection[T]) setRecord(key string, value []byte, err error) {
	old := c.all[key]
	var current *T
	if err == nil && value != nil {
		current, err = c.parse(key, value)
	}
	delete(c.all, key)
	delete(c.lost, key)
	switch {
	case err != nil:
		current, c.lost[key] = nil, err
	case current != nil:
		c.all[key] = current
	}
	if c.show != nil && (old != nil || current != nil) {
		c.show(old, current)
	}
}

// A Collected is a Collection of any type.
type Collected interface {
	name() string
	load(tx *Tx) error
	setRecord(key string, value []byte, err error)
}

// Load fills collections in their order, once.
func Load(tx *Tx, collections ...Collected) error {
	for _, c := range collections {
		if err := c.load(tx); err != nil {
			return err
		}
	}
	return nil
}

// Keep fills collections in their order, and keeps them as the file is. mu is held while
// they change, with the file's own lock: a caller that holds mu must not begin a transaction.
func Keep(db *DB, mu sync.Locker, collections ...Collected) error {
	named, names := map[string]Collected{}, []string{}
	for _, c := range collections {
		named[c.name()], names = c, append(names, c.name())
	}
	return db.Follow(func(tx *Tx) error {
		mu.Lock()
		defer mu.Unlock()
		return Load(tx, collections...)
	}, func(changes []Change) {
		mu.Lock()
		defer mu.Unlock()
		for _, c := range changes {
			named[c.Bucket].setRecord(string(c.Key), c.Value, nil)
		}
	}, names...)
}
