package outage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"relais/market"
	"relais/store"
)

// Check counts what there is and finds what cannot be used. Open leaves that out, and a
// feed of which something is left out is not available.
func TestCheck(t *testing.T) {
	s, db := opened(t, newClock())
	load(t, s, "SFR", rowOf("1"), rowOf("2"))
	n := said("ann")
	n.Token = "t"
	r := made(t, s, n)
	if entries, reports, err := Check(db); entries != 2 || reports != 1 || err != nil {
		t.Errorf("%d, %d, %v", entries, reports, err)
	}
	if entries, reports, err := Check(nil); entries+reports != 0 || err != nil {
		t.Errorf("%d, %d, %v", entries, reports, err)
	}
	u, err := parseID(r.ID)
	if err != nil {
		t.Fatal(err)
	}
	sfr := feedKey{market.FR, "SFR"}.bytes()
	for _, c := range []struct{ bucket, key, value, open string }{
		{feedsBucket, "FR\x00NOBODY", "{}", "1 problems; SFR available, 2 entries; 1 reports"},
		{feedsBucket, string(sfr), `{"market":"FR","operator":"SFR","rows":3}`,
			"0 problems; SFR absent, 2 entries; 1 reports"},
		{feedsBucket, string(sfr), `{"market":"FR","operator":"FREE"}`, "1 problems; SFR failed, 0 entries; 1 reports"},
		{feedsBucket, string(sfr), "", "1 problems; SFR failed, 0 entries; 1 reports"},
		{entriesBucket, string(sfr), `[null]`, "1 problems; SFR failed, 0 entries; 1 reports"},
		{entriesBucket, string(sfr), `[{"code":"1","lat":91}]`, "1 problems; SFR failed, 0 entries; 1 reports"},
		{entriesBucket, "FR\x00FREE", "[]", "0 problems; SFR available, 2 entries; 1 reports"},
		{reportsBucket, string(u[:]), "{}", "1 problems; SFR available, 2 entries; 0 reports"},
		{reportsBucket, string(u[:]), `{"id":"` + r.ID + `","market":"FR","operator":"SFR","state":"dormant"}`,
			"1 problems; SFR available, 2 entries; 0 reports"},
		{reportsBucket, string(u[:]), `{"id":"` + r.ID + `","market":"FR","operator":"SFR","state":"confirmed"}`,
			"0 problems; SFR available, 2 entries; 1 reports"},
		{tokensBucket, "x", "y", "0 problems; SFR available, 2 entries; 1 reports"},
	} {
		var before []byte
		put := func(value []byte) {
			if err := db.Update(func(tx *store.Tx) error {
				b := tx.Bucket([]byte(c.bucket))
				before = []byte(string(b.Get([]byte(c.key))))
				if value == nil {
					return b.Delete([]byte(c.key))
				}
				return b.Put([]byte(c.key), value)
			}); err != nil {
				t.Fatal(err)
			}
		}
		put([]byte(c.value))
		if _, _, err := Check(db); err == nil {
			t.Errorf("%s %q: %s: nothing found", c.bucket, c.key, c.value)
		}
		s, err := Open(db, newClock().now)
		if err != nil {
			t.Fatal(err)
		}
		entries, _ := s.Entries(Query{Market: market.FR})
		_, total, err := s.List(Filter{}, 10, 0)
		if got := fmt.Sprintf("%d problems; SFR %s, %d entries; %d reports", len(s.Problems()),
			s.Feeds(market.FR)[0].State(), len(entries), total); got != c.open || err != nil {
			t.Errorf("%s %q: %s: opened with %s, %v; want %s", c.bucket, c.key, c.value, got, err, c.open)
		}
		if len(before) > 0 {
			put(before)
		} else {
			put(nil)
		}
		if _, _, err := Check(db); err != nil {
			t.Fatal(err)
		}
	}
}

// A feed that is damaged is whole again when it is imported.
func TestDamagedFeed(t *testing.T) {
	s, db := opened(t, newClock())
	load(t, s, "SFR", rowOf("1"))
	if err := db.Update(func(tx *store.Tx) error {
		k := feedKey{market.FR, "SFR"}.bytes()
		return errors.Join(tx.Bucket([]byte(feedsBucket)).Put(k, []byte("{")),
			tx.Bucket([]byte(entriesBucket)).Put(k, []byte("[")))
	}); err != nil {
		t.Fatal(err)
	}
	s, err := Open(db, newClock().now)
	if err != nil || s.FeedStatus(market.FR, []string{"SFR"}).Available {
		t.Fatal("a damaged feed is available", err)
	}
	load(t, s, "SFR", rowOf("1"))
	if list, _ := reopen(t, db, newClock()).Entries(Query{Market: market.FR}); len(list) != 1 {
		t.Errorf("%v", codes(list))
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
		paths = append(paths, file(t, text))
	}
	r := made(t, s, said("ann"))
	var work sync.WaitGroup
	for i := range 3 {
		work.Go(func() {
			for k := range 10 {
				if _, err := s.Import(context.Background(), market.FR, "SFR", paths[(i+k)%2]); err != nil {
					t.Error(err)
				}
				if _, err := s.Confirm(r.ID, fmt.Sprint(i, k%5)); err != nil {
					t.Error(err)
				}
			}
		})
		work.Go(func() {
			for range 200 {
				l, _ := s.Entries(Query{Market: market.FR})
				for _, e := range l {
					if len(l) != 50 || e.Commune != l[0].Commune {
						t.Errorf("%d entries, of %s and %s", len(l), e.Commune, l[0].Commune)
					}
				}
				s.Version()
				s.FeedStatus(market.FR, nil)
			}
		})
	}
	work.Wait()
	if got, err := s.Get(r.ID); look(got, err) != "confirmed 15 0" || !got.OperatorConfirmed {
		t.Error(look(got, err))
	}
}
