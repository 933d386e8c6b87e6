package cluster

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// A Status is the engine's knowledge of a cluster.
type Status struct {
	Cluster     string            `json:"cluster"`
	Format      int               `json:"format"`
	Synchronous bool              `json:"synchronousStandby"` // one is configured
	BlobBytes   int64             `json:"blobBytes"`          // in the database
	Stores      map[string]uint64 `json:"commits"`
	Nodes       []NodeState       `json:"nodes"`
	Leases      []Lease           `json:"jobs"`
}

// A Lease is a job that a node does.
type Lease struct {
	Job  string `json:"job"`
	Node string `json:"node"`
}

// Status reads the status. Of the leases it lists jobs that a known node has: the table has other rows, too.
func (e *Engine) Status(ctx context.Context) (*Status, error) {
	s := &Status{Cluster: e.id, Stores: map[string]uint64{}, Leases: []Lease{}}
	var err error
	if s.Nodes, err = e.Nodes(ctx); err != nil {
		return nil, err
	}
	err = e.each(ctx, func(rows pgx.Rows) error {
		var name string
		var seq uint64
		if err := rows.Scan(&name, &seq, &s.Format); err != nil {
			return away(err)
		}
		s.Stores[name] = seq
		return nil
	}, `SELECT name, seq, format FROM relais.store`)
	if err != nil {
		return nil, err
	}
	err = e.each(ctx, func(rows pgx.Rows) error {
		var l Lease
		if err := rows.Scan(&l.Job, &l.Node); err != nil {
			return away(err)
		}
		s.Leases = append(s.Leases, l)
		return nil
	}, `SELECT l.name, n.id FROM relais.lease l JOIN relais.node n ON n.session = l.holder
		WHERE l.until > clock_timestamp() AND l.name = ANY($1) ORDER BY l.name`, []string{JobHooks, JobKeep, JobUpdate})
	if err != nil {
		return nil, err
	}
	err = e.row(ctx, `SELECT current_setting('synchronous_standby_names') <> '', pg_total_relation_size('relais.blob')`,
		nil, &s.Synchronous, &s.BlobBytes)
	return s, err
}

// Upgrade lets the nodes write the newest format of this program. It refuses while a live node
// cannot read it: that node would stop to follow. Afterwards older programs cannot come back.
func (e *Engine) Upgrade(ctx context.Context) (format int, err error) {
	nodes, err := e.Nodes(ctx)
	if err != nil {
		return 0, err
	}
	for _, n := range nodes {
		if n.Live && n.Reads < newestFormat {
			return 0, fmt.Errorf("node %s (%s) reads format %d only: replace its program first", n.Node, n.Version, n.Reads)
		}
	}
	_, err = e.exec(ctx, `UPDATE relais.store SET format = $1 WHERE format < $1`, newestFormat)
	return newestFormat, err
}
