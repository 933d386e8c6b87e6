package limit

import (
	"net/netip"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)

// What is counted is what a plain map of windows holds.
func TestCounter(t *testing.T) {
	c := New[string](15 * time.Minute)
	want := map[string]int{}
	for i, s := range []struct {
		key   string
		after time.Duration
		n     int
	}{
		{"a", 0, 1}, {"a", time.Minute, 1}, {"b", 2 * time.Minute, 1}, {"a", 14 * time.Minute, -1}, {"c", 14 * time.Minute, -1},
		{"a", 15 * time.Minute, 1}, {"b", 15 * time.Minute, -1}, {"a", 29 * time.Minute, 1}, {"a", 45 * time.Minute, 0},
	} {
		at := noon.Add(s.after)
		key := s.key + at.Truncate(15*time.Minute).String()
		want[key] = max(0, want[key]+s.n)
		switch s.n {
		case 1:
			c.Add(s.key, at)
		case -1:
			c.TakeBack(s.key, at)
		}
		if n := c.Count(s.key, at); n != want[key] {
			t.Errorf("step %d: %s has %d, want %d", i, s.key, n, want[key])
		}
	}
	if end := c.End(noon.Add(time.Minute)); !end.Equal(noon.Add(15 * time.Minute)) {
		t.Errorf("the window ends at %s", end)
	}
}

// A flood of keys takes no more memory than that, and meets the limit together.
func TestFlood(t *testing.T) {
	c := New[int](time.Minute)
	for i := range maxKeys {
		if n := c.Add(i, noon); n != 1 {
			t.Fatalf("key %d has %d", i, n)
		}
	}
	for i := range 1000 {
		if n := c.Count(maxKeys+i, noon); n != i {
			t.Fatalf("a new key has %d after %d others", n, i)
		}
		if n := c.Add(maxKeys+i, noon); n != i+1 {
			t.Fatalf("new key %d is counted as %d", i, n)
		}
	}
	if n := c.Add(17, noon); n != 2 {
		t.Errorf("a key that came before has %d", n)
	}
	if n := len(c.counts); n != maxKeys {
		t.Errorf("%d keys are kept", n)
	}
	if n := c.Add(maxKeys, noon.Add(time.Minute)); n != 1 || len(c.counts) != 1 || c.others != 0 {
		t.Errorf("in the next window: %d, %d keys, %d others", n, len(c.counts), c.others)
	}
}

func TestSubscriber(t *testing.T) {
	for in, want := range map[string]string{
		"203.0.113.9": "203.0.113.9", "::ffff:203.0.113.9": "203.0.113.9", "2001:db8:1:2:3:4:5:6%eth0": "2001:db8:1:2::", "::1": "::",
	} {
		if got := Subscriber(netip.MustParseAddr(in)); got.String() != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	if Subscriber(netip.Addr{}).IsValid() {
		t.Error("no address has a subscriber")
	}
}
