package snapshot

import "github.com/cespare/xxhash/v2"

// An internTable finds the ref of a string that is already in the string table.
// It is a hash table of refs with open addressing. The strings themselves are in
// the columns, so that millions of them take a few bytes each and give the
// garbage collector nothing to scan.
type internTable struct {
	slots []slot // a power of two, at most three quarters in use
	used  int
}

// A slot is free while its ref is 0, the ref of "", which is never looked up.
type slot struct {
	hash uint32
	ref  ref
}

// minSlots is the initial size of a table.
const minSlots = 1 << 10

// intern returns the ref of s. It adds s to the string table when it is new.
func intern[T string | []byte](b *Builder, s T) ref {
	if len(s) == 0 {
		return 0
	}
	t := &b.strings
	if t.used >= len(t.slots)/4*3 {
		t.grow()
	}
	hash := hashOf(s)
	at := t.firstSlot(hash)
	for ; t.slots[at].ref != 0; at = t.nextSlot(at) {
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

func (t *internTable) firstSlot(hash uint32) int { return int(hash) & (len(t.slots) - 1) }
func (t *internTable) nextSlot(at int) int       { return (at + 1) & (len(t.slots) - 1) }

// grow doubles the table.
func (t *internTable) grow() {
	old := t.slots
	t.slots = make([]slot, max(minSlots, 2*len(old)))
	for _, s := range old {
		if s.ref != 0 {
			at := t.firstSlot(s.hash)
			for t.slots[at].ref != 0 {
				at = t.nextSlot(at)
			}
			t.slots[at] = s
		}
	}
}
