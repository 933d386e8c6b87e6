package update

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"relais/ingest"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/internal/tier"
	"relais/market"
)

// A newer file that was ingested by hand stays until the authority's file is not older,
// and update says so.
func TestNewerByHand(t *testing.T) {
	tier.Slow(t)
	k := weeklyKit(t)
	k.want(k.run(), Updated, "")
	k.byHand(observatory(t, "2026-01-29"), false)
	k.asked()
	r := k.run()
	k.want(r, Failed, "older than the present snapshot of 2026-01-29")
	k.wantAsked(whole(weekly), whole(towns))
	note := "FR: its snapshot, of 2026-01-29, is not the one of the last update; the files are fetched again"
	if !slices.Contains(r.Notes, note) {
		t.Errorf("notes %q, want %q among them", r.Notes, note)
	}
	k.wantDate("2026-01-29")
	before := k.listing()
	r = k.run()
	k.want(r, Failed, "refused before")
	k.wantAsked(same(weekly), same(towns))
	if len(r.Notes) != 0 || k.listing() != before {
		t.Errorf("notes %q, want none, and nothing touched", r.Notes)
	}
	k.put(weekly, observatory(t, "2026-02-05"))
	k.want(k.run(), Updated, "")
	k.want(k.run(), Unchanged, "")
	k.wantDate("2026-02-05")
}

// A lost, damaged or restored snapshot is brought up to date.
func TestSnapshotIsAnother(t *testing.T) {
	tier.Slow(t)
	for _, tt := range []struct {
		name  string
		spoil func(k *kit) error
		words string
	}{
		{"older by hand", func(k *kit) error { k.byHand(observatory(t, "2026-01-01"), true); return nil },
			"of 2026-01-01, is not the one"},
		{"one gone", func(k *kit) error { return os.Remove(k.dir.Snapshot("FR")) }, "FR: its snapshot is gone"},
		{"spoilt", func(k *kit) error {
			text, err := os.ReadFile(k.dir.Snapshot("FR"))
			if err != nil {
				return err
			}
			text[len(text)/2] ^= 1
			return os.WriteFile(k.dir.Snapshot("FR"), text, 0o644)
		}, "FR: its snapshot cannot be used: FR.snap: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := weeklyKit(t)
			k.want(k.run(), Updated, "")
			must(t, tt.spoil(k))
			k.asked()
			r := k.run()
			k.want(r, Updated, "")
			k.wantDate("2026-01-15")
			k.wantAsked(whole(weekly), whole(towns))
			if !strings.Contains(strings.Join(r.Notes, " "), tt.words) {
				t.Errorf("notes %q, want %q in them", r.Notes, tt.words)
			}
			if r := k.run(); r.Status != Unchanged || len(r.Notes) != 0 {
				t.Errorf("then %s %q, want unchanged without notes", r.Status, r.Notes)
			}
		})
	}
}

// Seeing that nothing changed does not read the snapshots into memory. Another version of
// relais must check whether it can read them.
func TestLookTakesNoMemory(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	path := dir.Snapshot("FR")
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	filetest.Write(t, path, "")
	must(t, os.Truncate(path, 64<<20))
	sum, err := fileSHA256(path)
	must(t, err)
	french, good := ingest.Sources[0], record{Good: version{Asked: "x", ETag: `"a"`}}
	s := state{Files: map[string]record{"a": good}, Snapshots: map[market.Code]string{market.FR: sum}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found := s.forgetStale(dir, french)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 || len(found) > 0 || s.Files["a"] != good {
		t.Errorf("%d bytes of memory, found %q, %+v; want at most 1 MB, and nothing forgotten", n, found, s)
	}
	s.upgraded = true
	if found = s.forgetStale(dir, french); len(found) != 1 || len(s.Files) != 0 {
		t.Errorf("found %q, %+v; want one reason, and the file forgotten", found, s)
	}
}

// The state is readable JSON and contains no more than necessary. One that cannot be read,
// or that says less, costs a download.
func TestStateForm(t *testing.T) {
	k := weeklyKit(t)
	k.want(k.run(), Updated, "")
	path := filepath.Join(k.dir.Sources("FR"), folder.UpdateName)
	var v struct {
		Files     map[string]struct{ Good struct{ ETag, SHA256 string } }
		Snapshots map[string]string
		By        string
	}
	text := filetest.Read(t, path)
	if err := json.Unmarshal(text, &v); err != nil || v.Files["weekly"].Good.ETag != tagOfText(k.files[weekly]) ||
		len(v.Files["weekly"].Good.SHA256) != 64 || len(v.Snapshots["FR"]) != 64 || v.By != "test" {
		t.Errorf("%v: %s; want the tag and the SHA-256 of the file, those of the snapshots, and the version", err, text)
	}
	for name, text := range map[string]string{
		"cut":   `{`,
		"older": `{"files":{"weekly":{"good":{"url":"http://h/","address":"00","etag":"\"a\"","sha256":"00"}}},"by":"x, format 1"}`,
	} {
		t.Run(name, func(t *testing.T) {
			filetest.Write(t, path, text)
			k.asked()
			k.want(k.run(), Updated, "")
			k.wantAsked(whole(weekly), whole(towns))
			k.want(k.run(), Unchanged, "")
		})
	}
}

// A state that cannot be written leaves the old one. The failure is of the source.
func TestStateNotWritten(t *testing.T) {
	k := weeklyKit(t)
	k.want(k.run(), Updated, "")
	path := filepath.Join(k.dir.Sources("FR"), folder.UpdateName)
	before := filetest.Read(t, path)
	k.put(weekly, observatory(t, "2026-01-22"))
	o := k.options()
	o.Asked = func(*FileReport) { // a folder in the place of the state cannot be replaced
		os.Rename(path, path+".old")
		os.MkdirAll(filepath.Join(path, "x"), 0o755)
	}
	k.want(k.runWith(o), Failed, "saving the state of the update")
	k.wantDate("2026-01-22")
	if after := filetest.Read(t, path+".old"); string(after) != string(before) {
		t.Errorf("got %s, want the old state", after)
	}
}
