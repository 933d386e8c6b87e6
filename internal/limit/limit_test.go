package limit

import (
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
		{"a", 0, 1}, {"a", time.Minute, 1}, {"b", 2 * time.Minute, 1}, {"a", 14 * time.Minute, -1},
		{"c", 14 * time.Minute, -1},
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
		t.Errorf("the window ends at %s, want 12:15", end)
	}
}

// Attempts that are taken back take no room, however many keys they come with.
func TestCountTakenBack(t *testing.T) {
	c := New[int](time.Minute)
	c.Add(-1, noon)
	for i := range 2 * maxKeys {
		if n := c.Add(i, noon); n != 1 {
			t.Fatalf("key %d has %d, want 1", i, n)
		}
		c.TakeBack(i, noon)
	}
	if n := len(c.counts); n != 1 {
		t.Errorf("%d keys are kept, want 1", n)
	}
	if n := c.Count(-1, noon); n != 1 {
		t.Errorf("the key that was not taken back has %d, want 1", n)
	}
}

// Keys without groups never share a count: in a flood the smallest counts are forgotten.
func TestFloodOfKeys(t *testing.T) {
	c := New[int](time.Minute)
	for range 5 {
		c.Add(-1, noon)
	}
	for i := range 3 * maxKeys {
		if n := c.Add(i, noon); n != 1 {
			t.Fatalf("key %d has %d, want 1", i, n)
		}
		if n := len(c.counts); n > maxKeys {
			t.Fatalf("%d keys are kept, want at most 65536", n)
		}
	}
	if n := c.Count(-1, noon); n != 5 {
		t.Errorf("a key that came before has %d, want 5", n)
	}
	if n := c.Add(0, noon.Add(time.Minute)); n != 1 || len(c.counts) != 1 {
		t.Errorf("in the next window: %d, %d keys; want 1, 1", n, len(c.counts))
	}
}
