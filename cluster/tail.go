package cluster

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"relais/internal/store"
)

// pulled is how many bytes of commits are read at a time, unless one is larger.
const pulled = 16 << 20

// queueTail asks for the change at a mark and those after it. The first of these comes with its
// bytes, and the others as long as they have no more than so many together.
func queueTail(batch *pgx.Batch, name string, at store.Mark, most int) {
	batch.Queue(`SELECT seq, nonce, format, CASE WHEN seq = $2 + 1 OR seq > $2 AND total < $3 THEN body END FROM (
			SELECT *, sum(length(body)) OVER (ORDER BY seq) AS total FROM (
				SELECT * FROM relais.change WHERE store = $1 AND seq >= $2 ORDER BY seq LIMIT 1000) first
		) c ORDER BY seq`, name, int64(at.Seq), int64(most))
}

// readTail reads the commits after at that come with their bytes. last is the last commit of the
// store. Errors: store.ErrRewound; store.ErrBehind if some come without their bytes.
func readTail(results pgx.BatchResults, at, last store.Mark) (since []store.Commit, err error) {
	rows, err := results.Query()
	if err != nil {
		return nil, away(err)
	}
	defer rows.Close()
	expected, found := at.Seq, at == last
	for rows.Next() {
		var m store.Mark
		var format int
		var nonce, body []byte
		if err := rows.Scan(&m.Seq, &nonce, &format, &body); err != nil {
			return nil, away(err)
		}
		switch {
		case format > newestFormat:
			return nil, ErrNewer
		case m.Seq != expected || len(nonce) != len(m.Nonce):
			return nil, store.ErrRewound
		}
		expected++
		m.Nonce = [16]byte(nonce)
		if m.Seq == at.Seq {
			if found = m == at; !found {
				return nil, store.ErrRewound
			}
			continue
		}
		if body == nil {
			return since, store.ErrBehind
		}
		ops, err := decode(body)
		if err != nil {
			return nil, fmt.Errorf("commit %d: %w", m.Seq, err)
		}
		since = append(since, store.Commit{Mark: m, Ops: ops})
	}
	if err := rows.Err(); err != nil {
		return nil, away(err)
	}
	if !found {
		return nil, store.ErrRewound
	}
	if expected <= last.Seq {
		return since, store.ErrBehind
	}
	return since, nil
}

// Since is that of store.Log.
func (l *commitLog) Since(ctx context.Context, at store.Mark) ([]store.Commit, error) {
	batch := &pgx.Batch{}
	batch.Queue(`SELECT seq, nonce, format FROM relais.store WHERE name = $1`, l.name)
	queueTail(batch, l.name, at, pulled)
	results := l.pool.SendBatch(ctx, batch)
	defer results.Close()
	last, _, err := readStore(results.QueryRow())
	if err != nil {
		return nil, err
	}
	since, err := readTail(results, at, last)
	if err == store.ErrBehind && len(since) > 0 {
		return since, nil
	}
	return since, err
}

// All is that of store.Log.
func (l *commitLog) All(ctx context.Context, put func(store.Op) error) (last store.Mark, err error) {
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	var own error
	err = pgx.BeginTxFunc(ctx, l.pool, options, func(tx pgx.Tx) (err error) {
		last, _, err = readStore(tx.QueryRow(ctx, `SELECT seq, nonce, format FROM relais.store WHERE name = $1`, l.name))
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `SELECT path, key, value FROM relais.item WHERE store = $1 ORDER BY path, key`, l.name)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var path, key, value []byte
			if err := rows.Scan(&path, &key, &value); err != nil {
				return err
			}
			op, err := opOf(path, key, value)
			if err == nil {
				err = put(op)
			}
			if err != nil {
				own = err
				return err
			}
		}
		return rows.Err()
	})
	if own != nil {
		return last, own
	}
	return last, away(err)
}
