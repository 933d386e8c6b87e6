package photos

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/community/audit"
	"relais/internal/store"
)

// Find agrees with a filter over all photos after every change.
func TestFindAgainstAPlainList(t *testing.T) {
	s, c := fresh(t)
	captions, operators := []string{"Le PYLÔNE", "pylone de nuit", "Antennes", ""}, []string{"", "A", "B"}
	var all []*Photo
	hidden := map[string]bool{}
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 120 {
		c.set(noon.Add(time.Duration(i) * time.Hour))
		n := newOf([]string{"fr-1", "fr-2"}[r.IntN(2)], operators[r.IntN(3)], i)
		n.Caption = captions[r.IntN(4)]
		all = slices.Insert(all, 0, add(t, s, n))
		at := r.IntN(len(all))
		var err error
		switch r.IntN(5) {
		case 0:
			_, err = s.Hide(all[at].ID, audit.Decision{Why: "why"})
			hidden[all[at].ID] = true
		case 1:
			_, err = s.Show(all[at].ID, audit.Decision{})
			delete(hidden, all[at].ID)
		case 2:
			_, err = s.Delete(all[at].ID, audit.Decision{})
			all = slices.Delete(all, at, at+1)
		}
		must(t, err)
		operator, limit, offset := operators[r.IntN(3)], r.IntN(9), r.IntN(9)
		var want []string
		n2 := 0
		for _, p := range all {
			if hidden[p.ID] || p.SiteKey != "fr-1" || p.Operator != operator ||
				!strings.Contains(strings.ToLower(strings.ReplaceAll(p.Caption, "Ô", "o")), "pylone") {
				continue
			}
			if n2++; n2 > offset && len(want) < limit {
				want = append(want, p.ID)
			}
		}
		found, total, err := s.Find(func(b *Brief) bool {
			return b.SiteKey == "fr-1" && b.Operator == operator && strings.Contains(b.Caption, "pylone")
		}, limit, offset)
		var got []string
		for _, p := range found {
			got = append(got, p.ID)
		}
		if err != nil || total != n2 || !slices.Equal(got, want) {
			t.Fatalf("after %d: %v of %d, want %v of %d: %v", i, got, total, want, n2, err)
		}
	}
}

// A repeated search reads only the records of its result.
func TestFindReadsOnce(t *testing.T) {
	s, _ := fresh(t)
	for i := range 5 {
		add(t, s, newOf("fr-1", "", i))
	}
	find := func() int {
		t.Helper()
		_, total, err := s.Find(func(*Brief) bool { return true }, 0, 0)
		must(t, err)
		return total
	}
	if n := find(); n != 5 {
		t.Fatalf("wrong number of photos: %d, want 5", n)
	}
	if err := s.db.Update(func(tx *store.Tx) error { // without the store, which does not notice it
		b := tx.Bucket([]byte(photosBucket))
		var keys [][]byte
		if err := b.ForEach(func(k, _ []byte) error { keys = append(keys, slices.Clone(k)); return nil }); err != nil {
			return err
		}
		for _, k := range keys {
			if err := b.Put(k, []byte("no JSON")); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if n := find(); n != 5 {
		t.Errorf("photos = %d, want the records unread", n)
	}
	if err := s.update(func(*store.Tx) error { return nil }); err != nil { // it notices a change
		t.Fatal(err)
	}
	if n := find(); n != 5 {
		t.Errorf("wrong number of photos after a change: %d, want 5", n)
	}
}

// Photos are found while others are added.
func TestFindDuringChanges(t *testing.T) {
	s, _ := fresh(t)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for last := 0; last < 20; {
				list, total, err := s.Find(func(*Brief) bool { return true }, 50, 0)
				if err != nil || total < last || len(list) != total {
					t.Errorf("%d of %d after %d: %v, want %d, at least %d and no error", len(list), total, last, err,
						total, last)
					return
				}
				last = total
			}
		})
	}
	for i := range 20 {
		add(t, s, newOf("fr-1", "", i))
	}
	wg.Wait()
}

// ListSites returns the photos of the sites one after the other.
func TestListSites(t *testing.T) {
	s, c := fresh(t)
	r := rand.New(rand.NewPCG(5, 6))
	var all []*Photo
	hidden := map[string]bool{}
	for i := range 60 {
		c.set(noon.Add(time.Duration(i) * time.Hour))
		p := add(t, s, newOf([]string{"fr-1", "fr-12", "fr-3"}[r.IntN(3)], []string{"", "A"}[r.IntN(2)], i))
		all = slices.Insert(all, 0, p)
		if i%7 == 0 {
			hidden[p.ID] = true
			if _, err := s.Hide(p.ID, audit.Decision{Why: "why"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, operator := range []string{"", "A", "B"} {
		for limit := range 70 {
			var want, got []string
			n := 0
			keys := []string{"fr-3", "fr-2", "fr-1"}
			for _, key := range keys {
				for _, p := range all {
					if p.SiteKey != key || hidden[p.ID] || operator != "" && p.Operator != operator {
						continue
					}
					if n++; len(want) < limit {
						want = append(want, p.ID)
					}
				}
			}
			list, total, err := s.ListSites(keys, operators(operator), limit)
			for _, p := range list {
				got = append(got, p.ID)
			}
			if err != nil || total != n || !slices.Equal(got, want) {
				t.Fatalf("%q, %d: %v of %d, want %v of %d: %v", operator, limit, got, total, want, n, err)
			}
		}
	}
}
