package e2e

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"relais/demo"
)

// The end-to-end tests start the built binary and know of it only what a user
// knows: the command line, the API and the files. Those that wait or take long are
// parallel, and run when the others have ended, which look at times and memory.

var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "relais-e2e-")
	if err != nil {
		return "", err
	}
	binaryDir = dir
	path := filepath.Join(dir, "relais")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-tags", "netgo,osusergo,nodynamic", "-o", path,
		"../..").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// binaryDir is where the binary is, "" when no test needed it.
var binaryDir string

func TestMain(m *testing.M) {
	code := m.Run()
	if binaryDir != "" {
		os.RemoveAll(binaryDir)
	}
	os.Exit(code)
}

// relais runs a command to its end.
func relais(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			t.Fatal(err)
		}
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// A server is a running relais serve.
type server struct {
	t    *testing.T
	cmd  *exec.Cmd
	base string
	key  string // of the client that letIn made
	log  *lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

var listening = regexp.MustCompile(`listen=(127\.0\.0\.1:\d+)`)

// serve starts a server on a free port and waits until it listens.
func serve(t *testing.T, prepare func(*exec.Cmd), args ...string) *server {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, cmd: exec.Command(path, append(args, "--listen", "127.0.0.1:0")...), log: &lockedBuffer{}}
	s.cmd.Stderr = s.log
	for i, a := range args[1:] {
		if args[i] == "--data" {
			key, _ := keys.Load(a)
			s.key, _ = key.(string)
		}
	}
	if prepare != nil {
		prepare(s.cmd)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			s.cmd.Process.Kill()
			s.cmd.Wait()
		}
	})
	for range 6000 { // a demonstration is made first
		if m := listening.FindStringSubmatch(s.log.String()); m != nil {
			s.base = "http://" + m[1]
			return s
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("the server does not listen: %s", s.log)
	return nil
}

// stop sends SIGTERM and returns the exit code.
func (s *server) stop() int {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { s.cmd.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(patience):
		s.t.Fatal("the server does not stop")
	}
	return s.cmd.ProcessState.ExitCode()
}

type object = map[string]any

// fetch asks with the key of the folder's client.
func (s *server) fetch(path string) (*http.Response, error) {
	r, err := http.NewRequest(http.MethodGet, s.base+path, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("X-API-Key", s.key)
	return http.DefaultClient.Do(r)
}

// get asks the API and returns the status and the answer.
func (s *server) get(path string) (int, object) {
	s.t.Helper()
	r, err := s.fetch(path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	var o object
	if err := json.NewDecoder(r.Body).Decode(&o); err != nil {
		s.t.Fatalf("%s: %v", path, err)
	}
	return r.StatusCode, o
}

// ask is get for an answer that must succeed.
func (s *server) ask(path string) object {
	s.t.Helper()
	code, o := s.get("/external/v1" + path)
	if code != 200 {
		s.t.Fatalf("%s: %d %v", path, code, o)
	}
	return o
}

// version is the version of a market in /readyz, "" when it is not loaded.
func (s *server) version(market string) string {
	_, o := s.get("/readyz")
	m, _ := o["markets"].(object)[market].(object)
	v, _ := m["version"].(string)
	return v
}

// patience is how long a test waits for what happens at once where nothing else runs.
const patience = time.Minute

// waitFor waits until ok, and reports whether it was.
func waitFor(ok func() bool) bool { return waitAtMost(patience, ok) }

func waitAtMost(d time.Duration, ok func() bool) bool {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return true
		}
	}
	return false
}

// A issued is what relais client create --json prints.
type issued struct{ ID, APIKey, SigningSecret string }

// createClient makes a client in the folder, whether it is served or not.
func createClient(t *testing.T, dir string, flags ...string) (i issued) {
	t.Helper()
	out, errs, code := relais(t, append([]string{"client", "create", "--data", dir, "--json"}, flags...)...)
	if code != 0 {
		t.Fatalf("client create: %d %s", code, errs)
	}
	if err := json.Unmarshal([]byte(out), &i); err != nil {
		t.Fatal(err)
	}
	return i
}

// A country is a data folder with the files that it was made from.
type country struct {
	files []string
	dir   string
	rows  []map[string]string // of the observatoire
}

// keys are the keys of the folders that letIn was given.
var keys sync.Map

// letIn gives a folder a client that may read everything; it makes the folder when
// it is missing.
func letIn(t *testing.T, dir string) {
	t.Helper()
	keys.Store(dir, createClient(t, dir, "--name", "every test", "--mode", "server", "--cidr", "127.0.0.1/32",
		"--scopes", "all-read", "--minute", "1000000", "--day", "1000000").APIKey)
}

// makeCountry writes a synthetic country and ingests it with the binary.
func makeCountry(t *testing.T, supports int) country {
	t.Helper()
	c := country{dir: filepath.Join(t.TempDir(), "data")}
	var err error
	if c.files, err = demo.Write(filepath.Join(t.TempDir(), "files"), supports); err != nil {
		t.Fatal(err)
	}
	out, errs, code := relais(t, append([]string{"ingest", "--json", "--data", c.dir, "fr,drom"}, c.files...)...)
	if code != 0 {
		t.Fatalf("ingest: %d %s", code, errs)
	}
	c.rows = readCSV(t, c.files[0])
	letIn(t, c.dir)
	var report struct {
		Files []struct {
			Path, Kind   string
			Rows, Served int
			Rejected     map[string]int
		}
		Markets []struct {
			Market           string
			Sites, Emissions int
			SourceDate       string
			Snapshot         struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	emissions := 0
	for _, m := range report.Markets {
		emissions += m.Emissions
	}
	for _, f := range report.Files {
		rejected := 0
		for _, n := range f.Rejected {
			rejected += n
		}
		if f.Rows != f.Served+rejected || f.Rows == 0 {
			t.Errorf("%s: %d rows, %d served, %d rejected", f.Path, f.Rows, f.Served, rejected)
		}
		if f.Kind == "anfr-observatoire" && (f.Rows != len(c.rows) || f.Served != emissions) {
			t.Errorf("%s: %d rows, the file has %d; %d served, the markets have %d", f.Path, f.Rows, len(c.rows),
				f.Served, emissions)
		}
	}
	if len(report.Files) != 9 || len(report.Markets) != 2 {
		t.Errorf("%d files, %d markets", len(report.Files), len(report.Markets))
	}
	return c
}

// readCSV reads a table with the standard library.
func readCSV(t *testing.T, path string) (rows []map[string]string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewReader(f)
	if mark, err := in.Peek(3); err == nil && string(mark) == "\xef\xbb\xbf" {
		in.Discard(3)
	}
	r := csv.NewReader(in)
	r.Comma = ';'
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range all[1:] {
		m := map[string]string{}
		for i, name := range all[0] {
			m[name] = row[i]
		}
		rows = append(rows, m)
	}
	return rows
}

func TestCommandLine(t *testing.T) {
	for _, tt := range []struct {
		args []string
		code int
		out  string // in stdout or stderr
	}{
		{[]string{"--help"}, 0, "relais demo"},
		{[]string{"ingest", "--help"}, 0, "Examples:"},
		{[]string{"serve", "--help"}, 0, "--base-url"},
		{[]string{"version"}, 0, "relais "},
		{[]string{"version", "--json"}, 0, `"snapshotFormat":2`},
		{nil, 2, "expected one of"},
		{[]string{"dance"}, 2, "dance"},
		{[]string{"serve"}, 2, "--data"},
		{[]string{"serve", "--data", t.TempDir(), "--trusted-proxy", "x"}, 2, "--trusted-proxy"},
		{[]string{"serve", "--data", t.TempDir(), "--listen", "nowhere"}, 2, "--listen"},
		{[]string{"serve", "--data", t.TempDir(), "--base-url", "not a url"}, 2, "--base-url"},
		{[]string{"serve", "--data", t.TempDir(), "--base-url", "https://x.example/external/v1"},
			2, "without external/v1"},
		{[]string{"serve", "--data", ""}, 2, "no folder"},
		{[]string{"demo", "--data", ""}, 2, "no folder"},
		{[]string{"serve", "--data", filepath.Join(t.TempDir(), "none")}, 1, "does not exist"},
		{[]string{"ingest", "--data", t.TempDir(), "XX", "file"}, 2, "not a market"},
		{[]string{"ingest", "--data", t.TempDir(), "FR"}, 2, "file"},
		{[]string{"ingest", "--data", t.TempDir(), "FR", "none.csv"}, 1, "none.csv: no such file"},
		{[]string{"snapshot", "info", "--data", t.TempDir()}, 1, "no snapshot"},
	} {
		out, errs, code := relais(t, tt.args...)
		if code != tt.code || !strings.Contains(out+errs, tt.out) {
			t.Errorf("relais %s: exit %d, want %d with %q\n%s%s", strings.Join(tt.args, " "), code, tt.code, tt.out,
				out, errs)
		}
	}
	// A flag can be an environment variable; a command that fails makes no folder.
	t.Setenv("RELAIS_DATA", filepath.Join(t.TempDir(), "by-environment"))
	if _, errs, code := relais(t, "ingest", "FR", "none.csv"); code != 1 || !strings.Contains(errs, "none.csv") {
		t.Errorf("RELAIS_DATA: exit %d %s", code, errs)
	}
	if _, errs, code := relais(t, "snapshot", "info"); code != 1 || !strings.Contains(errs, "by-environment") {
		t.Errorf("RELAIS_DATA: exit %d %s", code, errs)
	}
	if _, err := os.Stat(os.Getenv("RELAIS_DATA")); err == nil {
		t.Error("a mistyped file made a folder")
	}
}
