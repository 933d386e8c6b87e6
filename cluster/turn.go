package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"relais/internal/store"
)

// A commitLog is the commits of a store.
type commitLog struct {
	*Engine
	name string
}

// Log returns the commits of a store.
func (e *Engine) Log(name string) store.Log { return &commitLog{e, name} }

// Bounds of a turn. A node that hangs sends no beats: the server ends its session after two seconds, and the lock and
// the transaction with it. So a node that wakes up cannot commit. Others wait for a lock for four seconds, which
// is longer.
const (
	beatEvery    = 500 * time.Millisecond
	turnSettings = `SELECT set_config('synchronous_commit', 'on', true), set_config('lock_timeout', '4s', true),
		set_config('idle_in_transaction_session_timeout', '2s', true)`
	mostTail = 1 << 20 // bytes that are read while the lock is held: a replica that is far behind pulls without it
)

// A turn holds the lock of a store's row in a transaction.
type turn struct {
	*commitLog
	conn   *pgxpool.Conn
	last   store.Mark
	format int
	quit   chan struct{} // ends the beats
	beats  sync.WaitGroup
	ended  bool // COMMIT succeeded, so that there is nothing to roll back
}

// Begin implements store.Log. After a restart of the database each connection of the pool may be dead, which only its
// use shows: nothing was done with it, so that another one may be tried.
func (l *commitLog) Begin(ctx context.Context, at store.Mark) (store.Turn, []store.Commit, error) {
	for try := 0; ; try++ {
		t := &turn{commitLog: l, quit: make(chan struct{})}
		since, err := t.begin(ctx, at)
		if err == nil {
			t.beats.Go(t.beat)
			return t, since, nil
		}
		dead := t.conn != nil && t.conn.Conn().IsClosed()
		t.End()
		if !dead || try >= poolSize {
			if errors.Is(err, store.ErrAway) {
				l.state.turn(l.name, "away")
			}
			return nil, nil, err
		}
	}
}

// begin takes the lock, and reads the commits that the replica lacks in the same round trip.
func (t *turn) begin(ctx context.Context, at store.Mark) (since []store.Commit, err error) {
	if t.conn, err = t.pool.Acquire(ctx); err != nil {
		return nil, away(err)
	}
	start := time.Now()
	batch := &pgx.Batch{}
	// Each statement sees the commits before it. So the tail, which is read behind the wait for the lock, has the commit
	// of the turn before; a snapshot of the whole transaction would not.
	batch.Queue("BEGIN ISOLATION LEVEL READ COMMITTED")
	batch.Queue(turnSettings)
	batch.Queue(`SELECT seq, nonce, format FROM relais.store WHERE name = $1 FOR UPDATE`, t.name)
	queueTail(batch, t.name, at, mostTail)
	t.warned.Delete(t.conn.Conn().PgConn()) // a warning of an earlier use
	results := t.conn.SendBatch(ctx, batch)
	defer results.Close()
	for range 2 { // BEGIN and the settings
		if _, err := results.Exec(); err != nil {
			return nil, away(err)
		}
	}
	if t.last, t.format, err = readStore(results.QueryRow()); err != nil {
		return nil, err
	}
	since, err = readTail(results, at, t.last)
	since, err = t.noteDamage(at.Seq, since, err)
	switch {
	case err == nil:
		err = away(results.Close())
	case errors.Is(err, errUnreadable): // a turn does not wait until the store is copied
		err = fmt.Errorf("%w: %w", store.ErrAway, err)
	}
	t.state.observe(t.name, "lock", start)
	return since, err
}

// readStore reads the row of a store.
func readStore(row pgx.Row) (m store.Mark, format int, err error) {
	var nonce []byte
	switch err := row.Scan(&m.Seq, &nonce, &format); {
	case errors.Is(err, pgx.ErrNoRows):
		return m, 0, fmt.Errorf("%w: %w", store.ErrAway, ErrNone)
	case err != nil:
		return m, 0, away(err)
	case len(nonce) != len(m.Nonce):
		return m, 0, &unreadable{"table store", fmt.Errorf("a nonce of %d bytes", len(nonce)), store.ErrAway, 0}
	case format > newestFormat:
		return m, 0, ErrNewer
	}
	m.Nonce = [16]byte(nonce)
	return m, format, nil
}

// beat keeps the session alive while the commit is made.
func (t *turn) beat() {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-t.quit:
			return
		case <-tick.C:
		}
		ctx, cancel := context.WithTimeout(context.Background(), connectTime)
		_, err := t.conn.Exec(ctx, "SELECT 1")
		cancel()
		if err != nil {
			return // the commit will fail too
		}
	}
}

// Commit implements store.Turn. The statements go in one round trip with COMMIT. If its answer does not come, or
// the standby has not confirmed it, settle finds out whether the commit was done.
func (t *turn) Commit(ctx context.Context, ops []store.Op) (store.Mark, error) {
	defer t.End()
	start := time.Now()
	m := store.Mark{Seq: t.last.Seq + 1}
	rand.Read(m.Nonce[:]) // never fails
	size := sizeOf(ops)
	if size > mostCommit {
		return m, fmt.Errorf("a change of %d MB is too large for a cluster", size>>20)
	}
	t.stopBeats() // they use the same connection
	limit := leastCommit + time.Duration(size)*time.Second/(1<<20)
	if size > 1<<20 { // without beats the server would end the session while the bytes are prepared and sent
		if _, err := t.conn.Exec(ctx, `SELECT set_config('idle_in_transaction_session_timeout', $1, true)`,
			fmt.Sprint(limit.Milliseconds())); err != nil {
			return m, away(err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	batch := &pgx.Batch{}
	queue(batch, t.name, ops)
	batch.Queue(`INSERT INTO relais.change (store, seq, nonce, node, format, body) VALUES ($1, $2, $3, $4, $5, $6)`,
		t.name, int64(m.Seq), m.Nonce[:], t.node, t.format, encode(ops))
	batch.Queue(`UPDATE relais.store SET seq = $2, nonce = $3 WHERE name = $1`, t.name, int64(m.Seq), m.Nonce[:])
	batch.Queue(`SELECT pg_notify('relais', $1)`, t.name)
	batch.Queue("COMMIT")
	err := t.conn.SendBatch(ctx, batch).Close()
	_, warned := t.warned.LoadAndDelete(t.conn.Conn().PgConn())
	if err == nil && !warned {
		t.ended = true
		t.conn.Release()
		t.conn = nil
		t.state.observe(t.name, "commit", start)
		t.state.turn(t.name, "ok")
		return m, nil
	}
	t.End() // before settle, which waits for the lock on another connection
	if err == nil {
		err = errors.New("the standby has not confirmed it")
	}
	return m, t.settle(m, err)
}

// A commit has at most mostCommit bytes, and may take leastCommit and a second for each MB. Half of mostBody leaves
// room for the paths of the steps, which sizeOf does not count.
const (
	leastCommit = 4 * time.Second
	mostCommit  = mostBody / 2
)

func sizeOf(ops []store.Op) (size int) {
	for _, op := range ops {
		size += len(op.Key) + len(op.Value)
	}
	return size
}

// stopBeats ends the beats, and waits for one that is under way. It may be called again.
func (t *turn) stopBeats() {
	select {
	case <-t.quit:
	default:
		close(t.quit)
	}
	t.beats.Wait()
}

// End implements store.Turn. A connection that cannot roll back is closed, so that its lock does not go back to the
// pool with it.
func (t *turn) End() {
	t.stopBeats()
	if t.conn == nil {
		return
	}
	conn := t.conn
	t.conn = nil
	if !t.ended {
		ctx, cancel := context.WithTimeout(context.Background(), connectTime)
		defer cancel()
		if _, err := conn.Exec(ctx, "ROLLBACK"); err != nil {
			conn.Conn().Close(ctx) // the pool makes another
		}
	}
	conn.Release()
}
