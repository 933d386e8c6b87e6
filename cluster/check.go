package cluster

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"relais/internal/store"
)

// A Comparison says how a node's replica of a store differs from the engine's rows.
type Comparison struct {
	Store   string `json:"store"`
	Commits uint64 `json:"commits"`
	Records int    `json:"records"`
	// Differences name records by their bucket: keys and values may be about people.
	Differences []string `json:"differences"`
	// Damage names the rows that cannot be read in the engine.
	Damage []string `json:"damage"`
}

// mostDifferences bounds the differences that a Comparison names.
const mostDifferences = 100

// tries is how often a comparison begins because the store is written to while both sides are read.
const tries = 20

// Compare compares every record of a replica with the engine's, at the same commit, and reads the
// engine's commits.
func (e *Engine) Compare(ctx context.Context, name string, db *store.DB) (c Comparison, err error) {
	c, err = e.compareRecords(ctx, name, db)
	if errors.Is(err, errUnreadable) {
		c = Comparison{Store: name, Commits: db.Mark().Seq, Differences: []string{}, Damage: []string{err.Error()}}
	} else if err != nil {
		return c, err
	}
	err = e.checkCommits(ctx, name, &c)
	return c, err
}

// compareRecords brings the replica up to date and compares it, again while others commit.
func (e *Engine) compareRecords(ctx context.Context, name string, db *store.DB) (c Comparison, err error) {
	for range tries {
		if err := db.Fresh(ctx); err != nil {
			return c, err
		}
		var equal bool
		if c, equal, err = e.compare(ctx, name, db); err != nil || equal {
			return c, err
		}
	}
	return c, fmt.Errorf("store %s is written to all the time: try again", name)
}

// checkCommits reads the commits of a store that the engine keeps.
func (e *Engine) checkCommits(ctx context.Context, name string, c *Comparison) error {
	next := uint64(0)
	err := e.each(ctx, func(rows pgx.Rows) error {
		var seq uint64
		var body []byte
		if err := rows.Scan(&seq, &body); err != nil {
			return away(err)
		}
		if next > 0 && seq > next {
			c.damaged(oldCommit(next, errMissing))
		}
		if _, err := decode(body); err != nil {
			c.damaged(oldCommit(seq, err))
		}
		next = seq + 1
		return nil
	}, `SELECT seq, body FROM relais.change WHERE store = $1 ORDER BY seq`, name)
	if errors.Is(err, errUnreadable) {
		c.damaged(err)
		err = nil
	}
	return err
}

// compare reports whether both sides had the same commit while they were read. No lock is held, so that writes go
// on: a comparison of two commits is worth nothing, and is made again.
func (e *Engine) compare(ctx context.Context, name string, db *store.DB) (c Comparison, equal bool, err error) {
	c = Comparison{Store: name, Differences: []string{}, Damage: []string{}}
	here := map[[2]string][]byte{}
	start := db.Mark()
	err = db.View(func(tx *store.Tx) error {
		tx.LeaveOut(func(err error) { c.differ("damaged: %v", err) })
		return tx.Steps(func(op store.Op) error {
			path, key, value := rowOf(op)
			here[[2]string{string(path), string(key)}] = bytes.Clone(value)
			return nil
		})
	})
	if err != nil || db.Mark() != start {
		return c, false, err
	}
	mark, err := (&commitLog{e, name}).All(ctx, func(op store.Op) error {
		path, key, value := rowOf(op)
		at := [2]string{string(path), string(key)}
		if len(key) > 0 {
			c.Records++
		}
		switch own, ok := here[at]; {
		case !ok && !emptyBucket(op.Path, key, value):
			c.differ("a record of %.40q is missing here", op.Path[0])
		case ok && !bytes.Equal(own, value):
			c.differ("a record of %.40q is another here", op.Path[0])
		}
		delete(here, at) // the rest is not in the engine
		return nil
	})
	for at, value := range here {
		names, _ := namesOf([]byte(at[0])) // it comes from pathOf
		if !emptyBucket(names, []byte(at[1]), value) {
			c.differ("a record of %.40q is here alone", names[0])
		}
	}
	c.Commits = mark.Seq
	return c, mark == start, err
}

// Check reads the folder's copy of every shared file, and names those that differ.
func (f *Files) Check(ctx context.Context) (c Comparison, err error) {
	c = Comparison{Store: filesBucket + " on disk", Commits: f.db.Mark().Seq, Differences: []string{},
		Damage: []string{}}
	rows, err := f.rows()
	if err != nil {
		return c, err
	}
	for _, path := range slices.Sorted(maps.Keys(rows)) {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		c.Records++
		sum, _, err := sumFile(f.path(path))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			c.differ("%s is missing here", path)
		case err != nil:
			c.differ("%s cannot be read: %v", path, err)
		case sum != rows[path].Sum:
			c.differ("%s is another here", path)
		}
	}
	return c, nil
}

// emptyBucket reports whether a row only says that there is an outermost bucket, which the engine
// may not know.
func emptyBucket(path [][]byte, key, value []byte) bool {
	return len(path) == 1 && len(key) == 0 && binary.BigEndian.Uint64(value) == 0
}

func (c *Comparison) differ(format string, args ...any) {
	if len(c.Differences) < mostDifferences {
		c.Differences = append(c.Differences, fmt.Sprintf(format, args...))
	}
}

func (c *Comparison) damaged(err error) {
	if len(c.Damage) < mostDifferences {
		c.Damage = append(c.Damage, err.Error())
	}
}
