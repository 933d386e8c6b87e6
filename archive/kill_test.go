package archive

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/internal/filetest"
	"relais/internal/killtest"
	"relais/internal/store"
	"relais/site"
)

func TestMain(m *testing.M) {
	killtest.Main(m, func(args []string) error { return addForEver(args[0]) })
}

// dayNumber n is one of forty dates.
func dayNumber(n int) site.Date { return site.DateOf(2026, 1, 1) + site.Date(7*(n%40)) }

// addForEver adds one of two files as one of forty dates, and says each when it begins
// and when it is kept.
func addForEver(dir string) error {
	db, err := store.Open(filepath.Join(dir, "archives.db"), Buckets...)
	if err != nil {
		return err
	}
	s := Open(db, november)
	for {
		name, date := rand.IntN(2), dayNumber(rand.IntN(40))
		fmt.Println("adding", name, date)
		if _, err := add(s, filepath.Join(dir, fmt.Sprint(name, ".csv")),
			Options{Date: date, Force: true}); err != nil {
			return err
		}
		fmt.Println("added", name, date)
	}
}

// What was acknowledged is whole, and what was not is there whole or not at all,
// whenever the process was killed.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	sizes := [2]int{}
	for name := range sizes {
		text := header
		sizes[name] = 3000 + 500*name
		for i := range sizes[name] {
			text += fmt.Sprintf("%d;"+line("SFR", fmt.Sprint(100+i/4+name*100), fmt.Sprint("LTE ", i%4),
				fmt.Sprintf("003270%04d", i/4), "En service")+"\n", i, "2026-08-06")
		}
		filetest.Write(t, filepath.Join(dir, fmt.Sprint(name, ".csv")), text)
	}
	have := map[string]int{}
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	for round := range rounds {
		began := killOne(t, dir, have)
		db, err := store.Open(filepath.Join(dir, "archives.db"), Buckets...)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		s := Open(db, november)
		mustHave(t, s, sizes[:], have, began)
		if err := errors.Join(db.Close(), store.Check(filepath.Join(dir, "archives.db"))); err != nil || t.Failed() {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	t.Logf("%d dates", len(have))
}

// killOne lets a process add until it is killed, and returns the date that it was at.
func killOne(t *testing.T, dir string, have map[string]int) (began string) {
	t.Helper()
	killtest.Run(t, 450*time.Millisecond, func(line string) {
		said := strings.Fields(line)
		if said[0] == "adding" {
			began = said[2]
		} else {
			have[said[2]] = int(said[1][0] - '0')
		}
	}, dir)
	return began
}

// mustHave compares the dates with those that were acknowledged; the last that was
// begun may be what it was, or new.
func mustHave(t *testing.T, s *Store, sizes []int, have map[string]int, began string) {
	t.Helper()
	list, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	mustBeWhole(t, s, len(list))
	for _, p := range list {
		name, ok := have[p.Date]
		if p.Date == began {
			name = slices.Index(sizes, p.Rows)
			have[p.Date], ok = name, true
		}
		if !ok || name < 0 || p.Rows != sizes[name] {
			t.Errorf("%s has %d rows, was added: %v as %d, want %d, true and at least 0", p.Date, p.Rows, ok, name,
				sizes[name])
			continue
		}
		n := 0
		for site, err := range sitesOf(s.Whole(p.Date)) {
			if err != nil {
				t.Fatal(err)
			}
			n += len(site.Records)
		}
		if n != p.Rows {
			t.Errorf("%s shows %d rows of %d", p.Date, n, p.Rows)
		}
	}
	if len(list) != len(have) {
		t.Errorf("%d dates, want %d", len(list), len(have))
	}
}
