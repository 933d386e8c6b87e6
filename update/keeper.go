package update

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
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
	Last     time.Time              // when the last run ended; zero before
	Next     time.Time              // when the next begins
	Problems map[market.Code]string // of its authority's files and its operators'
	// when a run last found a market's files or found them unchanged, but for those of operators
	Success  map[market.Code]time.Time
	Failures map[market.Code]int
	problems map[subject]string
}

// A subject is what may have a problem: the files of a market's authority or those of
// its operators.
type subject struct {
	market market.Code
	feeds  bool
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
	s.Problems, s.Success, s.Failures = map[market.Code]string{}, maps.Clone(s.Success), maps.Clone(s.Failures)
	for of, problem := range s.problems {
		if authority, ok := s.problems[subject{of.market, false}]; of.feeds && ok && authority != problem {
			problem = authority + "; " + problem
		} else if _, ok := s.problems[subject{of.market, true}]; !of.feeds && ok {
			continue // said with the operators'
		}
		s.Problems[of.market] = problem
	}
	s.problems = nil
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
		s.problems, s.Success, s.Failures = map[subject]string{}, map[market.Code]time.Time{}, map[market.Code]int{}
		for _, code := range k.Table.Markets() {
			s.Failures[code] = 0 // shown from the start
		}
	})
	whole := k.first(time.Now())
	for next := whole; ; {
		k.change(func(s *KeeperState) { s.Next = next })
		k.Log.Info("the next update", "at", next.Format(time.RFC3339))
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(next)):
		}
		began := time.Now()
		var some []market.Code // what failed is tried again by itself
		if next.Before(whole) {
			some = slices.Sorted(maps.Keys(k.State().Problems))
		}
		ran := k.once(ctx, some)
		next, whole = k.after(began, whole, ran, len(some) == 0)
	}
}

// after says when to go on after a run that began at a time, and when all is updated:
// what failed, and a run that another process kept from running, comes again soon.
func (k *Keeper) after(began, whole time.Time, ran, all bool) (next, nextWhole time.Time) {
	if all {
		whole = began.Add(k.Every)
	}
	if soon := began.Add(afterFailure); (!ran || len(k.State().Problems) > 0) && soon.Before(whole) {
		return soon, whole
	}
	return whole, whole
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

// once updates some markets, all of them when none is named; ran is false when another
// process did.
func (k *Keeper) once(ctx context.Context, some []market.Code) (ran bool) {
	k.change(func(s *KeeperState) { s.Running = true })
	o := k.Options
	o.Markets, o.Done = some, k.note
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
			s.Failures[code]++
		}
		for _, to := range targets() {
			if len(k.Table.filesOf(to)) > 0 {
				for _, code := range to.markets() {
					s.problems[subject{code, isFeeds(to)}] = err.Error()
				}
			}
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
				s.problems[subject{code, r.feeds}] = problem
				s.Failures[code]++
				continue
			}
			delete(s.problems, subject{code, r.feeds})
			if !r.feeds {
				s.Success[code] = time.Now()
			}
		}
	})
	if r.Status == Failed {
		k.Log.Error("update failed; what is there goes on", "markets", r.Markets, "feeds", r.feeds, "error", problem)
		return
	}
	k.Log.Info("update", "markets", r.Markets, "feeds", r.feeds, "status", r.Status)
}
