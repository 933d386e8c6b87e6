//go:build linux

package cluster

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"relais/test/relaistest"
)

// verify looks at everything after a run in which things were broken at some moments.
func (l *load) verify(t *testing.T, broken []time.Time) {
	t.Helper()
	l.end()
	l.settle(t)
	for _, text := range l.errors[:min(20, len(l.errors))] {
		t.Error(text)
	}
	l.holdsAll(t)
	l.sameEdition(t)
	l.refreshAll(t)
	l.clients.check(t, "client", clientModel)
	l.tokens.check(t, "family", familyModel)
	l.reports.check(t, "report", reportModel)
	l.figures.print(t, broken)
	for _, text := range slices.Sorted(maps.Keys(l.problems.seen)) {
		t.Logf("%d times: %s", l.problems.seen[text], text)
	}
	for _, n := range l.nodes {
		for _, line := range slices.Concat(n.logged("panic"), n.logged("put aside")) {
			t.Errorf("%s: %s", n.name, line)
		}
	}
	l.equal(t)
}

// equal compares every node with the engine.
func (w *world) equal(t *testing.T) {
	t.Helper()
	if w.primary() == nil {
		return
	}
	for _, n := range w.nodes {
		c := n.compare(t)
		if c.Differences > 0 || len(c.Stores) < 5 {
			t.Errorf("relais cluster check of %s: got %+v, want all stores without differences", n.name, c)
		}
	}
}

// pause waits for a random time.
func (w *world) pause(least, most time.Duration) {
	time.Sleep(least + time.Duration(w.random.Int64N(int64(most-least))))
}

// any chooses a node to break.
func (w *world) any() (i int, n *node) {
	i = w.random.IntN(len(w.nodes))
	return i, w.nodes[i]
}

// killEvery is how often TestKilledNodes kills a node.
const killEvery = 1500 * time.Millisecond

// killNodes kills nodes one after the other, and starts each again.
func (w *world) killNodes(times int) (broken []time.Time) {
	w.t.Helper()
	for range times {
		begun := time.Now()
		w.pause(killEvery*9/10, killEvery) // not in time with anything else
		_, n := w.any()
		broken = append(broken, time.Now())
		n.kill()
		n.start(w.t)
		n.waitReady(w.t)
		time.Sleep(time.Until(begun.Add(killEvery)))
	}
	return broken
}

// A server that is killed loses nothing that it acknowledged: what these tests measure with is sound.
func TestAlone(t *testing.T) {
	w := aloneWorld(t)
	l := w.beginLoad()
	l.verify(t, w.killNodes(often(killCount, 10, 2)))
}

// Nodes are killed one after the other.
func TestKilledNodes(t *testing.T) {
	w := newWorld(t, true)
	l := w.beginLoad()
	l.verify(t, w.killNodes(often(killCount, 200, 10)))
}

// stopInside stops a node while it has the right to write, and returns when.
func (w *world) stopInside(n *node) (at time.Time, ok bool) {
	w.t.Helper()
	const inside = "SELECT max(pid::text || xact_start::text) FROM pg_stat_activity " +
		"WHERE state LIKE 'idle in transaction%%' AND application_name = 'relais %s'"
	for range 100 {
		at = time.Now()
		must(w.t, n.pause())
		if w.primary().Query(database, fmt.Sprintf(inside, n.name)) != "" {
			return at, true
		}
		must(w.t, n.resume())
		w.pause(5*time.Millisecond, 30*time.Millisecond)
	}
	return at, false
}

// A node stands still while it has the right to write, and wakes again.
func TestPausedNode(t *testing.T) {
	w := newWorld(t, true)
	l := w.beginLoad()
	var broken []time.Time
	for range often(pauseCount, 20, 2) {
		w.pause(500*time.Millisecond, 1500*time.Millisecond)
		_, n := w.any()
		at, ok := w.stopInside(n)
		if !ok {
			t.Logf("%s was never met while it writes", n.name)
			continue
		}
		broken = append(broken, at)
		n.lives.Store(false)
		time.Sleep(4 * time.Second)
		must(t, n.resume())
		time.Sleep(staleAfter) // it does not know yet what it missed
		n.waitReady(t)
	}
	if len(broken) == 0 {
		t.Error("no node was stopped: this shows nothing")
	}
	l.verify(t, broken)
}

// All of PostgreSQL is killed and started again.
func TestKilledEngine(t *testing.T) {
	w := newWorld(t, true)
	l := w.beginLoad()
	var broken []time.Time
	for range often(engineCount, 50, 3) {
		w.pause(time.Second, 2*time.Second)
		l.setAway(true)
		w.primary().Kill()
		w.standby().Kill()
		w.pause(50*time.Millisecond, 500*time.Millisecond)
		w.primary().Restart()
		w.standby().Restart()
		broken = append(broken, time.Now())
		l.writesAgain(t)
		l.setAway(false)
	}
	l.verify(t, broken)
}

// writesAgain waits until a write is acknowledged that began after now.
func (l *load) writesAgain(t *testing.T) {
	t.Helper()
	now := time.Now()
	if !waitFor(func() bool { return l.figures.wroteAfter(now) }) {
		t.Fatal("no write was acknowledged any more")
	}
}

// The primary is killed, and the synchronous standby takes its place.
func TestPromotedStandby(t *testing.T) {
	w := newWorld(t, true)
	l := w.beginLoad()
	var broken []time.Time
	for range often(promoteCount, 20, 1) {
		w.pause(time.Second, 2*time.Second)
		l.setAway(true)
		w.primary().Kill()
		w.pause(50*time.Millisecond, 500*time.Millisecond)
		w.promote()
		broken = append(broken, time.Now())
		l.writesAgain(t)
		l.setAway(false)
		w.addStandby(true)
	}
	l.verify(t, broken)
}

// The primary is killed, and a standby takes its place that lacks what was acknowledged last: the
// nodes notice it, and are equal again.
func TestRewoundEngine(t *testing.T) {
	w := newWorld(t, false)
	l := w.beginLoad()
	time.Sleep(2 * time.Second)
	l.setAway(true)
	w.standby().Stop()
	time.Sleep(1500 * time.Millisecond)
	w.primary().Kill()
	w.standby().Restart()
	w.promote()
	l.writesAgain(t)
	time.Sleep(2 * time.Second)
	l.end()
	l.settle(t)
	relaistest.WaitAtMost(follows, func() bool { return len(l.missingOn(w.nodes[0])) > 0 })
	missing := l.missingOn(w.nodes[0])
	t.Logf("acknowledged: %s; %d are lost", l.ledger, len(missing))
	if len(missing) == 0 {
		t.Error("nothing is lost: this shows nothing")
	}
	if impossible := l.clients.impossible(clientModel); len(impossible) == 0 {
		t.Error("porcupine finds nothing wrong with clients that were lost")
	} else {
		t.Logf("porcupine: %d clients have an impossible history, as they must", len(impossible))
	}
	for _, n := range w.nodes {
		if n.metric(t, "relais_cluster_rewound_total") == 0 {
			t.Errorf("%s: it did not notice that the engine was rewound:\n%s", n.name, n.tail())
		}
	}
	l.equal(t)
}

// The link of a node to PostgreSQL is cut for a while. It serves reads.
func TestCutLink(t *testing.T) {
	w := newWorld(t, true)
	l := w.beginLoad()
	time.Sleep(time.Second)
	i, n := w.any()
	l.setAway(true)
	broken := []time.Time{time.Now()}
	n.lives.Store(false)
	for _, r := range w.links[i] {
		r.Cut()
	}
	end := time.Now().Add(often(cutTime, 30*time.Second, 5*time.Second))
	reads, failed := 0, 0
	for time.Now().Before(end) {
		reads++
		if _, err := l.get(n, "/external/v1/antennas?market=FR&limit=1"); err != nil {
			failed++
			t.Logf("%s while it is cut off: %v", n.name, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	for _, r := range w.links[i] {
		r.Restore()
	}
	if failed > 0 || reads == 0 {
		t.Errorf("%s while it was cut off: %d of %d reads failed", n.name, failed, reads)
	}
	l.writesAgain(t)
	n.waitFollowing(t)
	n.waitReady(t)
	time.Sleep(time.Second)
	l.setAway(false)
	time.Sleep(time.Second)
	l.verify(t, broken)
}

// A row that was changed behind the cluster's back is found on every node.
func TestPlantedDifference(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	for _, n := range w.nodes {
		n.waitReady(t)
	}
	w.equal(t)
	for _, plant := range []struct{ name, sql string }{
		{"a changed row", "UPDATE relais.item SET value = value || '\\x00' WHERE (store, path, key) = " +
			"(SELECT store, path, key FROM relais.item WHERE store = 'clients' AND key <> '' LIMIT 1)"},
		{"a row too many", "INSERT INTO relais.item (store, path, key, value) " +
			"SELECT store, path, key || '\\x00', value FROM relais.item WHERE store = 'users' AND key <> '' LIMIT 1"},
		{"a row too few", "DELETE FROM relais.item WHERE (store, path, key) = " +
			"(SELECT store, path, key FROM relais.item WHERE store = 'clients' AND key <> '' ORDER BY key DESC LIMIT 1)"},
	} {
		before := w.nodes[0].compare(t).Differences
		w.primary().Query(database, plant.sql)
		for _, n := range w.nodes {
			if got := n.compare(t).Differences; got != before+1 {
				t.Errorf("%s, on %s: got %d differences, want %d", plant.name, n.name, got, before+1)
			}
		}
	}
}
