package access

import (
	"errors"
	"net/netip"
	"testing"
)

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
}
