package photos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"relais/community/audit"
	"relais/internal/folder"
	"relais/internal/killtest"
	"relais/internal/store"
	"relais/internal/tier"
)

func TestMain(m *testing.M) {
	killtest.Main(m, func(args []string) error { return addForEver(folder.Dir(args[0])) })
}

// addForEver adds and deletes photos while it compacts, and prints what it did.
func addForEver(dir folder.Dir) error {
	db, err := store.Open(filepath.Join(string(dir), "photos.db"), Buckets...)
	if err != nil {
		return err
	}
	s := Open(db, dir, time.Now)
	failed := make(chan error)
	for range 4 {
		go func() {
			for i := 0; ; i++ {
				n := rand.IntN(1e6)
				p, err := s.Add(context.Background(), newOf("fr-1", "", n))
				if err != nil {
					failed <- err
					return
				}
				fmt.Println("added", p.ID, n)
				if i%3 > 0 {
					continue
				}
				fmt.Println("deleting", p.ID)
				if _, err := s.Delete(p.ID, audit.Decision{}); err != nil {
					failed <- err
					return
				}
				fmt.Println("deleted", p.ID)
			}
		}()
	}
	go func() {
		for {
			months, err := Months(dir)
			for _, name := range months {
				if month, open := s.Month(name); err == nil && open == nil {
					_, _, err = month.Compact()
				}
			}
			if err := errors.Join(err, s.Sweep()); err != nil {
				failed <- err
				return
			}
			time.Sleep(30 * time.Millisecond)
		}
	}()
	return <-failed
}

// Whenever the process is killed, acknowledged photos are complete, deleted ones are gone, and
// of any other all or nothing exists.
func TestKilled(t *testing.T) {
	tier.Slow(t)
	dir := folder.Dir(t.TempDir())
	have := map[string]int{} // numbers of photos that were acknowledged
	unsure, gone := map[string]bool{}, map[string]bool{}
	rounds := 20
	if !tier.Full() {
		rounds = 5
	}
	for round := range rounds {
		killtest.Run(t, 300*time.Millisecond, func(line string) {
			switch said := strings.Fields(line); said[0] {
			case "added":
				var err error
				have[said[1]], err = strconv.Atoi(said[2])
				must(t, err)
			case "deleting":
				unsure[said[1]] = true
			case "deleted":
				gone[said[1]] = true
			}
		}, string(dir))
		left := afterKill(t, dir, have, unsure, gone)
		if t.Failed() {
			t.Fatalf("round %d failed", round)
		}
		have, unsure = left, map[string]bool{}
	}
	t.Logf("%d photos, %d deleted", len(have), len(gone))
}

// afterKill checks everything and returns the existing photos.
func afterKill(t *testing.T, dir folder.Dir, have map[string]int, unsure, gone map[string]bool) map[string]int {
	t.Helper()
	s, stop := opened(t, dir, time.Now)
	defer stop()
	l, total, err := s.List("fr-1", nil, 1e6, 0)
	if err != nil || total != len(l) {
		t.Fatalf("%d of %d: %v, want %d and no error", len(l), total, err, len(l))
	}
	left := map[string]int{}
	for _, p := range l {
		n, err := strconv.Atoi(p.Caption)
		left[p.ID] = n
		for size, want := range imagesOf(n) {
			image, err2 := s.Image(p.ID, size)
			if errors.Join(err, err2) != nil || !bytes.Equal(image, want) {
				t.Errorf("a list shows photo %s, %s: got %d bytes, %v, want the %d sent", p.ID, size, len(image),
					err2, len(want))
			}
		}
		if gone[p.ID] {
			t.Errorf("photo %s is back", p.ID)
		}
	}
	for id := range have {
		if _, there := left[id]; !there && !gone[id] && !unsure[id] {
			t.Errorf("photo %s is lost", id)
		}
	}
	if _, _, err := s.CheckRecords(); err != nil { // before what is left over is swept
		t.Error(err)
	}
	months, err := Months(dir)
	for _, m := range months {
		_, err = s.CheckMonth(m)
	}
	if err := errors.Join(err, s.Sweep(), folder.SweepTemporary(dir.Photos())); err != nil {
		t.Error(err)
	}
	mustBeWhole(t, s, len(l))
	return left
}
