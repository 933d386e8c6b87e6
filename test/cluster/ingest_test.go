//go:build linux

package cluster

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/test/relaistest"
)

// editions are the inventories that were ingested, in the order of the attempts.
type editions struct {
	last    string // version of FR that was acknowledged last
	unknown bool   // another one was tried later
	done    int
}

// ingest ingests an edition of another day on some node.
func (l *load) ingest() {
	n := l.node()
	if !n.lives.Load() {
		return
	}
	l.edition++
	day := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC).AddDate(0, 0, l.edition)
	text, err := os.ReadFile(l.country.files[0])
	if err != nil {
		l.t.Error(err)
		return
	}
	changed := strings.ReplaceAll(string(text), ";2026-01-15T12:00:00;", day.Format(";2006-01-02T15:04:05;"))
	file := filepath.Join(l.scratch, fmt.Sprintf("SYNTHETIC_observatoire_%s.csv", day.Format(time.DateOnly)))
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		l.t.Error(err)
		return
	}
	defer os.Remove(file)
	start := time.Now()
	l.editions.unknown = true
	args := append([]string{"ingest", "--data", n.dir, "--json", "FR,DROM", file}, l.country.files[1:]...)
	out, err := prepared(l.t, args...).Output()
	var report struct {
		Markets []struct {
			Market   string
			Snapshot struct{ Version string }
		}
	}
	if err == nil {
		err = json.Unmarshal(out, &report)
	}
	if err != nil {
		l.problems.add("ingest", unknown, explained(err))
		return
	}
	for _, m := range report.Markets {
		if m.Market == "FR" && m.Snapshot.Version != "" {
			l.editions = editions{m.Snapshot.Version, false, l.editions.done + 1}
			l.wrote("ingest", start, answered, nil)
		}
	}
}

// sameEdition looks on every node for the inventory that was ingested last.
func (l *load) sameEdition(t *testing.T) {
	t.Helper()
	e := l.editions
	if e.done == 0 {
		return
	}
	var seen map[string]bool
	if !relaistest.WaitAtMost(follows, func() bool {
		seen = map[string]bool{}
		for _, n := range l.nodes {
			a, _, err := call(n.http, http.MethodGet, l.base+"/readyz", nil)
			markets, _ := a.object()["markets"].(object)
			fr, _ := markets["FR"].(object)
			seen[fmt.Sprint(fr["version"])] = true
			if err != nil {
				seen[err.Error()] = true
			}
		}
		return len(seen) == 1 && (e.unknown || seen[e.last])
	}) {
		t.Errorf("editions of FR: got %q, want one on all nodes, and %s if no later one was tried (%t)",
			slices.Sorted(maps.Keys(seen)), e.last, e.unknown)
	}
	t.Logf("%d editions were ingested", e.done)
}
