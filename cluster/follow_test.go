//go:build linux

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
	m.state.setTrouble("clients", 0, errors.New("conn closed"))
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

// A damage is said once and ended once, though an answer about it comes when the store has been copied.
func TestLateDamage(t *testing.T) {
	var s state
	lacks := func(at, commit uint64) func() bool {
		return func() bool { return s.setTrouble("clients", at, oldCommit(commit, errMissing)) }
	}
	follows := func(seq uint64) func() bool { return func() bool { return s.setFollowing("clients", seq) } }
	for _, step := range []struct {
		name string
		do   func() bool
		want bool // that it is said
	}{
		{"at the start", follows(1), false},
		{"a commit cannot be read", lacks(1, 2), true},
		{"another caller meets it", lacks(1, 2), false},
		{"the store is copied", follows(2), true},
		{"a third caller's answer is late", lacks(1, 2), false},
		{"all is well", follows(2), false},
		{"the next commit cannot be read", lacks(2, 3), true},
		{"and is copied", follows(3), true},
	} {
		if got := step.do(); got != step.want {
			t.Errorf("%s: got %t, want %t", step.name, got, step.want)
		}
	}
}
