package index

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"relais/market"
	"relais/snapshot"
)

// kinds are the kinds of sites: those with the same keys are of one kind, and registers have fewer kinds than sites. A
// mask has a bit for each key. A filter on emissions is a mask with the keys that satisfy it, so that one emission
// satisfies all its conditions, and selects all sites of a kind or none.
type kinds struct {
	keys  []snapshot.EmissionKey
	words int      // in a mask
	count int      // of kinds
	masks []uint64 // of the kinds
	kind  []uint32 // by site
}

// newKinds finds the kinds of sites. each calls has for each key of site i.
func newKinds(keys []snapshot.EmissionKey, sites int, each func(i uint32, has func(n int32))) kinds {
	k := kinds{keys: keys, words: (len(keys) + 63) / 64, kind: make([]uint32, sites)}
	known, mask, text := map[string]uint32{}, make([]uint64, k.words), make([]byte, 0, 8*k.words)
	for i := range k.kind {
		clear(mask)
		each(uint32(i), func(n int32) { mask[n>>6] |= 1 << (n & 63) })
		text = text[:0]
		for _, word := range mask {
			text = binary.NativeEndian.AppendUint64(text, word)
		}
		kind, ok := known[string(text)]
		if !ok {
			kind = uint32(len(known))
			known[string(text)] = kind
			k.masks = append(k.masks, mask...)
		}
		k.kind[i] = kind
	}
	k.count, k.masks = len(known), slices.Clip(k.masks)
	return k
}

// coarse returns the kinds of sites by keys that have one system for all, and one status for all projects and one for
// what is more. They are far fewer, and answer filters that do not ask for more.
func (k *kinds) coarse(table *market.Market) kinds {
	project := func(key snapshot.EmissionKey) bool { return table.Phase(key.Status) == market.Project }
	var keys []snapshot.EmissionKey
	number := make([]int32, len(k.keys))
	for n, key := range k.keys {
		at := slices.IndexFunc(keys, func(o snapshot.EmissionKey) bool {
			return o.Operator == key.Operator && o.Generation == key.Generation && project(o) == project(key)
		})
		if at < 0 {
			at = len(keys)
			keys = append(keys, key)
		}
		number[n] = int32(at)
	}
	c := newKinds(keys, k.count, func(kind uint32, has func(n int32)) {
		for w, word := range k.maskOf(kind) {
			for ; word != 0; word &= word - 1 {
				has(number[w<<6+bits.TrailingZeros64(word)])
			}
		}
	})
	byKind := c.kind
	c.kind = make([]uint32, len(k.kind))
	for i, kind := range k.kind {
		c.kind[i] = byKind[kind]
	}
	return c
}

// mask returns the keys that satisfy f, nil if f has no condition on emissions.
func (k *kinds) mask(f Filter) []uint64 {
	if !f.asksEmissions() {
		return nil
	}
	return k.accepted(f)
}

// accepted returns the keys that satisfy f.
func (k *kinds) accepted(f Filter) []uint64 {
	mask := make([]uint64, k.words)
	for n, key := range k.keys {
		if f.accepts(key) {
			mask[n>>6] |= 1 << (n & 63)
		}
	}
	return mask
}

// of returns the mask of site i.
func (k *kinds) of(i uint32) []uint64 { return k.maskOf(k.kind[i]) }

func (k *kinds) maskOf(kind uint32) []uint64 {
	from := int(kind) * k.words
	return k.masks[from : from+k.words]
}

// matches reports whether site i has a key of mask.
func (k *kinds) matches(i uint32, mask []uint64) bool {
	for w, bits := range k.of(i) {
		if bits&mask[w] != 0 {
			return true
		}
	}
	return false
}
