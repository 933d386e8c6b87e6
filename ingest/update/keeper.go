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

	"relais/internal/folder"
	"relais/market"
)

// A Keeper updates a folder's data at intervals while it is served.
type Keeper struct {
	Options
	Every time.Duration
	Log   *slog.Logger
	// Failed, which may be nil, is called when a problem with files of some markets begins, with what they are: see
	// SourceReport.of. It is not called for each retry.
	Failed   func(markets []market.Code, files string)
	mu       sync.Mutex
	state    KeeperState
	problems map[subject]string
}

// A KeeperState describes the updates of a folder.
type KeeperState struct {
	Running  bool
	Last     time.Time              // end of the last run; zero before the first
	Next     time.Time              // start of the next run
	Problems map[market.Code]string // with the authority's and the operators' files
	// Success is when a run last had a market's authority files, new or unchanged.
	Success  map[market.Code]time.Time
	Failures map[market.Code]int
}

// A subject is the files of a market for one target.
type subject struct {
	market market.Code
	state  string // see group
}

// afterFailure is the wait after a failed run: failures often end soon, and a retry is
// cheap.
const afterFailure = time.Hour

// Writable returns an error if updates cannot be stored in the folder.
func Writable(dir folder.Dir) error {
	lock, err := lock(dir)
	if _, runs := errors.AsType[*runningError](err); runs {
		return nil // the other process can write here
	}
	if err != nil {
		return err
	}
	return lock.Unlock()
}

// State returns the state of the updates.
func (k *Keeper) State() KeeperState {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.state
	s.Problems, s.Success, s.Failures = map[market.Code]string{}, maps.Clone(s.Success), maps.Clone(s.Failures)
	for _, g := range k.Table.groups() {
		for _, code := range g.markets {
			switch problem, other := k.problems[subject{code, g.state}], s.Problems[code]; {
			case problem == "" || other == problem:
			case other == "":
				s.Problems[code] = problem
			default:
				s.Problems[code] = other + "; " + problem
			}
		}
	}
	return s
}

func (k *Keeper) change(f func(s *KeeperState)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f(&k.state)
}

// Run updates at intervals until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	k.start()
	whole := k.firstRun(time.Now())
	for next := whole; ; {
		k.change(func(s *KeeperState) { s.Next = next })
		k.Log.Info("the next update", "at", next.Format(time.RFC3339))
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(next)):
		}
		began := time.Now()
		var failed []market.Code // markets to retry before the next complete run
		if next.Before(whole) {
			failed = slices.Sorted(maps.Keys(k.State().Problems))
		}
		ran := k.runOnce(ctx, failed)
		next, whole = k.nextRun(began, whole, ran, len(failed) == 0)
	}
}

func (k *Keeper) start() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.problems = map[subject]string{}
	k.state.Success, k.state.Failures = map[market.Code]time.Time{}, map[market.Code]int{}
	for _, code := range k.Table.Markets() {
		k.state.Failures[code] = 0 // shown from the start
	}
}

// nextRun returns when to run again after a run that began at a time, and when the next
// complete run is due. Failed markets are retried soon, and so is a run that another
// process prevented.
func (k *Keeper) nextRun(began, whole time.Time, ran, all bool) (next, nextWhole time.Time) {
	if all {
		whole = began.Add(k.Every)
	}
	if soon := began.Add(afterFailure); (!ran || len(k.State().Problems) > 0) && soon.Before(whole) {
		return soon, whole
	}
	return whole, whole
}

// firstRun returns when the first run begins: after a short random wait, so that servers
// that start together do not ask together, and not before the oldest snapshot is due.
func (k *Keeper) firstRun(now time.Time) time.Time {
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

// runOnce updates the markets, or all if codes is empty. ran is false if another process
// runs an update.
func (k *Keeper) runOnce(ctx context.Context, codes []market.Code) (ran bool) {
	k.change(func(s *KeeperState) { s.Running = true })
	o := k.Options
	o.Markets, o.Done = codes, k.noteSource
	r, err := Run(ctx, o)
	_, other := errors.AsType[*runningError](err)
	k.change(func(s *KeeperState) {
		if s.Running = false; !other {
			s.Last = time.Now()
		}
	})
	switch {
	case ctx.Err() != nil:
	case other:
		k.Log.Info("no update now", "reason", err)
	case err != nil: // of the folder, and so of all sources
		for _, g := range k.Table.groups() {
			k.noteSource(&SourceReport{Markets: g.markets, state: g.state, Status: Failed, Error: err.Error()})
		}
	default:
		for _, n := range r.Notes {
			k.Log.Debug("update", "note", n)
		}
	}
	return !other
}

// noteSource records the result of one source.
func (k *Keeper) noteSource(r *SourceReport) {
	for _, n := range r.Notes {
		k.Log.Warn("update", "markets", r.Markets, "note", n)
	}
	if r.Status != Failed {
		k.noteSuccess(r)
		k.Log.Info("update", "markets", r.Markets, "of", r.of(), "status", r.Status)
		return
	}
	problem, began := r.Problem(), false
	k.change(func(s *KeeperState) {
		for _, code := range r.Markets {
			about := subject{code, r.state}
			began = began || k.problems[about] == ""
			k.problems[about] = problem
			s.Failures[code]++
		}
	})
	if began && k.Failed != nil {
		k.Failed(r.Markets, r.of())
	}
	k.Log.Error("update failed; the present data stays", "markets", r.Markets, "of", r.of(), "error", problem)
}

func (k *Keeper) noteSuccess(r *SourceReport) {
	k.change(func(s *KeeperState) {
		for _, code := range r.Markets {
			delete(k.problems, subject{code, r.state})
			if r.state == folder.UpdateName {
				s.Success[code] = time.Now()
			}
		}
	})
}
