//go:build linux

package cluster

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/test/relaistest"
)

// takeover is how long it takes at most until another node delivers: a lease and a look at it, twice
// over.
const takeover = 2 * 40 * time.Second

// One node delivers what happens on all of them. When it is killed, another one goes on, and loses
// nothing.
func TestHooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	var mu sync.Mutex
	got := map[string]int{} // by id of the report
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var m struct {
			Type string
			Data struct{ ID string }
		}
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil || m.Type != "outage.reported" ||
			!strings.HasPrefix(r.Header.Get("Webhook-Id"), "msg_") {
			t.Errorf("got %+v, %v", m, err)
		}
		mu.Lock()
		defer mu.Unlock()
		got[m.Data.ID]++
	}))
	t.Cleanup(receiver.Close)
	var h struct{ ID string }
	runJSON(t, &h, "hook", "create", "--data", w.nodes[0].dir, "--url", receiver.URL, "--events", "outage", "--json")
	for _, n := range w.nodes { // all know it before something happens
		if !waitFor(func() bool { return strings.Contains(run(t, "hook", "list", "--data", n.dir), h.ID) }) {
			t.Fatalf("%s does not know the hook", n)
		}
	}
	filed := map[string]bool{}
	file := func(n *node) {
		t.Helper()
		var r struct{ ID string }
		runJSON(t, &r, "outage", "report", "--data", n.dir, "--market", "FR", "--operator", "SFR",
			fmt.Sprintf("--lat=%f", 44+float64(len(filed))*0.05), "--lon=2", "--json")
		filed[r.ID] = true
	}
	missing := func() (n int) {
		mu.Lock()
		defer mu.Unlock()
		for id := range filed {
			if got[id] == 0 {
				n++
			}
		}
		return n
	}
	for i := range 9 {
		file(w.nodes[i%len(w.nodes)])
	}
	if !relaistest.WaitAtMost(takeover, func() bool { return missing() == 0 }) {
		t.Fatalf("%d of %d did not come", missing(), len(filed))
	}
	if len(got) != len(filed) {
		t.Errorf("got messages about %d reports, want %d", len(got), len(filed))
	}
	var status struct {
		Jobs []struct{ Job, Node string }
	}
	runJSON(t, &status, "cluster", "status", "--cluster", w.nodes[0].engine, "--json")
	var left []*node
	for _, n := range w.nodes {
		leads := false
		for _, l := range status.Jobs {
			leads = leads || l.Job == "hooks" && l.Node == n.name
		}
		if !leads {
			left = append(left, n)
			continue
		}
		file(n)
		n.kill()
	}
	if len(left) != len(w.nodes)-1 {
		t.Fatalf("of the leases %+v, want one of hooks", status.Jobs)
	}
	for _, n := range left {
		file(n)
	}
	if !relaistest.WaitAtMost(takeover, func() bool { return missing() == 0 }) {
		t.Errorf("after the node that delivered was killed, %d of %d did not come", missing(), len(filed))
	}
	for _, n := range left {
		if c := n.compare(t); c.Differences > 0 {
			t.Errorf("%s differs from the engine: %+v", n, c)
		}
	}
}
