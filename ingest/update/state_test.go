package update

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/ingest"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/market"
)

// byHand ingests a file as relais ingest does.
func (k *kit) byHand(text []byte, force bool) {
	k.t.Helper()
	path := filepath.Join(k.t.TempDir(), "SYNTHETIC_observatoire.csv")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		k.t.Fatal(err)
	}
	o := ingest.Options{Dir: k.dir, Markets: []market.Code{market.FR, market.DROM}, Paths: []string{path}, Force: force,
		Now: time.Now()}
	if _, err := ingest.Run(context.Background(), o); err != nil {
		k.t.Fatal(err)
	}
}

// A newer file that was ingested by hand stays until the authority's file is not older,
// and update says so.
func TestNewerByHand(t *testing.T) {
	k := weeklyKit(t)
	k.want(k.run(), Updated, "")
	k.byHand(observatory(t, "2026-01-29"), false)
	k.asked()
	r := k.run()
	k.want(r, Failed, "older than the present snapshot of 2026-01-29")
	if log := k.asked(); !strings.HasPrefix(log[0], weekly+" 200 ") {
		t.Errorf(`asked %q; want log[0] that begins with weekly+" 200 "`, log)
	}
	if !strings.Contains(strings.Join(r.Notes, " "),
		"FR: its snapshot, of 2026-01-29, is not the one of the last update; the files are fetched again") {
		t.Errorf(`notes %q; want strings.Join(r.Notes, " ") with "FR: its snapshot, of 2026-01-29, is not `+
			`the one of the last update; the files are fetched again"`, r.Notes)
	}
	if k.date() != "2026-01-29" {
		t.Errorf("put back to %s, want 2026-01-29", k.date())
	}
	before := k.listing()
	r = k.run()
	k.want(r, Failed, "refused before")
	if log := k.asked(); !slices.Equal(log, []string{weekly + " 304 0", towns + " 304 0"}) || len(r.Notes) != 0 ||
		k.listing() != before {
		t.Errorf(`asked %q, notes %q; want log = []string{weekly + " 304 0", towns + " 304 0"}, len(r.Notes) = `+
			"0, k.listing() = %v", log, r.Notes, before)
	}
	k.put(weekly, observatory(t, "2026-02-05"))
	k.want(k.run(), Updated, "")
	k.want(k.run(), Unchanged, "")
	if k.date() != "2026-02-05" {
		t.Errorf("date %s, want 2026-02-05", k.date())
	}
}

// A lost, damaged or restored snapshot is brought up to date.
func TestSnapshotIsAnother(t *testing.T) {
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
			if err := tt.spoil(k); err != nil {
				t.Fatal(err)
			}
			k.asked()
			r := k.run()
			k.want(r, Updated, "")
			if !strings.Contains(strings.Join(r.Notes, " "), tt.words) || k.date() != "2026-01-15" {
				t.Errorf(`%s: notes %q, date %s; want strings.Join(r.Notes, " ") with %v, k.date() = "2026-01-15"`,
					tt.name, r.Notes, k.date(), tt.words)
			}
			if log := k.asked(); strings.Contains(strings.Join(log, " "), "304") {
				t.Errorf(`%s: asked %q; want strings.Join(log, " ") without "304"`, tt.name, log)
			}
			before := k.listing()
			if r := k.run(); r.Status != Unchanged || len(r.Notes) != 0 || k.listing() != before {
				t.Errorf("%s: then %s %q; want r.Status = %v, len(r.Notes) = 0, k.listing() = %v", tt.name, r.Status,
					r.Notes, Unchanged, before)
			}
		})
	}
}

// Seeing that nothing changed does not read the snapshots into memory.
func TestLookTakesNoMemory(t *testing.T) {
	const size = 64 << 20
	dir := folder.Dir(t.TempDir())
	path := dir.Snapshot("FR")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	sum, err := fileSHA256(path)
	if err != nil {
		t.Fatal(err)
	}
	good := record{Good: &version{URL: "http://a/"}}
	s := state{map[string]record{"a": good}, map[market.Code]string{market.FR: sum}, reader("test")}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found := s.forgetStale(dir, frenchSource, "test")
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 || len(found) > 0 || s.Files["a"] != good {
		t.Errorf(`%d bytes of memory, %q, %+v; want n <= 1<<20, len(found) = 0, s.Files["a"] = %v`, n, found, s, good)
	}
	// Another version of relais must check whether it can read them.
	if found = s.forgetStale(dir, frenchSource, "next"); len(found) != 1 || len(s.Files) != 0 {
		t.Errorf("found = %q, s = %+v; want len(found) = 1, len(s.Files) = 0", found, s)
	}
}

// A run without news changes nothing in the folder, locks included.
func TestNothingIsWritten(t *testing.T) {
	k := weeklyKit(t)
	k.want(k.run(), Updated, "")
	all := func() (text string) {
		err := filepath.WalkDir(string(k.dir), func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err == nil {
				text += fmt.Sprintf("%s %d %d %+v\n", path, info.Size(), info.ModTime().UnixNano(), inode(info))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	before := all()
	time.Sleep(10 * time.Millisecond)
	k.want(k.run(), Unchanged, "")
	if after := all(); after != before || !strings.Contains(before, "update.lock") {
		t.Errorf("before:\n%safter:\n%s; want after = %v, before with \"update.lock\"", before, after, before)
	}
	lock, err := k.dir.LockQuietly("update")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock()
	if _, err := Run(context.Background(), k.options()); err == nil ||
		!strings.Contains(err.Error(), "another update") {
		t.Errorf(`err = %v; want an error with "another update"`, err)
	}
}

// The state is readable JSON and contains no more than necessary.
func TestStateForm(t *testing.T) {
	k := weeklyKit(t)
	k.want(k.run(), Updated, "")
	text := filetest.Read(t, filepath.Join(k.dir.Sources("FR"), folder.UpdateName))
	var v struct {
		Files     map[string]struct{ Good struct{ ETag string } }
		Snapshots map[string]string
		By        string
	}
	if err := json.Unmarshal(text, &v); err != nil || v.Files["weekly"].Good.ETag != k.files[weekly].etag ||
		len(v.Snapshots["FR"]) != 64 || v.By == "" {
		t.Errorf(`err = %v, text = %s; want no error, v.Files["weekly"].Good.ETag = %v, len(v.Snapshots["FR"]) = `+
			`64, v.By != ""`, err, text, k.files[weekly].etag)
	}
}

// frenchSource returns the source of FR.
var frenchSource = ingest.Sources[0]
