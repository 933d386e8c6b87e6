// Package intern keeps texts, each different one once or as often as they come. Millions of them take a few
// bytes each in addition to their own, and the garbage collector has nothing to scan.
package intern

import (
	"hash/maphash"
	"unsafe"
)

// A Table is a list of texts. Text 0 is "". The zero Table has only that.
type Table struct {
	bytes []byte
	ends  []uint32
	slots []slot // a hash table with open addressing: a power of two, at most three quarters in use
	used  int
}

// A slot is free while its text is 0, which is never looked up.
type slot struct{ hash, text uint32 }

// minSlots is the initial number of slots.
const minSlots = 1 << 6

// Len returns the number of texts.
func (t *Table) Len() int { return max(1, len(t.ends)) }

// Size returns how many bytes all texts have together. Nothing checks that it fits in 32 bits, as it must.
func (t *Table) Size() int { return len(t.bytes) }

// Columns returns the texts one after the other, and where each of them ends. They must not be changed.
func (t *Table) Columns() (bytes []byte, ends []uint32) {
	t.init()
	return t.bytes, t.ends
}

func (t *Table) init() {
	if len(t.ends) == 0 {
		t.ends = []uint32{0}
	}
}

// Text returns text i.
func (t *Table) Text(i uint32) string {
	if i == 0 {
		return ""
	}
	b := t.bytes[t.ends[i-1]:t.ends[i]]
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// Find returns the number of a text. ok is false if the table does not have it.
func Find[T string | []byte](t *Table, text T) (i uint32, ok bool) {
	if len(text) == 0 {
		return 0, true
	}
	if len(t.slots) == 0 {
		return 0, false
	}
	i = t.slots[find(t, text, hashOf(text))].text
	return i, i != 0
}

// Add returns the number of a text, which it adds if it is new.
func Add[T string | []byte](t *Table, text T) (i uint32) {
	if len(text) == 0 {
		return 0
	}
	if t.used >= len(t.slots)/4*3 {
		t.grow()
	}
	hash := hashOf(text)
	at := find(t, text, hash)
	if t.slots[at].text == 0 {
		t.slots[at] = slot{hash, Append(t, text)}
		t.used++
	}
	return t.slots[at].text
}

// Append adds a text without looking for an equal one. Find and Add do not find it.
func Append[T string | []byte](t *Table, text T) (i uint32) {
	if len(text) == 0 {
		return 0
	}
	t.init()
	t.bytes = append(t.bytes, text...)
	t.ends = append(t.ends, uint32(len(t.bytes)))
	return uint32(len(t.ends) - 1)
}

// find returns the slot of a text, or the one where it belongs.
func find[T string | []byte](t *Table, text T, hash uint32) (at int) {
	for at = t.firstSlot(hash); t.slots[at].text != 0; at = t.nextSlot(at) {
		if t.slots[at].hash == hash && t.Text(t.slots[at].text) == string(text) {
			break
		}
	}
	return at
}

// seed is another one in each process: nobody can choose texts that have one hash.
var seed = maphash.MakeSeed()

func hashOf[T string | []byte](text T) uint32 {
	switch text := any(text).(type) {
	case string:
		return uint32(maphash.String(seed, text))
	case []byte:
		return uint32(maphash.Bytes(seed, text))
	}
	return 0
}

func (t *Table) firstSlot(hash uint32) int { return int(hash) & (len(t.slots) - 1) }
func (t *Table) nextSlot(at int) int       { return (at + 1) & (len(t.slots) - 1) }

// grow doubles the hash table.
func (t *Table) grow() {
	old := t.slots
	t.slots = make([]slot, max(minSlots, 2*len(old)))
	for _, s := range old {
		if s.text != 0 {
			at := t.firstSlot(s.hash)
			for t.slots[at].text != 0 {
				at = t.nextSlot(at)
			}
			t.slots[at] = s
		}
	}
}
