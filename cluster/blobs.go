package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"relais/internal/store"
)

// Blobs are those of a cluster. A name is pending in its database until Sweep or Keep finds that a record has it.
type Blobs interface {
	store.Blobs
	// Keep says that a record refers to bytes that were put. Sweep finds out too, with more work.
	Keep(ctx context.Context, names ...string) error
	// Delete deletes bytes at once. No caller may be putting them for a record that is to come.
	Delete(ctx context.Context, names ...string) error
	// Sweep deletes the bytes that have been pending for longer than some time and that no record
	// refers to. refers is asked while nobody can put the same name. Errors: that of refers.
	Sweep(ctx context.Context, older time.Duration,
		refers func(ctx context.Context, name string) (bool, error)) (removed int, err error)
}

const (
	maxName      = 512
	partTime     = 20 * time.Second // for a statement, whose parts of blobs are the longest
	sweepAtOnce  = 200              // names that are read at once
	deleteAtOnce = 20               // in a transaction
	// A wait for a lock ends before its statement does. A node that vanishes in a transaction frees its rows after
	// a minute: longer than for turns, because a store of S3 is called in the transaction.
	blobSettings = `SELECT set_config('synchronous_commit', 'on', true), set_config('lock_timeout', '15s', true),
		set_config('idle_in_transaction_session_timeout', '60s', true)`
)

// blobs has the bytes in a store of S3, or in the database without one.
type blobs struct {
	*Engine
	s3   *s3Store
	puts chan struct{} // held while rows are put, so that half of the pool is left for turns
}

// OpenBlobs opens the blobs of the cluster. where is empty or the place that the caller expects:
// "pg", or "s3://bucket/prefix?endpoint=https://host:port&region=...". It only warns of a store that
// does not answer, because everything but large bytes works without it.
func (e *Engine) OpenBlobs(ctx context.Context, where string) (Blobs, error) {
	if where == "" {
		where = e.blobs
	}
	at, err := parsePlace(where)
	if err != nil {
		return nil, err
	}
	if at.String() != e.blobs {
		return nil, fmt.Errorf("the cluster keeps its blobs in %s: leave --cluster-blobs out", e.blobs)
	}
	b := &blobs{Engine: e, puts: make(chan struct{}, poolSize/2)}
	if at == nil {
		return b, nil
	}
	if b.s3, err = openS3(at, e.log); err != nil {
		return nil, err
	}
	if err := b.s3.check(ctx); err != nil {
		e.log.Warn("checking the cluster's store of blobs failed", "store", e.blobs, "error", err)
	}
	return b, nil
}

// checkName refuses names that a store could take for others.
func checkName(name string) error {
	odd := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._-/", r))
	}
	if !fs.ValidPath(name) || name == "." || len(name) > maxName || strings.ContainsFunc(name, odd) {
		return &fs.PathError{Op: "blob", Path: fmt.Sprintf("%.40q", name), Err: fs.ErrInvalid}
	}
	return nil
}

func checkNames(names []string) error {
	for _, name := range names {
		if err := checkName(name); err != nil {
			return err
		}
	}
	return nil
}

func (b *blobs) Put(ctx context.Context, name string, body io.ReadSeeker, size int64) error {
	if err := checkName(name); err != nil {
		return err
	}
	if b.s3 == nil {
		return b.putRows(ctx, name, body, size)
	}
	if err := b.pend(ctx, false, name); err != nil {
		return err
	}
	if err := b.s3.put(ctx, name, body, size); err != nil {
		return err
	}
	// Once more: a Delete meanwhile may have removed the row before the bytes came, and Sweep would not know them.
	return b.pend(ctx, false, name)
}

func (b *blobs) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	if err := checkName(name); err != nil {
		return nil, fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	if b.s3 == nil {
		return b.getRows(ctx, name)
	}
	return b.s3.get(ctx, name)
}

func (b *blobs) Pend(ctx context.Context, names ...string) error { return b.pend(ctx, true, names...) }

// pendNames locks the rows in the order of their names, so that two transactions do not wait for each other.
const pendNames = `INSERT INTO relais.pending (name, leaving) SELECT n, $2::boolean FROM unnest($1::text[]) AS n GROUP BY n ORDER BY n
	ON CONFLICT (name) DO UPDATE SET at = clock_timestamp(), leaving = excluded.leaving`

// pend makes names pending from now on. leaving says that their record is to be deleted.
func (b *blobs) pend(ctx context.Context, leaving bool, names ...string) error {
	if err := checkNames(names); err != nil || len(names) == 0 {
		return err
	}
	return b.inTx(ctx, func(tx pgx.Tx) error {
		_, err := within(ctx, tx, pendNames, names, leaving)
		return err
	})
}

func (b *blobs) Keep(ctx context.Context, names ...string) error {
	if err := checkNames(names); err != nil || len(names) == 0 {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, partTime)
	defer cancel()
	// A leaving row stays: a node that is about to delete the record relies on it, so that Sweep finds the bytes if
	// that node dies in between.
	_, err := b.exec(ctx, `DELETE FROM relais.pending WHERE name = ANY($1::text[]) AND NOT leaving`, names)
	return err
}

func (b *blobs) Delete(ctx context.Context, names ...string) error {
	if err := checkNames(names); err != nil || len(names) == 0 {
		return err
	}
	for some := range slices.Chunk(names, deleteAtOnce) {
		err := b.inTx(ctx, func(tx pgx.Tx) error {
			// A Put of the same name waits for these rows, and then puts the bytes again.
			if _, err := within(ctx, tx, pendNames, some, true); err != nil {
				return err
			}
			return b.remove(ctx, tx, some)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// remove deletes bytes and their rows, which tx has locked. Objects of S3 go before the rows are committed: after a
// failure in between the names are still pending, and Sweep removes them again.
func (b *blobs) remove(ctx context.Context, tx pgx.Tx, names []string) error {
	if b.s3 != nil {
		if err := b.s3.remove(ctx, names); err != nil {
			return err
		}
	} else if _, err := within(ctx, tx, `DELETE FROM relais.blob WHERE name = ANY($1::text[])`, names); err != nil {
		return err
	}
	_, err := within(ctx, tx, `DELETE FROM relais.pending WHERE name = ANY($1::text[])`, names)
	return err
}

func (b *blobs) Sweep(ctx context.Context, older time.Duration,
	refers func(ctx context.Context, name string) (bool, error)) (removed int, err error) {
	for {
		var names []string
		err := b.each(ctx, func(rows pgx.Rows) error {
			names = append(names, "")
			return rows.Scan(&names[len(names)-1])
		}, `SELECT name FROM relais.pending WHERE at < clock_timestamp() - $1 * interval '1 s' ORDER BY at, name LIMIT $2`,
			older.Seconds(), sweepAtOnce)
		if err != nil {
			return removed, err
		}
		done := 0
		for _, name := range names {
			swept, deleted, err := b.sweep(ctx, name, older, refers)
			if err != nil {
				return removed, err
			}
			if swept {
				done++
			}
			if deleted {
				removed++
			}
		}
		if len(names) < sweepAtOnce || done == 0 { // the rest is locked by others: reading it again would not end
			return removed, nil
		}
	}
}

// sweep keeps or deletes a pending name, unless another transaction has its row and so puts or deletes it. Until
// this transaction ends a Put of the name waits for the row, so that the answer of refers stays true.
func (b *blobs) sweep(ctx context.Context, name string, older time.Duration,
	refers func(ctx context.Context, name string) (bool, error)) (swept, deleted bool, err error) {
	err = b.inTx(ctx, func(tx pgx.Tx) error {
		rows, err := within(ctx, tx, `SELECT FROM relais.pending WHERE name = $1
			AND at < clock_timestamp() - $2 * interval '1 s' FOR UPDATE SKIP LOCKED`, name, older.Seconds())
		if err != nil || rows == 0 {
			return err
		}
		swept = true
		kept, err := refers(ctx, name)
		if err != nil {
			return err
		}
		if deleted = !kept; deleted {
			return b.remove(ctx, tx, []string{name})
		}
		_, err = within(ctx, tx, `DELETE FROM relais.pending WHERE name = $1`, name)
		return err
	})
	return swept, deleted && err == nil, err
}

// inTx calls do in a transaction.
func (b *blobs) inTx(ctx context.Context, do func(pgx.Tx) error) error {
	opening, cancel := context.WithTimeout(ctx, partTime)
	defer cancel()
	tx, err := b.pool.Begin(opening)
	if err != nil {
		return away(err)
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectTime)
		defer cancel()
		_ = tx.Rollback(closing) // an error ends the connection, and the transaction with it
	}()
	if _, err := within(ctx, tx, blobSettings); err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return err
	}
	closing, cancel := context.WithTimeout(ctx, partTime)
	defer cancel()
	return away(tx.Commit(closing))
}

// within runs a statement for at most partTime.
func within(ctx context.Context, tx pgx.Tx, sql string, args ...any) (rows int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, partTime)
	defer cancel()
	tag, err := tx.Exec(ctx, sql, args...)
	return tag.RowsAffected(), away(err)
}

// wrong returns an error about a blob. It is a store.ErrAway, so that callers answer that they are busy: the
// record is there, and the bytes may be later.
func wrong(name, format string, args ...any) error {
	return fmt.Errorf("%w: blob %s: %w", store.ErrAway, name, fmt.Errorf(format, args...))
}

// isMissing reports whether an error says that a blob does not exist.
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
