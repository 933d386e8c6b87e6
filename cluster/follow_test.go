package cluster

import (
	"errors"
	"testing"
	"time"
)

// A store that failed to follow once is well as soon as it has all, without another commit.
func TestTroubleEnds(t *testing.T) {
	s := newCluster(t)
	m := joined(t, s.URL("postgres"), "one")
	m.state.follows("clients", errors.New("conn closed"))
	trouble := func() error {
		m.state.mu.Lock()
		defer m.state.mu.Unlock()
		return m.state.trouble["clients"]
	}
	for end := time.Now().Add(time.Minute); trouble() != nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the store is said not to follow: %v; want nothing wrong", trouble())
		}
	}
}
