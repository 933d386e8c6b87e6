package access

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"relais/internal/filetest"
)

// Of a limit of two: 39 cheap requests are 39 twentieths, and no whole one is left for
// the next.
func TestCosts(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	l := Limits{Minute: 2, Day: 100}
	var c counter
	cheap, free := 0, 0
	for {
		charge, _, ok := c.charge(l, at)
		if !ok {
			break
		}
		units := uint64(Twentieth)
		if free++; free%3 == 0 { // costs nothing, however often
			units = 0
		} else {
			cheap++
		}
		u := charge.Cost(units, at)
		if want := (2*20 - cheap) / 20; u.Minute.Remaining != want || u.Day.Remaining != (100*20-cheap)/20 ||
			c.peek(l, at) != u {
			t.Fatalf("after %d cheap ones: %+v, want %d left of the minute", cheap, u, want)
		}
	}
	if cheap != 21 { // 2 × 20 - 21 = 19: less than a whole request
		t.Errorf("%d cheap requests, want 21", cheap)
	}
	if u := c.peek(l, at); u.Minute.Remaining != 0 || u.RetryAfter(at) != time.Minute {
		t.Errorf("spent: got %+v, want none left and a minute to wait", u)
	}
	// What is given back after the minute has ended is not taken from the next one.
	late, _, ok := c.charge(l, at.Add(time.Minute))
	if !ok {
		t.Fatal("the next minute is spent")
	}
	c.charge(l, at.Add(2*time.Minute))
	if u := late.Cost(0, at.Add(2*time.Minute)); u.Minute.Remaining != 1 {
		t.Errorf("the minute after: %+v, want Remaining = 1", u)
	}
	if u := (&Charge{}).Cost(0, at); u != (Usage{}) {
		t.Errorf("of no request: %+v, want %+v", u, Usage{})
	}
}

// The greatest limit has room in a word.
func TestCostsOfTheGreatestLimit(t *testing.T) {
	at := time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC)
	l := Limits{Minute: maxLimit, Day: maxLimit}
	var c counter
	c.minute.word.Store(join(uint32(at.Unix()/60), (maxLimit-1)*Whole))
	if u, ok := c.take(l, at); !ok || u.Minute.Remaining != 0 {
		t.Errorf("the last one: %v %+v, want true and Remaining = 0", ok, u)
	}
	if u, ok := c.take(l, at); ok || u.Minute.Remaining != 0 || u.Day.Remaining != maxLimit-1 {
		t.Errorf("one more: got %v, %+v, want it refused, none left of the minute, %d of the day", ok, u, maxLimit-1)
	}
}

// However many give back at once, the sum is right.
func TestCostsAtOnce(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	l := Limits{Minute: 1000, Day: 1000}
	var c counter
	var wg sync.WaitGroup
	for k := range 100 {
		wg.Go(func() {
			charge, _, _ := c.charge(l, at)
			charge.Cost(uint64(k%2), at)
		})
	}
	wg.Wait()
	if _, units := c.today(); units != 50 {
		t.Errorf("%d units, want 50", units)
	}
}

// A count of today in twentieths is read, and any other is left out.
func TestCountsInFiles(t *testing.T) {
	k := newKit(t)
	a := server(k)
	path := filepath.Join(k.dir, "quota.db")
	day := k.time.Unix() / 86400
	for _, tt := range []struct {
		value string
		used  int
	}{
		{fmt.Sprintf("%d:7/20", day), 1},      // seven twentieths
		{fmt.Sprintf("%d:200/20", day), 10},   // ten whole ones
		{fmt.Sprintf("%d:7/40", day), 0},      // of a version to come: no count
		{fmt.Sprintf("%d:-7", day), 0},        // no count
		{fmt.Sprintf("%d:7/", day), 0},        //
		{fmt.Sprintf("%d:7", day), 0},         //
		{fmt.Sprintf("%d:5000/20", day-1), 0}, // of yesterday
	} {
		key := "day:" + a.ID
		text := fmt.Sprintf("*3\r\n$3\r\nset\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n", len(key), key, len(tt.value), tt.value)
		filetest.Write(t, path, text)
		k.reopen()
		counts, aside, err := OpenCounts(path)
		if err != nil || aside != "" {
			t.Fatalf("got %q, %v, want empty and no error", aside, err)
		}
		must(t, counts.Restore(k.Clients))
		left := func() int {
			u, err := k.Usage(a.ID)
			must(t, err)
			return u.Day.Remaining
		}
		if left() != a.Limits.Day-tt.used {
			t.Errorf("%s: %d left, want %d", tt.value, left(), a.Limits.Day-tt.used)
		}
		// What is saved now is read again as it was.
		k.table.Load().clients[a.ID].counter.take(a.Limits, k.time)
		before := left()
		must(t, counts.Save(k.Clients))
		counts.Close()
		k.reopen()
		counts, _, err = OpenCounts(path)
		must(t, err)
		must(t, counts.Restore(k.Clients))
		if left() != before {
			t.Errorf("%s: %d left after a restart, %d before", tt.value, left(), before)
		}
		counts.Close()
	}
}
