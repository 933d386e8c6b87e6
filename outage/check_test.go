package outage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"relais/internal/filetest"
	"relais/internal/store"
	"relais/internal/store/storetest"
	"relais/market"
)

// Check counts what there is and finds what cannot be used. Open leaves that out, and a
// feed with a record left out is not available.
func TestCheck(t *testing.T) {
	s, db := opened(t, newClock())
	load(t, s, "SFR", rowOf("1"), rowOf("2"))
	if entries, err := Check(db); entries != 2 || err != nil {
		t.Errorf("got %d, %v, want 2 and no error", entries, err)
	}
	if entries, err := Check(nil); entries != 0 || err != nil {
		t.Errorf("got %d, %v, want 0 and no error", entries, err)
	}
	sfr := feedKey{market.FR, "SFR"}.bytes()
	for _, c := range []struct{ bucket, key, value, open string }{
		{feedsBucket, "FR\x00NOBODY", "{}", "1 problems; SFR available, 2 entries"},
		{feedsBucket, string(sfr), `{"market":"FR","operator":"SFR","rows":3}`, "0 problems; SFR absent, 2 entries"},
		{feedsBucket, string(sfr), `{"market":"FR","operator":"FREE"}`, "1 problems; SFR failed, 0 entries"},
		{feedsBucket, string(sfr), "", "1 problems; SFR failed, 0 entries"},
		{entriesBucket, string(sfr), `[null]`, "1 problems; SFR failed, 0 entries"},
		{entriesBucket, string(sfr), `[{"code":"1","lat":91}]`, "1 problems; SFR failed, 0 entries"},
		{entriesBucket, "FR\x00FREE", "[]", "0 problems; SFR available, 2 entries"},
	} {
		before := storetest.Set(t, db, c.bucket, c.key, []byte(c.value))
		if _, err := Check(db); err == nil {
			t.Errorf("%s %q: %s: nothing found", c.bucket, c.key, c.value)
		}
		s, err := Open(db, newClock().now)
		must(t, err)
		entries := s.Entries(Query{Market: market.FR})
		if got := fmt.Sprintf("%d problems; SFR %s, %d entries", len(s.Problems()),
			s.Feeds(market.FR)[0].State(), len(entries)); got != c.open {
			t.Errorf("%s %q: %s: opened with %s; want %s", c.bucket, c.key, c.value, got, c.open)
		}
		storetest.Set(t, db, c.bucket, c.key, before)
		if _, err := Check(db); err != nil {
			t.Fatal(err)
		}
	}
}

// A feed that is damaged is whole again when it is imported.
func TestDamagedFeed(t *testing.T) {
	s, db := opened(t, newClock())
	load(t, s, "SFR", rowOf("1"))
	must(t, db.Update(func(tx *store.Tx) error {
		k := feedKey{market.FR, "SFR"}.bytes()
		return errors.Join(tx.Bucket([]byte(feedsBucket)).Put(k, []byte("{")),
			tx.Bucket([]byte(entriesBucket)).Put(k, []byte("[")))
	}))
	s, err := Open(db, newClock().now)
	if err != nil || s.FeedStatus(market.FR, []string{"SFR"}).Available {
		t.Fatalf("a damaged feed: got %v, or it is available, want neither", err)
	}
	load(t, s, "SFR", rowOf("1"))
	if list := reopen(t, db, newClock()).Entries(Query{Market: market.FR}); len(list) != 1 {
		t.Errorf("got %v, want len(list) = 1", codes(list))
	}
}

// Answers are whole while everything changes: one import or the other.
func TestTogether(t *testing.T) {
	s, _ := opened(t, newClock())
	var paths []string
	for i := range 2 {
		text := fmt.Sprintf(header, "SFR")
		for k := range 50 {
			text += strings.Replace(rowOf(fmt.Sprint(k)), "CLERMONT", fmt.Sprint(i), 1)
		}
		paths = append(paths, filetest.New(t, "hs.csv", text))
	}
	var work sync.WaitGroup
	for i := range 3 {
		work.Go(func() {
			for k := range 10 {
				if _, err := s.Import(context.Background(), market.FR, "SFR", paths[(i+k)%2]); err != nil {
					t.Error(err)
				}
			}
		})
		work.Go(func() {
			for range 200 {
				l := s.Entries(Query{Market: market.FR})
				for _, e := range l {
					if len(l) != 50 || e.Commune != l[0].Commune {
						t.Errorf("%d entries, of %s and %s, want 50 and %s", len(l), e.Commune, l[0].Commune,
							l[0].Commune)
					}
				}
				s.Version()
				s.FeedStatus(market.FR, nil)
			}
		})
	}
	work.Wait()
}
