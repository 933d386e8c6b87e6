package cluster

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"relais/auth/access"
)

// Counts are the counts that the nodes share: the requests of clients (access.Ledger) and the limits
// of people (admit.Tally).
//
// A row of table tally has the count of one process for a key in the window that ends at win. So
// a statement whose outcome is not known can be sent again, a process that starts again does not
// lose its earlier counts, and no two processes wait for each other's rows. The count of all processes
// is the sum. The rows of limits have no node: each event is one statement, because a guess of a password
// must be counted exactly, and a request need not.
type Counts struct {
	engine *Engine
	key    []byte // of the names of limits
}

// Counts returns the counts. Keys of limits, such as addresses, are stored as codes made with key.
func (e *Engine) Counts(key []byte) *Counts { return &Counts{engine: e, key: key} }

// assumedNodes is how many nodes a node assumes before it has seen the others.
const assumedNodes = 3

// Live implements access.Ledger.
func (c *Counts) Live() int { return cmp.Or(c.engine.state.liveNodes(), assumedNodes) }

// quick begins a transaction whose commit does not wait for the disk: counts are not worth it.
const quick = `SELECT set_config('synchronous_commit', 'off', true)`

// Tell implements access.Ledger. It reads the sums of the others after its own are committed: of nodes that tell at
// the same time, the last knows all. greatest keeps an older total, which may arrive late, from lowering a row.
func (c *Counts) Tell(ctx context.Context, tallies []access.Tally) (others []uint64, err error) {
	var keys []string
	var ends, units []int64
	for _, t := range tallies {
		keys, ends, units = append(keys, t.Key), append(ends, t.End), append(units, int64(t.Units))
	}
	others = make([]uint64, len(tallies))
	b := &pgx.Batch{} // one round trip
	b.Queue("BEGIN")
	b.Queue(quick)
	b.Queue(`INSERT INTO relais.tally AS t (key, node, win, used)
		SELECT k, $1, w, u FROM unnest($2::text[], $3::bigint[], $4::bigint[]) AS x(k, w, u)
		ON CONFLICT (key, win, node) DO UPDATE SET used = greatest(t.used, excluded.used)`,
		c.engine.session, keys, ends, units)
	b.Queue("COMMIT")
	b.Queue(`SELECT x.i, sum(t.used)::bigint FROM unnest($2::text[], $3::bigint[]) WITH ORDINALITY AS x(k, w, i)
		JOIN relais.tally t ON t.key = x.k AND t.win = x.w AND t.node <> $1 GROUP BY x.i`,
		c.engine.session, keys, ends).Query(func(rows pgx.Rows) error {
		var i, sum int64
		_, err := pgx.ForEachRow(rows, []any{&i, &sum}, func() error {
			others[i-1] = uint64(sum)
			return nil
		})
		return err
	})
	err = away(c.engine.pool.SendBatch(ctx, b).Close())
	c.engine.state.addReport(err)
	if err != nil {
		return nil, err
	}
	return others, nil
}

// Add implements admit.Tally. A count that would go below 0 is 0. The rows are locked in the order of their keys, so
// that two statements do not wait for each other; n = 0 only reads, and locks nothing.
func (c *Counts) Add(ctx context.Context, window time.Duration, now time.Time, n int, keys ...string) ([]int, error) {
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = c.name(key)
	}
	seconds := int64(window / time.Second)
	end := (now.Unix()/seconds + 1) * seconds
	sql := `SELECT key, used FROM relais.tally WHERE key = ANY($1) AND win = $2 AND node = '' AND $3::bigint = 0`
	switch {
	case n < 0:
		sql = `UPDATE relais.tally SET used = greatest(0, used + $3) FROM (SELECT key AS k FROM relais.tally
			WHERE key = ANY($1) AND win = $2 AND node = '' ORDER BY key FOR UPDATE) x
			WHERE key = x.k AND win = $2 AND node = '' RETURNING key, used`
	case n > 0:
		sql = `INSERT INTO relais.tally AS t (key, node, win, used)
			SELECT k, '', $2, $3 FROM unnest($1::text[]) AS x(k) ORDER BY k
			ON CONFLICT (key, win, node) DO UPDATE SET used = t.used + excluded.used RETURNING key, used`
	}
	counts := make([]int, len(keys))
	b := &pgx.Batch{}
	b.Queue("BEGIN")
	b.Queue(quick)
	b.Queue(sql, names, end, int64(n)).Query(func(rows pgx.Rows) error {
		var name string
		var used int64
		_, err := pgx.ForEachRow(rows, []any{&name, &used}, func() error {
			if i := slices.Index(names, name); i >= 0 {
				counts[i] = int(used)
			}
			return nil
		})
		return err
	})
	b.Queue("COMMIT")
	if err := c.engine.pool.SendBatch(ctx, b).Close(); err != nil {
		return nil, away(err)
	}
	return counts, nil
}

// name returns the stored name of a limit. Without the key nobody can guess an address from it.
func (c *Counts) name(key string) string {
	mac := hmac.New(sha256.New, c.key)
	mac.Write([]byte(key))
	return "limit:" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:18])
}

// Forget removes the counts of a deleted client.
func (c *Counts) Forget(client string) error {
	ctx, cancel := context.WithTimeout(context.Background(), answerWait)
	defer cancel()
	_, err := c.engine.exec(ctx, `DELETE FROM relais.tally WHERE key = ANY($1)`, access.TallyKeys(client))
	return err
}
