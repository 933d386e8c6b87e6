package snapshot

import "github.com/cespare/xxhash/v2"

// An internTable finds the ref of a string that is in the string table already.
// It is an open-addressing table of refs: the strings themselves stand in the
// columns, so that millions of them cost a few bytes each and the collector
// nothing.
type internTable struct {
	slots []slot // a power of two of them, at most three quarters in use
	used  int
}

// A slot is free while its ref is 0: "" is never looked for.
type slot struct {
	hash uint32
	ref  ref
}

// leastSlots is the size that a table begins with.
const leastSlots = 1 << 10

// intern returns the ref of s, which it adds to the string table when it is new.
func intern[T string | []byte](b *Builder, s T) ref {
	if len(s) == 0 {
		return 0
	}
	t := &b.strings
	if t.used >= len(t.slots)/4*3 {
		t.grow()
	}
	hash := hashOf(s)
	at := t.first(hash)
	for ; t.slots[at].ref != 0; at = t.next(at) {
		if t.slots[at].hash == hash && string(b.bytes(t.slots[at].ref)) == string(s) {
			return t.slots[at].ref
		}
	}
	r := ref(len(b.stringEnd))
	t.slots[at] = slot{hash, r}
	t.used++
	b.text = append(b.text, s...)
	b.stringEnd = append(b.stringEnd, uint32(len(b.text)))
	return r
}

func hashOf[T string | []byte](s T) uint32 {
	switch s := any(s).(type) {
	case string:
		return uint32(xxhash.Sum64String(s))
	case []byte:
		return uint32(xxhash.Sum64(s))
	}
	return 0
}

func (t *internTable) first(hash uint32) int { return int(hash) & (len(t.slots) - 1) }
func (t *internTable) next(at int) int       { return (at + 1) & (len(t.slots) - 1) }

// grow doubles the table.
func (t *internTable) grow() {
	old := t.slots
	t.slots = make([]slot, max(leastSlots, 2*len(old)))
	for _, s := range old {
		if s.ref != 0 {
			at := t.first(s.hash)
			for t.slots[at].ref != 0 {
				at = t.next(at)
			}
			t.slots[at] = s
		}
	}
}
