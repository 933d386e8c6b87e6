//go:build linux

package cluster

import (
	"strings"
	"sync"
	"testing"
	"time"

	"relais/cluster/pgtest"
	"relais/internal/tier"
)

// pgbouncer gives every transaction another session, and an engine far away answers slowly: both
// change nothing but the time that it takes.
func TestBouncerAndDelay(t *testing.T) {
	tier.Slow(t)
	server := newCluster(t)
	url := server.URL("postgres")
	relay := pgtest.NewRelay(t, server.Addr())
	relay.Delay(50 * time.Millisecond)
	far := strings.Replace(url, server.Addr(), relay.Addr(), 1)
	for _, tt := range []struct{ name, url string }{{"pgbouncer", server.Bouncer("postgres")}, {"50 ms away", far}} {
		t.Run(tt.name, func(t *testing.T) {
			nodes := []*member{joined(t, tt.url, tt.name+" one"), joined(t, tt.url, tt.name+" two"), joined(t, url, "near")}
			var running sync.WaitGroup
			for _, n := range nodes {
				running.Go(func() {
					for range 10 {
						if _, err := n.increment(tt.name); err != nil {
							t.Error(err)
						}
					}
				})
			}
			running.Wait()
			for end := time.Now().Add(10 * time.Second); nodes[0].number(tt.name) != 30 && time.Now().Before(end); {
				time.Sleep(10 * time.Millisecond) // it follows by asking
			}
			if n := nodes[0].number(tt.name); n != 30 {
				t.Errorf("got %d without Fresh, want 30", n)
			}
			mustEqual(t, url, nodes...)
		})
	}
}
