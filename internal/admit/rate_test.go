package admit

import (
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)

// What is counted is what a plain map of windows holds.
func TestRate(t *testing.T) {
	const window = 15 * time.Minute
	r, want := NewRate(window), map[string]int{}
	for i, s := range []struct {
		name      string
		after     time.Duration
		n         int
		takenBack time.Duration // before
	}{
		{"a", 0, 1, 0}, {"a", time.Minute, 1, 0}, {"b", 2 * time.Minute, 3, 0}, {"a", 14 * time.Minute, -1, time.Minute},
		{"c", 14 * time.Minute, -1, 0}, {"a", 15 * time.Minute, 1, 0}, {"b", 16 * time.Minute, -1, 5 * time.Minute},
		{"a", 29 * time.Minute, 1, 0}, {"a", 45 * time.Minute, 0, 0},
	} {
		at := noon.Add(s.after)
		taken := at.Add(-s.takenBack)
		key := s.name + taken.Truncate(window).String()
		want[key] = max(0, want[key]+s.n)
		if s.n < 0 {
			r.Count(at, s.name)
			r.GiveBack(taken, -s.n, Limit{s.name, 9})
		} else {
			r.Add(at, s.name, s.n)
		}
		if n, want := r.Count(at, s.name), want[s.name+at.Truncate(window).String()]; n != want {
			t.Errorf("step %d: %s has %d, want %d", i, s.name, n, want)
		}
	}
	if end := r.End(noon.Add(time.Minute)); !end.Equal(noon.Add(window)) {
		t.Errorf("the window ends at %s, want 12:15", end)
	}
}

// A request counts for all its holders or for none.
func TestTakeOfSeveral(t *testing.T) {
	r := NewRate(time.Minute)
	network := Limit{"network", 5}
	took := map[string]int{}
	for range 10 {
		for _, name := range []string{"a", "b"} {
			if r.Take(noon, 1, Limit{name, 3}, network, Limit{Name: "without a limit"}) {
				took[name]++
			}
		}
	}
	if took["a"] != 3 || took["b"] != 2 || r.Count(noon, "network") != 5 || r.Count(noon, "b") != 2 {
		t.Errorf("got %v and %d of the network, want 3 of a, 2 of b and 5", took, r.Count(noon, "network"))
	}
	if n := len(r.counts); n != 3 {
		t.Errorf("%d counts are kept, want 3", n)
	}
	if r.Take(noon, 2, Limit{"c", 1}) || !r.Take(noon.Add(time.Minute), 1, network) {
		t.Error("two of a limit of one are taken, or the next window is spent")
	}
}

func TestWindowsOfARate(t *testing.T) {
	for _, tt := range []struct {
		name string
		at   time.Duration // after an earlier request at second 30
		want int
	}{
		{"the same second", 0, 2},
		{"the last of the minute", 30*time.Second - 1, 2},
		{"the next minute", 30 * time.Second, 1},
		{"a day later", 24 * time.Hour, 1},
		{"a request that waited", -31 * time.Second, 2},
		{"a clock that was set back", -time.Hour, 1},
	} {
		r, at := NewRate(time.Minute), noon.Add(30*time.Second)
		r.Add(at, "a", 1)
		if n := r.Add(at.Add(tt.at), "a", 1); n != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, n, tt.want)
		}
	}
}

// In a flood from very many addresses the smallest counts are forgotten: nobody is refused for what others
// did, and who did much before is still counted. What is taken back takes no memory.
func TestFloodOfARate(t *testing.T) {
	r, noisy := NewRate(time.Minute), Of(netip.MustParseAddr("10.0.0.9"), 5) // in the network of the others
	if !r.Take(noon, 5, noisy) {
		t.Fatal("5 of a limit of 5 are refused")
	}
	for i := range 3 * maxCounts {
		one := Of(netip.AddrFrom4([4]byte{10, 1 + byte(i>>16), byte(i >> 8), byte(i)}), 1)
		if !r.Take(noon, 1, one) {
			t.Fatalf("address %d is refused", i)
		}
		if i%2 == 0 {
			r.GiveBack(noon, 1, one)
		}
		if n := len(r.counts); n > maxCounts || i < maxCounts && n != 1+(i+1)/2 {
			t.Fatalf("%d counts are kept after %d addresses, want at most one for each second", n, i+1)
		}
	}
	if r.Take(noon, 1, noisy) {
		t.Error("who was at the limit before the flood is not any more")
	}
	if n := r.Add(noon.Add(time.Minute), "a", 1); n != 1 || len(r.counts) != 1 {
		t.Errorf("in the next window: %d, %d counts; want 1, 1", n, len(r.counts))
	}
}

// No request is lost when many count at once.
func TestRateAtOnce(t *testing.T) {
	r := NewRate(time.Minute)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range 500 {
				r.Add(noon, fmt.Sprint(i), 1)
			}
		})
	}
	group.Wait()
	for i := range 500 {
		if n := r.Count(noon, fmt.Sprint(i)); n != 8 {
			t.Fatalf("address %d has %d, want 8", i, n)
		}
	}
}
