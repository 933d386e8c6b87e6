package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// postgis is a PostgreSQL of its own with PostGIS, asked through a pool of pgx.
type postgis struct {
	pgctl, data string
	owner       *syscall.SysProcAttr
	pool        *pgxpool.Pool
}

// Settings of the server. A plan for each question would take as long as a small answer.
const postgresSettings = `listen_addresses = ''
shared_buffers = 512MB
effective_cache_size = 2GB
work_mem = 64MB
maintenance_work_mem = 256MB
max_wal_size = 2GB
random_page_cost = 1.1
jit = off
plan_cache_mode = force_generic_plan
max_parallel_workers_per_gather = 0
`

func newPostGIS(ctx context.Context, dir string) (peer, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is valid
	if len(found) == 0 {
		return nil, errors.New("PostgreSQL is missing (Debian: apt-get install postgresql-15-postgis-3)")
	}
	bin := found[len(found)-1]
	p := &postgis{pgctl: filepath.Join(bin, "pg_ctl"), data: filepath.Join(dir, "data")}
	if err := p.chooseOwner(dir); err != nil {
		return nil, err
	}
	if err := p.command(filepath.Join(bin, "initdb"), "-D", p.data, "-U", "postgres", "-A", "trust",
		"-E", "UTF8", "--locale=C"); err != nil {
		return nil, err
	}
	settings := postgresSettings + "unix_socket_directories = '" + dir + "'\n"
	if err := os.WriteFile(filepath.Join(p.data, "postgresql.auto.conf"), []byte(settings), 0o644); err != nil {
		return nil, err
	}
	if err := p.command(p.pgctl, "-D", p.data, "-l", filepath.Join(p.data, "log"), "-w", "start"); err != nil {
		return nil, err
	}
	connections := strconv.Itoa(4 * runtime.NumCPU())
	pool, err := pgxpool.New(ctx, "host="+dir+" user=postgres dbname=postgres pool_max_conns="+connections+" pool_min_conns="+connections)
	if err != nil {
		p.close()
		return nil, err
	}
	p.pool = pool
	return p, nil
}

// chooseOwner gives the folder to postgres if this is root, as whom PostgreSQL does not run.
func (p *postgis) chooseOwner(dir string) error {
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return err
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return err
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return err
	}
	p.owner = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	return os.Chown(dir, uid, gid)
}

func (p *postgis) command(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.SysProcAttr, cmd.Dir = p.owner, filepath.Dir(p.data)
	if err := cmd.Run(); err != nil { // its output goes nowhere: a server that stays would keep a pipe open
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (p *postgis) load(ctx context.Context, all []document) (string, error) {
	if _, err := p.pool.Exec(ctx, `CREATE EXTENSION postgis`); err != nil {
		return "", fmt.Errorf("PostGIS is missing (Debian: apt-get install postgresql-15-postgis-3): %w", err)
	}
	if _, err := p.pool.Exec(ctx, `CREATE UNLOGGED TABLE loading (id text, lat float8, lon float8, doc text)`); err != nil {
		return "", err
	}
	_, err := p.pool.CopyFrom(ctx, pgx.Identifier{"loading"}, []string{"id", "lat", "lon", "doc"},
		pgx.CopyFromSlice(len(all), func(i int) ([]any, error) {
			return []any{all[i].id, all[i].lat, all[i].lon, all[i].text}, nil
		}))
	if err != nil {
		return "", err
	}
	// Geometries sort along a Hilbert curve: neighbours are on the same pages.
	for _, statement := range []string{
		`CREATE TABLE sites (id text, doc text, at geometry(Point, 4326))`,
		`ALTER TABLE sites ALTER doc SET STORAGE EXTERNAL`, // not compressed
		`INSERT INTO sites SELECT id, doc, ST_SetSRID(ST_MakePoint(lon, lat), 4326) AS at FROM loading ORDER BY at`,
		`CREATE UNIQUE INDEX ON sites (id)`,
		`CREATE INDEX ON sites USING gist (at)`,
		`CREATE INDEX ON sites USING gist ((at::geography))`,
		`DROP TABLE loading`,
		`VACUUM ANALYZE sites`,
	} {
		if _, err := p.pool.Exec(ctx, statement); err != nil {
			return "", fmt.Errorf("%s: %w", statement, err)
		}
	}
	var server, extension string
	err = p.pool.QueryRow(ctx, `SELECT current_setting('server_version'), postgis_lib_version()`).Scan(&server, &extension)
	return "PostgreSQL " + server + ", PostGIS " + extension + ", pgx " + moduleVersion("github.com/jackc/pgx/v5"), err
}

// ask joins the documents in the server, which is faster than reading them one by one. pgx prepares each statement
// once on each connection.
func (p *postgis) ask(ctx context.Context, statement string, args ...any) (joined string, n int, err error) {
	err = p.pool.QueryRow(ctx, "SELECT coalesce(string_agg(doc, ','), ''), count(*) FROM ("+statement+") AS found", args...).
		Scan(&joined, &n)
	return joined, n, err
}

func (p *postgis) inBox(ctx context.Context, b box) (string, int, error) {
	return p.ask(ctx, `SELECT doc FROM sites WHERE at && ST_MakeEnvelope($1, $2, $3, $4, 4326)`, b.west, b.south, b.east, b.north)
}

func (p *postgis) byID(ctx context.Context, id string) (string, int, error) {
	return p.ask(ctx, `SELECT doc FROM sites WHERE id = $1`, id)
}

// nearest takes the nearest before it looks how far they are, which is faster than ST_DWithin for a few.
func (p *postgis) nearest(ctx context.Context, lat, lon, km float64, most int) (string, int, error) {
	return p.ask(ctx, `SELECT doc FROM (SELECT doc, at::geography <-> ST_MakePoint($1, $2)::geography AS apart
		FROM sites ORDER BY apart LIMIT $4) AS nearest WHERE apart <= $3`, lon, lat, km*1000, most)
}

func (p *postgis) close() {
	if p.pool != nil {
		p.pool.Close()
	}
	if err := p.command(p.pgctl, "-D", p.data, "-m", "immediate", "-w", "stop"); err != nil {
		fmt.Fprintln(os.Stderr, "PostgreSQL may still run:", err)
	}
}
