package store

import (
	"context"
	"errors"
	"fmt"
)

var (
	// ErrAway says that the Log, which other machines share, cannot be reached: reads go on.
	ErrAway = errors.New("the cluster's database cannot be reached at the moment")
	// ErrUnknown says that it is unknown whether an Update was done.
	ErrUnknown = errors.New("the cluster's database did not say whether the change was done")
	// ErrBehind says that a replica lacks more than may be read while others wait for the turn.
	ErrBehind = errors.New("the replica is behind the cluster's database")
	// ErrRewound says that this file cannot go on from its last commit, because the Log does not have
	// it: the Log was restored, or lost commits.
	ErrRewound = errors.New("the cluster's database does not have what this replica has")
	// ErrOld is an ErrRewound: the Log no longer has such old commits.
	ErrOld = fmt.Errorf("%w: the replica is too old", ErrRewound)
)

// A Log has the commits of several copies of a file, in one order. A DB that was given one
// by Share is a replica.
type Log interface {
	// Begin waits until no other replica is in a turn, and returns the commits after at. The turn
	// must be ended. Errors: ErrAway, ErrRewound; ErrBehind if they are many, which Since returns.
	Begin(ctx context.Context, at Mark) (Turn, []Commit, error)
	// Since returns the next commits after at, in their order, none if at is the last, and whether
	// there were more. Errors: ErrAway, ErrRewound.
	Since(ctx context.Context, at Mark) (commits []Commit, more bool, err error)
	// All calls put with operations that make the whole content in an empty file, and returns
	// its mark. Errors: ErrAway, those of put.
	All(ctx context.Context, put func(Op) error) (Mark, error)
}

// A Turn is the right to add the next commit.
type Turn interface {
	// Commit adds a commit and returns its mark. The other replicas have it soon. Errors: ErrAway
	// if it was not added, ErrUnknown.
	Commit(ctx context.Context, ops []Op) (Mark, error)
	// End gives the turn back. After Commit it does nothing.
	End()
}

// A Mark names the state of a file after a commit of a Log. A file that never was a replica has the zero
// Mark.
type Mark struct {
	Seq   uint64   // number of the commit, from 1
	Nonce [16]byte // random: another history has other ones
}

// A Commit is one of a Log.
type Commit struct {
	Mark
	Ops []Op
}

// An Op is a step of a commit. The steps of a commit, in their order, make the same change in
// every replica.
type Op struct {
	Kind  OpKind
	Path  [][]byte // names of the buckets in which it happens, the outermost first
	Key   []byte   // of a record, or the name of a bucket
	Value []byte   // of OpPut
	N     uint64   // of OpSequence
}

// An OpKind says what an Op does.
type OpKind byte

// Kinds of Op. The numbers are stored.
const (
	OpPut      OpKind = 1 // sets the record Key in Path to Value
	OpDelete   OpKind = 2 // deletes the record Key in Path
	OpCreate   OpKind = 3 // makes the bucket Path
	OpDrop     OpKind = 4 // deletes the bucket Path with all that it holds
	OpSequence OpKind = 5 // sets the sequence of the bucket Path to N
	OpDeleted  OpKind = 6 // is MarkDeleted
)
