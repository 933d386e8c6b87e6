package demo

import (
	"path/filepath"
	"testing"
	"time"

	"relais/archive/change"
	"relais/ingest"
	"relais/internal/folder"
	"relais/internal/tier"
	"relais/snapshot"
)

// A week changes something of each register, and not much.
func TestEarlier(t *testing.T) {
	tier.Slow(t)
	for _, set := range Sets[1:] {
		code := set.Markets[0]
		t.Run(string(code), func(t *testing.T) {
			dir := folder.Dir(filepath.Join(t.TempDir(), "data"))
			files, err := set.Write(filepath.Join(t.TempDir(), "files"), set.Size)
			must(t, err)
			if _, err := ingest.Run(t.Context(), ingest.Options{Dir: dir, Markets: set.Markets, Paths: files,
				Now: time.Now()}); err != nil {
				t.Fatal(err)
			}
			now, err := snapshot.ReadFile(dir.Snapshot(string(code)), code)
			must(t, err)
			before, err := Earlier(now)
			must(t, err)
			again, err := Earlier(now)
			if err != nil || again.Version != before.Version {
				t.Errorf("the second time: version %v, %v, want %s", again.Version, err, before.Version)
			}
			old, _ := time.Parse(time.DateOnly, before.SourceDate)
			day, _ := time.Parse(time.DateOnly, now.SourceDate)
			if !before.Synthetic || day.Sub(old) != 7*24*time.Hour {
				t.Errorf("got synthetic %t, %s; want true, a week before %s", before.Synthetic, before.SourceDate, now.SourceDate)
			}
			list := compare(t, before, now)
			for _, kind := range []change.Kind{change.SiteAdded, change.SiteRemoved, change.OperatorAdded, change.SystemAdded} {
				if list.Tally(nil)[kind] == 0 {
					t.Errorf("no change is %s", kind)
				}
			}
			if n := list.Len(); n > now.Len()/8 {
				t.Errorf("%d changes of %d sites: too many for a week", n, now.Len())
			}
		})
	}
}

func compare(t *testing.T, before, now *snapshot.Snapshot) *change.List {
	t.Helper()
	from, err := change.StateOf(before)
	must(t, err)
	to, err := change.StateOf(now)
	must(t, err)
	list, err := change.Compare(from, to)
	must(t, err)
	return list
}
