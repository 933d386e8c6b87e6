package admit

import (
	"context"
	"time"
)

// A Tally counts for several servers.
type Tally interface {
	// Add adds n, which may be negative or 0, to the count of each key in the window of now, and
	// returns the counts after that. Windows are those of the wall clock, in whole seconds. No key
	// is stored as it is. Error: store.ErrAway; the events may have been counted then.
	Add(ctx context.Context, window time.Duration, now time.Time, n int, keys ...string) ([]int, error)
}

// takeBackTime bounds the wait for a count that is taken back.
const takeBackTime = time.Second

// A SharedRate is a Rate that servers share by a tally. Without one it is that of this server.
type SharedRate struct {
	window time.Duration
	tally  Tally
	own    *Rate // with a tally: of the holders that are known to be over their limits
}

// NewSharedRate returns a rate with no counts. The window is in whole seconds; the tally may be nil.
func NewSharedRate(window time.Duration, tally Tally) *SharedRate {
	return &SharedRate{window, tally, NewRate(window)}
}

// Take is Rate.Take for one. Error: the tally's.
func (r *SharedRate) Take(ctx context.Context, now time.Time, limits ...Limit) (bool, error) {
	if r.tally == nil {
		return r.own.Take(now, 1, limits...), nil
	}
	if !r.own.Take(now, 0, limits...) { // who was over a limit stays so: the tally need not be asked
		return false, nil
	}
	counts, err := r.tally.Add(ctx, r.window, now, 1, names(limits)...)
	if err != nil {
		return false, err
	}
	ok := true
	for i, l := range limits {
		if l.Most > 0 && counts[i] > l.Most {
			r.own.Add(now, l.Name, counts[i])
			ok = false
		}
	}
	if !ok {
		r.GiveBack(ctx, now, limits...)
	}
	return ok, nil
}

// GiveBack gives back what was taken at a time. If the tally does not answer soon, it stays counted until the
// window ends.
func (r *SharedRate) GiveBack(ctx context.Context, taken time.Time, limits ...Limit) {
	if r.tally == nil {
		r.own.GiveBack(taken, 1, limits...)
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), takeBackTime)
	defer cancel()
	_, _ = r.tally.Add(ctx, r.window, taken, -1, names(limits)...)
}

// Count returns the count of a holder in the window of now. Error: the tally's.
func (r *SharedRate) Count(ctx context.Context, now time.Time, name string) (int, error) {
	if r.tally == nil {
		return r.own.Count(now, name), nil
	}
	counts, err := r.tally.Add(ctx, r.window, now, 0, name)
	if err != nil {
		return 0, err
	}
	return counts[0], nil
}

// End returns the end of the window of now.
func (r *SharedRate) End(now time.Time) time.Time { return r.own.End(now) }

func names(limits []Limit) (list []string) {
	for _, l := range limits {
		list = append(list, l.Name)
	}
	return list
}
