package access

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"sync"
	"testing"
	"time"
)

var testMinute = time.Date(2026, 11, 3, 10, 20, 0, 0, time.UTC)

// numbered returns the i-th of many addresses in networks of their own.
func numbered(i int) netip.Addr {
	b := [16]byte{0x20, 0x01, 0x0d, 0xb8}
	binary.BigEndian.PutUint32(b[4:], uint32(i))
	return netip.AddrFrom16(b)
}

func TestFailures(t *testing.T) {
	f := NewFailures()
	addr := netip.MustParseAddr("203.0.113.9")
	for i := range MaxFailures + 2 {
		if n := f.Count(addr, testMinute); n != i {
			t.Fatalf("%d counted before number %d, want %d", n, i+1, i)
		}
		if n := f.Add(addr, testMinute.Add(time.Duration(i)*time.Second)); n != i+1 {
			t.Fatalf("number %d is counted as %d", i+1, n)
		}
	}
	if n := f.Count(netip.MustParseAddr("203.0.113.10"), testMinute); n != 0 {
		t.Errorf("the address next to it has %d, want 0", n)
	}
}

func TestFailuresSubscriber(t *testing.T) {
	f := NewFailures()
	for _, tt := range []struct {
		addr string
		want int
	}{
		{"2001:db8:1:2::1", 1},
		{"2001:db8:1:2:ffff::9", 2},
		{"2001:db8:1:2::1%eth0", 3},
		{"2001:db8:1:3::1", 1},
		{"203.0.113.9", 1},
		{"::ffff:203.0.113.9", 2},
		{"203.0.113.10", 1},
		{"::", 1}, // the /64 in which IPv4-mapped addresses lie is not IPv4
	} {
		if n := f.Add(netip.MustParseAddr(tt.addr), testMinute); n != tt.want {
			t.Errorf("%s: %d, want %d", tt.addr, n, tt.want)
		}
	}
	if a, b := f.Add(netip.Addr{}, testMinute), f.Add(netip.Addr{}, testMinute); a != 1 || b != 2 {
		t.Errorf("no address: %d, then %d, want 1 and 2", a, b)
	}
}

func TestFailuresMinute(t *testing.T) {
	addr := netip.MustParseAddr("203.0.113.9")
	for _, tt := range []struct {
		name string
		at   time.Duration // after an earlier failure at second 30
		want int
	}{
		{"the same second", 0, 2},
		{"the last of the minute", 30*time.Second - 1, 2},
		{"the next minute", 30 * time.Second, 1},
		{"a day later", 24 * time.Hour, 1},
		{"a request that waited", -31 * time.Second, 2},
		{"a clock that was set back", -time.Hour, 1},
	} {
		f := NewFailures()
		at := testMinute.Add(30 * time.Second)
		f.Add(addr, at)
		if n := f.Add(addr, at.Add(tt.at)); n != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, n, tt.want)
		}
	}
}

// TestFailuresParallel adds from many addresses at once; no failure may be lost.
func TestFailuresParallel(t *testing.T) {
	f := NewFailures()
	const workers, addresses = 8, 5000
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for i := range addresses {
				f.Add(numbered(i), testMinute)
				f.Count(numbered(i), testMinute)
			}
		})
	}
	group.Wait()
	for i := range addresses {
		if n := f.Count(numbered(i), testMinute); n != workers {
			t.Fatalf("address %d has %d, want %d", i, n, workers)
		}
	}
}

func BenchmarkFailures(b *testing.B) {
	for _, bb := range []struct {
		name      string
		addresses int
		step      time.Duration
	}{
		{"one address", 1, time.Microsecond},
		{"ten thousand", 10_000, time.Microsecond},
		{"a million", 1_000_000, time.Microsecond},
		{"always new", 1_000_000, time.Millisecond}, // the map is filled from minute to minute
	} {
		b.Run(bb.name, func(b *testing.B) {
			f, i := NewFailures(), 0
			b.ReportAllocs()
			for b.Loop() {
				f.Add(numbered(i%bb.addresses), testMinute.Add(time.Duration(i)*bb.step))
				i++
			}
		})
	}
}

// A valid key from a wrong address counts as a failed authentication of that address, and a
// spent quota or a missing scope does not: the key is then proven.
func TestWhatCountsAsAFailure(t *testing.T) {
	k := newKit(t)
	s, g := server(k), k.gate()
	for _, tt := range []struct {
		name, from string
		scope      Scope
		want       error
		failures   int
	}{
		{"a right one", "192.0.2.7", AntennasRead, nil, 0},
		{"another scope", "192.0.2.7", InternalAI, ErrScope, 0},
		{"a wrong address", "203.0.113.9", AntennasRead, ErrAddress, 1},
		{"again", "203.0.113.9", AntennasRead, ErrAddress, 2},
	} {
		addr := netip.MustParseAddr(tt.from)
		_, err := g.Check(&Request{Time: k.time, Address: addr, APIKey: []string{s.APIKey}, Scope: tt.scope})
		if n := g.Failures.Count(addr, k.time); !errors.Is(err, tt.want) || n != tt.failures {
			t.Errorf("%s: %v, %d failures, want %v and %d", tt.name, err, n, tt.want, tt.failures)
		}
	}
	for range MaxFailures {
		_, _ = g.Check(&Request{Time: k.time, Address: netip.MustParseAddr("203.0.113.9"), APIKey: []string{s.APIKey},
			Scope: AntennasRead})
	}
	if _, err := g.Check(&Request{Time: k.time, Address: netip.MustParseAddr("203.0.113.9"),
		APIKey: []string{s.APIKey}, Scope: AntennasRead}); !errors.Is(err, ErrRateLimited) {
		t.Errorf("after many: %v, want ErrRateLimited", err)
	}
}
