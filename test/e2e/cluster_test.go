//go:build linux

package e2e

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/cluster/pgtest"
	"relais/internal/filetest"
)

// A clustered is a cluster in a PostgreSQL of its own.
type clustered struct {
	t         *testing.T
	url, from string // from is the folder that it was made of
}

// cluster makes a cluster of a folder that is not served.
func cluster(t *testing.T, dir string) *clustered {
	t.Helper()
	c := &clustered{t, pgtest.Start(t).URL("postgres"), dir}
	run(t, "cluster", "init", "--data", dir, "--cluster", c.url)
	return c
}

// folder returns a new folder for a node.
func (c *clustered) folder() string {
	c.t.Helper()
	dir := c.t.TempDir()
	filetest.Write(c.t, filepath.Join(dir, "secret.key"), filetest.Read(c.t, filepath.Join(c.from, "secret.key")))
	return dir
}

// serve starts a node, and waits until it is ready.
func (c *clustered) serve(dir, name string, flags ...string) *server {
	c.t.Helper()
	s := start(c.t, nil, append([]string{"serve", "--data", dir, "--cluster", c.url, "--node", name}, flags...)...)
	s.waitUntil("the node is ready", func() bool { return s.succeeds("/readyz") == nil })
	return s
}

// A folder that went into a cluster and came back has the same content and gives the same
// answers, as a node of the cluster does.
func TestFolderThroughCluster(t *testing.T) {
	pgtest.Need(t)
	s, key := assistants(t)
	s.measured()
	s.stop()
	dir := s.cmd.Args[slices.Index(s.cmd.Args, "--data")+1]
	c := cluster(t, dir)
	left := c.folder()
	c.serve(left, "one").stop()
	fails(t, 1, "is a node of cluster", "serve", "--data", left, "--listen", "127.0.0.1:0")
	run(t, "cluster", "leave", "--data", left)
	back := contents(t, left)
	if hooks := back["hooks.db"]; !strings.Contains(hooks, " 0 hooks, ") { // alone, it is made with the first hook
		t.Errorf("hooks.db: got %q, want one without hooks", hooks)
	}
	delete(back, "hooks.db")
	if diff := cmp.Diff(contents(t, dir), back); diff != "" {
		t.Errorf("relais check: got (+) after the cluster, want (-):\n%s", diff)
	}
	want := readRecorded(t)
	for name, s := range map[string]*server{"node": c.serve(c.folder(), "two", "--mcp-minute", "1000000"),
		"folder": serve(t, left, "--mcp-minute", "1000000")} {
		s.key = key1(t, dir)
		s.measured()
		a := recorder{s, key}
		for request := range strings.Lines(string(filetest.Read(t, recordedRequests))) {
			if request = strings.TrimSpace(request); request == "" || request[0] == '#' {
				continue
			}
			got := throughJSON(t, a.answer(request))
			if body, ok := got.Body.(map[string]any); ok && strings.HasSuffix(request, "/readyz") {
				delete(body, "cluster") // the folder that is recorded has none
			}
			if diff := cmp.Diff(want[got.Request], got); diff != "" {
				t.Errorf("%s, %s: recorded (-), got (+):\n%s", name, request, diff)
			}
		}
	}
}

// key1 is the key of the client that was let in to a folder.
func key1(t *testing.T, dir string) string {
	t.Helper()
	key, ok := keys.Load(dir)
	if !ok {
		t.Fatal("the folder has no client")
	}
	return key.(string)
}

// contents returns what relais check says that each file of a folder holds. The names of copies of
// sources are of no interest, and sizes of files depend on their history.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	r := check(t, dir)
	all := map[string]string{}
	for _, f := range r.Files {
		if f.Path != "quota.db" { // the nodes count together
			all[f.Path] = strings.Join([]string{f.Kind, f.Detail, f.Problem}, " ")
		}
	}
	return all
}

// What a node must refuse, it names.
func TestClusterRefusals(t *testing.T) {
	t.Parallel()
	pgtest.Need(t)
	country := makeCountry(t, 300)
	c := cluster(t, country.dir)
	node := c.folder()
	c.serve(node, "one").stop()
	other := cluster(t, c.from)
	empty, foreign := t.TempDir(), c.folder()
	filetest.Write(t, filepath.Join(foreign, "secret.key"), bytes.Repeat([]byte{1}, 32))
	none := pgtest.Start(t).URL("postgres")
	for _, tt := range []struct {
		name, why string
		args      []string
	}{
		{"a database without cluster", "relais cluster init", []string{"serve", "--data", c.folder(), "--cluster", none}},
		{"another cluster", "use an empty folder", []string{"serve", "--data", node, "--cluster", other.url}},
		{"without --cluster", "relais cluster leave", []string{"serve", "--data", node}},
		{"another key", "copy it from another node", []string{"serve", "--data", foreign, "--cluster", c.url}},
		{"no key", "copy it from another node", []string{"serve", "--data", empty, "--cluster", c.url}},
		{"a folder with data", "relais cluster init", []string{"serve", "--data", c.from, "--cluster", c.url}},
		{"a second init", "already", []string{"cluster", "init", "--data", c.from, "--cluster", c.url}},
		{"init of a node", "already", []string{"cluster", "init", "--data", node, "--cluster", none}},
		{"leave of an ordinary folder", "not a node", []string{"cluster", "leave", "--data", c.from}},
		{"check of an ordinary folder", "not a node", []string{"cluster", "check", "--data", c.from}},
		{"nobody there", "cannot be reached", []string{"serve", "--data", c.folder(), "--cluster",
			"postgres://u:hush@127.0.0.1:1/x"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := tt.args
			if args[0] == "serve" {
				args = append(args, "--listen", "127.0.0.1:0", "--node", "x")
			}
			if !slices.Contains(args, "--cluster") && args[0] == "serve" {
				args = args[:len(args)-2]
			}
			stdout, stderr, code := relais(t, args...)
			if code != 1 || !strings.Contains(stderr, tt.why) || strings.Contains(stdout+stderr, "hush") {
				t.Errorf("got code %d and %s, want 1 and %q without the password", code, stderr, tt.why)
			}
		})
	}
}
