package main

import (
	"context"
	"database/sql"
	"math"
	"path/filepath"
	"runtime"

	"github.com/mattn/go-sqlite3"
)

// sqlite is SQLite in this process, with an R*Tree. Its driver is the one in C.
type sqlite struct {
	db               *sql.DB
	box, id, closest *sql.Stmt
}

func newSQLite(_ context.Context, dir string) (peer, error) {
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, "sites.db")+"?_journal_mode=WAL&_cache_size=-65536&_mutex=no")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(2 * runtime.NumCPU())
	db.SetMaxIdleConns(2 * runtime.NumCPU())
	return &sqlite{db: db}, nil
}

func (s *sqlite) load(ctx context.Context, all []document) (string, error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return "", err
	}
	defer tx.Rollback() // nothing after the commit
	for _, statement := range []string{
		`CREATE TABLE sites (n INTEGER PRIMARY KEY, id TEXT NOT NULL, doc TEXT NOT NULL)`,
		`CREATE VIRTUAL TABLE places USING rtree(n, south, north, west, east, +lat, +lon)`,
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return "", err
		}
	}
	site, err := tx.PrepareContext(ctx, `INSERT INTO sites VALUES (?, ?, ?)`)
	if err != nil {
		return "", err
	}
	place, err := tx.PrepareContext(ctx, `INSERT INTO places VALUES (?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return "", err
	}
	for i, d := range all { // relais lists sites along a Hilbert curve: neighbours are on the same pages
		if _, err := site.ExecContext(ctx, i, d.id, d.text); err != nil {
			return "", err
		}
		if _, err := place.ExecContext(ctx, i, d.lat, d.lat, d.lon, d.lon, d.lat, d.lon); err != nil {
			return "", err
		}
	}
	if _, err := tx.ExecContext(ctx, `CREATE UNIQUE INDEX by_id ON sites (id)`); err != nil {
		return "", err
	}
	if err := tx.Commit(); err != nil {
		return "", err
	}
	if _, err := s.db.ExecContext(ctx, `ANALYZE`); err != nil {
		return "", err
	}
	version, _, _ := sqlite3.Version()
	return "SQLite " + version + ", go-sqlite3 " + moduleVersion("github.com/mattn/go-sqlite3"), s.prepare(ctx)
}

// The R*Tree rounds its sides outwards to 32 bits, so the exact columns decide.
const inPlaces = ` FROM places WHERE north >= ?1 AND south <= ?2 AND east >= ?3 AND west <= ?4
	AND lat BETWEEN ?1 AND ?2 AND lon BETWEEN ?3 AND ?4`

const joined = `SELECT coalesce(group_concat(doc, ','), ''), count(*) FROM `

func (s *sqlite) prepare(ctx context.Context) error {
	for _, p := range []struct {
		to   **sql.Stmt
		text string
	}{
		{&s.box, joined + `(SELECT n` + inPlaces + `) CROSS JOIN sites USING (n)`},
		{&s.id, joined + `sites WHERE id = ?`},
		{&s.closest, joined + `(SELECT n, (lat-?5)*(lat-?5) + (lon-?6)*(lon-?6)*?7 AS apart` + inPlaces + `
			AND apart <= ?8 ORDER BY apart LIMIT ?9) CROSS JOIN sites USING (n)`},
	} {
		var err error
		if *p.to, err = s.db.PrepareContext(ctx, p.text); err != nil {
			return err
		}
	}
	return nil
}

func ask(ctx context.Context, statement *sql.Stmt, args ...any) (joined string, n int, err error) {
	err = statement.QueryRowContext(ctx, args...).Scan(&joined, &n)
	return joined, n, err
}

func (s *sqlite) inBox(ctx context.Context, b box) (string, int, error) {
	return ask(ctx, s.box, b.south, b.north, b.west, b.east)
}

func (s *sqlite) byID(ctx context.Context, id string) (string, int, error) {
	return ask(ctx, s.id, id)
}

// nearest takes the earth for flat, which is right to a metre within a few kilometres.
func (s *sqlite) nearest(ctx context.Context, lat, lon, km float64, most int) (string, int, error) {
	const kmPerDegree = 111.195
	shrink := math.Cos(lat * math.Pi / 180)
	north, east := km/kmPerDegree, km/kmPerDegree/shrink
	return ask(ctx, s.closest, lat-north, lat+north, lon-east, lon+east, lat, lon, shrink*shrink, north*north, most)
}

func (s *sqlite) close() { s.db.Close() }
