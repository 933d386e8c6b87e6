package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"relais/internal/store"
)

// ErrExists says that the database has a cluster already.
var ErrExists = errors.New("the database has a cluster of relais already")

// Make makes a cluster in a database, which must not have one, and copyTo fills it, in one transaction: a
// copy that fails leaves nothing in the database. secret names its secret.key; where is the place of its blobs, as
// for OpenBlobs.
// Errors: ErrExists, store.ErrAway, that of copyTo.
func Make(ctx context.Context, url string, secret []byte, where string, log *slog.Logger,
	copyTo func(*Import) error) error {
	at, err := parsePlace(where)
	if err != nil {
		return err
	}
	e, err := open(url, "init", log)
	if err != nil {
		return err
	}
	defer e.Close()
	conn, err := e.pool.Acquire(ctx)
	if err != nil {
		return away(err)
	}
	defer conn.Release()
	tx, err := conn.Begin(ctx)
	if err != nil {
		return away(err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	// Without arguments, so that one message may have several statements.
	if _, err := conn.Conn().PgConn().Exec(ctx, schema).ReadAll(); exists(err) {
		return ErrExists
	} else if err != nil {
		return away(err)
	}
	if _, err := tx.Exec(ctx, `INSERT INTO relais.cluster (id, secret, blobs) VALUES ($1, $2, $3)`, rand.Text(), secret,
		at.String()); err != nil {
		return away(err)
	}
	i := &Import{ctx: ctx, tx: tx}
	if at != nil {
		if i.s3, err = openS3(at, log); err != nil {
			return err
		}
	}
	for _, name := range Stores { // all, also those that the folder lacks: a node expects each
		if err := i.begin(name); err != nil {
			return err
		}
	}
	if err := copyTo(i); err != nil {
		return err
	}
	var replicated string
	if err := tx.QueryRow(ctx, `SELECT current_setting('synchronous_standby_names')`).Scan(&replicated); err != nil {
		return away(err)
	}
	if replicated == "" { // acknowledged changes are then as safe as that machine
		log.Warn("the database has no synchronous standby: it keeps every write, but on one machine only")
	}
	return away(tx.Commit(ctx))
}

// An Import fills a new cluster.
type Import struct {
	ctx  context.Context
	tx   pgx.Tx
	s3   *s3Store    // nil: blobs are in the database
	rows [3][][]byte // path, key, value of one store
	size int
}

// begin makes an empty store with its first commit, because the zero Mark is that of a file that never was a replica.
func (i *Import) begin(name string) error {
	var nonce [16]byte
	rand.Read(nonce[:]) // never fails
	if _, err := i.tx.Exec(i.ctx, `INSERT INTO relais.store VALUES ($1, 1, $2, $3)`, name, nonce[:],
		firstFormat); err != nil {
		return away(err)
	}
	_, err := i.tx.Exec(i.ctx, `INSERT INTO relais.change (store, seq, nonce, node, format, body)
		VALUES ($1, 1, $2, 'init', $3, $4)`, name, nonce[:], firstFormat, encode(nil))
	return away(err)
}

// Store copies a file to a store.
func (i *Import) Store(name string, db *store.DB) error {
	err := db.View(func(tx *store.Tx) error {
		return tx.Steps(func(op store.Op) error {
			path, key, value := rowOf(op)
			return i.row(name, path, key, value)
		})
	})
	if err != nil {
		return err
	}
	return i.flush(name)
}

// Blob copies a blob. It does not become pending: its record comes in the same transaction.
func (i *Import) Blob(name string, body io.ReadSeeker, size int64) error {
	if err := checkName(name); err != nil {
		return err
	}
	if i.s3 != nil {
		return i.s3.put(i.ctx, name, body, size)
	}
	return insertBlob(i.ctx, i.tx, name, body, size)
}

// row adds a row of the current store, and writes the rows when they are as many as one statement takes.
func (i *Import) row(name string, path, key, value []byte) error {
	for n, v := range [][]byte{path, key, value} {
		i.rows[n] = append(i.rows[n], append([]byte{}, v...))
		i.size += len(v)
	}
	if i.size < mostRows {
		return nil
	}
	return i.flush(name)
}

func (i *Import) flush(name string) error {
	if len(i.rows[0]) == 0 {
		return nil
	}
	_, err := i.tx.Exec(i.ctx, `INSERT INTO relais.item
		SELECT $1, p, k, v FROM unnest($2::bytea[], $3::bytea[], $4::bytea[]) AS t(p, k, v)`,
		name, i.rows[0], i.rows[1], i.rows[2])
	i.rows, i.size = [3][][]byte{}, 0
	return away(err)
}
