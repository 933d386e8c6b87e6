package snapshot

import (
	"encoding/binary"
	"slices"
)

// Ascending number lists (azimuths, frequencies) are strings of the string
// table: the difference of each number to the one before it, as an unsigned
// varint. Equal lists of many sites so cost one string.

func packList[T uint16 | uint64](dst []byte, list []T) []byte {
	last := T(0)
	for _, x := range list {
		dst = binary.AppendUvarint(dst, uint64(x-last))
		last = x
	}
	return dst
}

// unpackList appends the list that s holds. What does not fit ends the list:
// Read has refused such a snapshot already.
func unpackList[T uint16 | uint64](dst []T, s []byte) []T {
	numbers := 0
	for _, c := range s {
		if c < 0x80 { // it ends one
			numbers++
		}
	}
	dst = slices.Grow(dst, numbers)
	last := uint64(0)
	for len(s) > 0 {
		d, n := binary.Uvarint(s)
		last += d
		if n <= 0 || last > uint64(^T(0)) {
			return dst
		}
		dst = append(dst, T(last))
		s = s[n:]
	}
	return dst
}
