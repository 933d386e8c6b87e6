package cluster

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"
)

// A node writes every second that it lives, and the commits that it has. After five missing reports it counts as gone.
const (
	seenEvery = time.Second
	goneAfter = 5 * time.Second
)

// A NodeState is a node as the engine knows it.
type NodeState struct {
	Node    string            `json:"node"`
	Session string            `json:"-"` // of the process
	Version string            `json:"version"`
	Reads   int               `json:"reads"` // the newest format
	Seen    time.Time         `json:"seen"`
	Live    bool              `json:"live"`
	Skew    float64           `json:"clockSkewSeconds"`
	Marks   map[string]uint64 `json:"commits"` // by store
}

// Nodes returns the nodes, by name.
func (e *Engine) Nodes(ctx context.Context) ([]NodeState, error) {
	list := []NodeState{}
	err := e.each(ctx, func(rows pgx.Rows) error {
		var n NodeState
		var marks string
		if err := rows.Scan(&n.Node, &n.Session, &n.Version, &n.Reads, &n.Seen, &n.Live, &n.Skew, &marks); err != nil {
			return away(err)
		}
		list = append(list, n)
		return json.Unmarshal([]byte(marks), &list[len(list)-1].Marks)
	}, `SELECT id, session, version, reads, seen, seen > clock_timestamp() - $1 * interval '1 s', skew, marks::text
		FROM relais.node ORDER BY id`, goneAfter.Seconds())
	return list, err
}

// live says regularly that the node lives, until ctx ends.
func (r *Replicas) live(ctx context.Context) {
	tick := time.NewTicker(seenEvery)
	defer tick.Stop()
	for {
		err := r.report(ctx)
		if ctx.Err() == nil {
			r.engine.state.setWrites(err) // a database that is full or read-only refuses the row, too
		}
		select {
		case <-ctx.Done():
			r.signOff()
			return
		case <-tick.C:
		case <-r.reportSoon:
		}
	}
}

// urgent is the store whose commits a node confirms at once, because it has revocations: see Confirm.
const urgent = "clients"

// confirmTime is how long Confirm waits.
const (
	confirmTime  = time.Second
	confirmEvery = 50 * time.Millisecond
)

// Confirm waits until all live nodes have the commits of the clients that this node has, a second at most, and
// returns the nodes that have not said so: they may still accept a revoked key.
func (r *Replicas) Confirm(ctx context.Context) (missing []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	want := r.dbs[urgent].Mark().Seq
	for end := time.Now().Add(confirmTime); ; {
		nodes, err := r.engine.Nodes(ctx)
		if err != nil {
			return nil, err
		}
		missing = nil
		for _, n := range nodes {
			if n.Live && n.Session != r.engine.session && n.Marks[urgent] < want {
				missing = append(missing, n.Node)
			}
		}
		if len(missing) == 0 || time.Now().After(end) {
			return missing, nil
		}
		time.Sleep(confirmEvery)
	}
}

// report writes the node's row and reads the rows of the others.
func (r *Replicas) report(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	marks := map[string]uint64{}
	for name, db := range r.dbs {
		marks[name] = db.Mark().Seq
	}
	text, err := json.Marshal(marks)
	if err != nil {
		return err
	}
	e := r.engine
	nodes, err := e.Nodes(ctx) // before this node's row is written, which replaces that of another server with its name
	if err != nil {
		return err
	}
	live := 1
	for _, n := range nodes {
		switch {
		case n.Node != e.node && n.Live:
			live++
		case n.Node == e.node && n.Session != e.session && n.Live && r.rowWritten:
			// Before that, the row may be of this node's former process.
			e.log.Error("another server has the name of this node: give each its own with --node", "node", e.node)
		}
	}
	e.state.setNodes(live)
	_, err = e.exec(ctx, `INSERT INTO relais.node (id, session, version, reads, skew, marks)
		VALUES ($1, $2, $3, $4, $5, $6::text::jsonb) ON CONFLICT (id) DO UPDATE SET session = excluded.session,
			version = excluded.version, reads = excluded.reads, skew = excluded.skew, marks = excluded.marks,
			seen = clock_timestamp()`,
		e.node, e.session, e.version, newestFormat, e.state.Skew().Seconds(), string(text))
	r.rowWritten = r.rowWritten || err == nil
	return err
}

// signOff writes that the node has ended, so that the others need not wait until it counts as gone.
func (r *Replicas) signOff() {
	ctx, cancel := context.WithTimeout(context.Background(), connectTime)
	defer cancel()
	// After an error the node counts as gone some seconds later.
	_, _ = r.engine.exec(ctx, `UPDATE relais.node SET seen = 'epoch' WHERE id = $1 AND session = $2`, r.engine.node,
		r.engine.session)
}
