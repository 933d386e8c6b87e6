package mcp

import (
	"iter"
	"net/netip"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// An owner is who began a session: a person, or an address with its networks.
type owner struct {
	id                string
	known             bool // with a credential
	network, provider netip.Prefix
}

// A closer is a session that can be ended.
type closer interface{ Close() error }

// A live session is one that was begun and not ended, as far as we know.
type live struct {
	closer
	owner
	began, last time.Time
	posts       int  // that are being answered
	used        bool // there was a second message
	// Numbers of sessions: the owner's, and those of nobody known in its networks.
	own, inNetwork, inProvider *int
}

// sessions are those that live, with their numbers by owner and by network.
type sessions struct {
	most, mostAnonymous int // at a time

	mu        sync.Mutex
	byID      map[string]*live
	byOwner   map[string]*int
	networks  map[netip.Prefix]*int // and providers; of callers who are known the zero Prefix
	anonymous int
}

func newSessions(most, mostAnonymous int) *sessions {
	return &sessions{most: most, mostAnonymous: mostAnonymous, byID: map[string]*live{}, byOwner: map[string]*int{}, networks: map[netip.Prefix]*int{}}
}

// count returns how many sessions of an owner live.
func (s *sessions) count(o owner) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.byOwner[o.id]; n != nil {
		return *n
	}
	return 0
}

// add takes a session in, and returns those that must end for it. They count no more.
func (s *sessions) add(id string, session closer, o owner, now time.Time) (ended []closer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.byID) >= s.most || !o.known && s.anonymous >= s.mostAnonymous {
		old := s.worst(now)
		ended = append(ended, s.byID[old].closer)
		s.remove(old)
	}
	s.byID[id] = &live{closer: session, owner: o, began: now, last: now,
		own: more(s.byOwner, o.id), inNetwork: more(s.networks, o.network), inProvider: more(s.networks, o.provider)}
	if !o.known {
		s.anonymous++
	}
	return ended
}

// worst is the session that is missed least. Anonymous ones go first, and of these
// the idle before those that answer, and those that never had a second message before
// the others; then those of the provider and the network with the most sessions, so that a
// flood ends its own; and at last the longest idle.
func (s *sessions) worst(now time.Time) (id string) {
	var worst *live
	for other, l := range s.byID {
		if now.Sub(l.last) > sessionTime && l.posts == 0 { // it ended by itself
			return other
		}
		if worst == nil || s.before(l, worst, now) {
			id, worst = other, l
		}
	}
	return id
}

// before reports whether a is missed less than b.
func (s *sessions) before(a, b *live, now time.Time) bool {
	unused := func(l *live) bool { return !l.used && now.Sub(l.began) >= unusedIdle }
	switch {
	case a.known != b.known:
		return b.known
	case (a.posts == 0) != (b.posts == 0):
		return a.posts == 0
	case unused(a) != unused(b):
		return unused(a)
	case *a.inProvider != *b.inProvider:
		return *a.inProvider > *b.inProvider
	case *a.inNetwork != *b.inNetwork:
		return *a.inNetwork > *b.inNetwork
	case *a.own != *b.own:
		return *a.own > *b.own
	}
	return a.last.Before(b.last)
}

// use notes a message of a session that begins (1) or has ended (-1) to be answered.
func (s *sessions) use(id string, now time.Time, posts int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.byID[id]; l != nil {
		l.last, l.used = now, true
		l.posts += posts
	}
}

// endUnused ends a session, if it lives and had no second message.
func (s *sessions) endUnused(id string) {
	s.mu.Lock()
	l := s.byID[id]
	unused := l != nil && !l.used
	if unused {
		s.remove(id)
	}
	s.mu.Unlock()
	if unused {
		_ = l.Close() // nobody is there to be told
	}
}

// keep forgets the sessions that are not among those that live.
func (s *sessions) keep(living func() iter.Seq[*sdk.ServerSession]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lives := map[closer]bool{}
	for session := range living() {
		lives[session] = true
	}
	for id, l := range s.byID {
		if !lives[l.closer] {
			s.remove(id)
		}
	}
}

// deleted forgets a session that its client has ended.
func (s *sessions) deleted(id string, living func() iter.Seq[*sdk.ServerSession]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.byID[id]
	if l == nil {
		return
	}
	for session := range living() {
		if l.closer == session { // another person's, who may not end it
			return
		}
	}
	s.remove(id)
}

// remove needs mu.
func (s *sessions) remove(id string) {
	o := s.byID[id].owner
	delete(s.byID, id)
	less(s.byOwner, o.id)
	less(s.networks, o.network)
	less(s.networks, o.provider)
	if !o.known {
		s.anonymous--
	}
}

// more counts one more of a key, and returns where its number stays while it is counted.
func more[K comparable](counts map[K]*int, key K) *int {
	n := counts[key]
	if n == nil {
		n = new(int)
		counts[key] = n
	}
	*n++
	return n
}

// less counts one less of a key that was counted.
func less[K comparable](counts map[K]*int, key K) {
	if *counts[key]--; *counts[key] == 0 {
		delete(counts, key)
	}
}
