package measure

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/internal/killtest"
	"relais/market"
)

// oldFolder makes a folder as version d4fd069 did, with two imports.
func oldFolder(t testing.TB, list []made) string {
	t.Helper()
	from, dir := t.TempDir(), t.TempDir()
	s := openStore(t, from)
	imported(t, s, market.FR, write(t, "a.csv", coverageOf(list)))
	imported(t, s, market.FR, write(t, "b.csv", testsOf(list)))
	m := struct {
		Version  int           `json:"version"`
		Next     int           `json:"next"`
		Segments []SegmentInfo `json:"segments"`
	}{1, 9, s.Segments()}
	must(t, os.Mkdir(filepath.Join(dir, Dir), 0o700))
	for i := range m.Segments {
		name := fmt.Sprintf("%08d.seg", i+3)
		must(t, os.Link(filepath.Join(from, Dir, m.Segments[i].File), filepath.Join(dir, Dir, name)))
		m.Segments[i].File = name
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	writeManifest(t, dir, string(text))
	closeStore(t, from)
	return dir
}

func writeManifest(t testing.TB, dir, text string) {
	t.Helper()
	filetest.Write(t, filepath.Join(dir, Dir, ManifestName), text)
}

func manifestIn(t testing.TB, dir string) string {
	t.Helper()
	text := filetest.Read(t, filepath.Join(dir, Dir, ManifestName))
	return string(text)
}

// A folder of the manifest's time is served as it is where it cannot be written to; the
// first start that can write moves the rows, and leaves a manifest that older versions refuse.
func TestMigrate(t *testing.T) {
	list := random(rand0(), 400)
	dir := oldFolder(t, list)
	before := manifestIn(t, dir)
	want := []string{"00000003.seg", "00000004.seg"}
	s := openReader(t, dir)
	if s.Count(market.FR, Coverage) != 400 || s.Count(market.FR, Speedtest) != 400 || manifestIn(t, dir) != before {
		t.Errorf("segments = %+v, want 400 rows of each kind and the same manifest", s.Segments())
	}
	if _, err := os.Stat(filepath.Join(dir, DatabaseName)); err == nil {
		t.Error("opening read-only made a database, want none")
	}
	for range 2 {
		s = openStore(t, dir)
		if s.Count(market.FR, Coverage) != 400 || s.Count(market.FR, Speedtest) != 400 || len(s.Problems()) > 0 {
			t.Errorf("segments = %+v, problems = %v, want 400 rows of each kind", s.Segments(), s.Problems())
		}
		var m struct{ Version int }
		if err := json.Unmarshal([]byte(manifestIn(t, dir)), &m); err != nil || m.Version != 2 {
			t.Errorf("manifest = %s, %v, want version 2", manifestIn(t, dir), err)
		}
		if got := segmentsIn(t, dir); !slices.Equal(got, want) {
			t.Errorf("files = %v, want the same as before", got)
		}
	}
	if s := openReader(t, dir); s.Count(market.FR, Coverage) != 400 {
		t.Errorf("segments = %+v, want 400 coverage points", s.Segments())
	}
	// Older versions that are used between a migration that was killed and its end are right.
	writeManifest(t, dir, strings.Replace(before, "00000003.seg", "00000004.seg", 1))
	if s = openStore(t, dir); len(s.Segments()) != 2 || s.Segments()[0].File != "00000004.seg" {
		t.Errorf("segments = %+v, want 2 with 00000004.seg first", s.Segments())
	}
	// A manifest that is put back takes nothing away from what came since.
	added(t, s, fieldsOf(1))
	writeManifest(t, dir, before)
	if s = openStore(t, dir); s.Count(market.FR, Coverage) != 400 || s.Count(market.FR, Speedtest) != 401 {
		t.Errorf("segments = %+v, problems = %v, want 400 points and 401 speedtests", s.Segments(), s.Problems())
	}
}

// Whenever a migration is killed, all is there afterwards.
func TestMigrationKilled(t *testing.T) {
	list := random(rand0(), 200)
	migrated := 0
	for round := range 12 {
		dir := oldFolder(t, list)
		killtest.Run(t, 40*time.Millisecond, func(string) { migrated++ }, "open", dir)
		s := openStore(t, dir)
		if n, err := sound(s); n != 400 || err != nil || len(s.Problems()) > 0 {
			t.Fatalf("round %d: %d rows, %v, problems %v, want 400 and none", round, n, err, s.Problems())
		}
		closeStore(t, dir)
	}
	t.Logf("%d migrations were done before the end", migrated)
}

// A missing database is created where nothing can be lost, and damage where segments lie: they
// stay as they are. What is newer is not called damaged.
func TestLost(t *testing.T) {
	dir := t.TempDir()
	imported(t, openStore(t, dir), market.FR, write(t, "a.csv", coverageOf(random(rand0(), 30))))
	closeStore(t, dir)
	want := segmentsIn(t, dir)
	db := filepath.Join(dir, DatabaseName)
	whole := filetest.Read(t, db)
	old := oldFolder(t, random(rand0(), 30))
	for _, tt := range []struct {
		name   string
		dir    string
		lose   func() error
		newer  bool
		unlost bool
	}{
		{name: "no database", dir: dir, lose: func() error { return os.Remove(db) }},
		{name: "neither", dir: dir, lose: func() error { return os.Remove(filepath.Join(dir, Dir, ManifestName)) }},
		{name: "no manifest", dir: dir, lose: func() error { return os.WriteFile(db, whole, 0o600) }, unlost: true},
		{name: "a newer manifest", dir: dir, newer: true, lose: func() error {
			return os.WriteFile(filepath.Join(dir, Dir, ManifestName),
				[]byte(`{"version":3,"segments":{"other":"form"}}`), 0o600)
		}},
		{name: "half an old manifest", dir: old, lose: func() error {
			return os.WriteFile(filepath.Join(old, Dir, ManifestName), []byte(manifestIn(t, old)[:90]), 0o600)
		}},
		{name: "no old manifest", dir: old,
			lose: func() error { return os.Remove(filepath.Join(old, Dir, ManifestName)) }},
	} {
		before := segmentsIn(t, tt.dir)
		must(t, tt.lose())
		for _, readOnly := range []bool{true, false} {
			s, err := openMeasures(folder.Dir(tt.dir), readOnly, clockOf(now))
			if tt.unlost {
				if err != nil || s.Count(market.FR, Coverage) != 30 {
					t.Errorf("%s: error = %v, want 30 points", tt.name, err)
				}
				closeMeasures(s)
				continue
			}
			if want := map[bool]error{true: ErrNewer, false: errDamaged}[tt.newer]; !errors.Is(err, want) ||
				tt.newer && errors.Is(err, errDamaged) {
				t.Errorf("%s, read-only %v: got %v, want %v", tt.name, readOnly, err, want)
			}
		}
		if got := segmentsIn(t, tt.dir); !slices.Equal(got, before) {
			t.Errorf("%s: %v, want %v", tt.name, got, before)
		}
	}
	if got := segmentsIn(t, dir); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A manifest that is missing is written by the next import, for older versions, which would
// remove what it does not name.
func TestMissingManifest(t *testing.T) {
	dir := t.TempDir()
	imported(t, openStore(t, dir), market.FR, write(t, "a.csv", coverageOf(random(rand0(), 30))))
	closeStore(t, dir)
	must(t, os.Remove(filepath.Join(dir, Dir, ManifestName)))
	imported(t, openStore(t, dir), market.FR, write(t, "b.csv", testsOf(random(rand0(), 20))))
	if got := manifestIn(t, dir); !strings.Contains(got, `"version": 2`) {
		t.Errorf("manifest: got %s, want version 2", got)
	}
}
