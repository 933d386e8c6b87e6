package measure

import (
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
	"relais/market"
)

// contentOf lists the measures of a store, without regard to their order.
func contentOf(t testing.TB, s *Store) (list []string) {
	t.Helper()
	for _, p := range all(t, s, market.FR) {
		list = append(list, line(&p))
	}
	tests, _, err := s.Speedtests(Query{Market: market.FR, Limit: maxLimit})
	must(t, err)
	for _, x := range tests {
		list = append(list, fmt.Sprintf("%+v", x))
	}
	slices.Sort(list)
	return list
}

func repaired(t testing.TB, dir string) Repaired {
	t.Helper()
	closeStore(t, dir)
	r, err := Repair(folder.Dir(dir), clockOf(now))
	must(t, err)
	return r
}

// filled is a folder with imports, additions, and what retention has written again.
func filled(t testing.TB) (dir string, want []string) {
	t.Helper()
	dir = t.TempDir()
	s := openStore(t, dir)
	list := random(rand0(), 600)
	imported(t, s, market.FR, write(t, "a.csv", coverageOf(list)))
	imported(t, s, market.FR, write(t, "b.csv", testsOf(list[:200])))
	imported(t, s, market.FR, write(t, "ageless.csv", "45.5,4.25,200,208,20,12,256001,-88,LTE,LTE,1300,301\n"))
	for i := range 6 {
		added(t, s, fieldsOf(i))
	}
	if n, err := s.Retain(200 * 24 * time.Hour); n == 0 || err != nil {
		t.Fatalf("Retain() = %d, %v, want some removed", n, err)
	}
	return dir, contentOf(t, s)
}

// Whatever becomes of the database, the segments say again what counts, and a repair of what is
// whole changes nothing.
func TestRepair(t *testing.T) {
	for _, lost := range []string{"", DatabaseName, "junk"} {
		dir, want := filled(t)
		closeStore(t, dir)
		files := segmentsIn(t, dir)
		db := filepath.Join(dir, DatabaseName)
		var err error
		switch lost {
		case DatabaseName:
			err = os.Remove(db)
		case "junk":
			err = os.WriteFile(db, []byte("no database"), 0o600)
		}
		must(t, err)
		r := repaired(t, dir)
		if r.Measures != len(want) || r.Files != len(files) || len(r.Left) > 0 ||
			(r.Aside == "measures.db.damaged") != (lost == "junk") {
			t.Errorf("%s: %+v, want %d measures", lost, r, len(want))
		}
		s := openStore(t, dir)
		if got := contentOf(t, s); !slices.Equal(got, want) || len(s.Problems()) > 0 ||
			!slices.Equal(segmentsIn(t, dir), files) {
			t.Errorf("%s: %d measures, want %d, %v", lost, len(got), len(want), s.Problems())
		}
		added(t, s, fieldsOf(99))
	}
}

// A segment that was not committed, together with those it was to replace, counts no measurement
// twice; and neither do two that share a part.
func TestRepairAfterKill(t *testing.T) {
	dir, want := filled(t)
	s := openStore(t, dir)
	var replaced *segment
	for _, seg := range s.view().segments {
		if seg.Kind == Coverage && seg.rows > 10 {
			replaced = seg
		}
	}
	if replaced == nil {
		t.Fatal("no replaced segment, want one")
	}
	// One that replaces another, as it is before its commit.
	b := replaced.builder()
	b.Replaces = []string{replaced.file}
	if _, _, err := s.write(b); err != nil {
		t.Fatal(err)
	}
	// Several that are put together, as they are before their commit.
	list := s.view().segments
	var tests []*segment
	for _, seg := range list {
		if seg.Added {
			tests = append(tests, seg)
		}
	}
	if len(tests) < 2 {
		t.Fatal("fewer than two segments of speedtests, want two")
	}
	if _, _, err := s.write(combine(tests)); err != nil {
		t.Fatal(err)
	}
	// One that says of nothing what it replaces, and shares a part only.
	half := replaced.builder()
	half.Replaces, half.entries = nil, half.entries[:len(half.entries)/2]
	if _, _, err := s.write(half); err != nil {
		t.Fatal(err)
	}
	closeStore(t, dir)
	must(t, os.Remove(filepath.Join(dir, DatabaseName)))
	if r := repaired(t, dir); r.Measures != len(want) {
		t.Errorf("%+v, want %d measures", r, len(want))
	}
	s = openStore(t, dir)
	if got := contentOf(t, s); !slices.Equal(got, want) ||
		s.Count(market.FR, Coverage)+s.Count(market.FR, Speedtest) != len(want) {
		t.Errorf("%d measures, want %d", len(got), len(want))
	}
}

// What cannot be read stays, and what is newer is not touched.
func TestRepairLeaves(t *testing.T) {
	dir, want := filled(t)
	s := openStore(t, dir)
	broken := s.Segments()[0]
	closeStore(t, dir)
	path := filepath.Join(dir, Dir, broken.File)
	text := filetest.Read(t, path)
	filetest.Write(t, path, text[:len(text)-9])
	if r := repaired(t, dir); r.Measures != len(want)-broken.Rows || len(r.Left) != 1 ||
		!strings.Contains(r.Left[0], broken.File) {
		t.Errorf("Repair() = %+v, want all measurements but those of the broken file", r)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil { // from a backup
		t.Fatal(err)
	}
	if r := repaired(t, dir); r.Measures != len(want) || len(r.Left) != 0 {
		t.Errorf("Repair() = %+v, want all measurements", r)
	}
	text[8] = originsVersion + 1 // the version
	filetest.Write(t, path, text)
	if _, err := Repair(folder.Dir(dir), clockOf(now)); !errors.Is(err, ErrNewer) {
		t.Errorf("Repair() = %v, want ErrNewer", err)
	}
}
