package access

import (
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"relais/internal/filetest"
)

func TestWindows(t *testing.T) {
	var c counter
	l := Limits{Minute: 2, Day: 3}
	at := time.Date(2026, 11, 21, 23, 58, 59, 500e6, time.UTC)
	for i, step := range []struct {
		wait        time.Duration
		ok          bool
		minute, day int
		retry       time.Duration
	}{
		{0, true, 1, 2, 0},
		{0, true, 0, 1, time.Second}, // half a second to go is a second
		{0, false, 0, 1, time.Second},
		{time.Second, true, 1, 0, 59500 * time.Millisecond}, // the next minute; the day ends at midnight
		{0, false, 1, 0, 59500 * time.Millisecond},          // by the day: the minute's unit comes back
		{60500 * time.Millisecond, true, 1, 2, 0},           // the next day
		{-30 * time.Second, true, 0, 1, 89 * time.Second},   // a clock that was set back goes on in its window
		{0, false, 0, 1, 89 * time.Second},
		{87600 * time.Hour, true, 1, 2, 0}, // a clock that was far ahead …
		{0, true, 0, 1, 29 * time.Second},
		{-87600 * time.Hour, true, 1, 2, 0}, // … and is set right locks nobody out
	} {
		at = at.Add(step.wait)
		u, ok := c.take(l, at)
		if ok != step.ok || u.Minute.Remaining != step.minute || u.Day.Remaining != step.day ||
			u.RetryAfter(at) != step.retry || c.peek(l, at) != u {
			t.Errorf("step %d: got %v, %+v, retry after %s; want %+v, and the same of Peek", i, ok, u,
				u.RetryAfter(at), step)
		}
	}
}

// Of 200 requests at once for the last unit, one passes.
func TestLastUnit(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, l := range []Limits{{Minute: 1, Day: 1000}, {Minute: 1000, Day: 1}, {Minute: 1, Day: 1}} {
		var c counter
		var passed atomic.Int32
		var wg sync.WaitGroup
		start := make(chan struct{})
		for range 200 {
			wg.Go(func() {
				<-start
				if _, ok := c.take(l, at); ok {
					passed.Add(1)
				}
			})
		}
		close(start)
		wg.Wait()
		if u := c.peek(l, at); passed.Load() != 1 || u.Minute.Limit-u.Minute.Remaining != 1 ||
			u.Day.Limit-u.Day.Remaining != 1 {
			t.Errorf("%+v: got %d passed, %+v, want one", l, passed.Load(), u)
		}
	}
}

func TestCountsAreKept(t *testing.T) {
	k := newKit(t)
	a, b := server(k), mobile(k)
	path := filepath.Join(k.dir, "quota.db")
	open := func() (*Counts, string) {
		c, aside, err := OpenCounts(path)
		must(t, err)
		must(t, c.Restore(k.Clients))
		return c, aside
	}
	left := func(id string) int {
		u, err := k.Usage(id)
		must(t, err)
		return u.Day.Remaining
	}
	counts, _ := open()
	for range 5 {
		k.table.Load().clients[a.ID].counter.take(a.Limits, k.time)
	}
	must(t, counts.Save(k.Clients))
	k.table.Load().clients[a.ID].counter.take(a.Limits, k.time) // lost with the process
	// A change of a client keeps its count.
	if _, err := k.Rotate(a.ID, 0); err != nil || left(a.ID) != a.Limits.Day-6 {
		t.Errorf("after a change: %d left, %v, want %d and no error", left(a.ID), err, a.Limits.Day-6)
	}
	must(t, counts.Close())
	k.reopen()
	counts, aside := open()
	if left(a.ID) != a.Limits.Day-5 || left(b.ID) != b.Limits.Day || aside != "" {
		t.Errorf("%d and %d left, %q, want %d, %d and empty", left(a.ID), left(b.ID), aside, a.Limits.Day-5,
			b.Limits.Day)
	}
	k.time = k.time.Add(24 * time.Hour)
	if left(a.ID) != a.Limits.Day {
		t.Errorf("%d left on the next day, want %d", left(a.ID), a.Limits.Day)
	}
	counts.Close()
	filetest.Write(t, path, "*garbage\r\nthis is not a buntdb file\r\n")
	k.reopen()
	counts, aside = open()
	if aside == "" || left(a.ID) != a.Limits.Day {
		t.Errorf("damaged: got %d left, put aside as %q; want %d and a name", left(a.ID), aside, a.Limits.Day)
	}
	counts.Close()
}

// take spends one request, and reports whether one was left.
func (c *counter) take(l Limits, now time.Time) (Usage, bool) {
	_, usage, ok := c.charge(l, now)
	return usage, ok
}
