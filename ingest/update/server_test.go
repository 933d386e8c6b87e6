package update

import (
	"bytes"
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
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/demo"
	"relais/ingest"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/market"
	"relais/snapshot"
)

// quick are limits that try again at once, and that no server on a busy machine meets.
var quick = Limits{Connect: time.Minute, Header: time.Minute, Idle: time.Minute, Whole: 10 * time.Minute,
	Tries: 3, Pause: time.Millisecond, MaxPause: 2 * time.Second}

// A handler answers the nth request for a path. If it returns false, the normal answer is sent.
type handler = func(w http.ResponseWriter, r *http.Request, nth int) bool

// A replay server answers like an authority's server, well or badly.
type replay struct {
	*httptest.Server
	t     *testing.T
	mu    sync.Mutex
	files map[string][]byte
	odd   map[string]handler
	count map[string]int
	log   []string     // "/path status", in the order of the requests
	busy  sync.RWMutex // each request holds it for reading until it is logged
}

func newReplay(t *testing.T) *replay {
	t.Helper()
	p := &replay{t: t, files: map[string][]byte{}, odd: map[string]handler{}, count: map[string]int{}}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *replay) put(path string, text []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files[path] = text
}

// tagOfText is the strong tag of a file on the server.
func tagOfText(text []byte) string {
	sum := sha256.Sum256(text)
	return `"` + hex.EncodeToString(sum[:6]) + `"`
}

// behave replaces the answers of a path; nil ends that.
func (p *replay) behave(path string, f handler) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.odd[path], p.count[path] = f, 0
}

// A logged answer knows its status.
type logged struct {
	http.ResponseWriter
	status int
}

func (l *logged) WriteHeader(s int)           { l.status = s; l.ResponseWriter.WriteHeader(s) }
func (l *logged) Unwrap() http.ResponseWriter { return l.ResponseWriter }

func (p *replay) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if a := r.Header.Get("User-Agent"); !strings.HasPrefix(a, "relais/") {
		p.t.Errorf("User-Agent %q, want relais/ and the version", a)
	}
	p.busy.RLock()
	defer p.busy.RUnlock()
	c := &logged{w, 200}
	p.mu.Lock()
	line := len(p.log)
	p.log = append(p.log, "")
	text, known := p.files[r.URL.Path]
	odd := p.odd[r.URL.Path]
	p.count[r.URL.Path]++
	nth := p.count[r.URL.Path]
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.log[line] = fmt.Sprint(r.URL.Path, " ", c.status)
		p.mu.Unlock()
	}()
	switch {
	case r.Header.Get("Range") != "":
		p.t.Errorf("asked for a range of %s", r.URL.Path)
	case odd != nil && odd(c, r, nth):
	case !known:
		http.NotFound(c, r)
	default:
		c.Header().Set("Etag", tagOfText(text))
		http.ServeContent(c, r, "", time.Time{}, bytes.NewReader(text))
	}
}

// asked returns the lines of the log since the last call. An answer may have come before
// its handler has ended: asked waits for it.
func (p *replay) asked() []string {
	p.busy.Lock()
	defer p.busy.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	log := p.log
	p.log = nil
	return log
}

// answering answers with a status, a text and headers.
func answering(status int, text string, header ...string) handler {
	return func(w http.ResponseWriter, _ *http.Request, _ int) bool {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprint(w, text)
		return true
	}
}

// cut announces a file, and ends the connection after a half of it.
func cut(text []byte) handler {
	return func(w http.ResponseWriter, r *http.Request, _ int) bool {
		w.Header().Set("Etag", tagOfText(text))
		w.Header().Set("Content-Length", fmt.Sprint(len(text)))
		w.Write(text[:len(text)/2])
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// once behaves in that way at the first request.
func once(f handler) handler {
	return func(w http.ResponseWriter, r *http.Request, nth int) bool { return nth == 1 && f(w, r, nth) }
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

// get sends a GET request.
func (c *client) get(ctx context.Context, address string, header http.Header, wanted ...int) (*http.Response, error) {
	r, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header = header
	return c.send(ctx, r, wanted)
}

const (
	weekly = "/files/SYNTHETIC_observatoire.csv"
	towns  = "/files/SYNTHETIC_communes.csv"
	sup    = "/files/SYNTHETIC_SUP.zip"
)

// weeklyKit serves a weekly file and a table of communes.
func weeklyKit(t *testing.T) *kit {
	t.Helper()
	k := newKit(t)
	k.put(weekly, observatory(t, "2026-01-15"))
	k.put(towns, demoFile(t, "communes"))
	k.use(k.file("weekly", "url", weekly, ""), k.file("towns", "url", towns, ""))
	return k
}

// file returns an entry of the table.
func (k *kit) file(name, find, path, match string) string {
	text, err := json.Marshal(map[string]any{"name": name, "market": "FR", "find": find, "url": k.URL + path,
		"match": match, "licence": "test"})
	must(k.t, err)
	return string(text)
}

func (k *kit) use(files ...string) { k.table = `{"files":[` + strings.Join(files, ",") + `]}` }

func (k *kit) options() Options {
	k.t.Helper()
	table, err := parseTable("test.json", []byte(k.table))
	must(k.t, err)
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
	must(k.t, err)
	if len(r.Sources) != 1 {
		k.t.Fatalf("%d sources, want 1", len(r.Sources))
	}
	if _, err := os.Stat(k.dir.Downloads()); err == nil {
		k.t.Error("downloads are left")
	}
	return r.Sources[0]
}

// force updates with --force.
func (k *kit) force() *SourceReport {
	k.t.Helper()
	o := k.options()
	o.Force = true
	return k.runWith(o)
}

// want checks the status of a run, and words of its problem.
func (k *kit) want(r *SourceReport, status Status, words string) {
	k.t.Helper()
	if r.Status != status || !strings.Contains(r.Problem(), words) || words == "" && r.Problem() != "" {
		k.t.Errorf("%s %q, want %s with %q", r.Status, r.Problem(), status, words)
	}
}

// wantAsked checks what was asked for since the last look.
func (k *kit) wantAsked(want ...string) {
	k.t.Helper()
	if got := k.asked(); !slices.Equal(got, want) {
		k.t.Errorf("asked %q, want %q", got, want)
	}
}

// wantDate checks the date of the snapshot of FR.
func (k *kit) wantDate(want string) {
	k.t.Helper()
	date := ""
	if s, err := snapshot.ReadFile(k.dir.Snapshot("FR"), market.FR); err == nil {
		date = s.SourceDate
	}
	if date != want {
		k.t.Errorf("the snapshot is of %q, want %q", date, want)
	}
}

// whole and same are lines of the log: a file was sent, or was not.
func whole(path string) string { return path + " 200" }
func same(path string) string  { return path + " 304" }

// listing describes every entry of the folder with its size, its time and its identity.
func (k *kit) listing() string {
	var b strings.Builder
	err := filepath.WalkDir(string(k.dir), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil {
			fmt.Fprintln(&b, path, info.Size(), info.ModTime().UnixNano(), identity(info))
		}
		return err
	})
	must(k.t, err)
	return b.String()
}

// byHand ingests a file as relais ingest does.
func (k *kit) byHand(text []byte, force bool) {
	k.t.Helper()
	path := filepath.Join(k.t.TempDir(), "SYNTHETIC_observatoire.csv")
	filetest.Write(k.t, path, text)
	o := ingest.Options{Dir: k.dir, Markets: []market.Code{market.FR, market.DROM}, Paths: []string{path}, Force: force,
		Now: time.Now()}
	if _, err := ingest.Run(context.Background(), o); err != nil {
		k.t.Fatal(err)
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

// observatory returns the synthetic weekly file with another date.
func observatory(t *testing.T, date string) []byte {
	t.Helper()
	return bytes.ReplaceAll(demoFile(t, "observatoire"), []byte(";2026-01-15T"), []byte(";"+date+"T"))
}

func demoFile(t *testing.T, name string) []byte {
	t.Helper()
	files, err := country()
	must(t, err)
	for file, text := range files {
		if strings.Contains(file, name) {
			return text
		}
	}
	t.Fatalf("no %s", name)
	return nil
}
