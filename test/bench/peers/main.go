// Command peers answers documents of relais from other programs: PostGIS with pgx, Tile38, or SQLite with an R*Tree.
// Each has what a good engineer would give it: prepared statements, pooled connections over Unix sockets, memory
// for all of the data, and documents that are joined where they are. make bench-peers measures them next to relais.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

// A document is a site as relais shows it in lists.
type document struct {
	id       string
	lat, lon float64
	text     string
}

type box struct{ south, north, west, east float64 }

// A peer is a program that keeps the documents.
type peer interface {
	// load keeps the documents, ready for questions, and returns the versions of what it uses.
	load(ctx context.Context, all []document) (versions string, err error)
	// Answers are documents joined with commas.
	inBox(ctx context.Context, b box) (joined string, n int, err error)
	byID(ctx context.Context, id string) (joined string, n int, err error)
	nearest(ctx context.Context, lat, lon, km float64, most int) (joined string, n int, err error)
	close()
}

// peers makes each of them, with files in dir. It fails if something is missing.
var peers = map[string]func(ctx context.Context, dir string) (peer, error){
	"postgis": newPostGIS, "tile38": newTile38, "sqlite": newSQLite,
}

func main() {
	name := flag.String("peer", "", "postgis, tile38 or sqlite")
	file := flag.String("documents", "", "a file with a document in each line")
	listen := flag.String("listen", "127.0.0.1:18090", "where to answer")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *name, *file, *listen); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", *name, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, name, file, listen string) error {
	newPeer := peers[name]
	if newPeer == nil {
		return fmt.Errorf("not a peer")
	}
	all, err := readDocuments(file)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "relais-peer-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, err := newPeer(ctx, dir)
	if err != nil {
		return err
	}
	defer p.close()
	began := time.Now()
	versions, err := p.load(ctx, all)
	if err != nil {
		return err
	}
	server := &http.Server{Addr: listen, Handler: handler(p, time.Since(began).Seconds(), versions)}
	context.AfterFunc(ctx, func() { server.Close() })
	if err := server.ListenAndServe(); ctx.Err() == nil {
		return err
	}
	return nil
}

func readDocuments(path string) (all []document, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var d struct {
			ID          string
			Coordinates struct{ Lat, Lng float64 }
		}
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			return nil, err
		}
		all = append(all, document{d.ID, d.Coordinates.Lat, d.Coordinates.Lng, lines.Text()})
	}
	return all, lines.Err()
}

func handler(p peer, seconds float64, versions string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /loaded", func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(map[string]any{"seconds": seconds, "versions": versions})
	})
	mux.HandleFunc("GET /box", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		joined, n, err := p.inBox(r.Context(), box{number(q.Get("south")), number(q.Get("north")), number(q.Get("west")),
			number(q.Get("east"))})
		answer(w, joined, n, err)
	})
	mux.HandleFunc("GET /id/{id}", func(w http.ResponseWriter, r *http.Request) {
		joined, n, err := p.byID(r.Context(), r.PathValue("id"))
		answer(w, joined, n, err)
	})
	mux.HandleFunc("GET /nearest", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		joined, n, err := p.nearest(r.Context(), number(q.Get("lat")), number(q.Get("lon")), number(q.Get("radiusKm")),
			int(number(q.Get("limit"))))
		answer(w, joined, n, err)
	})
	return mux
}

// number returns 0 for an invalid number. The benchmark sends none.
func number(text string) float64 {
	v, _ := strconv.ParseFloat(text, 64)
	return v
}

func answer(w http.ResponseWriter, joined string, n int, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	end := `],"meta":{"returned":` + strconv.Itoa(n) + "}}\n"
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(`{"data":[`)+len(joined)+len(end)))
	for _, part := range []string{`{"data":[`, joined, end} {
		if _, err := io.WriteString(w, part); err != nil {
			return // the client has gone
		}
	}
}
