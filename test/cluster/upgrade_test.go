//go:build linux

package cluster

import (
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// next is a build of this program that also reads and writes the format after this one's.
var next = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "relais-next")
	return path, exec.Command("go", "build", "-buildvcs=false", "-tags", "netgo,osusergo,nodynamic",
		"-ldflags", "-X relais/cluster.buildFormat=2 -X relais/cli.Version=next", "-o", path, "../..").Run()
})

// replace ends a node as an operator does, and starts it with another program.
func (n *node) replace(t *testing.T, program string) {
	t.Helper()
	n.lives.Store(false)
	n.stop(t)
	n.program = program
	n.start(t)
	n.waitReady(t)
}

// All nodes get the next program one after the other, and then write the next format, while they
// are written to. A node with the old program is not ready from then on, and says why.
func TestRollingUpgrade(t *testing.T) {
	w := newWorld(t, true)
	program, err := next()
	must(t, err)
	upgrade := func(program string) (string, error) {
		out, err := exec.Command(program, "cluster", "upgrade", "--cluster", w.nodes[0].engine).CombinedOutput()
		return string(out), err
	}
	l := w.beginLoad()
	var broken []time.Time
	for i, n := range w.nodes {
		w.pause(time.Second, 2*time.Second)
		if out, err := upgrade(program); err == nil || !strings.Contains(out, "replace its program first") {
			t.Errorf("an upgrade after %d of %d nodes: got %v, %s; want that it is refused", i, len(w.nodes), err, out)
		}
		broken = append(broken, time.Now())
		n.replace(t, program)
	}
	time.Sleep(2 * time.Second) // until they have said what they read
	if out, err := upgrade(program); err != nil || !strings.Contains(out, "format 2") {
		t.Errorf("the upgrade: got %v, %s", err, out)
	}
	time.Sleep(2 * time.Second)
	l.verify(t, broken)
	old := w.nodes[0]
	old.stop(t)
	old.program = ""
	old.start(t)
	reason := ""
	if !waitFor(func() bool {
		a, err := old.http.Get(old.base + "/readyz")
		if err != nil {
			return old.hasEnded()
		}
		defer a.Body.Close()
		text, _ := io.ReadAll(a.Body)
		reason = string(text)
		return a.StatusCode == http.StatusServiceUnavailable && strings.Contains(reason, "newer relais")
	}) || old.hasEnded() {
		t.Errorf("the old program: got %s, want that it is not ready because of a newer one:\n%s", reason, old.tail())
	}
	old.replace(t, program)
	w.equal(t)
}
