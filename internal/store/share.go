package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"
)

// turnTime bounds the wait for a turn.
const turnTime = 10 * time.Second

// Share makes the file a replica of a log: from now on each Update is a commit of the log, and
// the commits of other replicas come by Pull and Fresh. It is called before anything else is done
// with the file, and first brings it to the state of the log. After ErrAway the file can be read
// as it is; it is empty if it was no replica before.
func (db *DB) Share(ctx context.Context, log Log) error {
	db.log = log
	return db.Pull(ctx)
}

// Shared reports whether the file is a replica of a log.
func (db *DB) Shared() bool { return db != nil && db.log != nil }

// Mark returns the mark of the last commit that the file and its followers have.
func (db *DB) Mark() Mark { return *db.mark.Load() }

// Rebuilt returns how often the file was replaced because the log did not have its mark.
func (db *DB) Rebuilt() int64 { return db.rebuilt.Load() }

// Rebuilding reports whether the file is being replaced by the whole content of the log.
func (db *DB) Rebuilding() bool { return db.rebuilding.Load() }

// Unshare makes a replica, which must not have been given a log, an ordinary file.
func (db *DB) Unshare() error {
	err := db.Update(func(tx *Tx) error {
		tx.changed = true
		return putMark(tx.bolt, Mark{})
	})
	if err == nil {
		db.mark.Store(&Mark{})
	}
	return err
}

// Pull gets the commits that the log has at this moment, and does not follow those that come meanwhile. When the log
// has another history, the file is built again, as when it is damaged. Errors: ErrAway, those of writing the file.
func (db *DB) Pull(ctx context.Context) error {
	for {
		at := db.Mark()
		since, more, err := db.log.Since(ctx, at)
		if err != nil && !errors.Is(err, ErrRewound) || err == nil && len(since) == 0 {
			return err
		}
		taken, err := db.take(ctx, at, since, err)
		if err != nil || taken && !more {
			return err
		}
	}
}

// take applies commits after at, or builds the file again for ErrRewound. The Log was asked without a lock, so an
// Update or another Pull may have come first: when the file has another mark by now, take does nothing and returns
// false.
func (db *DB) take(ctx context.Context, at Mark, since []Commit, why error) (taken bool, err error) {
	db.writing.Lock()
	defer db.writing.Unlock()
	if db.Mark() != at {
		return false, nil
	}
	if why == nil {
		if why = db.writable(); why == nil {
			why = db.apply(since)
		}
	}
	if errors.Is(why, ErrRewound) || errors.Is(why, ErrDamaged) {
		return true, db.building.again(func() error { return db.rebuild(ctx, why) })
	}
	return true, why
}

// turn is Update in a replica. The caller holds db.writing, and has waited for it in ctx.
func (db *DB) turn(ctx context.Context, fn func(*Tx) error) error {
	if ctx.Err() != nil { // it waited too long for db.writing, and nothing is done yet
		return fmt.Errorf("%w: other changes wait for it", ErrAway)
	}
	if err := db.writable(); err != nil {
		return err
	}
	turn, since, err := db.log.Begin(ctx, db.Mark()) // db.writing is held: Pull cannot move the mark
	for errors.Is(err, ErrBehind) {                  // pull without the turn, in which other machines would wait
		if since, _, err = db.log.Since(ctx, db.Mark()); err == nil {
			err = db.apply(since)
		}
		if err == nil {
			turn, since, err = db.log.Begin(ctx, db.Mark())
		}
	}
	if err != nil {
		return err
	}
	defer turn.End()
	if err := db.apply(since); err != nil { // fn must see the commits of all others
		return err
	}
	// The Log has the commit before the file: a commit that this file alone has would be no other replica's, and a
	// crash in between is made up for by Pull. The commit is not bounded by ctx, because its outcome must be known.
	agreed := false
	err = db.commit(fn, func(tx *Tx) (*Mark, error) {
		mark, err := turn.Commit(context.Background(), tx.ops)
		agreed = err == nil
		return &mark, err
	})
	if agreed {
		return nil // all others have it: if this file could not be written, Pull gets it again
	}
	return err
}

// errDiffers is an ErrRewound: commits of others do not fit the content of the file.
var errDiffers = fmt.Errorf("%w: its commits do not fit", ErrRewound)

// apply commits the steps of other replicas. The caller holds db.writing.
func (db *DB) apply(since []Commit) error {
	if len(since) == 0 {
		return nil
	}
	last := since[len(since)-1].Mark
	return db.commit(func(tx *Tx) error {
		tx.shared, tx.changed = false, true // the mark is written even if the steps change nothing
		tx.news = nil                       // journal entries of other nodes arrive as ops
		for _, c := range since {
			for _, op := range c.Ops {
				if err := tx.do(op); err != nil {
					return fmt.Errorf("%s: %w: %w", db.name, errDiffers, err)
				}
			}
		}
		return nil
	}, func(*Tx) (*Mark, error) { return &last, nil })
}

// do repeats a step of another replica.
func (tx *Tx) do(op Op) error {
	if op.Kind == OpDeleted {
		return MarkDeleted(tx)
	}
	if len(op.Path) == 0 {
		return errors.New("a step in no bucket")
	}
	in, err := tx.bucketAt(op.Path[:len(op.Path)-1])
	if err != nil {
		return err
	}
	name := op.Path[len(op.Path)-1]
	switch {
	case op.Kind == OpDrop && in != nil:
		return in.DeleteBucket(name)
	case op.Kind == OpCreate && in != nil:
		_, err := in.CreateBucketIfNotExists(name)
		return err
	case op.Kind == OpCreate:
		_, err := tx.CreateBucketIfNotExists(name)
		return err
	}
	b, err := tx.bucketAt(op.Path)
	if err != nil {
		return err
	}
	switch op.Kind {
	case OpPut:
		return b.Put(op.Key, op.Value)
	case OpDelete:
		return b.Delete(op.Key)
	case OpSequence:
		return b.SetSequence(op.N)
	}
	return fmt.Errorf("a step of kind %d, which this version does not know", op.Kind)
}

// bucketAt returns the bucket at a path, nil for the empty path.
func (tx *Tx) bucketAt(path [][]byte) (b *Bucket, err error) {
	for i, name := range path {
		if i == 0 {
			b = tx.Bucket(name)
		} else {
			b = b.Bucket(name)
		}
		if b == nil {
			return nil, fmt.Errorf("a bucket of %q is missing", path[0])
		}
	}
	return b, nil
}

// rebuild replaces the file by the whole content of the log. why is the problem of the file. The caller
// holds db.writing. Readers go on with the old file until the new one is complete.
func (db *DB) rebuild(ctx context.Context, why error) error {
	info, err := db.current.osFile.Stat()
	if err != nil {
		return failed("build again", db.name, err)
	}
	count := db.Mark() != Mark{} && !errors.Is(why, ErrOld) // a new or absent replica lost nothing
	commits, mark := db.commits.Load()+1, Mark{}
	db.rebuilding.Store(true)
	defer db.rebuilding.Store(false)
	_, after, err := db.swap(info, func(dst *bolt.DB) (err error) {
		c := &copying{dst: dst}
		defer c.abandon()
		mark, err = c.copyLog(ctx, db.log, db.buckets, commits)
		return err
	}, func(next *file) error { return db.followers.reload(next) })
	if after == 0 { // it was not replaced
		return failed("build again", db.name, err)
	}
	db.commits.Store(commits) // also when SyncDir alone failed
	db.mark.Store(&mark)
	if count {
		db.rebuilt.Add(1)
	}
	return nil
}

// Steps calls fn with steps that make the content of the file in an empty one: an OpSequence for
// each bucket, and an OpPut for each record. They are valid until fn returns.
func (tx *Tx) Steps(fn func(Op) error) error {
	return tx.bolt.ForEach(func(stored []byte, b *bolt.Bucket) error {
		name, ok := bytes.CutPrefix(stored, []byte(sealedPrefix))
		if !ok {
			return nil
		}
		return outermostBucket(tx, name, b).steps(fn)
	})
}

func (b *Bucket) steps(fn func(Op) error) error {
	path := b.path()
	if err := fn(Op{Kind: OpSequence, Path: path, N: b.Sequence()}); err != nil {
		return err
	}
	return b.ForEach(func(k, v []byte) error {
		if v == nil {
			return b.Bucket(k).steps(fn)
		}
		return fn(Op{Kind: OpPut, Path: path, Key: k, Value: v})
	})
}
