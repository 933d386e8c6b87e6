package measure

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"relais/internal/filetest"
	"relais/internal/tier"
	"relais/market"
)

// mostFiles is how many files there may be of one sort of segments with so many rows: of
// each size fewer than mergeFan.
func mostFiles(rows int) int {
	n := mergeFan - 1
	for ; rows >= mergeFan; rows /= mergeFan {
		n += mergeFan - 1
	}
	return n
}

// scattered is a folder with many small imports and additions, of two days of import.
func scattered(t testing.TB) (*Store, string) {
	t.Helper()
	dir := t.TempDir()
	s := openStore(t, dir)
	r := rand.New(rand.NewPCG(7, 8))
	for i := range 40 {
		at := now.Add(time.Duration(i-40) * time.Hour)
		s.now = clockOf(at)
		list := random(r, 1+i%4)
		for k := range list { // none in the future of its import
			list[k].time = list[k].time.Add(-48 * time.Hour)
		}
		imported(t, s, market.FR, write(t, "a.csv", coverageOf(list)))
		imported(t, s, market.FR, write(t, "b.csv", testsOf(list)))
		imported(t, s, market.FR, write(t, "SYNTHETIC.csv", testsOf(random(r, 1))))
		imported(t, s, market.FR,
			write(t, "ageless.csv", fmt.Sprintf("45.5%d,4.25,200,208,20,12,256001,-88,LTE,LTE,1300,301\n", i)))
		s.now = clockOf(now)
		added(t, s, fieldsOf(i*60, "ping_ms", "77"))
	}
	return s, dir
}

// Nothing that is asked changes when segments are put together.
func TestMerged(t *testing.T) {
	tier.Slow(t)
	s, dir := scattered(t)
	questions := func(s *Store) (all []any) {
		r := rand.New(rand.NewPCG(3, 4))
		all = append(all, contentOf(t, s), s.Counts(market.FR, Coverage), s.Counts(market.FR, Speedtest))
		sessions, err := s.Sessions(Query{Market: market.FR, Limit: 1000}, 0)
		must(t, err)
		all = append(all, sessions)
		for range 60 {
			q := randomQuery(r)
			n, err := s.Sessions(q, 0)
			must(t, err)
			all = append(all, n)
		}
		return all
	}
	before, want := len(s.Segments()), questions(s)
	must(t, s.MergeAll())
	if n := len(s.Segments()); n > before/4 || n != len(segmentsIn(t, dir)) {
		t.Errorf("%d segments of %d in %d files, want a quarter or less", n, before, len(segmentsIn(t, dir)))
	}
	for i, s := range []*Store{s, openStore(t, dir)} {
		if diff := cmp.Diff(want, questions(s)); diff != "" {
			t.Errorf("answers of store %d (-want +got):\n%s", i, diff)
		}
		if _, err := sound(s); err != nil || len(s.Problems()) > 0 {
			t.Errorf("error = %v, problems = %v, want none", err, s.Problems())
		}
	}
	// What is there stays known: the same files are duplicates.
	if r := imported(t, openStore(t, dir), market.FR,
		write(t, "ageless.csv",
			"45.53,4.25,200,208,20,12,256001,-88,LTE,LTE,1300,301\n"))[0]; r.Rejected["duplicate"] != 1 {
		t.Errorf("report = %+v, want 1 duplicate", r)
	}
}

// Measures of unknown age keep that of their import when they are put together, and what is
// too old goes to the second, from the disk as well.
func TestRetainToTheSecond(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	const n = 40
	for i := range n {
		s.now = clockOf(now.Add(time.Duration(i) * time.Second))
		imported(t, s, market.FR,
			write(t, "ageless.csv", fmt.Sprintf("45.5%02d,4.25,200,208,20,12,256001,-88,LTE,LTE,1300,301\n", i)))
	}
	if err := s.MergeAll(); err != nil || len(s.Segments()) >= mergeFan {
		t.Fatalf("%d segments, %v, want fewer than are merged at once", len(s.Segments()), err)
	}
	const keep = 100 * time.Hour
	for i := range n + 1 {
		s.now = clockOf(now.Add(keep + time.Duration(i)*time.Second))
		removed, err := s.Retain(keep)
		if want := min(i, 1); removed != want || err != nil || s.Count(market.FR, Coverage) != n-i {
			t.Fatalf("after %d s: %d removed, want %d, %d left, %v", i, removed, want, s.Count(market.FR, Coverage),
				err)
		}
		rows := 0
		for _, name := range segmentsIn(t, dir) { // also those that no row names
			seg, err := readSegment(filepath.Join(dir, Dir, name))
			must(t, err)
			rows += seg.rows
		}
		if rows != n-i {
			t.Fatalf("after %d s: %d measures on the disk, want %d", i, rows, n-i)
		}
	}
}

// Segments are merged while additions, queries, retention and a copy run.
func TestMergedAtOnce(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	var wg, merging sync.WaitGroup
	done := make(chan struct{})
	merging.Go(func() {
		for {
			if err := s.MergeAll(); err != nil {
				t.Error(err)
			}
			select {
			case <-done:
				return
			case <-s.Grew():
			}
		}
	})
	for i := range 3 {
		wg.Go(func() {
			for k := range 60 {
				added(t, s, fieldsOf(k, "ping_ms", strconv.Itoa(10+i)))
			}
		})
	}
	wg.Go(func() {
		for range 20 {
			if _, err := s.Retain(time.Hour * 24 * 300); err != nil {
				t.Error(err)
			}
			h := s.Hold()
			h.Resume()
			for _, name := range h.Files {
				if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
					t.Error(err)
				}
			}
			h.Release()
			if _, err := s.Sessions(Query{Market: market.FR, Limit: 5}, 0); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()
	close(done)
	merging.Wait()
	if err := s.MergeAll(); err != nil {
		t.Error(err)
	}
	if rows, err := sound(s); rows != 180 || err != nil || len(s.Segments()) > mostFiles(180) {
		t.Errorf("%d rows in %d segments, %v, want 180 in few", rows, len(s.Segments()), err)
	}
	if s = openStore(t, dir); s.Count(market.FR, Speedtest) != 180 || len(segmentsIn(t, dir)) != len(s.Segments()) {
		t.Errorf("%d speedtests, files %v, want 180 in the segments", s.Count(market.FR, Speedtest), segmentsIn(t, dir))
	}
}

// Imports and additions without end make few files. RELAIS_MANY is how many imports there
// are, and a tenth of the additions; the files and the times are in the log.
func TestManyImports(t *testing.T) {
	many, err := strconv.Atoi(os.Getenv("RELAIS_MANY"))
	if err != nil {
		many = 50
	}
	dir := t.TempDir()
	s := openStore(t, dir)
	path := filepath.Join(t.TempDir(), "one.csv")
	start := time.Now()
	for i := range many {
		text := coverageHead +
			fmt.Sprintf("a,2026-03-05T10:03:00Z,45.5,4.%06d,-60,-80,12,LTE,CELLULAR,208,1,1000,,256001,7\n", i)
		filetest.Write(t, path, text)
		if _, err := s.Import(context.Background(), market.FR, Options{}, path); err != nil {
			t.Fatal(err)
		}
		must(t, s.MergeAll())
	}
	t.Logf("%d imports: %v, %d files", many, time.Since(start).Round(time.Millisecond), len(segmentsIn(t, dir)))
	sessions, err := s.Sessions(Query{Market: market.FR, Limit: many + 1}, 0)
	if names := segmentsIn(t, dir); s.Count(market.FR, Coverage) != many || len(names) > mostFiles(many) ||
		err != nil || sessions.Total != many {
		t.Errorf("%d rows, %d files, %d sessions, %v, want %d, at most %d, %d and no error",
			s.Count(market.FR, Coverage), len(names), sessions.Total, err, many, mostFiles(many), many)
	}
	start = time.Now()
	for i := range 10 * many {
		added(t, s, fieldsOf(i%60, "lat", fmt.Sprintf("45.%06d", i)))
		select { // as in a server
		case <-s.Grew():
			must(t, s.MergeAll())
		default:
		}
	}
	t.Logf("%d additions: %v, %d files", 10*many, time.Since(start).Round(time.Millisecond), len(segmentsIn(t, dir)))
	must(t, s.MergeAll())
	names := segmentsIn(t, dir)
	if most := mostFiles(many) + mostFiles(10*many); s.Count(market.FR, Speedtest) != 10*many || len(names) > most {
		t.Errorf("%d rows, %d files, want %d at most", s.Count(market.FR, Speedtest), len(names), most)
	}
	if n, err := sound(openStore(t, dir)); n != 11*many || err != nil || !slices.Equal(segmentsIn(t, dir), names) {
		t.Errorf("%d rows, %v, want the rows and files as before", n, err)
	}
}
