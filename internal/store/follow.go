package store

import (
	"bytes"
	"fmt"
	"slices"
)

// A Change is a record that a commit put or deleted.
type Change struct {
	Bucket     string
	Key, Value []byte // must not be changed; the Value of a deleted record is nil
}

// A follower keeps something in memory as the file is.
type follower struct {
	load    func(*Tx) error
	apply   func([]Change)
	buckets []string
}

// Followers are those of a DB, in the order in which they came. DB.writing guards them, and is held while one of their
// functions runs. The lock of a follower's memory comes after it: nobody who holds that may begin an Update.
type followers []follower

// Follow keeps something in memory as some buckets of the file are. It calls load at once, and
// again when the file was opened again: memory may then be behind the file or ahead of it.
// It calls apply with the records that an Update changed, in the order of its calls, when
// they are on disk and before Update returns. Records of inner buckets are not followed.
//
// One of these functions runs at a time, and none while the function of an Update runs, which
// may therefore read without a lock the memory that they alone write. They must not call Update.
// A nil DB has nothing to follow. Errors: those of load, and of View.
func (db *DB) Follow(load func(*Tx) error, apply func([]Change), buckets ...string) error {
	if db == nil {
		return nil
	}
	db.writing.Lock()
	defer db.writing.Unlock()
	if err := db.explained(db.current, db.current.bolt.View, load); err != nil {
		return err
	}
	db.followers = append(db.followers, follower{load, apply, buckets})
	return nil
}

// reload makes the followers read all of a file.
func (all followers) reload(from *file) error {
	for _, f := range all {
		if err := from.run(from.bolt.View, f.load); err != nil {
			return err
		}
	}
	return nil
}

// publish passes the changes of a commit to the followers.
func (all followers) publish(changes []Change) {
	for _, f := range all {
		var own []Change
		for _, c := range changes {
			if slices.Contains(f.buckets, c.Bucket) {
				own = append(own, c)
			}
		}
		if len(own) > 0 {
			f.apply(own)
		}
	}
}

// followed reports whether a bucket has followers.
func (all followers) followed(bucket []byte) bool {
	return slices.ContainsFunc(all, func(f follower) bool {
		return slices.Contains(f.buckets, string(bucket))
	})
}

// step records a change in the bucket, for followers and for a Log. The value of op must not change later. It is called
// after bolt has made the change, so that a step that failed is in no other replica.
func (b *Bucket) step(op Op) {
	b.tx.changed = true
	if b.followed && (op.Kind == OpPut || op.Kind == OpDelete) {
		b.tx.changes = append(b.tx.changes, Change{string(b.kind), bytes.Clone(op.Key), op.Value})
	}
	if b.tx.shared {
		op.Path, op.Key = b.path(), bytes.Clone(op.Key)
		b.tx.ops = append(b.tx.ops, op)
	}
}

// path returns the names of the buckets down to this one.
func (b *Bucket) path() [][]byte {
	if b == nil {
		return nil
	}
	return append(b.parent.path(), bytes.Clone(b.name))
}

// SetHistory names how the file went from commit to commit: a restore begins another
// history. It is called before the file is used. Without it, or with "", the file has
// another history each time that it is opened.
func (db *DB) SetHistory(name string) {
	if name != "" {
		db.history = name
	}
}

// Version names the content of the file. It changes with every Update that changes the file,
// and is the same after a restart, and in every replica of a Log. A caller that reads it before the file, or before the
// memory of a follower, may answer a request for the same version with "not modified". A nil DB has one version.
func (db *DB) Version() string {
	if db == nil {
		return "0"
	}
	if db.log != nil {
		at := db.Mark()
		return fmt.Sprintf("%s.%d.%x", db.history, at.Seq, at.Nonce[:4])
	}
	version := fmt.Sprint(db.history, ".", db.commits.Load())
	// A commit that failed may have shown its content under the number that the next commit takes.
	if n := db.failedCommits.Load(); n > 0 {
		version += fmt.Sprint("-", n)
	}
	return version
}
