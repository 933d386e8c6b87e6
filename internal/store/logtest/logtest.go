// Package logtest has a log in memory, by which tests make several replicas of a file.
package logtest

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"relais/internal/store"
)

// A Log is a store.Log in memory. Its first commit is empty.
type Log struct {
	Asked, Turns atomic.Int64 // calls of Since, also by Begin, and of Begin

	turn sync.Mutex // held during a turn

	mu      sync.Mutex
	away    bool
	lose    bool // the answer to the next commit
	commits []store.Commit
}

// New returns a log with an empty commit.
func New() *Log {
	l := &Log{}
	l.add(nil)
	return l
}

// SetAway makes every call fail with store.ErrAway, or work again.
func (l *Log) SetAway(away bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away = away
}

// LoseAnswer makes the next commit be done and fail with store.ErrUnknown.
func (l *Log) LoseAnswer() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lose = true
}

// Rewind takes the last n commits back.
func (l *Log) Rewind(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.commits = l.commits[:len(l.commits)-n]
}

// Commits returns the number of commits.
func (l *Log) Commits() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.commits)
}

func (l *Log) add(ops []store.Op) store.Mark {
	m := store.Mark{Seq: uint64(len(l.commits)) + 1}
	rand.Read(m.Nonce[:])
	l.commits = append(l.commits, store.Commit{Mark: m, Ops: ops})
	return m
}

// Begin is that of store.Log.
func (l *Log) Begin(ctx context.Context, at store.Mark) (store.Turn, []store.Commit, error) {
	l.Turns.Add(1)
	l.turn.Lock()
	since, _, err := l.Since(ctx, at)
	if err != nil {
		l.turn.Unlock()
		return nil, nil, err
	}
	return &turn{l, sync.OnceFunc(l.turn.Unlock)}, since, nil
}

// Since is that of store.Log.
func (l *Log) Since(_ context.Context, at store.Mark) ([]store.Commit, bool, error) {
	l.Asked.Add(1)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.away {
		return nil, false, store.ErrAway
	}
	i := int(at.Seq)
	if i == 0 || i > len(l.commits) || l.commits[i-1].Mark != at {
		return nil, false, store.ErrRewound
	}
	return slices.Clone(l.commits[i:]), false, nil
}

// All is that of store.Log. It repeats all commits, and so knows nothing that a Log must compute.
func (l *Log) All(_ context.Context, put func(store.Op) error) (store.Mark, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.away {
		return store.Mark{}, store.ErrAway
	}
	for _, op := range l.content() {
		if err := put(op); err != nil {
			return store.Mark{}, err
		}
	}
	return l.commits[len(l.commits)-1].Mark, nil
}

// A place is a bucket, or a record in one.
type place struct {
	path [][]byte
	key  []byte // nil for the bucket
}

func (p place) text() string { return fmt.Sprintf("%q %q %v", p.path, p.key, p.key == nil) }

// content returns the steps that make what the commits made, found with maps.
func (l *Log) content() (ops []store.Op) {
	all := map[string]store.Op{}
	var order []string // buckets come before what is in them
	set := func(p place, op store.Op) {
		if _, ok := all[p.text()]; !ok {
			order = append(order, p.text())
		}
		all[p.text()] = op
	}
	remove := func(name string) {
		delete(all, name)
		order = slices.DeleteFunc(order, func(n string) bool { return n == name })
	}
	for _, c := range l.commits {
		for _, op := range c.Ops {
			switch op.Kind {
			case store.OpPut:
				set(place{op.Path, append([]byte{}, op.Key...)}, op)
			case store.OpDelete:
				remove(place{op.Path, append([]byte{}, op.Key...)}.text())
			case store.OpCreate:
				set(place{op.Path, nil}, op)
			case store.OpSequence:
				set(place{append(op.Path[:len(op.Path):len(op.Path)], []byte("\x00sequence")), nil}, op)
			case store.OpDrop:
				for name, at := range all {
					if len(at.Path) >= len(op.Path) &&
						slices.EqualFunc(at.Path[:len(op.Path)], op.Path, bytes.Equal) {
						remove(name)
					}
				}
			}
		}
	}
	for _, name := range order {
		ops = append(ops, all[name])
	}
	return ops
}

type turn struct {
	log *Log
	end func()
}

func (t *turn) Commit(_ context.Context, ops []store.Op) (store.Mark, error) {
	defer t.End()
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	if t.log.away {
		return store.Mark{}, store.ErrAway
	}
	m := t.log.add(slices.Clone(ops))
	if t.log.lose {
		t.log.lose = false
		return store.Mark{}, store.ErrUnknown
	}
	return m, nil
}

func (t *turn) End() { t.end() }
