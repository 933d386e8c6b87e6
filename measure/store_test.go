package measure

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/internal/filetest"
	"relais/market"
	"relais/site"
)

func TestRetain(t *testing.T) {
	list := random(rand0(), 3000) // up to 400 days old
	dir := t.TempDir()
	s := openStore(t, dir)
	var old, fresh []made
	for _, m := range list {
		if now.Sub(m.time) > 100*24*time.Hour {
			old = append(old, m)
		} else {
			fresh = append(fresh, m)
		}
	}
	imported(t, s, market.FR, write(t, "old.csv", coverageOf(old)))
	imported(t, s, market.FR, write(t, "mixed.csv", testsOf(list)))
	imported(t, s, market.FR, write(t, "fresh.csv", coverageOf(fresh)))
	imported(t, s, market.FR, write(t, "ageless.csv", "45.5,4.25,200,208,20,12,256001,-88,LTE,LTE,1300,301\n"))
	before, v := s.Segments(), s.Version()
	if n, err := s.Retain(500 * 24 * time.Hour); n != 0 || err != nil || s.Version() != v {
		t.Errorf("Retain() of recent rows = %d, %v, want 0, nil", n, err)
	}
	n, err := s.Retain(100 * 24 * time.Hour)
	if err != nil || n != 2*len(old) || s.Version() == v {
		t.Fatalf("%d rows left, want %d (%v)", n, 2*len(old), err)
	}
	after := s.Segments()
	if len(after) != 3 || after[0].Rows != len(fresh) || after[0].File == before[1].File || after[1] != before[2] ||
		!after[0].Imported.Equal(before[1].Imported) {
		t.Errorf("segments before and after:\n%+v\n%+v\nwant the old rows removed", before, after)
	}
	names := func() (list []string) {
		entries, _ := os.ReadDir(s.dir)
		for _, e := range entries {
			list = append(list, e.Name())
		}
		return list
	}
	want := []string{after[1].File, after[2].File, after[0].File}
	slices.Sort(want)
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("on disk %v, want %v", got, want)
	}
	stay := map[string]bool{}
	for _, m := range fresh {
		stay[m.key()] = true
	}
	for _, s := range []*Store{s, openStore(t, dir)} { // and after another start
		tests, total, err := s.Speedtests(Query{Market: market.FR, Limit: maxLimit})
		if err != nil || total != len(fresh) {
			t.Fatalf("%d speedtests, %v, want the fresh ones", total, err)
		}
		for _, x := range tests {
			if !stay[x.key()] {
				t.Errorf("speedtest %s stayed, want only fresh ones", x.key())
			}
		}
	}
	later := openStore(t, dir)
	later.now = clockOf(now.Add(200 * 24 * time.Hour))
	if _, err := later.Retain(100 * 24 * time.Hour); err != nil || len(later.Segments()) != 0 || len(names()) != 0 {
		t.Errorf("segments = %v, files = %v, want none", later.Segments(), names())
	}
	if _, err := later.Retain(0); err == nil {
		t.Error("Retain(0) = nil, want an error")
	}
}

// sound returns how many rows a check finds, and what is wrong.
func sound(s *Store) (rows int, err error) {
	for _, c := range s.Check() {
		if c.Err == nil {
			rows += c.Rows
		}
		err = errors.Join(err, c.Err)
	}
	return rows, err
}

// Only the owner may look into the folder: it is made so, and closed again by the next import.
func TestPrivateFolder(t *testing.T) {
	dir := t.TempDir()
	imported(t, openStore(t, dir), market.FR, write(t, "a.csv", coverageOf(random(rand0(), 3))))
	mode := func() os.FileMode {
		info, err := os.Stat(filepath.Join(dir, Dir))
		must(t, err)
		return info.Mode().Perm()
	}
	if m := mode(); m != 0o700 {
		t.Errorf("mode of a new folder = %o, want 700", m)
	}
	must(t, os.Chmod(filepath.Join(dir, Dir), 0o755))
	openReader(t, dir)
	if m := mode(); m != 0o755 {
		t.Errorf("mode = %o after opening read-only, want 755", m)
	}
	imported(t, openStore(t, dir), market.FR, write(t, "b.csv", testsOf(random(rand0(), 3))))
	if m := mode(); m != 0o700 {
		t.Errorf("mode = %o after an import, want 700", m)
	}
}

// Any byte that is changed and any end that is missing is found.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	imported(t, s, market.FR, write(t, "a.csv", coverageOf(random(rand0(), 300))),
		write(t, "b.csv", testsOf(random(rand0(), 300))))
	if n, err := sound(s); n != 600 || err != nil {
		t.Fatalf("%d rows, %v, want 600, nil", n, err)
	}
	path := filepath.Join(dir, Dir, s.Segments()[0].File)
	whole := filetest.Read(t, path)
	v := s.Version()
	for at := 0; at < len(whole); at += 97 {
		for _, text := range [][]byte{whole[:at],
			append(append(slices.Clone(whole[:at]), whole[at]^4), whole[at+1:]...)} {
			filetest.Write(t, path, text)
			if _, err := readSegment(path); !errors.Is(err, errDamaged) ||
				!strings.Contains(err.Error(), filepath.Base(path)) {
				t.Fatalf("cut at %d of %d: error = %v, want ErrDamaged with the file", at, len(whole), err)
			}
		}
	}
	if n, err := sound(s); n != 300 || !errors.Is(err, errDamaged) {
		t.Errorf("%d rows, %v, want 300, ErrDamaged", n, err)
	}
	damaged := openStore(t, dir)
	if len(damaged.Problems()) != 1 || damaged.Version() == v || damaged.Count(market.FR, Coverage) != 0 ||
		damaged.Count(market.FR, Speedtest) != 300 || len(damaged.Segments()) != 2 {
		t.Errorf("problems = %v, %d points, want one problem and no points", damaged.Problems(),
			damaged.Count(market.FR, Coverage))
	}
	if _, err := damaged.Retain(10 * 24 * time.Hour); err != nil || len(damaged.Segments()) != 2 {
		t.Errorf("segments = %v, %v, want the damaged one too", damaged.Segments(), err)
	}
	other := filetest.Read(t, filepath.Join(dir, Dir, damaged.Segments()[1].File))
	filetest.Write(t, path, other)
	if p := openStore(t, dir).Problems(); len(p) != 1 || !strings.Contains(p[0], "not the file") {
		t.Errorf("problems with another file = %v, want one", p)
	}
}

// Questions are answered while imports and retention replace what is asked.
func TestBesideImports(t *testing.T) {
	s := openStore(t, t.TempDir())
	var paths []string
	for i := range 6 {
		paths = append(paths, write(t, "a.csv", coverageOf(random(rand0(), 200*(i+1)))),
			write(t, "b.csv", testsOf(random(rand0(), 200*(i+1)))))
	}
	done := make(chan struct{})
	var g sync.WaitGroup
	for range 3 {
		g.Go(func() {
			for {
				n := len(all(t, s, market.FR))
				tests, _, err := s.Speedtests(Query{Market: market.FR, Limit: maxLimit})
				if err != nil || n > 1200 || len(tests) > 1200 {
					t.Errorf("%d points, %d speedtests, %v, want at most 1200", n, len(tests), err)
				}
				for range s.CellObservations(market.FR) {
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for _, p := range paths {
		imported(t, s, market.FR, p)
	}
	if _, err := s.Retain(200 * 24 * time.Hour); err != nil {
		t.Error(err)
	}
	close(done)
	g.Wait()
}

// A copy of what a hold names is a store, whatever is removed meanwhile.
func TestHold(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	s := openStore(t, from)
	imported(t, s, market.FR, write(t, "a.csv", coverageOf(random(rand0(), 100))))
	v := s.Version()
	h := s.Hold()
	copyInto(t, from, to, DatabaseName)
	h.Resume()
	if _, err := s.Retain(time.Second); err != nil || s.Count(market.FR, Coverage) != 0 {
		t.Fatalf("%d points, %v, want 0", s.Count(market.FR, Coverage), err)
	}
	copyInto(t, from, to, h.Files...)
	copied := openStore(t, to)
	if copied.Count(market.FR, Coverage) != 100 || copied.Version() != v || len(copied.Problems()) > 0 {
		t.Errorf("%d points, problems = %v, want 100 and none", copied.Count(market.FR, Coverage), copied.Problems())
	}
	h.Release()
	if names := segmentsIn(t, from); len(names) > 0 {
		t.Errorf("files = %v, want none", names)
	}
}

// copyInto copies files of a data folder into another.
func copyInto(t testing.TB, from, to string, names ...string) {
	t.Helper()
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o700)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), text, 0o600)
		}
		must(t, err)
	}
}

// segmentsIn lists the files of segments in a data folder.
func segmentsIn(t testing.TB, dir string) []string {
	t.Helper()
	names, err := segmentFiles(filepath.Join(dir, Dir))
	must(t, err)
	return names
}

func FuzzSegment(f *testing.F) {
	b := newBuilder(meta{Market: market.FR, Kind: Coverage, Imported: now.Unix()})
	b.number(network{MCC: 208, MNC: 1})
	for i := range 300 {
		b.add(&row{lat: 450000000 + int32(i), lng: 4, time: 5})
	}
	b.sort(nil)
	var out bytes.Buffer
	if _, _, err := writeSegment(&out, &b.meta, &b.columns, b.entries); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, text []byte) {
		data := slices.Clone(text)
		sealed(data)
		s, err := decode(data)
		if err != nil {
			return
		}
		v := &view{segments: []*segment{s}}
		store := &Store{now: clockOf(now)}
		store.current.Store(v)
		q := Query{Market: s.Market, Limit: 100, Generations: []Generation{4}, Among: []string{"ORANGE"}}
		store.Coverage(q)
		store.Coverage(Query{Market: s.Market, Limit: 3})
		store.SpeedtestsOfSite(SiteQuery{Query: q, Radio: []site.RadioID{{Kind: site.GNB, Operator: -1, Value: 1}}})
		for range store.CellObservations(s.Market) {
		}
	})
}
