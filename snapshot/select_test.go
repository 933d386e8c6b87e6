package snapshot

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"relais/market"
	"relais/site"
)

// reread writes a builder and reads the file.
func reread(t *testing.T, b *Builder) *Snapshot {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.snap")
	if _, err := b.Write(path); err != nil {
		t.Fatal(err)
	}
	s, err := ReadFile(path, market.FR)
	must(t, err)
	return s
}

// Selected sites are what they were.
func TestSelect(t *testing.T) {
	b := build(t, randomSites(300))
	b.Synthetic, b.Registers = true, []string{"a register"}
	all := reread(t, b)
	want := map[string]site.Site{}
	for i := range all.Len() {
		if i%3 == 0 {
			var s site.Site
			all.Site(i, &s)
			want[s.ID] = s
		}
	}
	chosen, err := Select(all, func(i int) bool { return i%3 == 0 })
	must(t, err)
	some := reread(t, chosen)
	got := map[string]site.Site{}
	for i := range some.Len() {
		var s site.Site
		some.Site(i, &s)
		got[s.ID] = s
	}
	// Order counts the systems that a snapshot has.
	same := cmp.Options{cmpopts.EquateNaNs(), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(site.Emission{}, "Order")}
	if diff := cmp.Diff(want, got, same); diff != "" {
		t.Errorf("sites (-want +got)\n%.2000s", diff)
	}
	meta, wanted := some.Meta, all.Meta
	meta.Enriched, wanted.Enriched, meta.Systems, wanted.Systems = nil, nil, nil, nil
	if diff := cmp.Diff(wanted, meta); diff != "" {
		t.Errorf("meta (-want +got)\n%s", diff)
	}
}
