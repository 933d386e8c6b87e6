package logtest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"relais/internal/store"
)

// Buckets are the outermost buckets that Act uses.
var Buckets = []string{"a", "b", "c"}

// Dump returns all that a file has: records, buckets and sequences by their paths.
func Dump(t testing.TB, db *store.DB) map[string]string {
	t.Helper()
	all := map[string]string{}
	var walk func(path string, b *store.Bucket) error
	walk = func(path string, b *store.Bucket) error {
		all[path] = fmt.Sprint("bucket ", b.Sequence())
		return b.ForEach(func(k, v []byte) error {
			at := fmt.Sprintf("%s/%q", path, k)
			if v == nil {
				return walk(at, b.Bucket(k))
			}
			all[at] = fmt.Sprintf("%q", v)
			return nil
		})
	}
	err := db.View(func(tx *store.Tx) error {
		for _, name := range Buckets {
			if b := tx.Bucket([]byte(name)); b != nil {
				if err := walk(name, b); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Act does a random step in a transaction.
func Act(tx *store.Tx, random *rand.Rand) error {
	outermost := Buckets[random.IntN(len(Buckets))]
	b, err := tx.CreateBucketIfNotExists([]byte(outermost))
	if err != nil {
		return err
	}
	for range random.IntN(3) {
		if b, err = b.CreateBucketIfNotExists([]byte{'B', byte(random.IntN(3))}); err != nil {
			return err
		}
	}
	key := []byte{byte(random.IntN(5))}
	switch random.IntN(8) {
	case 0, 1, 2:
		return b.Put(key, binary.BigEndian.AppendUint64(nil, random.Uint64()))
	case 3:
		return b.Put(key, nil)
	case 4:
		return b.Delete(key)
	case 5:
		_, err := b.NextSequence()
		return err
	case 6:
		return store.MarkDeleted(tx)
	}
	if name := []byte{'B', byte(random.IntN(3))}; b.Bucket(name) != nil {
		return b.DeleteBucket(name)
	}
	return nil
}
