package update

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"relais/demo"
	"relais/internal/folder"
	"relais/market"
	"relais/snapshot"
)

// quick are limits that try again at once, and that no server on a busy machine meets.
var quick = Limits{Connect: time.Minute, Header: time.Minute, Idle: time.Minute, Whole: 10 * time.Minute,
	Tries: 3, Pause: time.Millisecond, MaxPause: 2 * time.Second}

// A replay server answers like an authority's server, well or badly.
type replay struct {
	*httptest.Server
	t     *testing.T
	mu    sync.Mutex
	files map[string]*answer
	log   []string // "GET /path [Range] → status bytes"
	odd   map[string]func(w http.ResponseWriter, r *http.Request, nth int) bool
	count map[string]int
	busy  sync.RWMutex // each request holds it for reading until it is logged
}

type answer struct {
	text []byte
	etag string
}

func newReplay(t *testing.T) *replay {
	t.Helper()
	p := &replay{t: t, files: map[string]*answer{},
		odd: map[string]func(http.ResponseWriter, *http.Request, int) bool{}, count: map[string]int{}}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

// put stores a file on the server, with a strong tag of its content.
func (p *replay) put(path string, text []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sum := sha256.Sum256(text)
	p.files[path] = &answer{text: text, etag: `"` + hex.EncodeToString(sum[:6]) + `"`}
}

// behave replaces the answers of a path. If f returns false, the normal answer is sent.
func (p *replay) behave(path string, f func(w http.ResponseWriter, r *http.Request, nth int) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.odd[path], p.count[path] = f, 0
}

type counter struct {
	http.ResponseWriter
	status int
	n      int64
}

func (c *counter) WriteHeader(s int) { c.status = s; c.ResponseWriter.WriteHeader(s) }
func (c *counter) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b)
	c.n += int64(n)
	return n, err
}
func (c *counter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (p *replay) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if a := r.Header.Get("User-Agent"); a != "relais/test" {
		p.t.Errorf("User-Agent %q", a)
	}
	p.busy.RLock()
	defer p.busy.RUnlock()
	c := &counter{ResponseWriter: w, status: 200}
	p.mu.Lock()
	line := len(p.log)
	p.log = append(p.log, "")
	f, odd := p.files[r.URL.Path], p.odd[r.URL.Path]
	p.count[r.URL.Path]++
	nth := p.count[r.URL.Path]
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.log[line] = strings.TrimSpace(fmt.Sprintf("%s %d %d %s", r.URL.Path, c.status, c.n, r.Header.Get("Range")))
		p.mu.Unlock()
	}()
	if odd != nil && odd(c, r, nth) {
		return
	}
	if f == nil {
		http.NotFound(c, r)
		return
	}
	if f.etag != "" {
		c.Header().Set("Etag", f.etag)
	}
	http.ServeContent(c, r, "", time.Time{}, strings.NewReader(string(f.text)))
}

// cutAfter answers with the whole length, and ends the connection after n bytes.
func (p *replay) cutAfter(path string, n int, times int) {
	f := p.files[path]
	p.behave(path, func(w http.ResponseWriter, r *http.Request, nth int) bool {
		if nth > times {
			return false
		}
		w.Header().Set("Etag", f.etag)
		w.Header().Set("Content-Length", strconv.Itoa(len(f.text)))
		w.Write(f.text[:n])
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
}

// asked returns the lines of the log since the last call, in the order of the
// requests. An answer may have come before its handler has ended: asked waits for it.
func (p *replay) asked() []string {
	p.busy.Lock()
	defer p.busy.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	log := p.log
	p.log = nil
	return log
}

// A kit is a folder, a server and a table with the server's files.
type kit struct {
	*replay
	dir   folder.Dir
	table string
}

func newKit(t *testing.T) *kit {
	t.Helper()
	return &kit{newReplay(t), folder.Dir(filepath.Join(t.TempDir(), "data")), ""}
}

// file returns an entry of the table.
func (k *kit) file(name, find, path, match string) string {
	text, err := json.Marshal(map[string]any{"name": name, "market": "FR", "find": find, "url": k.URL + path,
		"match": match, "licence": "test"})
	if err != nil {
		k.t.Fatal(err)
	}
	return string(text)
}

func (k *kit) use(files ...string) { k.table = `{"files":[` + strings.Join(files, ",") + `]}` }

func (k *kit) options() Options {
	k.t.Helper()
	table, err := parseTable("test.json", []byte(k.table))
	if err != nil {
		k.t.Fatal(err)
	}
	table.own = true // its servers are on this machine
	return Options{Dir: k.dir, Table: table, Version: "test", Limits: quick}
}

// run updates and returns the report of the one source.
func (k *kit) run() *SourceReport {
	k.t.Helper()
	return k.runWith(k.options())
}

func (k *kit) runWith(o Options) *SourceReport {
	k.t.Helper()
	r, err := Run(context.Background(), o)
	if err != nil {
		k.t.Fatal(err)
	}
	if len(r.Sources) != 1 {
		k.t.Fatalf("%d sources, want 1", len(r.Sources))
	}
	return r.Sources[0]
}

// want checks the status of a run, and words of its problem.
func (k *kit) want(r *SourceReport, status Status, words string) {
	k.t.Helper()
	if r.Status != status || !strings.Contains(r.Problem(), words) || words == "" && r.Problem() != "" {
		k.t.Errorf("%s %q, want %s with %q", r.Status, r.Problem(), status, words)
	}
}

// inode identifies a file until it is replaced.
func inode(info fs.FileInfo) uint64 { return info.Sys().(*syscall.Stat_t).Ino }

// listing describes every entry of the folder except locks, with size and time.
func (k *kit) listing() string {
	var b strings.Builder
	err := filepath.WalkDir(string(k.dir), func(path string, e fs.DirEntry, err error) error {
		if err != nil || strings.HasSuffix(path, ".lock") {
			return err
		}
		info, err := e.Info()
		if err == nil {
			fmt.Fprintln(&b, path, info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	if err != nil {
		k.t.Fatal(err)
	}
	return b.String()
}

// date returns the date of the snapshot of FR, "" if it is missing.
func (k *kit) date() string {
	s, err := snapshot.ReadFile(k.dir.Snapshot("FR"), market.FR)
	if err != nil {
		return ""
	}
	return s.SourceDate
}

// noDownloads checks that no download is left.
func (k *kit) noDownloads() {
	k.t.Helper()
	if _, err := os.Stat(k.dir.Downloads()); err == nil {
		k.t.Error("downloads are left")
	}
}

var country = sync.OnceValues(func() (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "relais-update-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	paths, err := demo.Write(dir, 400)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, p := range paths {
		if files[filepath.Base(p)], err = os.ReadFile(p); err != nil {
			return nil, err
		}
	}
	return files, nil
})

// demoDate is the date of the synthetic country.
const demoDate = "2026-01-15"

// observatory returns the synthetic weekly file with another date.
func observatory(t *testing.T, date string) []byte {
	t.Helper()
	return []byte(strings.ReplaceAll(string(demoFile(t, "observatoire")), ";"+demoDate+"T", ";"+date+"T"))
}

func demoFile(t *testing.T, name string) []byte {
	t.Helper()
	files, err := country()
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range files {
		if strings.Contains(file, name) {
			return text
		}
	}
	t.Fatalf("no %s", name)
	return nil
}
