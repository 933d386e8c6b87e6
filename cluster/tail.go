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

// Bounds of a read. A single commit may be larger than pulled.
const (
	pulled    = 16 << 20 // bytes of commits at a time
	sinceTime = 20 * time.Second
	rowTime   = 20 * time.Second // without a row
)

// errForeign says that the database has another cluster, or other keys.
var errForeign = errors.New("the database has another cluster than before: stop this node, and look at --cluster")

// errUnreadable says that no node can read rows of the database: they are damaged there.
var errUnreadable = errors.New("the cluster's database is damaged")

// An unreadable is an errUnreadable with its consequence for the store: ErrOld makes the replica copy all records,
// which are in another table than the commits; ErrAway makes it wait until the database is mended.
type unreadable struct {
	what   string
	cause  error
	means  error
	commit uint64 // its number, 0 if other rows are damaged
}

func (e *unreadable) Error() string   { return fmt.Sprintf("%v: %s: %v", errUnreadable, e.what, e.cause) }
func (e *unreadable) Unwrap() []error { return []error{errUnreadable, e.means, e.cause} }

// oldCommit says that a replica cannot go on with a commit that is damaged or missing: it counts as one that is too
// old to be kept.
func oldCommit(seq uint64, cause error) error {
	return &unreadable{fmt.Sprint("commit ", seq), cause, store.ErrOld, seq}
}

var (
	errMissing = errors.New("it is missing")
	errNonce   = errors.New("its nonce is not that of the store")
)

// queueTail asks for the change at a mark and those after it. The first of these comes with its
// bytes, however many they are, so that each question brings a replica further. The others come with theirs up to
// most bytes together, and without them after that, which says that there is more.
func queueTail(batch *pgx.Batch, name string, at store.Mark, most int) {
	batch.Queue(`SELECT seq, nonce, format, CASE WHEN seq = $2 + 1 OR seq > $2 AND total < $3 THEN body END FROM (
			SELECT *, sum(length(body)) OVER (ORDER BY seq) AS total FROM (
				SELECT * FROM relais.change WHERE store = $1 AND seq >= $2 ORDER BY seq LIMIT 1000) first
		) c ORDER BY seq`, name, int64(at.Seq), int64(most))
}

// readTail reads the commits after at that come with their bytes. last is the last commit of the
// store. The replica may go on only if the log has its own commit, with the same nonce: another nonce is another
// history, after the database was restored or lost commits.
// Errors: store.ErrRewound, also an errUnreadable; store.ErrBehind if some come without their bytes.
func readTail(results pgx.BatchResults, at, last store.Mark) (since []store.Commit, err error) {
	rows, err := results.Query()
	if err != nil {
		return nil, away(err)
	}
	defer rows.Close()
	// The row of the store names the last commit as well: then its row in the log is not needed.
	expected, hasOwn := at.Seq, at == last
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
		case m.Seq > expected && expected == at.Seq: // Engine.Keep has removed it
			return nil, store.ErrOld
		case m.Seq != expected:
			return nil, oldCommit(expected, errMissing)
		case len(nonce) != len(m.Nonce):
			return nil, oldCommit(m.Seq, errBody)
		}
		expected++
		m.Nonce = [16]byte(nonce)
		if m.Seq == at.Seq {
			if hasOwn = hasOwn || m == at; !hasOwn {
				return nil, store.ErrRewound
			}
			continue
		}
		if body == nil { // beyond the bytes that were asked for
			return since, store.ErrBehind
		}
		ops, err := decode(body)
		if err == nil && m.Seq == last.Seq && m != last {
			err = errNonce
		}
		if err != nil {
			return nil, oldCommit(m.Seq, err)
		}
		since = append(since, store.Commit{Mark: m, Ops: ops})
	}
	switch err := away(rows.Err()); {
	case errors.Is(err, errUnreadable):
		return nil, oldCommit(expected, err)
	case err != nil:
		return nil, err
	case !hasOwn: // the log ends before it
		return nil, store.ErrRewound
	case at == last: // nothing is missing, even if its own row is not in the log
		return since, nil
	case expected <= last.Seq && len(since) == 0:
		return nil, oldCommit(expected, errMissing)
	case expected <= last.Seq: // LIMIT cut them off, or the next question finds the gap
		return since, store.ErrBehind
	}
	return since, nil
}

// noteDamage passes on readTail's result for a replica that has the commit at. It notes a commit that cannot be read,
// and logs the first.
func (l *commitLog) noteDamage(at uint64, since []store.Commit, err error) ([]store.Commit, error) {
	if errors.Is(err, errUnreadable) && l.state.setTrouble(l.name, at, err) {
		l.log.Error("a store cannot go on from its last commit, and is copied from the cluster again", "store", l.name,
			"error", err)
	}
	return since, err
}

// Since implements store.Log.
func (l *commitLog) Since(ctx context.Context, at store.Mark) (since []store.Commit, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, sinceTime)
	defer cancel()
	batch := &pgx.Batch{}
	batch.Queue(`SELECT seq, nonce, format FROM relais.store WHERE name = $1`, l.name)
	queueTail(batch, l.name, at, pulled)
	results := l.pool.SendBatch(ctx, batch)
	defer results.Close()
	last, _, err := readStore(results.QueryRow())
	if err != nil {
		return nil, false, err
	}
	since, err = readTail(results, at, last)
	since, err = l.noteDamage(at.Seq, since, err)
	if errors.Is(err, store.ErrBehind) && len(since) > 0 {
		return since, true, nil
	}
	return since, false, err
}

// All implements store.Log. It reads one snapshot of the database, so that mark and records are of the same commit, and
// writes go on meanwhile. It ends when nothing has come for rowTime: a bound of the whole copy would depend on its size.
func (l *commitLog) All(ctx context.Context, put func(store.Op) error) (last store.Mark, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	select {
	case l.copies <- struct{}{}:
		defer func() { <-l.copies }()
	case <-ctx.Done():
		return last, away(ctx.Err())
	}
	watchdog := time.AfterFunc(rowTime, cancel)
	defer watchdog.Stop()
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	var own error
	err = pgx.BeginTxFunc(ctx, l.pool, options, func(tx pgx.Tx) error {
		last, own = l.all(ctx, tx, func(op store.Op) error {
			watchdog.Stop() // put writes to a disk, which is not the engine's time
			defer watchdog.Reset(rowTime)
			return put(op)
		})
		return own
	})
	if own != nil {
		return last, own
	}
	return last, away(err)
}

// all reads a store in a transaction. It makes sure that the database has the node's cluster: the address may have led
// to another database since the node connected, and the replica would be replaced by foreign records.
func (l *commitLog) all(ctx context.Context, tx pgx.Tx, put func(store.Op) error) (last store.Mark, err error) {
	var id string
	var secret []byte
	if err := tx.QueryRow(ctx, `SELECT id, secret FROM relais.cluster`).Scan(&id, &secret); err != nil {
		return last, away(err)
	}
	if id != l.id || l.key != nil && !bytes.Equal(secret, l.key) {
		return last, errForeign
	}
	last, _, err = readStore(tx.QueryRow(ctx, `SELECT seq, nonce, format FROM relais.store WHERE name = $1`, l.name))
	if err != nil {
		return last, err
	}
	rows, err := tx.Query(ctx, `SELECT path, key, value FROM relais.item WHERE store = $1 ORDER BY path, key`, l.name)
	if err != nil {
		return last, away(err)
	}
	defer rows.Close()
	for rows.Next() {
		var path, key, value []byte
		if err := rows.Scan(&path, &key, &value); err != nil {
			return last, away(err)
		}
		op, err := opOf(path, key, value)
		if err != nil {
			return last, &unreadable{"table item", err, store.ErrAway, 0}
		}
		if err := put(op); err != nil {
			return last, err
		}
	}
	return last, away(rows.Err())
}
