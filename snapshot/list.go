package snapshot

import (
	"encoding/binary"
	"slices"
)

// packList appends an ascending list of numbers (azimuths, frequencies) to dst: the
// difference of each number to the one before it, as an unsigned varint. Lists are
// strings of the string table, so that equal lists are stored once.
func packList[T uint16 | uint64](dst []byte, list []T) []byte {
	last := T(0)
	for _, x := range list {
		dst = binary.AppendUvarint(dst, uint64(x-last))
		last = x
	}
	return dst
}

// unpackList appends the list that s holds. It stops at a number that does not fit,
// which Read does not let pass.
func unpackList[T uint16 | uint64](dst []T, s []byte) []T {
	numbers := 0
	for _, c := range s {
		if c < 0x80 { // the last byte of a number
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
