package archive

import (
	"encoding/binary"

	"relais/archive/change"
	"relais/internal/cache"
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

// keptValues bounds the number of values of a kind, whatever their size.
const keptValues = 1 << 16

// A memory caches decoded values. They are named by their checksums, which depend on key and
// content, so that a cached value is never out of date. What reads a whole publication takes tens of
// megabytes, and is done one at a time.
type memory struct {
	publications *cache.Cache[uint64, []Publication] // by the names of all of them
	supports     *cache.Cache[uint64, []uint32]      // of the rows of a block, ascending
	blocks       *cache.Cache[uint64, *block]
	changes      *cache.Cache[uint64, []rowChange] // of a date, by support
	members      *cache.Cache[uint64, members]
	overviews    *cache.Cache[uint64, *Overview]
	differences  *cache.Cache[uint64, *change.List] // of an edition from the one before
	nets         *cache.Cache[uint64, *change.List]
	briefs       *briefs // of the overviews, which are made one at a time
}

func newMemory() *memory {
	return &memory{
		publications: cached(mostPublications, false, publicationsSize),
		supports:     cached(mostSupports, false, func(list []uint32) int { return 64 + 4*len(list) }),
		blocks:       cached(mostBlocks, false, (*block).size),
		changes:      cached(mostChanges, false, func(list []rowChange) int { return 64 + 20*len(list) }),
		members:      cached(mostMembers, true, members.size),
		overviews:    cached(mostOverviews, true, func(o *Overview) int { return 64 + 4*len(o.states) }),
		differences:  cached(mostDifferences, false, (*change.List).Bytes),
		nets:         cached(mostNets, false, (*change.List).Bytes),
	}
}

// cached returns an empty cache of so many bytes. serial says that values are made one at a time.
func cached[V any](most int64, serial bool, size func(V) int) *cache.Cache[uint64, V] {
	return cache.New(cache.Options[uint64, V]{Max: keptValues, MaxSize: most, Serial: serial,
		Size: func(_ uint64, v V) int64 { return int64(size(v)) }})
}

// nameOf is the name of a sealed value. Errors: errDamaged.
func nameOf(sealed []byte) (uint64, error) {
	if len(sealed) < 8 {
		return 0, damaged("a value")
	}
	return binary.BigEndian.Uint64(sealed), nil
}
