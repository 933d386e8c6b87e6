package access

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync/atomic"
	"time"
)

// A table is the clients at one moment. Counters are in the live clients, which the next table
// takes over.
type table struct {
	clients map[string]*live // by id
	keys    map[keyPrefix]*liveKey
	origins map[string]int // how many clients allow each
	damaged []error        // of records that are left out
}

// A live client is a client with the state that its requests need.
type live struct {
	record
	scopes   map[Scope]bool
	secret   string // for signatures, as it was shown
	locked   error  // why the secret cannot be had
	lent     bool   // in memory only
	counter  *counter
	visitors *visitors
	used     *atomic.Bool // since it was last saved
	keys     []*liveKey
}

type liveKey struct {
	*live
	hash     [sha256.Size]byte
	ends     int64 // seconds since 1970 from which on it is dead
	lastUsed *atomic.Int64
}

const never = int64(math.MaxInt64)

func newTable() *table {
	return &table{clients: map[string]*live{}, keys: map[keyPrefix]*liveKey{}, origins: map[string]int{}}
}

func (t *table) clone() *table {
	return &table{maps.Clone(t.clients), maps.Clone(t.keys), maps.Clone(t.origins), slices.Clone(t.damaged)}
}

// newLive makes a live client. old is its state before, or nil.
func newLive(r *record, sealer *Sealer, old *live) (*live, error) {
	l := &live{record: *r, scopes: map[Scope]bool{}, counter: &counter{}, visitors: newVisitors(), used: &atomic.Bool{}}
	for _, s := range r.Scopes {
		l.scopes[s] = true
	}
	if len(r.Sealed) > 0 {
		var err error
		if l.secret, err = sealer.open(r.Sealed, r.ID); err != nil {
			l.locked = fmt.Errorf("the signing secret of client %s cannot be opened, secret.key must be the one "+
				"that sealed it: %w", r.ID, err)
		}
	}
	if old != nil {
		l.counter, l.visitors, l.used = old.counter, old.visitors, old.used
	}
	for i := range r.Keys {
		k, err := l.newLiveKey(&r.Keys[i], old)
		if err != nil {
			return nil, err
		}
		l.keys = append(l.keys, k)
	}
	return l, nil
}

// put adds a client that the table does not have.
func (t *table) put(l *live) {
	for i, k := range l.keys {
		if l.Keys[i].Revoked == nil {
			t.keys[keyPrefix([]byte(l.Keys[i].Prefix))] = k
		}
	}
	for _, o := range l.Origins {
		t.origins[o]++
	}
	t.clients[l.ID] = l
}

// locked returns an error for each client whose signing secret cannot be opened.
func (t *table) locked() (errs []error) {
	for _, l := range t.clients {
		if l.locked != nil {
			errs = append(errs, l.locked)
		}
	}
	return errs
}

func (l *live) newLiveKey(k *Key, old *live) (*liveKey, error) {
	hash := l.Hashes[k.Prefix]
	if len(hash) != sha256.Size || len(k.Prefix) != prefixLength {
		return nil, fmt.Errorf("client %s: the key %q is damaged", l.ID, k.Prefix)
	}
	v := &liveKey{live: l, hash: [sha256.Size]byte(hash), ends: never, lastUsed: &atomic.Int64{}}
	for _, end := range []*time.Time{k.Expires, l.Expires} {
		if end != nil {
			v.ends = min(v.ends, end.Unix())
		}
	}
	if k.LastUsed != nil {
		v.lastUsed.Store(k.LastUsed.Unix())
	}
	if old != nil {
		if i := slices.IndexFunc(old.Keys, func(o Key) bool { return o.Prefix == k.Prefix }); i >= 0 {
			v.lastUsed = old.keys[i].lastUsed
		}
		if k.LastUsed != nil && k.LastUsed.Unix() > v.lastUsed.Load() { // another node noted it
			v.lastUsed.Store(k.LastUsed.Unix())
		}
	}
	return v, nil
}

func (t *table) remove(id string) {
	l, ok := t.clients[id]
	if !ok {
		return
	}
	for _, o := range l.Origins {
		t.origins[o]--
	}
	for _, k := range l.Keys {
		delete(t.keys, keyPrefix([]byte(k.Prefix)))
	}
	delete(t.clients, id)
}

// client returns a copy of the client with the times at which its keys were used.
func (l *live) client() *Client {
	c := l.Client
	c.Keys = slices.Clone(c.Keys)
	for i, k := range l.keys {
		if at := k.lastUsed.Load(); at > 0 {
			used := time.Unix(at, 0).UTC()
			c.Keys[i].LastUsed = &used
		}
	}
	return &c
}

// unknownKey is compared if the key is unknown, so that the answer takes as long as for a wrong secret.
var unknownKey = &liveKey{}

// find returns the key with this text; nil if it is unknown or not live.
func (t *table) find(key string, now time.Time) *liveKey {
	prefix, hash, ok := splitKey(key)
	if !ok {
		return nil
	}
	k, known := t.keys[prefix]
	if !known {
		k = unknownKey
	}
	same := subtle.ConstantTimeCompare(k.hash[:], hash[:]) == 1
	if !same || !known || now.Unix() >= k.ends {
		return nil
	}
	return k
}

// lastUsedStep is how exact LastUsed is.
const lastUsedStep = 60 // seconds

// touch notes that the key was used.
func (k *liveKey) touch(now time.Time) {
	if at := now.Unix(); at-k.lastUsed.Load() >= lastUsedStep {
		k.lastUsed.Store(at)
		k.used.Store(true)
	}
}
