package cluster

import (
	"relais/internal/store"
)

// Buckets are those of the store files.
var Buckets = []string{filesBucket}

const filesBucket = "files" // path below the data folder → file in JSON

// CountFiles returns how many files the nodes share.
func CountFiles(db *store.DB) (n int, err error) {
	err = db.View(func(tx *store.Tx) error {
		return store.EachKey(tx, filesBucket, func([]byte) error {
			n++
			return nil
		})
	})
	return n, err
}
