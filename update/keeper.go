package update

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"relais/folder"
	"relais/market"
)

// A Keeper keeps a folder's data fresh while it is served.
type Keeper struct {
	Options
	Every time.Duration
	Log   *slog.Logger
	mu    sync.Mutex
	is    KeeperState
}

// A KeeperState says how the updates of a folder are.
type KeeperState struct {
	Running  bool
	Last     time.Time // when the last run ended; zero before
	Next     time.Time // when the next begins
	Problems map[market.Code]string
	Success  map[market.Code]time.Time // when a run last found a market's files or found them unchanged
	Failures map[market.Code]int
}

// Writable tells whether updates can be kept in the folder.
func Writable(dir folder.Dir) error {
	lock, err := lock(dir)
	if _, runs := errors.AsType[*RunningError](err); runs {
		return nil // by somebody who can write here
	}
	if err != nil {
		return err
	}
	return lock.Unlock()
}

// State says how the updates are.
func (k *Keeper) State() KeeperState {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.is
	s.Problems, s.Success, s.Failures = maps.Clone(s.Problems), maps.Clone(s.Success), maps.Clone(s.Failures)
	return s
}

func (k *Keeper) change(f func(s *KeeperState)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f(&k.is)
}

// Run updates time and again until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	k.change(func(s *KeeperState) {
		s.Problems, s.Success, s.Failures = map[market.Code]string{}, map[market.Code]time.Time{}, map[market.Code]int{}
		for _, code := range k.Table.Markets() {
			s.Failures[code] = 0 // shown from the start
		}
	})
	next := k.first(time.Now())
	for {
		k.change(func(s *KeeperState) { s.Next = next })
		k.Log.Info("the next update", "at", next.Format(time.RFC3339))
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(next)):
		}
		began := time.Now()
		ran := k.once(ctx)
		next = began.Add(k.Every)
		if (!ran || len(k.State().Problems) > 0) && k.Every > afterFailure {
			next = began.Add(afterFailure)
		}
	}
}

// afterFailure is when a run that failed is followed by another: what fails is often
// mended soon, and to ask again costs little.
const afterFailure = time.Hour

// first is when the first run begins: after a little while of chance, so that
// servers that start together do not ask together, and not before the oldest
// snapshot has the age at which it would be looked after.
func (k *Keeper) first(now time.Time) time.Time {
	at := now.Add(rand.N(min(k.Every/10, 5*time.Minute) + 1))
	oldest := time.Time{}
	for _, code := range k.Table.Markets() {
		info, err := os.Stat(k.Dir.Snapshot(string(code)))
		if err == nil && (oldest.IsZero() || info.ModTime().Before(oldest)) {
			oldest = info.ModTime()
		}
	}
	if due := oldest.Add(k.Every); !oldest.IsZero() && due.After(at) && due.Before(now.Add(k.Every)) {
		return due
	}
	return at
}

// once updates; ran is false when another process did.
func (k *Keeper) once(ctx context.Context) (ran bool) {
	k.change(func(s *KeeperState) { s.Running = true })
	o := k.Options
	o.Done = k.note
	r, err := Run(ctx, o)
	_, other := errors.AsType[*RunningError](err)
	k.change(func(s *KeeperState) {
		s.Running = false
		if other {
			return
		}
		s.Last = time.Now()
		if err == nil || ctx.Err() != nil {
			return
		}
		for _, code := range k.Table.Markets() {
			s.Problems[code] = err.Error()
			s.Failures[code]++
		}
	})
	switch {
	case ctx.Err() != nil:
	case other:
		k.Log.Info("no update now", "reason", err)
	case err != nil:
		k.Log.Error("update failed; what is there goes on", "error", err)
	default:
		for _, n := range r.Notes {
			k.Log.Debug("update", "note", n)
		}
	}
	return !other
}

// note notes what became of one source.
func (k *Keeper) note(r *SourceReport) {
	problem := r.Problem()
	for _, n := range r.Notes {
		k.Log.Warn("update", "markets", r.Markets, "note", n)
	}
	k.change(func(s *KeeperState) {
		for _, code := range r.Markets {
			if r.Status == Failed {
				s.Problems[code] = problem
				s.Failures[code]++
			} else {
				delete(s.Problems, code)
				s.Success[code] = time.Now()
			}
		}
	})
	if r.Status == Failed {
		k.Log.Error("update failed; what is there goes on", "markets", r.Markets, "error", problem)
		return
	}
	k.Log.Info("update", "markets", r.Markets, "status", r.Status)
}
