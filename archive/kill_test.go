package archive

import (
	"context"
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
	"relais/internal/store/storetest"
	"relais/internal/tier"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

func TestMain(m *testing.M) {
	killtest.Main(m, func(args []string) error { return addForEver(args[0]) })
}

// dayNumber n is one of forty dates.
func dayNumber(n int) site.Date { return site.DateOf(2026, 1, 1) + site.Date(7*(n%40)) }

// addForEver adds one of two files as one of forty dates, or notes one of two snapshots of such a
// date, and says each when it begins and when it is kept.
func addForEver(dir string) error {
	db, err := store.Open(filepath.Join(dir, "archives.db"), Buckets...)
	if err != nil {
		return err
	}
	s := Open(db, november)
	for {
		name, date := rand.IntN(2), dayNumber(rand.IntN(40))
		if rand.IntN(2) == 0 {
			fmt.Println("noting", name, date)
			snap, err := snapshot.ReadFile(snapshotPath(dir, name, date), market.CH)
			if err != nil {
				return err
			}
			if _, err := s.Note(context.Background(), snap); err != nil {
				return err
			}
			fmt.Println("noted", name, date)
			continue
		}
		fmt.Println("adding", name, date)
		if _, err := add(s, filepath.Join(dir, fmt.Sprint(name, ".csv")),
			Options{Date: date, Force: true}); err != nil {
			return err
		}
		fmt.Println("added", name, date)
	}
}

// snapshotPath is where one of two snapshots of a date is.
func snapshotPath(dir string, name int, date site.Date) string {
	return filepath.Join(dir, fmt.Sprint(name, "-", date, ".snap"))
}

// What was acknowledged is whole, and what was not is there whole or not at all,
// whenever the process was killed.
func TestKilled(t *testing.T) {
	tier.Slow(t)
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
	for name := range 2 {
		sites := listed{}
		for i := range 20 + 10*name {
			sites[fmt.Sprint("ch-", i)] = listedSite{i * 10, map[string]int{"LTE 0": name}}
		}
		for i := range 40 {
			writeSnapshot(t, snapshotPath(dir, name, dayNumber(i)), dayNumber(i).String(), sites)
		}
	}
	have := map[string]int{}
	rounds := 12
	if !tier.Full() {
		rounds = 3
	}
	for round := range rounds {
		began := killOne(t, dir, have)
		db := storetest.Open(t, filepath.Join(dir, "archives.db"), Buckets...)
		s := Open(db, november)
		mustHave(t, s, sizes[:], have, began)
		mustHaveNoted(t, s, have, began)
		if err := errors.Join(db.Close(), store.Check(filepath.Join(dir, "archives.db"))); err != nil || t.Failed() {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	t.Logf("%d dates", len(have))
}

// notedKey is before the dates of noted editions.
const notedKey = "CH "

// killOne lets a process add until it is killed, and returns the date that it was at.
func killOne(t *testing.T, dir string, have map[string]int) (began string) {
	t.Helper()
	killtest.Run(t, 450*time.Millisecond, func(line string) {
		switch said := strings.Fields(line); said[0] {
		case "adding":
			began = said[2]
		case "noting":
			began = notedKey + said[2]
		case "noted":
			have[notedKey+said[2]] = int(said[1][0] - '0')
		default:
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
	must(t, err)
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
			must(t, err)
			n += len(site.Records)
		}
		if n != p.Rows {
			t.Errorf("%s shows %d rows of %d", p.Date, n, p.Rows)
		}
	}
	if want := len(have) - notedOf(have); len(list) != want {
		t.Errorf("%d dates, want %d", len(list), want)
	}
}

func notedOf(have map[string]int) (n int) {
	for key := range have {
		if strings.HasPrefix(key, notedKey) {
			n++
		}
	}
	return n
}

// mustHaveNoted is mustHave for the noted editions.
func mustHaveNoted(t *testing.T, s *Store, have map[string]int, began string) {
	t.Helper()
	all, err := s.Editions(market.CH)
	must(t, err)
	for i, e := range all {
		key := notedKey + e.Date.String()
		name, ok := have[key]
		if is := (e.Sites - 20) / 10; key == began {
			name, ok, have[key] = is, true, is
		}
		if !ok || e.Sites != 20+10*name {
			t.Errorf("%s has %d sites, was noted: %v as %d, want %d and true", key, e.Sites, ok, name, 20+10*name)
		}
		if i == 0 {
			continue
		}
		span, err := s.Between(t.Context(), market.CH, all[i-1].Date, e.Date)
		must(t, err)
		want := 0
		if e.Sites != all[i-1].Sites { // ten sites, each with an operator and a system, and twenty statuses
			want = 10*3 + 20
		}
		if n := span.Lists[0].Len(); n != want {
			t.Errorf("%s: %d changes, want %d", key, n, want)
		}
	}
	if want := notedOf(have); len(all) != want {
		t.Errorf("%d noted editions, want %d", len(all), want)
	}
}
