package cluster

import (
	"errors"
	"sync"
	"time"
)

// A state is the knowledge of a node about the engine and itself, for /readyz and /metrics. Its mutex is a leaf: turns
// take it, so that nobody may wait while holding it.
type state struct {
	mu           sync.Mutex
	lastAnswer   time.Time // of the engine
	engineErr    error     // why the engine does not answer
	writeErr     error     // why the engine takes no changes
	skew         time.Duration
	nodes        int               // that live
	lag          map[string]lag    // by store
	times        map[string]*Times // by store and step
	turns        map[[2]string]int // by store and outcome
	trouble      map[string]error  // by store: why it does not follow
	damage       map[string]damage // by store: why no node can follow
	lastFollowed map[string]uint64 // by store: the last commit that it had when it followed
	leases       map[string]bool   // that the node has
	reports      map[string]int    // of counts, by outcome
}

// A lag says how far a store is behind. Under steady writes a store is behind at each look, so since begins again
// whenever the commits that were missing have come.
type lag struct {
	commits uint64
	since   time.Time // zero for a store that is not behind
	goal    uint64    // the engine's last commit at that time
}

// A damage says why a store cannot be read in the database.
type damage struct {
	err    error
	since  time.Time
	commit uint64 // the one that cannot be read: a node that has it, from the records, is well again
}

// Times are durations of one kind.
type Times struct {
	Count   int
	Seconds float64
}

// observe notes how long a step took.
func (s *state) observe(name, step string, start time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.times == nil {
		s.times = map[string]*Times{}
	}
	t := s.times[name+" "+step]
	if t == nil {
		t = &Times{}
		s.times[name+" "+step] = t
	}
	t.Count++
	t.Seconds += time.Since(start).Seconds()
}

// turn counts an outcome.
func (s *state) turn(name, outcome string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turns == nil {
		s.turns = map[[2]string]int{}
	}
	s.turns[[2]string{name, outcome}]++
}

// setEngine notes that the engine answered, or why it did not. It reports whether that changed.
func (s *state) setEngine(err error) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed = (s.engineErr == nil) != (err == nil)
	if s.engineErr = err; err == nil {
		s.lastAnswer = time.Now()
	}
	return changed
}

// setLag notes the last commits of a store that the node and the engine have.
func (s *state) setLag(name string, at, last uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lag == nil {
		s.lag = map[string]lag{}
	}
	l := s.lag[name]
	switch {
	case at == last:
		l = lag{}
	case l.since.IsZero() || at >= l.goal:
		l.since, l.goal = time.Now(), last
	}
	l.commits = last - at
	s.lag[name] = l
}

// setTrouble notes why a store, which had the commit at when it asked, does not follow. It reports whether that is
// a damage in the database which was not known. An answer that comes after another caller has copied the store
// is late, and says nothing: it would make the damage known again.
func (s *state) setTrouble(name string, at uint64, err error) (discovered bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trouble == nil {
		s.trouble, s.damage = map[string]error{}, map[string]damage{}
	}
	u, ok := errors.AsType[*unreadable](err)
	if !ok {
		s.trouble[name] = err
		return false
	}
	if at < s.lastFollowed[name] {
		return false
	}
	d, known := s.damage[name]
	if !known {
		d.since = time.Now()
	}
	d.err, d.commit = err, max(d.commit, u.commit)
	s.damage[name] = d
	delete(s.trouble, name)
	return !known
}

// setOldDamage notes that a store in the database was damaged before this process began. It may be old, so that
// Refused does not wait before it refuses.
func (s *state) setOldDamage(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d, damaged := s.damage[name]; damaged {
		d.since = time.Time{}
		s.damage[name] = d
	}
}

// setFollowing notes that a store has everything up to a commit. It reports whether a damage has ended.
func (s *state) setFollowing(name string, seq uint64) (mended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.trouble, name)
	if s.lastFollowed == nil {
		s.lastFollowed = map[string]uint64{}
	}
	s.lastFollowed[name] = seq
	d, damaged := s.damage[name]
	// seq may be what the database had just before the damage, unless it was restored to that.
	if !damaged || seq < d.commit && time.Since(d.since) < mostLag {
		return false
	}
	delete(s.damage, name)
	return true
}

func (s *state) setSkew(skew time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.skew = skew
}

// Skew returns how far the node's clock is ahead of the engine's.
func (s *state) Skew() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.skew
}

func (s *state) setNodes(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nodes = n
}

// addReport counts a report of counts to the engine by its outcome.
func (s *state) addReport(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reports == nil {
		s.reports = map[string]int{}
	}
	if err == nil {
		s.reports["ok"]++
	} else {
		s.reports["away"]++
	}
}

// liveNodes returns the number of nodes that lived when the node last looked, 0 before that.
func (s *state) liveNodes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nodes
}

func (s *state) setLease(name string, held bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leases == nil {
		s.leases = map[string]bool{}
	}
	s.leases[name] = held
}

// setWrites notes why the engine takes no changes, nil if it does.
func (s *state) setWrites(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writeErr = err
}
