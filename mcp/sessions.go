package mcp

import (
	"iter"
	"net/netip"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// An owner is a person, or the address of an anonymous caller with its networks.
type owner struct {
	id                string
	known             bool // has a credential
	network, provider netip.Prefix
}

// A closer is a session that can be ended.
type closer interface{ Close() error }

// A liveSession is a session that is not known to have ended.
type liveSession struct {
	closer
	owner
	began, lastUse time.Time
	posts          int  // requests under way
	used           bool // had a second message
	// Numbers of sessions of the owner, and of anonymous sessions of its networks.
	ofOwner, ofNetwork, ofProvider *int
}

// sessions are the live sessions, with their numbers by owner and by network.
type sessions struct {
	max, maxAnonymous int

	mu        sync.Mutex
	byID      map[string]*liveSession
	byOwner   map[string]*int
	byNetwork map[netip.Prefix]*int // networks and providers; the zero Prefix of known callers
	anonymous int
}

func newSessions(maxAll, maxAnonymous int) *sessions {
	return &sessions{
		max: maxAll, maxAnonymous: maxAnonymous,
		byID: map[string]*liveSession{}, byOwner: map[string]*int{}, byNetwork: map[netip.Prefix]*int{},
	}
}

// count returns how many live sessions an owner has.
func (s *sessions) count(o owner) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.byOwner[o.id]; n != nil {
		return *n
	}
	return 0
}

// add adds a session. It returns the sessions that must end to make room, which it no longer
// counts.
func (s *sessions) add(id string, session closer, o owner, now time.Time) (ended []closer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.byID) >= s.max || !o.known && s.anonymous >= s.maxAnonymous {
		first := s.firstToEnd(now)
		ended = append(ended, s.byID[first].closer)
		s.remove(first)
	}
	s.byID[id] = &liveSession{
		closer: session, owner: o, began: now, lastUse: now,
		ofOwner:    increment(s.byOwner, o.id),
		ofNetwork:  increment(s.byNetwork, o.network),
		ofProvider: increment(s.byNetwork, o.provider),
	}
	if !o.known {
		s.anonymous++
	}
	return ended
}

// firstToEnd returns the session that must end first: one that timed out, else the first in the
// order of endsBefore.
func (s *sessions) firstToEnd(now time.Time) (id string) {
	var first *liveSession
	for other, l := range s.byID {
		if now.Sub(l.lastUse) > sessionTimeout && l.posts == 0 { // the SDK has ended it
			return other
		}
		if first == nil || endsBefore(l, first, now) {
			id, first = other, l
		}
	}
	return id
}

// endsBefore reports whether a ends before b when sessions run out: anonymous sessions before
// known ones, idle before busy, unused before used. Of equal ones, those of the provider, the
// network and the owner with the most sessions end first, so that a flood ends its own; then
// the longest idle.
func endsBefore(a, b *liveSession, now time.Time) bool {
	unused := func(l *liveSession) bool { return !l.used && now.Sub(l.began) >= unusedIdle }
	switch {
	case a.known != b.known:
		return b.known
	case (a.posts == 0) != (b.posts == 0):
		return a.posts == 0
	case unused(a) != unused(b):
		return unused(a)
	case *a.ofProvider != *b.ofProvider:
		return *a.ofProvider > *b.ofProvider
	case *a.ofNetwork != *b.ofNetwork:
		return *a.ofNetwork > *b.ofNetwork
	case *a.ofOwner != *b.ofOwner:
		return *a.ofOwner > *b.ofOwner
	}
	return a.lastUse.Before(b.lastUse)
}

// noteUse notes that the answer to a message of a session begins (posts is 1) or ends (-1).
func (s *sessions) noteUse(id string, now time.Time, posts int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.byID[id]; l != nil {
		l.lastUse, l.used = now, true
		l.posts += posts
	}
}

// endUnused ends a session unless it had a second message.
func (s *sessions) endUnused(id string) {
	s.mu.Lock()
	l := s.byID[id]
	unused := l != nil && !l.used
	if unused {
		s.remove(id)
	}
	s.mu.Unlock()
	if unused {
		_ = l.Close() // its client does not listen
	}
}

// dropEnded stops counting the sessions that are not among the SDK's.
func (s *sessions) dropEnded(living func() iter.Seq[*sdk.ServerSession]) {
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

// dropDeleted stops counting a session after its client asked to end it, unless it still lives:
// it may be another person's.
func (s *sessions) dropDeleted(id string, living func() iter.Seq[*sdk.ServerSession]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.byID[id]
	if l == nil {
		return
	}
	for session := range living() {
		if l.closer == session {
			return
		}
	}
	s.remove(id)
}

// remove stops counting a session. The caller must hold mu.
func (s *sessions) remove(id string) {
	o := s.byID[id].owner
	delete(s.byID, id)
	decrement(s.byOwner, o.id)
	decrement(s.byNetwork, o.network)
	decrement(s.byNetwork, o.provider)
	if !o.known {
		s.anonymous--
	}
}

// increment adds one to the count of a key, and returns where the count is kept until it is 0.
func increment[K comparable](counts map[K]*int, key K) *int {
	n := counts[key]
	if n == nil {
		n = new(int)
		counts[key] = n
	}
	*n++
	return n
}

func decrement[K comparable](counts map[K]*int, key K) {
	if *counts[key]--; *counts[key] == 0 {
		delete(counts, key)
	}
}
