package cluster

import (
	"context"
	"time"
)

// Times of removing old rows. A record must be committed within pendingTime after its bytes were put.
const (
	keepEvery   = 10 * time.Minute
	vacuumEvery = 12 * time.Hour
	pendingTime = 24 * time.Hour
)

// expired are statements that remove old rows. Commits are kept for six hours, which is also how long deleted values
// stay in them: a node that was away for longer copies its stores again. Leases include the rows of turn.confirm.
var expired = []string{
	// The newest of the old commits stays: a replica at it compares its mark with the row before it goes on.
	`DELETE FROM relais.change c USING (SELECT store, max(seq) AS seq FROM relais.change
			WHERE at < clock_timestamp() - interval '6 hours' GROUP BY store) old
		WHERE c.store = old.store AND c.seq < old.seq`,
	`DELETE FROM relais.answer WHERE until < clock_timestamp()`,
	`DELETE FROM relais.tally WHERE win < extract(epoch FROM clock_timestamp()) - 3600`,
	`DELETE FROM relais.node WHERE seen < clock_timestamp() - interval '30 days'`,
	`DELETE FROM relais.lease WHERE until < clock_timestamp() - interval '1 day'`,
}

// Keep removes old rows of the engine, and blobs that no record refers to, until ctx ends. One
// node does it, with the lease JobKeep. refers reports whether a record refers to a blob.
func (e *Engine) Keep(ctx context.Context, blobs Blobs, refers func(ctx context.Context, name string) (bool, error)) {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	for {
		for _, sql := range expired {
			if _, err := e.exec(ctx, sql); err != nil && ctx.Err() == nil {
				e.log.Error("removing old rows of the cluster's database failed", "error", err)
			}
		}
		if n, err := blobs.Sweep(ctx, pendingTime, refers); err != nil && ctx.Err() == nil {
			e.log.Error("removing blobs that nothing refers to failed", "error", err)
		} else if n > 0 {
			e.log.Info("blobs that nothing refers to are removed", "blobs", n)
		}
		if e.turnOf(ctx, "vacuum", vacuumEvery) {
			// So that deleted values do not stay in the files of the database.
			if _, err := e.exec(ctx, `VACUUM relais.item, relais.change, relais.blob, relais.answer, relais.tally`); err != nil &&
				ctx.Err() == nil {
				e.log.Warn("vacuum of the cluster's database failed", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// turnOf reports whether a job that one node does every so often is due, and notes that it is done. If this node dies
// before it has done the job, the next turn makes up for it.
func (e *Engine) turnOf(ctx context.Context, what string, every time.Duration) bool {
	rows, err := e.exec(ctx, `INSERT INTO relais.lease VALUES ($1, $2, 1, clock_timestamp() + $3 * interval '1 s')
		ON CONFLICT (name) DO UPDATE SET until = excluded.until WHERE lease.until < clock_timestamp()`,
		what, e.session, every.Seconds())
	return err == nil && rows > 0
}
