package index

import (
	"slices"

	"github.com/cespare/xxhash/v2"

	"relais/internal/fold"
)

// A nameTable finds rows by a name, ignoring the case of ASCII letters. It holds
// hashes and row numbers; the names stay in the snapshot. Several rows may have one
// name, and several names one hash.
type nameTable struct {
	keys []uint64 // hash<<32 | row, ascending
	name func(row int) string
}

func newNameTable(rows int, name func(row int) string) *nameTable {
	named := 0
	for row := range rows {
		if name(row) != "" {
			named++
		}
	}
	t := &nameTable{keys: make([]uint64, 0, named), name: name}
	for row := range rows {
		if n := name(row); n != "" {
			t.keys = append(t.keys, hash(n)<<32|uint64(row))
		}
	}
	slices.Sort(t.keys)
	return t
}

// find returns the rows with this name in ascending order.
func (t *nameTable) find(name string) (rows []uint32) {
	h := hash(name)
	at, _ := slices.BinarySearch(t.keys, h<<32)
	for ; at < len(t.keys) && t.keys[at]>>32 == h; at++ {
		if row := uint32(t.keys[at]); fold.EqualASCII(t.name(int(row)), name) {
			rows = append(rows, row)
		}
	}
	return rows
}

// hash returns a hash of 32 bits of a name in lower case.
func hash(name string) uint64 {
	var buf [64]byte
	return xxhash.Sum64(lower(buf[:0], name)) >> 32
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
