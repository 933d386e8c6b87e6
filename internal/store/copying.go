package store

import (
	"context"
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// A copying fills an empty file with the records of a log, in transactions of some size.
type copying struct {
	dst  *bolt.DB
	tx   *bolt.Tx
	size int // bytes that were put in tx
}

// abandon ends a copy that did not end, also after a panic: dst could not be closed else.
func (c *copying) abandon() {
	if c.tx != nil {
		c.tx.Rollback()
	}
}

// copyLog fills a file with the content of a log. The mark comes last: the file is thrown away if the copy fails.
func (c *copying) copyLog(ctx context.Context, log Log, buckets []string, commits uint64) (mark Mark, err error) {
	if c.tx, err = c.dst.Begin(true); err != nil {
		return mark, err
	}
	if err := putFormat(c.tx, commits); err != nil {
		return mark, err
	}
	for _, name := range buckets {
		if err := c.do(Op{Kind: OpCreate, Path: [][]byte{[]byte(name)}}); err != nil {
			return mark, err
		}
	}
	if mark, err = log.All(ctx, c.do); err != nil {
		return mark, err
	}
	if err := putMark(c.tx, mark); err != nil {
		return mark, err
	}
	tx := c.tx
	c.tx = nil
	return mark, tx.Commit()
}

// do repeats a step of an empty file, which is an OpCreate, OpPut or OpSequence.
func (c *copying) do(op Op) error {
	if len(op.Path) == 0 {
		return errors.New("a step in no bucket")
	}
	path, seed := [][]byte{stored(op.Path[0])}, seedOf(0, op.Path[0])
	for _, name := range op.Path[1:] {
		path, seed = append(path, name), seedOf(seed, name)
	}
	if c.size += len(op.Key) + len(op.Value); c.size > copied {
		if err := c.next(); err != nil {
			return err
		}
	}
	b, err := c.bucketAt(path)
	if err != nil {
		return err
	}
	switch op.Kind {
	case OpCreate:
		return nil
	case OpPut:
		return b.Put(op.Key, seal(seed, op.Key, op.Value))
	case OpSequence:
		return b.SetSequence(op.N)
	}
	return fmt.Errorf("a step of kind %d", op.Kind)
}

// copied is how many bytes are copied in a transaction, which bolt keeps in memory.
const copied = 1 << 20

// next commits the transaction and begins another one.
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
