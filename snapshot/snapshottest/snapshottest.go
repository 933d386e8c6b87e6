// Package snapshottest reads back the snapshots that tests build.
package snapshottest

import (
	"path/filepath"
	"testing"

	"relais/internal/errtest"
	"relais/site"
	"relais/snapshot"
)

// Reread writes what b has into a file of the test and reads that.
func Reread(t testing.TB, b *snapshot.Builder) *snapshot.Snapshot {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.snap")
	_, err := b.Write(path)
	errtest.Must(t, err)
	s, err := snapshot.ReadFile(path, b.Market)
	errtest.Must(t, err)
	return s
}

// Sites returns the sites of s by id, without the order of their emissions, which is the snapshot's business.
func Sites(t testing.TB, s *snapshot.Snapshot) map[string]site.Site {
	t.Helper()
	sites := map[string]site.Site{}
	for i := range s.Len() {
		var x site.Site
		s.Site(i, &x)
		for k := range x.Emissions {
			x.Emissions[k].Order = 0
		}
		if _, twice := sites[x.ID]; twice {
			t.Errorf("two sites have the id %s", x.ID)
		}
		sites[x.ID] = x
	}
	return sites
}
