package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"relais/internal/store"
)

// settleTime is how long a turn asks for an outcome that is not known, every settleEvery.
const (
	settleTime  = 8 * time.Second
	settleEvery = 50 * time.Millisecond
)

// settle finds out whether a commit was done whose answer did not come, and returns nil if it was. The random nonce
// tells this commit from one that another node made with the same number. The caller's context does not end it: the
// commit may be done whatever the caller does.
// Errors: store.ErrAway with the cause if it was not done, store.ErrUnknown.
func (t *turn) settle(m store.Mark, cause error) error {
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	for {
		done, err := t.committed(ctx, m)
		if err == nil && done { // it may be on one machine only
			err = t.confirm(ctx)
		}
		switch {
		case err == nil && done:
			t.state.turn(t.name, "unknown_settled")
			return nil
		case err == nil:
			t.state.turn(t.name, "error")
			return away(cause)
		}
		select {
		case <-ctx.Done():
			t.state.turn(t.name, "unknown")
			return fmt.Errorf("%w: %w", store.ErrUnknown, cause)
		case <-time.After(settleEvery):
		}
	}
}

// committed reports whether the log has a commit. It waits for the lock of the store: behind it
// the transaction that made the commit has ended, so that the answer stays true. As in a turn, each statement must
// see the commits before it.
func (t *turn) committed(ctx context.Context, m store.Mark) (done bool, err error) {
	err = pgx.BeginTxFunc(ctx, t.pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, turnSettings); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `SELECT 1 FROM relais.store WHERE name = $1 FOR UPDATE`, t.name); err != nil {
			return err
		}
		var nonce []byte
		err := tx.QueryRow(ctx, `SELECT nonce FROM relais.change WHERE store = $1 AND seq = $2`, t.name,
			int64(m.Seq)).Scan(&nonce)
		done = bytes.Equal(nonce, m.Nonce[:])
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return done, err
}

// confirm waits until a later commit is synchronous. A primary that restarted shows commits that
// no standby has yet, and a later commit covers the earlier ones. It writes a row of this node alone, so that it waits
// for no lock of others.
func (t *turn) confirm(ctx context.Context) error {
	conn, err := t.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	t.warned.Delete(conn.Conn().PgConn())
	batch := &pgx.Batch{}
	batch.Queue("BEGIN")
	batch.Queue(`SELECT set_config('synchronous_commit', 'on', true)`)
	batch.Queue(`INSERT INTO relais.lease VALUES ('confirm ' || $1, $1, 1, now())
		ON CONFLICT (name) DO UPDATE SET epoch = lease.epoch + 1, until = now()`, t.node)
	batch.Queue("COMMIT")
	if err := conn.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	if _, warned := t.warned.LoadAndDelete(conn.Conn().PgConn()); warned {
		return errors.New("the standby has not confirmed it")
	}
	return nil
}
