package store

import (
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// sumSize is how many bytes of sum stand after each value.
const sumSize = 8

// seedOf returns the seed of the sums in a bucket, which depends on the names of all the
// buckets that it is in.
func seedOf(outer uint64, name []byte) uint64 {
	d := xxhash.NewWithSeed(outer)
	d.Write(name)
	return d.Sum64()
}

// sumOf returns the sum of a record. Seed and key are part of it, so that a whole record in another's place is
// noticed.
func sumOf(seed uint64, key, value []byte) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(seed)
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(key)))
	d.Write(n[:])
	d.Write(key)
	d.Write(value)
	return d.Sum64()
}

// seal returns a value with its sum, as it is stored.
func seal(seed uint64, key, value []byte) []byte {
	sealed := make([]byte, len(value), len(value)+sumSize)
	copy(sealed, value)
	return binary.LittleEndian.AppendUint64(sealed, sumOf(seed, key, value))
}

// unseal is the reverse of seal, false for a value that is not as it was sealed.
func unseal(seed uint64, key, sealed []byte) ([]byte, bool) {
	n := len(sealed) - sumSize
	if n < 0 || binary.LittleEndian.Uint64(sealed[n:]) != sumOf(seed, key, sealed[:n]) {
		return nil, false
	}
	return sealed[:n:n], true
}

func (b *Bucket) sealed(key, value []byte) []byte { return seal(b.seed, key, value) }

// open returns a value as it was put, nil for nil. Error: ErrDamaged.
func (b *Bucket) open(key, stored []byte) ([]byte, error) {
	if stored == nil {
		return stored, nil
	}
	value, ok := unseal(b.seed, key, stored)
	if !ok {
		return nil, damaged(b.tx.name, fmt.Errorf("a record of %q is %w", b.kind, ErrRecord))
	}
	return value, nil
}
