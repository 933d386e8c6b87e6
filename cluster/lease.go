package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// Leases let one node do jobs that need not be done twice. They are advisory: every write still
// takes the lock of its store. Their clock is the engine's.
const (
	leaseTime  = 30 * time.Second
	leaseEvery = 10 * time.Second
)

// Jobs that one node does.
const (
	JobUpdate = "update" // fetching and ingesting the authorities' files
	JobKeep   = "keep"   // retention, merges, and removing blobs without a record
	JobHooks  = "hooks"  // delivering to webhooks
)

// hold takes or renews a lease, and reports whether this node has it.
func (e *Engine) hold(ctx context.Context, name string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	var holder string
	err := e.row(ctx, `INSERT INTO relais.lease VALUES ($1, $2, 1, clock_timestamp() + $3 * interval '1 s')
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until,
			epoch = lease.epoch + (lease.holder <> excluded.holder)::int
		WHERE lease.holder = excluded.holder OR lease.until < clock_timestamp() RETURNING holder`,
		[]any{name, e.session, leaseTime.Seconds()}, &holder)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// free gives a lease back.
func (e *Engine) free(name string) {
	ctx, cancel := context.WithTimeout(context.Background(), connectTime)
	defer cancel()
	// The next node waits for its end otherwise.
	_, _ = e.exec(ctx, `DELETE FROM relais.lease WHERE name = $1 AND holder = $2`, name, e.session)
}

// Lead calls do while this node has a lease, until ctx ends. The context of do ends when the lease
// may be lost. A statement that fails does not end it: the lease is the node's until its time is over.
func (e *Engine) Lead(ctx context.Context, name string, do func(ctx context.Context)) {
	defer e.free(name)
	tick := time.NewTicker(leaseEvery)
	defer tick.Stop()
	var stop context.CancelFunc
	ended := make(chan struct{})
	close(ended)
	until := time.Time{}
	for {
		began := time.Now() // before the engine's clock sets the end, so that this node's end comes first
		held, err := e.hold(ctx, name)
		switch {
		case held:
			until = began.Add(leaseTime)
		case err == nil: // another node has it
			until = time.Time{}
		}
		e.state.setLease(name, held)
		switch {
		case held && stop == nil:
			var leading context.Context
			leading, stop = context.WithCancel(ctx)
			ended = make(chan struct{})
			go func(ended chan struct{}) {
				defer close(ended)
				do(leading)
			}(ended)
		case !time.Now().Before(until.Add(-leaseEvery)) && stop != nil: // at the next tick the lease would be over
			stop()
			<-ended // do must not run twice when the lease comes back
			stop = nil
		}
		select {
		case <-ctx.Done():
			if stop != nil {
				stop()
			}
			<-ended // the lease is given back only then
			return
		case <-tick.C:
		}
	}
}
