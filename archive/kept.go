package archive

import (
	"context"
	"encoding/binary"
	"errors"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"relais/archive/change"
)

// Bounds of the stored values in memory, in bytes.
const (
	mostPublications = 4 << 20
	mostSupports     = 8 << 20
	mostBlocks       = 48 << 20
	mostChanges      = 16 << 20
	mostMembers      = 16 << 20
	mostOverviews    = 32 << 20
	mostBriefs       = 48 << 20
	mostDifferences  = 32 << 20
	mostNets         = 16 << 20
)

// A memory caches decoded values. They are named by their checksums, which depend on key and
// content, so that a cached value is never out of date.
type memory struct {
	publications valueCache[[]Publication] // by the names of all of them
	supports     valueCache[[]uint32]      // of the rows of a block, ascending
	blocks       valueCache[*block]
	changes      valueCache[[]rowChange] // of a date, by support
	members      valueCache[members]
	overviews    valueCache[*Overview]
	differences  valueCache[*change.List] // of an edition from the one before
	nets         valueCache[*change.List]
	briefs       *briefs // of the overviews, whose making guards it
}

func newMemory() *memory {
	m := &memory{}
	m.publications.most, m.supports.most, m.blocks.most = mostPublications, mostSupports, mostBlocks
	m.changes.most, m.members.most, m.overviews.most = mostChanges, mostMembers, mostOverviews
	m.differences.most, m.nets.most = mostDifferences, mostNets
	return m
}

// nameOf is the name of a sealed value. Errors: errDamaged.
func nameOf(sealed []byte) (uint64, error) {
	if len(sealed) < 8 {
		return 0, damaged("a value")
	}
	return binary.BigEndian.Uint64(sealed), nil
}

// A valueCache keeps the values that were asked for last, up to a number of bytes.
type valueCache[V any] struct {
	most   int
	making sync.Mutex // held while a whole publication is read, which takes tens of megabytes
	mu     sync.Mutex // guards the rest
	lru    *simplelru.LRU[uint64, *cachedValue[V]]
	bytes  int
}

// A cachedValue is being made while done is open.
type cachedValue[V any] struct {
	done chan struct{}
	v    V
	size int // bytes
	err  error
}

// keptValues bounds the number of values, whatever their size.
const keptValues = 1 << 16

var errUnmade = errors.New("the value that others were waiting for was not made")

// get returns the value of a name. The first caller makes it, also for those who ask meanwhile. An
// error is not cached. Errors: those of make, and of ctx while waiting for another caller.
func (k *valueCache[V]) get(ctx context.Context, name uint64, make func() (V, int, error)) (V, error) {
	e, mine := k.entry(name)
	if !mine {
		select {
		case <-e.done:
			return e.v, e.err
		case <-ctx.Done():
			var none V
			return none, ctx.Err()
		}
	}
	defer k.settle(name, e)
	e.v, e.size, e.err = make()
	return e.v, e.err
}

// entry returns the entry of a name. mine reports whether the caller must make its value.
func (k *valueCache[V]) entry(name uint64) (e *cachedValue[V], mine bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lru == nil {
		lru, err := simplelru.NewLRU(keptValues, func(_ uint64, e *cachedValue[V]) {
			select {
			case <-e.done:
				k.bytes -= e.size
			default: // not counted yet
			}
		})
		if err != nil {
			panic(err) // the size is a constant
		}
		k.lru = lru
	}
	if e, ok := k.lru.Get(name); ok {
		return e, false
	}
	e = &cachedValue[V]{done: make(chan struct{}), err: errUnmade}
	k.lru.Add(name, e)
	return e, true
}

// clear removes all values.
func (k *valueCache[V]) clear() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lru != nil {
		k.lru.Purge()
	}
}

// settle ends the making of a value.
func (k *valueCache[V]) settle(name uint64, e *cachedValue[V]) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now, ok := k.lru.Peek(name)
	switch {
	case e.err != nil && now == e:
		k.lru.Remove(name)
	case e.err == nil && !ok: // it has been cleared meanwhile
		k.lru.Add(name, e)
		k.bytes += e.size
	case e.err == nil && now == e:
		k.bytes += e.size
	}
	close(e.done)
	for k.bytes > k.most && k.lru.Len() > 1 {
		k.lru.RemoveOldest()
	}
}
