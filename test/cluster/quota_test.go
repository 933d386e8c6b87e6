//go:build linux

package cluster

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"relais/admin"
	"relais/auth/access"
	"relais/internal/tier"
)

// A hammer sends requests of a client to nodes, each from some callers that ask once in a while.
type hammer struct {
	key     string
	callers []int
	every   time.Duration
}

// second is how many requests arrive in a second at most.
func (h hammer) second() (n int) {
	for _, callers := range h.callers {
		n += callers * int(time.Second/h.every)
	}
	return n
}

// run sends requests until a time, and returns how many were admitted.
func (h hammer) run(w *world, until time.Time) int {
	var admitted atomic.Int64
	var all sync.WaitGroup
	for i, n := range w.nodes {
		for range h.callers[i] {
			all.Go(func() {
				tick := time.NewTicker(h.every)
				defer tick.Stop()
				for time.Now().Before(until) {
					<-tick.C
					a, _, err := call(n.http, http.MethodHead, w.base+"/external/v1/antennas?limit=1", nil, "X-API-Key", h.key)
					if err == nil && a.status == http.StatusOK {
						admitted.Add(1)
					}
				}
			})
		}
	}
	all.Wait()
	return int(admitted.Load())
}

// Clients are admitted as often as they may be, and at most what arrives in a second more. A node that is killed
// forgets a second. Requests are so many that each node alone would admit more.
func TestQuotas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	for i, tt := range []struct {
		name           string
		minute, day    int
		hammer         hammer
		kills          int
		engineIsKilled bool
		long           bool
	}{
		{"60 a minute, evenly", 60, 1e9, hammer{callers: []int{2, 2, 2}, every: 200 * time.Millisecond}, 0, false, false},
		{"60 a minute, unevenly", 60, 1e9, hammer{callers: []int{4, 1, 1}, every: 200 * time.Millisecond}, 0, false, true},
		{"300 a day, evenly", 1e9, 300, hammer{callers: []int{3, 3, 3}, every: 60 * time.Millisecond}, 0, false, true},
		{"300 a day, unevenly", 1e9, 300, hammer{callers: []int{6, 2, 1}, every: 60 * time.Millisecond}, 0, false, false},
		{"300 a day, with kills", 1e9, 300, hammer{callers: []int{3, 3, 3}, every: 60 * time.Millisecond}, 2, false, false},
		{"300 a day, without the engine", 1e9, 300, hammer{callers: []int{3, 3, 3}, every: 60 * time.Millisecond}, 0, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !tier.Full() && tt.long {
				t.Skip("make full runs it")
			}
			var c issued
			runJSON(t, &c, "client", "create", "--data", w.nodes[0].dir, "--name", fmt.Sprint("counted ", i), "--mode", "server",
				"--cidr", "127.0.0.1/32", "--scopes", "antennas:read", "--minute", fmt.Sprint(tt.minute), "--day",
				fmt.Sprint(tt.day))
			for _, n := range w.nodes { // which share what is left by how many they are
				if !waitFor(func() bool { return n.metric(t, "relais_cluster_nodes") == nodes }) {
					t.Fatalf("%s does not know the others", n.name)
				}
				if !waitFor(func() bool { return n.knows(c.ID) }) { // one that does not refuses all requests
					t.Fatalf("%s does not know the client", n.name)
				}
			}
			if tt.engineIsKilled {
				w.primary().Kill()
				w.standby().Kill()
			}
			w.inOneMinute()
			faults := time.AfterFunc(500*time.Millisecond, func() {
				for k := range tt.kills {
					w.nodes[k].kill()
					time.Sleep(300 * time.Millisecond)
				}
			})
			tt.hammer.key = c.APIKey
			got := tt.hammer.run(w, time.Now().Add(10*time.Second))
			faults.Stop()
			// What a node answered when it was killed is counted, and may not have arrived. The engine's answers take
			// half a second on a busy machine, and that it is away is noticed after another second.
			limit := min(tt.minute, tt.day)
			least, most := limit, limit+(1+tt.kills)*tt.hammer.second()+tt.hammer.second()/2
			for _, callers := range tt.hammer.callers[:tt.kills] {
				least -= callers
			}
			if tt.engineIsKilled {
				most += tt.hammer.second() + nodes
			}
			t.Logf("%d admitted, want %d to %d", got, least, most)
			if got > most || got < least {
				t.Errorf("%d requests were admitted, want %d to %d", got, least, most)
			}
			if tt.engineIsKilled {
				w.primary().Restart()
				w.standby().Restart()
			}
			w.newLoad().settle(t)
		})
	}
}

// knows reports whether the node's own list has a client.
func (n *node) knows(client string) bool {
	var list []access.Client
	_, err := n.command(admin.ListClients{}, &list)
	return err == nil && slices.ContainsFunc(list, func(c access.Client) bool { return c.ID == client })
}

// inOneMinute waits until a window of a minute, which clocks begin, has enough left.
func (w *world) inOneMinute() {
	if into := time.Now().Second(); into > 45 {
		time.Sleep(time.Duration(60-into)*time.Second + 100*time.Millisecond)
	}
}
