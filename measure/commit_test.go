package measure

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"relais/internal/filetest"
	"relais/internal/store"
	"relais/market"
)

var errDisk = errors.New("the disk does not answer")

// faulty makes the next commits of a store fail, done or not.
func faulty(s *Store, done bool, times int) {
	whole := s.update
	s.update = func(f func(*store.Tx) error) error {
		if times--; times < 0 {
			return whole(f)
		}
		if done {
			return errors.Join(errDisk, whole(f))
		}
		return errors.Join(errDisk, whole(func(tx *store.Tx) error {
			return errors.Join(f(tx), errDisk)
		}))
	}
}

// Whether a commit that failed is done or not, nothing that was acknowledged is lost: then,
// after a change that succeeds, and after another start.
func TestUnknownOutcome(t *testing.T) {
	for _, done := range []bool{true, false} {
		for _, what := range []string{"add", "import", "retain"} {
			dir := t.TempDir()
			s := openStore(t, dir)
			for i := range 20 { // acknowledged
				added(t, s, fieldsOf(i*24*60))
			}
			imported(t, s, market.FR, write(t, "a.csv", coverageOf(random(rand0(), 30))))
			points := s.Count(market.FR, Coverage)
			faulty(s, done, 2)
			for range 2 {
				var err error
				switch what {
				case "add":
					_, _, err = s.Add(market.FR, fieldsOf(7, "ping_ms", "8"))
				case "import":
					err = importAgain(t, s, testsOf(random(rand0(), 5)))
				case "retain":
					_, err = s.Retain(15*24*time.Hour - time.Minute)
				}
				// Trying again a change that was made changes nothing.
				if err != nil && !errors.Is(err, errDisk) && !errors.Is(err, errMoved) {
					t.Errorf("%s, commit done: %v: error = %v, want none or that of the disk", what, done, err)
				}
			}
			least := map[string]int{"retain": 15}[what]
			if least == 0 {
				least = 20
			}
			look := func(when string) {
				t.Helper()
				n, err := sound(s)
				tests := s.Count(market.FR, Speedtest)
				if err != nil || tests < least || n != tests+s.Count(market.FR, Coverage) ||
					what != "retain" && s.Count(market.FR, Coverage) != points {
					t.Errorf("%s, %v, %s: got %d speedtests, %d points, %d rows, %v; want at least %d, %d points "+
						"and their sum", what, done, when, tests, s.Count(market.FR, Coverage), n, err, least, points)
				}
			}
			look("then")
			s = openStore(t, dir)
			look("after another start")
			added(t, s, fieldsOf(3, "ping_ms", "9"))
			look("after a change")
			s = openStore(t, dir)
			look("at the end")
		}
	}
}

func importAgain(t *testing.T, s *Store, text string) error {
	t.Helper()
	_, err := s.Import(t.Context(), market.FR, Options{}, write(t, "b.csv", text))
	return err
}

// A disk that fails while a segment is written takes nothing away, and the same can be
// done again afterwards.
func TestFaults(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	text := "timestamp,lat,lng,download_mbps\n"
	for i := range 5 {
		text += now.AddDate(0, 0, -i).Format(time.RFC3339) + ",45.75,4.85,9\n"
	}
	imported(t, s, market.FR, write(t, "days.csv", text))
	v, names := s.Version(), fmt.Sprint(segmentsIn(t, dir))
	must(t, os.Rename(s.dir, s.dir+"-away"))
	filetest.Write(t, s.dir, "no folder")
	if _, _, err := s.Add(market.FR, fieldsOf(1)); err == nil {
		t.Error("Add() without a folder = nil, want an error")
	}
	if _, err := s.Retain(3*24*time.Hour - time.Minute); err == nil {
		t.Error("Retain() without a folder = nil, want an error")
	}
	must(t, errors.Join(os.Remove(s.dir), os.Rename(s.dir+"-away", s.dir)))
	if now := fmt.Sprint(segmentsIn(t, dir)); s.Version() != v || now != names {
		t.Errorf("%s, want %s", now, names)
	}
	added(t, s, fieldsOf(1))
	if n, err := s.Retain(3*24*time.Hour - time.Minute); n != 2 || err != nil {
		t.Errorf("Retain() = %d, %v, want 2, nil", n, err)
	}
	s = openStore(t, dir)
	if n, err := sound(s); n != 4 || err != nil || len(segmentsIn(t, dir)) != len(s.Segments()) {
		t.Errorf("%d rows, %v, files %v, want 4 rows and no other files", n, err, segmentsIn(t, dir))
	}
}

// A change that was made for other rows is not done.
func TestRowsThatMoved(t *testing.T) {
	s := openStore(t, t.TempDir())
	added(t, s, fieldsOf(1))
	update := s.update
	s.update = func(f func(*store.Tx) error) error { // an earlier commit turns out to be done
		s.update = update
		rows := s.view().rows
		c := change{drop: []string{rows[0].File}}
		err := update(func(tx *store.Tx) error { return c.write(tx, rows) })
		return errors.Join(err, update(f))
	}
	if _, _, err := s.Add(market.FR, fieldsOf(2)); !errors.Is(err, errMoved) {
		t.Errorf("Add() = %v, want that the rows have moved", err)
	}
	added(t, s, fieldsOf(3))
	if n := s.Count(market.FR, Speedtest); n != 1 {
		t.Errorf("got %d speedtests, want 1", n)
	}
}
