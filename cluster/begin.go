package cluster

import (
	"context"
	"crypto/rand"

	"github.com/jackc/pgx/v5"
)

// begin makes a store with an empty first commit, if the cluster was made by a version that did not
// have it. Errors: store.ErrAway.
func (e *Engine) begin(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	var there bool
	if err := e.row(ctx, `SELECT EXISTS (SELECT 1 FROM relais.store WHERE name = $1)`, []any{name}, &there); err != nil ||
		there {
		return err
	}
	var nonce [16]byte
	rand.Read(nonce[:]) // never fails
	return away(pgx.BeginFunc(ctx, e.pool, func(tx pgx.Tx) error {
		made, err := tx.Exec(ctx, `INSERT INTO relais.store VALUES ($1, 1, $2, $3) ON CONFLICT DO NOTHING`, name, nonce[:],
			firstFormat)
		if err != nil || made.RowsAffected() == 0 { // another node was first
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO relais.change (store, seq, nonce, node, format, body)
			VALUES ($1, 1, $2, 'begin', $3, $4)`, name, nonce[:], firstFormat, encode(nil))
		return err
	}))
}
