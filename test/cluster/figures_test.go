//go:build linux

package cluster

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// figures are the times of reads and acknowledged writes.
type figures struct {
	mu     sync.Mutex
	reads  []timed
	writes []timed
	stale  map[string]int // by node: lists that were older than staleAfter
	old    map[string]int // by node: lists that were older than tooOld
	back   map[string]int // by node: lists that lacked what the one before had
}

// timed is when something began and ended.
type timed struct {
	start, end time.Time
	ok         bool
	kind       string // of a write
}

func (x timed) took() time.Duration { return x.end.Sub(x.start) }

func newFigures() *figures {
	return &figures{stale: map[string]int{}, old: map[string]int{}, back: map[string]int{}}
}

func (f *figures) read(start time.Time, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads = append(f.reads, timed{start, time.Now(), ok, ""})
}

func (f *figures) write(kind string, start time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writes = append(f.writes, timed{start, time.Now(), true, kind})
}

func (f *figures) wasOld(node string, tooOld bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stale[node]++; tooOld {
		f.old[node]++
	}
}

func (f *figures) wentBack(node string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.back[node]++
}

// wroteAfter reports whether a write was acknowledged that began after a moment.
func (f *figures) wroteAfter(at time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.writes) > 0 && slices.ContainsFunc(f.writes[max(0, len(f.writes)-20):], func(w timed) bool {
		return w.start.After(at)
	})
}

// quantile returns the one of sorted times.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// spread writes sorted times down.
func spread(sorted []time.Duration) string {
	at := func(q float64) time.Duration { return quantile(sorted, q).Round(100 * time.Microsecond) }
	return fmt.Sprintf("p50 %s, p99 %s, longest %s", at(.5), at(.99), at(1))
}

// slow is what a read takes on a busy machine at most, when nothing is broken.
const slow = 500 * time.Millisecond

// window is how long reads are looked at together.
const window = 250 * time.Millisecond

// busy are kinds of writes that are made all the time, each to another store.
var busy = []string{"client", "confirmation"}

// after returns, for each moment at which something was broken, how long it took until 99 of 100
// reads were as before, and until writes of each busy kind were acknowledged that began after it.
func (f *figures) after(moments []time.Time) (reads, writes []time.Duration) {
	for i, at := range moments {
		until := at.Add(time.Hour)
		if i+1 < len(moments) {
			until = moments[i+1]
		}
		reads = append(reads, f.asBefore(at, until))
		var all time.Duration
		for _, kind := range busy {
			all = max(all, f.first(kind, at, until))
		}
		writes = append(writes, all)
	}
	slices.Sort(reads)
	slices.Sort(writes)
	return reads, writes
}

// first returns how long after a moment the first write of a kind was acknowledged that began after
// it, 0 if none was before until.
func (f *figures) first(kind string, at, until time.Time) (first time.Duration) {
	for _, w := range f.writes {
		if d := w.end.Sub(at); w.kind == kind && w.start.After(at) && w.end.Before(until) && (first == 0 || d < first) {
			first = d
		}
	}
	return first
}

// asBefore returns how long after a moment the last window ends, before until, in which more than one
// read of a hundred ended that failed or was slow.
func (f *figures) asBefore(at, until time.Time) (back time.Duration) {
	all, bad := map[time.Duration]int{}, map[time.Duration]int{}
	for _, r := range f.reads {
		if r.end.Before(at) || r.end.After(until) {
			continue
		}
		w := r.end.Sub(at).Truncate(window)
		if all[w]++; !r.ok || r.took() > slow {
			bad[w]++
		}
	}
	for w, n := range bad {
		if 100*n > all[w] {
			back = max(back, w+window)
		}
	}
	return back
}

// printSlow writes the first reads that were not as others are to the log.
func (f *figures) printSlow(t *testing.T, broken []time.Time) {
	t.Helper()
	written := 0
	for _, r := range f.reads {
		if r.ok && r.took() <= slow || written == 12 {
			continue
		}
		var last time.Time
		for _, at := range broken {
			if at.Before(r.end) {
				last = at
			}
		}
		written++
		t.Logf("a read that ended %s after a fault took %s (answered: %t)", r.end.Sub(last).Round(time.Millisecond),
			r.took().Round(time.Millisecond), r.ok)
	}
}

// print writes the figures of a run to the log.
func (f *figures) print(t *testing.T, broken []time.Time) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	var took []time.Duration
	failed := 0
	for _, r := range f.reads {
		if !r.ok {
			failed++
			continue
		}
		took = append(took, r.took())
	}
	slices.Sort(took)
	t.Logf("%d reads, %d failed: %s", len(f.reads), failed, spread(took))
	took = nil
	longest := map[string]time.Duration{}
	var gap time.Duration
	slices.SortFunc(f.writes, func(a, b timed) int { return a.end.Compare(b.end) })
	for i, w := range f.writes {
		took = append(took, w.took())
		longest[w.kind] = max(longest[w.kind], w.took().Round(time.Millisecond))
		if i > 0 {
			gap = max(gap, w.end.Sub(f.writes[i-1].end))
		}
	}
	slices.Sort(took)
	t.Logf("%d writes acknowledged: %s; longest time without one %s", len(f.writes), spread(took),
		gap.Round(time.Millisecond))
	t.Logf("the longest write of each kind: %v", longest)
	reads, writes := f.after(broken)
	t.Logf("after %d faults reads were as before in %s; both busy stores took writes in %s", len(broken), spread(reads),
		spread(writes))
	f.printSlow(t, broken)
	for node, times := range f.back {
		t.Errorf("%s: %d lists lacked what the one before had", node, times)
	}
	for node, times := range f.stale {
		t.Logf("%s: %d lists lacked what was acknowledged %s before", node, times, staleAfter)
	}
	for node, times := range f.old {
		t.Errorf("%s: %d lists lacked what was acknowledged %s before", node, times, tooOld)
	}
}
