package cluster

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"relais/internal/store"
)

// pollEvery is how often a node compares its stores with the engine if no notification comes before: pgbouncer passes
// none on.
const (
	pollEvery   = 100 * time.Millisecond
	pollTime    = 2 * time.Second // after which the engine is away
	connectWait = 200 * time.Millisecond
)

// Replicas are the stores of a node, by name.
type Replicas struct {
	engine *Engine
	dbs    map[string]*store.DB
	wake   map[string]chan struct{}
	Files  *Files // nil until they are opened
	// rowWritten says that this process wrote the node's row; only live uses it.
	rowWritten bool
	reportSoon chan struct{} // wakes live, which writes the row
}

// Replicas returns no stores.
func (e *Engine) Replicas() *Replicas {
	return &Replicas{engine: e, dbs: map[string]*store.DB{}, wake: map[string]chan struct{}{},
		reportSoon: make(chan struct{}, 1)}
}

// Add makes a file a replica of a store, and brings it up to date. While the engine is away, or the store is damaged
// there, a file that was a replica before is used as it is, so that a node can be restarted. An empty file would
// deny all that exists: then the error is store.ErrAway.
func (r *Replicas) Add(ctx context.Context, name string, db *store.DB) error {
	db.SetHistory(r.engine.id)
	err := db.Share(ctx, r.engine.Log(name))
	if err == nil {
		r.follows(name, db.Mark().Seq)
	}
	if errors.Is(err, errUnreadable) || errors.Is(err, store.ErrAway) && db.Mark() != (store.Mark{}) {
		r.engine.log.Warn("reading the cluster's database failed: the store stays as it was", "store", name, "error", err)
		r.engine.state.setTrouble(name, db.Mark().Seq, err)
		r.engine.state.setOldDamage(name)
		err = nil
	}
	if err != nil {
		return err
	}
	r.dbs[name], r.wake[name] = db, make(chan struct{}, 1)
	return nil
}

// Run follows the commits of the other nodes, until ctx ends. Each store has a goroutine of its own, because a store
// that is copied as a whole must not hold up the others.
func (r *Replicas) Run(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() { r.live(ctx) })
	for name := range r.dbs {
		running.Go(func() { r.pull(ctx, name) })
	}
	for ctx.Err() == nil {
		err := r.listen(ctx)
		if ctx.Err() != nil {
			break
		}
		if r.engine.state.setEngine(err) {
			r.engine.log.Warn("asking the cluster's database failed: reads go on", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(connectWait):
		}
	}
	running.Wait()
}

// listen polls regularly, and at once when another node commits, until an error. It has a connection of its own:
// LISTEN belongs to a session, and turns may have all connections of the pool.
func (r *Replicas) listen(ctx context.Context) error {
	config := r.engine.pool.Config().ConnConfig
	config.OnNotice = nil // it notes warnings for turns
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return away(err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		conn.Close(ctx)
	}()
	if _, err := conn.Exec(ctx, "LISTEN relais"); err != nil {
		return away(err)
	}
	ended, end := context.WithCancel(ctx)
	end() // with it, WaitForNotification returns only notifications that have come already
	for {
		if err := r.poll(ctx, conn); err != nil {
			return err
		}
		waiting, cancel := context.WithTimeout(ctx, pollEvery)
		_, err := conn.WaitForNotification(waiting)
		cancel()
		for err == nil { // one poll answers all notifications that have come
			_, err = conn.WaitForNotification(ended)
		}
		if conn.IsClosed() {
			return away(err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// poll compares the marks and the clocks. The node's time is taken from the middle of the question, so that a slow
// connection does not look like a wrong clock.
func (r *Replicas) poll(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, pollTime)
	defer cancel()
	start := time.Now()
	rows, err := conn.Query(ctx, `SELECT name, seq, nonce, format, clock_timestamp() FROM relais.store`)
	if err != nil {
		return away(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var m store.Mark
		var nonce []byte
		var clock time.Time
		var format int
		if err := rows.Scan(&name, &m.Seq, &nonce, &format, &clock); err != nil {
			return away(err)
		}
		r.engine.state.setSkew(start.Add(time.Since(start) / 2).Sub(clock))
		switch copy(m.Nonce[:], nonce); {
		case r.dbs[name] == nil:
		case format > newestFormat: // without a pull, which would end with the same error again and again
			r.engine.state.setTrouble(name, r.dbs[name].Mark().Seq, ErrNewer)
		default:
			r.compare(name, m)
		}
	}
	if err := rows.Err(); err != nil {
		return away(err)
	}
	if r.engine.state.setEngine(nil) {
		r.engine.log.Info("the cluster's database is there again")
	}
	return nil
}

// compare wakes the puller of a store that is not at the engine's mark. It does not pull itself, because the other
// stores wait for the poll.
func (r *Replicas) compare(name string, last store.Mark) {
	at := r.dbs[name].Mark()
	if at == last {
		r.engine.state.setLag(name, at.Seq, last.Seq)
		r.follows(name, at.Seq) // here, too: a commit of this node may have brought what a pull failed to get
		return
	}
	// A store with another history counts as behind, also if it has more commits than the engine.
	r.engine.state.setLag(name, at.Seq, max(last.Seq, at.Seq+1))
	select {
	case r.wake[name] <- struct{}{}:
	default: // the puller will look again anyway
	}
}

// follows notes that a store has all commits of the cluster up to seq.
func (r *Replicas) follows(name string, seq uint64) {
	if r.engine.state.setFollowing(name, seq) {
		r.engine.log.Info("a store follows the cluster again: it has everything", "store", name, "commit", seq)
	}
}

// pull brings a store up to date when it is woken. After an error that is not the engine's it waits,
// longer each time: it may have copied the whole store in vain.
func (r *Replicas) pull(ctx context.Context, name string) {
	failing, wait := false, time.Duration(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.wake[name]:
		}
		err := r.dbs[name].Pull(ctx)
		if name == urgent && err == nil { // Confirm on another node waits for the row
			select {
			case r.reportSoon <- struct{}{}:
			default:
			}
		}
		if err == nil {
			r.follows(name, r.dbs[name].Mark().Seq)
		} else {
			r.engine.state.setTrouble(name, r.dbs[name].Mark().Seq, err)
		}
		if err != nil && !failing && ctx.Err() == nil {
			r.engine.log.Error("following the cluster failed", "store", name, "error", err)
		}
		if failing = err != nil; !failing || errors.Is(err, store.ErrAway) && !errors.Is(err, errUnreadable) {
			wait = 0
			continue
		}
		wait = min(max(2*wait, time.Second), 30*time.Second)
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}
