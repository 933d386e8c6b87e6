// Package cluster makes several servers one. What they share is in a PostgreSQL database, the
// engine: every commit of every store, large bytes, counts, and the list of nodes. Each server, a node,
// has a replica of every store in its own folder and answers from it, as it would alone.
//
// A commit is one transaction of PostgreSQL that holds the lock of its store's row. So a node that
// dies or hangs loses the lock together with its unfinished commit, and nobody else has to decide
// anything. The package does not know the records: package store says what a commit is.
package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"relais/internal/store"
)

// An Engine is the database of a cluster, as one node sees it. Its methods may be called from
// several goroutines. Errors of the database wrap store.ErrAway.
type Engine struct {
	pool    *pgxpool.Pool
	node    string
	version string // of this program
	session string // of this process: a node that starts again is another
	identity
	key    []byte // the name of the node's secret.key; nil for a caller that only administers
	log    *slog.Logger
	copies chan struct{} // held while a whole store is read, so that connections are left for turns
	warned sync.Map      // *pgconn.PgConn that had a warning: a COMMIT that warns may not be on the standby
	state  state
}

const (
	connectTime = 2 * time.Second
	poolSize    = 6 // 13 nodes, each with one more to listen, fit PostgreSQL's default of 100
)

var (
	errURL = errors.New("--cluster: the address of the database cannot be read: write it like " +
		"postgres://relais@db1,db2/relais, and percent-encode special characters of a password")
	// ErrNone says that the database has no cluster.
	ErrNone = errors.New("the database has no cluster of relais: run relais cluster init first")
	// ErrNewer says that a newer program wrote to the cluster.
	ErrNewer = fmt.Errorf("%w: it was upgraded to a newer relais: install that version here", store.ErrAway)
)

// joinTime bounds the wait for the engine at the start: then a node that was in the cluster before serves what it has.
const joinTime = 5 * time.Second

// Connect connects to the cluster of a URL to administer it. The password comes from the URL or
// the file that PGPASSFILE names. Errors: ErrNone, store.ErrAway, those of the URL, which never
// show the password.
func Connect(ctx context.Context, url, node string, log *slog.Logger) (*Engine, error) {
	e, err := open(url, node, log)
	if err != nil {
		return nil, err
	}
	if e.identity, err = e.readCluster(ctx); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// open makes an engine that has not asked the database yet.
func open(url, node string, log *slog.Logger) (*Engine, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errURL // the cause may show a password
	}
	e := &Engine{node: node, session: rand.Text(), log: log, copies: make(chan struct{}, 2)}
	e.state.lastAnswer = time.Now()
	config.MaxConns = poolSize
	c := config.ConnConfig
	// Statements without names: pgbouncer gives every transaction another session.
	c.DefaultQueryExecMode = pgx.QueryExecModeExec
	if c.ConnectTimeout == 0 || c.ConnectTimeout > connectTime {
		c.ConnectTimeout = connectTime // a turn may wait for it
	}
	c.RuntimeParams["application_name"] = "relais " + node
	c.OnNotice = func(conn *pgconn.PgConn, n *pgconn.Notice) {
		if n.Code == warning {
			e.warned.Store(conn, true)
		}
	}
	config.BeforeClose = func(conn *pgx.Conn) { e.warned.Delete(conn.PgConn()) }
	if c.TLSConfig == nil && !loopback(c.Host) {
		log.Warn("the connection to the cluster's database is not encrypted: add sslmode=verify-full", "host", c.Host)
	} else if c.TLSConfig != nil && c.TLSConfig.InsecureSkipVerify && c.TLSConfig.VerifyPeerCertificate == nil &&
		!loopback(c.Host) {
		log.Warn("the certificate of the cluster's database is not verified: add sslmode=verify-full", "host", c.Host)
	}
	if e.pool, err = pgxpool.NewWithConfig(context.Background(), config); err != nil {
		return nil, fmt.Errorf("--cluster: %w", err)
	}
	return e, nil
}

// warning is PostgreSQL's code of a warning, such as that a commit did not wait for its standby. A wait that an
// administrator or a shutdown cancels ends with this warning and without an error.
const warning = "01000"

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || len(host) > 0 && host[0] == '/' || err == nil && addr.IsLoopback()
}

// BlobsAt returns the place of the cluster's blobs.
func (e *Engine) BlobsAt() string { return e.blobs }

// ID returns the name of the cluster.
func (e *Engine) ID() string { return e.id }

// Close ends the connections.
func (e *Engine) Close() { e.pool.Close() }

// away makes an error of the database one of store.ErrAway: callers answer that they are busy, and try again. The
// exceptions are statements that fail again whenever they are tried.
func away(err error) error {
	var of *pgconn.PgError
	switch {
	case err == nil, errors.Is(err, store.ErrAway), errors.Is(err, errForeign):
		return err
	case errors.As(err, &of) && (of.Code == "3F000" || of.Code == "42P01"): // no schema, no table
		return fmt.Errorf("%w: %w", store.ErrAway, ErrNone)
	case errors.As(err, &of) && (of.Code == "XX001" || of.Code == "XX002"): // a page or an index is damaged
		return &unreadable{"PostgreSQL", err, store.ErrAway, 0}
	case errors.As(err, &of) && slices.Contains([]string{"22", "23", "54"}, of.Code[:2]):
		// Classes of wrong data, violated constraints and exceeded limits.
		return fmt.Errorf("the cluster's database refuses it: %w", err)
	case errors.As(err, &of) && of.Code == "25006": // a read-only transaction: this is a standby
		return fmt.Errorf("%w: it is read-only; add target_session_attrs=read-write if there are several hosts: %w",
			store.ErrAway, err)
	}
	return fmt.Errorf("%w: %w", store.ErrAway, err)
}

// exec runs a statement that returns no rows.
func (e *Engine) exec(ctx context.Context, sql string, args ...any) (rows int64, err error) {
	tag, err := e.pool.Exec(ctx, sql, args...)
	return tag.RowsAffected(), away(err)
}

// row reads one row into the values. Errors: pgx.ErrNoRows, store.ErrAway.
func (e *Engine) row(ctx context.Context, sql string, args []any, values ...any) error {
	err := e.pool.QueryRow(ctx, sql, args...).Scan(values...)
	if errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	return away(err)
}

// each calls fn with each row.
func (e *Engine) each(ctx context.Context, fn func(pgx.Rows) error, sql string, args ...any) error {
	rows, err := e.pool.Query(ctx, sql, args...)
	if err != nil {
		return away(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return away(rows.Err())
}
