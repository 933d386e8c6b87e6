package index

import (
	"math/bits"

	"github.com/cespare/xxhash/v2"
)

// A nameTable finds rows by a name, whatever its case in ASCII. It holds row
// numbers only; the names stay in the snapshot. Several rows may have one name.
type nameTable struct {
	slots []uint32 // row+1, 0 when free
	name  func(row int) string
}

func newNameTable(rows int, name func(row int) string) *nameTable {
	named := 0
	for row := range rows {
		if name(row) != "" {
			named++
		}
	}
	t := &nameTable{slots: make([]uint32, 1<<bits.Len(uint(named*2))), name: name}
	for row := range rows {
		n := name(row)
		if n == "" {
			continue
		}
		at := t.slot(n)
		for t.slots[at] != 0 {
			at = t.after(at)
		}
		t.slots[at] = uint32(row + 1)
	}
	return t
}

func (t *nameTable) slot(name string) int {
	var buf [64]byte
	return int(xxhash.Sum64(lower(buf[:0], name)) & uint64(len(t.slots)-1))
}

func (t *nameTable) after(at int) int { return (at + 1) & (len(t.slots) - 1) }

// find appends the rows with this name, in no order.
func (t *nameTable) find(rows []int, name string) []int {
	if name == "" {
		return rows
	}
	for at := t.slot(name); t.slots[at] != 0; at = t.after(at) {
		if row := int(t.slots[at] - 1); equal(t.name(row), name) {
			rows = append(rows, row)
		}
	}
	return rows
}

func lower(dst []byte, s string) []byte {
	for i := range len(s) {
		dst = append(dst, lowerByte(s[i]))
	}
	return dst
}

func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func equal(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lowerByte(a[i]) != lowerByte(b[i]) {
			return false
		}
	}
	return true
}
