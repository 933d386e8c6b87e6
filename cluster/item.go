package cluster

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/jackc/pgx/v5"

	"relais/internal/store"
)

// Table item has the content of all stores. A bucket is a row with the empty key, whose value is
// its sequence. Outermost buckets may lack it. A path is the names of its buckets, each behind
// its length: so the paths below a bucket begin with the path of the bucket, and a bucket is deleted as a range.

// pathOf returns the path of buckets.
func pathOf(names [][]byte) (path []byte) {
	for _, name := range names {
		path = append(binary.BigEndian.AppendUint16(path, uint16(len(name))), name...)
	}
	return path
}

// namesOf is the reverse of pathOf.
func namesOf(path []byte) (names [][]byte, err error) {
	for len(path) > 0 {
		if len(path) < 2 || len(path) < 2+int(binary.BigEndian.Uint16(path)) {
			return nil, errors.New("a path in the cluster's database cannot be read")
		}
		n := 2 + int(binary.BigEndian.Uint16(path))
		names, path = append(names, path[2:n:n]), path[n:]
	}
	return names, nil
}

// rowOf returns the row that a step of an empty file makes. It is the reverse of opOf.
func rowOf(op store.Op) (path, key, value []byte) {
	if op.Kind == store.OpSequence {
		return pathOf(op.Path), nil, binary.BigEndian.AppendUint64(nil, op.N)
	}
	return pathOf(op.Path), op.Key, op.Value
}

// opOf returns the step that makes a row in an empty file.
func opOf(path, key, value []byte) (store.Op, error) {
	names, err := namesOf(path)
	switch {
	case err != nil:
		return store.Op{}, err
	case len(key) > 0:
		return store.Op{Kind: store.OpPut, Path: names, Key: key, Value: value}, nil
	case len(value) != 8:
		return store.Op{}, errors.New("the sequence of a bucket in the cluster's database cannot be read")
	}
	return store.Op{Kind: store.OpSequence, Path: names, N: binary.BigEndian.Uint64(value)}, nil
}

// A rows has the last value of each row that steps change: one statement must not have the same row twice.
type rows struct {
	values map[[2]string][]byte // by path and key; nil: deleted
	size   int
	batch  *pgx.Batch
	store  string
}

// mostRows bounds the bytes of one statement.
const mostRows = 8 << 20

// queue adds the statements that do the steps in table item.
func queue(batch *pgx.Batch, name string, ops []store.Op) {
	r := &rows{values: map[[2]string][]byte{}, batch: batch, store: name}
	for _, op := range ops {
		path := string(pathOf(op.Path))
		switch op.Kind {
		case store.OpPut:
			r.put(path, string(op.Key), append([]byte{}, op.Value...)) // never nil, which means deleted
		case store.OpDelete:
			r.put(path, string(op.Key), nil)
		case store.OpCreate, store.OpSequence:
			r.put(path, "", binary.BigEndian.AppendUint64(nil, op.N))
		case store.OpDrop:
			r.flush() // the rows that the steps before put go with the bucket, and later ones stay
			batch.Queue(`DELETE FROM relais.item WHERE store = $1 AND path >= $2 AND path < $3`, name, []byte(path),
				pathAfter([]byte(path)))
		}
	}
	r.flush()
}

func (r *rows) put(path, key string, value []byte) {
	r.values[[2]string{path, key}] = value
	if r.size += len(path) + len(key) + len(value); r.size > mostRows {
		r.flush()
	}
}

// flush adds a statement for the deletions, and one for the rest.
func (r *rows) flush() {
	var deletes, puts [3][][]byte
	for at, value := range r.values {
		to := &puts
		if value == nil {
			to = &deletes
		}
		to[0], to[1], to[2] = append(to[0], []byte(at[0])), append(to[1], []byte(at[1])), append(to[2], value)
	}
	if len(deletes[0]) > 0 {
		r.batch.Queue(`DELETE FROM relais.item i USING unnest($2::bytea[], $3::bytea[]) AS t(p, k)
			WHERE i.store = $1 AND i.path = t.p AND i.key = t.k`, r.store, deletes[0], deletes[1])
	}
	if len(puts[0]) > 0 {
		r.batch.Queue(`INSERT INTO relais.item SELECT $1, p, k, v FROM unnest($2::bytea[], $3::bytea[], $4::bytea[])
			AS t(p, k, v) ON CONFLICT (store, path, key) DO UPDATE SET value = excluded.value`,
			r.store, puts[0], puts[1], puts[2])
	}
	clear(r.values)
	r.size = 0
}

// pathAfter returns the first path behind all that begin with prefix.
func pathAfter(prefix []byte) []byte {
	end := bytes.Clone(prefix)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil // a path begins with a length below 0xFFFF
}
