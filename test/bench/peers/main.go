// Command peers answers documents of relais from another program: PostgreSQL with PostGIS, or SQLite with an R*Tree.
// Each has what a good engineer would give it: prepared statements, a pool of connections, memory for all of the
// data, and documents that are joined where they are. make bench-peers measures them next to relais.
package main

import (
	"database/sql"
	"fmt"
	"log"
	"math"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/mattn/go-sqlite3"
)

// A peer is a program that keeps the documents. A question finds documents, which the answer joins with commas.
type peer struct {
	driver, source, join string
	load                 []string // statements; the parameter of one is a JSON array of the documents
	box                  string   // south, north, west, east
	id                   string
	nearest              string
	near                 func(lat, lon, km float64, most int) []any // parameters of nearest
}

// postgis is found by the environment, which pg_virtualenv sets. Geometries sort along a Hilbert curve: neighbours
// are on the same pages. The nearest are taken before their distance is compared: faster than ST_DWithin for a few.
var postgis = peer{driver: "pgx", source: "sslmode=disable", join: "string_agg",
	load: []string{
		`CREATE EXTENSION IF NOT EXISTS postgis`,
		`CREATE TABLE sites (id text, doc text, at geometry(Point, 4326))`,
		`ALTER TABLE sites ALTER doc SET STORAGE EXTERNAL`, // not compressed
		`INSERT INTO sites SELECT d->>'id', d::text, ST_SetSRID(ST_MakePoint((d#>>'{coordinates,lng}')::float8,
			(d#>>'{coordinates,lat}')::float8), 4326) AS at FROM json_array_elements($1::json) AS d ORDER BY at`,
		`CREATE UNIQUE INDEX ON sites (id)`,
		`CREATE INDEX ON sites USING gist (at)`,
		`CREATE INDEX ON sites USING gist ((at::geography))`,
		`VACUUM ANALYZE sites`,
	},
	box: `SELECT doc FROM sites WHERE at && ST_MakeEnvelope($3, $1, $4, $2, 4326)`,
	id:  `SELECT doc FROM sites WHERE id = $1`,
	nearest: `SELECT doc FROM (SELECT doc, at::geography <-> ST_MakePoint($2, $1)::geography AS apart
		FROM sites ORDER BY apart LIMIT $4) AS nearest WHERE apart <= $3`,
	near: func(lat, lon, km float64, most int) []any { return []any{lat, lon, km * 1000, most} },
}

// The R*Tree rounds its sides outwards to 32 bits, so the exact columns decide.
const inPlaces = ` FROM places WHERE north >= ?1 AND south <= ?2 AND east >= ?3 AND west <= ?4
	AND lat BETWEEN ?1 AND ?2 AND lon BETWEEN ?3 AND ?4`

// sqlite is in this process. relais lists sites along a Hilbert curve: neighbours are on the same pages. Its nearest
// take the earth for flat, which is right to a metre within a few kilometres.
var sqlite = peer{driver: "sqlite3", join: "group_concat",
	load: []string{
		`CREATE TABLE sites (n INTEGER PRIMARY KEY, id TEXT NOT NULL, doc TEXT NOT NULL)`,
		`CREATE VIRTUAL TABLE places USING rtree(n, south, north, west, east, +lat, +lon)`,
		`INSERT INTO sites SELECT key, value->>'id', value FROM json_each(?)`,
		`INSERT INTO places SELECT n, lat, lat, lon, lon, lat, lon FROM (SELECT n, doc->>'$.coordinates.lat' AS lat,
			doc->>'$.coordinates.lng' AS lon FROM sites)`,
		`CREATE UNIQUE INDEX by_id ON sites (id)`,
		`ANALYZE`,
	},
	box: `SELECT doc FROM (SELECT n` + inPlaces + `) CROSS JOIN sites USING (n)`,
	id:  `SELECT doc FROM sites WHERE id = ?`,
	nearest: `SELECT doc FROM (SELECT n, (lat-?5)*(lat-?5) + (lon-?6)*(lon-?6)*?7 AS apart` + inPlaces + `
		AND apart <= ?8 ORDER BY apart LIMIT ?9) CROSS JOIN sites USING (n)`,
	near: func(lat, lon, km float64, most int) []any {
		shrink := math.Cos(lat * math.Pi / 180)
		north, east := km/111.195, km/111.195/shrink // a degree has 111.195 km
		return []any{lat - north, lat + north, lon - east, lon + east, lat, lon, shrink * shrink, north * north, most}
	},
}

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: peers postgis|sqlite DOCUMENTS ADDRESS")
	}
	p := map[string]peer{"postgis": postgis, "sqlite": sqlite}[os.Args[1]]
	if err := p.serve(os.Args[2], os.Args[3]); err != nil {
		log.Fatalf("%s: %v", os.Args[1], err)
	}
}

// serve answers until it is killed.
func (p peer) serve(file, listen string) error {
	documents, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if p.source == "" {
		os.Remove(file + ".db") // of an earlier run
		p.source = "file:" + file + ".db?_journal_mode=WAL&_cache_size=-65536&_mutex=no"
	}
	db, err := sql.Open(p.driver, p.source)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(4 * runtime.NumCPU())
	db.SetMaxIdleConns(4 * runtime.NumCPU())
	for _, statement := range p.load {
		var args []any
		if strings.Contains(statement, "json_") {
			args = []any{string(documents)}
		}
		if _, err := db.Exec(statement, args...); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	finds := map[string]*sql.Stmt{}
	for path, find := range map[string]string{"/box": p.box, "/id": p.id, "/nearest": p.nearest} {
		finds[path], err = db.Prepare("SELECT coalesce(" + p.join + "(doc, ','), ''), count(*) FROM (" + find + ") AS found")
		if err != nil {
			return err
		}
	}
	return http.ListenAndServe(listen, p.handler(finds))
}

// handler answers with the documents that a statement finds.
func (p peer) handler(finds map[string]*sql.Stmt) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		number := func(name string) float64 {
			v, _ := strconv.ParseFloat(r.FormValue(name), 64) // the benchmark sends numbers
			return v
		}
		var args []any
		switch r.URL.Path {
		case "/readyz":
			return
		case "/box":
			args = []any{number("south"), number("north"), number("west"), number("east")}
		case "/id":
			args = []any{r.FormValue("ids")}
		case "/nearest":
			args = p.near(number("lat"), number("lon"), number("radiusKm"), int(number("limit")))
		}
		var joined string
		var n int
		if err := finds[r.URL.Path].QueryRowContext(r.Context(), args...).Scan(&joined, &n); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"data":[%s],"meta":{"returned":%d}}`, joined, n)
	}
}
