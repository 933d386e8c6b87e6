//go:build linux

package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"relais/cluster/pgtest"
	"relais/demo"
	"relais/internal/errtest"
	"relais/internal/filetest"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// A world is a cluster with all that it needs, and what leads to its parts.
type world struct {
	t        *testing.T
	country  country
	servers  [2]*pgtest.Server // of PostgreSQL; nil without a cluster
	first    int               // which of them takes writes
	nodes    []*node
	links    [][2]*pgtest.Relay // of the nodes, to both servers
	base     string             // of the proxy
	http     *http.Client
	random   *rand.Rand
	numbers  func() int64 // counts what is written: nothing is written twice
	problems problems
}

// nodes is how many nodes a cluster of these tests has.
const nodes = 3

// database is the name of the cluster's.
const database = "relais"

// newWorld starts PostgreSQL, and the nodes of a cluster behind HAProxy. The standby is
// synchronous unless the test is about one that is not.
func newWorld(t *testing.T, synchronous bool) *world {
	t.Helper()
	need(t)
	w := emptyWorld(t)
	primary := pgtest.Start(t)
	primary.CreateDatabase(database)
	w.servers = [2]*pgtest.Server{primary, primary.Standby(synchronous)}
	first := filepath.Join(t.TempDir(), "data")
	w.country.copyTo(t, first)
	initCluster(t, first, pgtest.URL(database, primary.Addr()))
	for i := range nodes {
		l := [2]*pgtest.Relay{pgtest.NewRelay(t, w.servers[0].Addr()), pgtest.NewRelay(t, w.servers[1].Addr())}
		w.links = append(w.links, l)
		dir := filepath.Join(t.TempDir(), "data")
		join(t, first, dir)
		w.add(newNode(fmt.Sprint("node", i+1), dir, freeAddress(t), w.base,
			pgtest.URL(database, l[0].Addr()+","+l[1].Addr())))
	}
	w.begin()
	return w
}

// aloneWorld starts one server without a cluster.
func aloneWorld(t *testing.T) *world {
	t.Helper()
	need(t)
	w := emptyWorld(t)
	dir := filepath.Join(t.TempDir(), "data")
	w.country.copyTo(t, dir)
	w.add(newNode("alone", dir, freeAddress(t), w.base, ""))
	w.begin()
	return w
}

func emptyWorld(t *testing.T) *world {
	t.Helper()
	var mu sync.Mutex
	var last int64
	w := &world{t: t, country: newCountry(t), base: "http://" + freeAddress(t), random: rand.New(rand.NewPCG(*seed, 0)),
		http: &http.Client{Timeout: 30 * time.Second, CheckRedirect: stay,
			Transport: &http.Transport{MaxIdleConnsPerHost: 100}},
		numbers: func() int64 {
			mu.Lock()
			defer mu.Unlock()
			last++
			return last
		}}
	w.problems.seen = map[string]int{}
	return w
}

func (w *world) add(n *node) { w.nodes = append(w.nodes, n) }

// primary is the server that takes writes, standby the other one.
func (w *world) primary() *pgtest.Server { return w.servers[w.first] }
func (w *world) standby() *pgtest.Server { return w.servers[1-w.first] }

// promote makes the standby take writes in the place of the primary, which is dead.
func (w *world) promote() {
	w.t.Helper()
	w.standby().Promote()
	w.first = 1 - w.first
}

// addStandby replaces the dead server by a new standby of the other one.
func (w *world) addStandby(synchronous bool) {
	w.t.Helper()
	dead := 1 - w.first
	w.servers[dead] = w.primary().Standby(synchronous)
	for _, l := range w.links {
		l[dead].To(w.servers[dead].Addr())
	}
}

// begin starts the nodes and the proxy.
func (w *world) begin() {
	w.t.Helper()
	for _, n := range w.nodes {
		n.start(w.t)
		w.t.Cleanup(n.kill)
	}
	for _, n := range w.nodes {
		n.waitReady(w.t)
	}
	w.startProxy()
	w.t.Cleanup(func() {
		if !w.t.Failed() {
			return
		}
		for _, n := range w.nodes {
			w.t.Logf("the end of the log of %s:\n%s", n, n.tail())
		}
	})
}

// setUp is that of docs/cluster.md, with other addresses and the nodes of w.
func (w *world) setUp() string {
	w.t.Helper()
	page := filetest.Read(w.t, "../../docs/cluster.md")
	_, block, ok := strings.Cut(string(page), "   frontend antennas\n")
	if block, _, _ = strings.Cut(block, "\n\n"); !ok {
		w.t.Fatal("docs/cluster.md has no set-up of HAProxy any more")
	}
	text := "global\n    maxconn 2000\nfrontend antennas\n"
	servers := 0
	for line := range strings.Lines(block + "\n") {
		switch setting := strings.Fields(line); setting[0] {
		case "bind":
			line = fmt.Sprintf("    bind %s\n", strings.TrimPrefix(w.base, "http://"))
		case "server":
			if servers++; servers > len(w.nodes) {
				continue
			}
			line = fmt.Sprintf("    server %s %s\n", w.nodes[servers-1].name, w.nodes[servers-1].addr)
		}
		text += line
	}
	if servers != nodes {
		w.t.Fatalf("the set-up of docs/cluster.md has %d nodes, want %d", servers, nodes)
	}
	return text
}

// startProxy starts HAProxy before the nodes.
func (w *world) startProxy() {
	w.t.Helper()
	program, err := haproxy()
	must(w.t, err)
	file := filepath.Join(w.t.TempDir(), "haproxy.cfg")
	filetest.Write(w.t, file, w.setUp())
	cmd := exec.Command(program, "-db", "-f", file)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	must(w.t, cmd.Start())
	w.t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	if !waitFor(func() bool {
		a, _, err := call(w.http, http.MethodGet, w.base+"/readyz", nil)
		return err == nil && a.status == http.StatusOK
	}) {
		w.t.Fatal("HAProxy does not lead to a node")
	}
}

// freeAddress is an address of 127.0.0.1 where nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(pgtest.FreePort(t)))
}

// issued is what relais client create --json prints.
type issued struct{ ID, APIKey, SigningSecret string }

// A country is a folder that clusters are made from, and what is in it.
type country struct {
	dir          string
	files        []string // that it was made from
	sites        []string // keys
	reader       issued
	photographer issued
	assistants   []issued // each submits as a person does
	people       []person
}

// A person has an account.
type person struct{ ID, Name, password string }

// Counts of what people may do only so often each.
const (
	assistantCount = 60
	personCount    = 6
)

// made is the country of all tests.
var made struct {
	sync.Mutex
	country
}

// newCountry makes the country once.
func newCountry(t *testing.T) country {
	t.Helper()
	made.Lock()
	defer made.Unlock()
	if made.dir != "" {
		return made.country
	}
	c := country{dir: filepath.Join(scratch, "country")}
	var err error
	c.files, err = demo.Write(filepath.Join(scratch, "files"), 400)
	must(t, err)
	run(t, append([]string{"ingest", "--data", c.dir, "fr,drom"}, c.files...)...)
	client := func(name, scopes string, flags ...string) (i issued) {
		runJSON(t, &i, append([]string{"client", "create", "--data", c.dir, "--name", name, "--mode", "server", "--cidr",
			"127.0.0.1/32", "--scopes", scopes, "--minute", "1000000000", "--day", "1000000000"}, flags...)...)
		return i
	}
	c.reader = client("reader", "all-read")
	c.photographer = client("photographer", "photos:read,photos:write,antennas:read", "--partner")
	for i := range assistantCount {
		c.assistants = append(c.assistants, client(fmt.Sprint("assistant ", i), "internal:ai", "--partner"))
	}
	for i := range personCount {
		p := person{Name: fmt.Sprint("Person ", i), password: fmt.Sprint("eighteen weathercocks ", i)}
		cmd := prepared(t, "user", "create", "--data", c.dir, "--password-stdin", "--json", p.Name)
		cmd.Stdin = strings.NewReader(p.password + "\n")
		if out, err := cmd.Output(); err != nil {
			t.Fatalf("user create: %v: %s", err, out)
		}
		c.people = append(c.people, p)
	}
	for i := 10; i < 50; i++ {
		c.sites = append(c.sites, fmt.Sprint("fr-900000", i))
	}
	made.country = c
	return c
}

// copyTo copies the folder.
func (c *country) copyTo(t *testing.T, dir string) {
	t.Helper()
	must(t, os.CopyFS(dir, os.DirFS(c.dir)))
	// A key that others can read is refused.
	if err := os.Chmod(filepath.Join(dir, "secret.key"), 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

// problems counts why writes were not acknowledged, for the log.
type problems struct {
	mu   sync.Mutex
	seen map[string]int
}

func (p *problems) add(kind string, o outcome, err error) {
	if o == answered && err == nil {
		return
	}
	text := fmt.Sprintf("%s %s: %.160v", kind, o, err)
	text = strings.Map(func(r rune) rune { // so that those that differ in a number are one
		if r >= '0' && r <= '9' {
			return '#'
		}
		return r
	}, text)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen[text]++; len(p.seen) > 200 {
		delete(p.seen, text)
	}
}
