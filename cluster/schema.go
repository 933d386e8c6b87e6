package cluster

import (
	"context"
	"errors"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Stores are the names of the stores that a cluster shares.
var Stores = []string{"clients", "users", "community", "photos", "archives", "measures", "files", "hooks", "outages"}

// schema needs no extension, trigger or right beyond owning the schema, so that any managed PostgreSQL does. Commits
// are numbered by the locked row of their store: the numbers of a sequence are not in the order of the commits, and
// have gaps. The bytes of blobs are stored as they are (EXTERNAL). Rows of tally are updated all the time: pages that
// are half empty let PostgreSQL do it in place.
const schema = `
CREATE SCHEMA relais;
CREATE TABLE relais.cluster (id text PRIMARY KEY, secret bytea NOT NULL, blobs text NOT NULL,
	made timestamptz NOT NULL DEFAULT now());
CREATE TABLE relais.store (name text PRIMARY KEY, seq bigint NOT NULL, nonce bytea NOT NULL, format int NOT NULL);
CREATE TABLE relais.item (store text, path bytea, key bytea, value bytea NOT NULL, PRIMARY KEY (store, path, key));
CREATE TABLE relais.change (store text, seq bigint, nonce bytea NOT NULL, node text NOT NULL,
	at timestamptz NOT NULL DEFAULT clock_timestamp(), format int NOT NULL, body bytea NOT NULL, PRIMARY KEY (store, seq));
CREATE TABLE relais.blob (name text, part int, body bytea NOT NULL, PRIMARY KEY (name, part));
ALTER TABLE relais.blob ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE TABLE relais.pending (name text PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp(),
	leaving boolean NOT NULL);
CREATE TABLE relais.tally (key text, node text, win bigint, used bigint NOT NULL, PRIMARY KEY (key, win, node))
	WITH (fillfactor=50);
CREATE TABLE relais.answer (client text, signature text, node text NOT NULL, until timestamptz NOT NULL, body bytea,
	PRIMARY KEY (client, signature));
CREATE TABLE relais.lease (name text PRIMARY KEY, holder text NOT NULL, epoch bigint NOT NULL, until timestamptz NOT NULL);
CREATE TABLE relais.node (id text PRIMARY KEY, session text NOT NULL, version text NOT NULL, reads int NOT NULL,
	seen timestamptz NOT NULL DEFAULT clock_timestamp(), skew float8 NOT NULL DEFAULT 0, marks jsonb NOT NULL DEFAULT '{}');`

// Formats of commits. A node reads all up to newestFormat, and writes the one that the engine states, which
// relais cluster upgrade raises: until then older programs can still follow.
const firstFormat = 1

// buildFormat is the newest format in a text, so that a test can build a program of the future:
// go build -ldflags '-X relais/cluster.buildFormat=2'.
var buildFormat = "1"

var newestFormat = mustNumber(buildFormat)

func mustNumber(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err) // of the build
	}
	return n
}

// An identity is the engine's row about its cluster.
type identity struct {
	id     string
	secret []byte // a name of its secret.key, derived from it: the key itself is not in the database
	blobs  string // their place
}

// readCluster reads the cluster's row. Errors: ErrNone, store.ErrAway.
func (e *Engine) readCluster(ctx context.Context) (c identity, err error) {
	err = e.row(ctx, `SELECT id, secret, blobs FROM relais.cluster`, nil, &c.id, &c.secret, &c.blobs)
	if errors.Is(err, pgx.ErrNoRows) {
		return c, ErrNone
	}
	return c, err
}

// exists reports whether an error says that a schema, table or row exists already.
func exists(err error) bool {
	var of *pgconn.PgError
	return errors.As(err, &of) && (of.Code == "42P06" || of.Code == "42P07" || of.Code == "23505")
}
