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

// credit is how many requests of a client a node may admit before it tells the others.
func credit(limit int) int {
	return min((limit+8*nodes-1)/(8*nodes), max(16, limit/1000))
}

// hammer sends requests of a client to nodes, each from some callers, until the time, and returns
// how many were admitted. Requests that failed otherwise are not counted.
func (w *world) hammer(key string, callers []int, until time.Time) int {
	var admitted atomic.Int64
	var all sync.WaitGroup
	for i, n := range w.nodes {
		for range callers[i] {
			all.Go(func() {
				for time.Now().Before(until) {
					a, _, err := call(n.http, http.MethodHead, w.base+"/external/v1/antennas?limit=1", nil, "X-API-Key", key)
					switch {
					case a.status == http.StatusOK:
						admitted.Add(1)
					case a.status != http.StatusTooManyRequests && err != nil:
						time.Sleep(10 * time.Millisecond)
					default:
						time.Sleep(2 * time.Millisecond)
					}
				}
			})
		}
	}
	all.Wait()
	return int(admitted.Load())
}

// Clients are admitted as often as they may be, and a stated number of times more at most.
func TestQuotas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	for i, tt := range []struct {
		name           string
		minute, day    int
		callers        []int
		kills          int
		engineIsKilled bool
		long           bool
	}{
		{"60 a minute, evenly", 60, 1e9, []int{2, 2, 2}, 0, false, false},
		{"60 a minute, unevenly", 60, 1e9, []int{6, 1, 0}, 0, false, true},
		{"1000 a day, evenly", 1e9, 1000, []int{3, 3, 3}, 0, false, true},
		{"1000 a day, unevenly", 1e9, 1000, []int{8, 1, 1}, 0, false, false},
		{"1000 a day, with kills", 1e9, 1000, []int{1, 1, 1}, 2, false, false},
		{"1000 a day, without the engine", 1e9, 1000, []int{3, 3, 3}, 0, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !tier.Full() && tt.long {
				t.Skip("make full runs it")
			}
			var c issued
			runJSON(t, &c, "client", "create", "--data", w.nodes[0].dir, "--name", fmt.Sprint("counted ", i), "--mode", "server",
				"--cidr", "127.0.0.1/32", "--scopes", "antennas:read", "--minute", fmt.Sprint(tt.minute), "--day",
				fmt.Sprint(tt.day))
			limit, e := min(tt.minute, tt.day), credit(min(tt.minute, tt.day))
			most, least := limit+(nodes-1)*e, limit-tt.kills*e
			for _, n := range w.nodes { // which share what is left by how many they are
				if !waitFor(func() bool { return n.metric(t, "relais_cluster_nodes") == nodes }) {
					t.Fatalf("%s does not know the others", n.name)
				}
				if !waitFor(func() bool { return n.knows(c.ID) }) { // one that does not refuses all requests
					t.Fatalf("%s does not know the client", n.name)
				}
			}
			if tt.engineIsKilled {
				most += nodes
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
			got := w.hammer(c.APIKey, tt.callers, time.Now().Add(often(new(time.Duration), 8*time.Second, 4*time.Second)))
			faults.Stop()
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
