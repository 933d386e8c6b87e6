package outage

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"go.etcd.io/bbolt"

	"relais/market"
)

// Check counts what there is and finds what cannot be used; so does Open.
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
	for _, c := range []struct{ bucket, key, value string }{
		{feedsBucket, "FR\x00NOBODY", "{}"},
		{feedsBucket, string(sfr), `{"market":"FR","operator":"SFR","rows":3}`},
		{feedsBucket, string(sfr), `{"market":"FR","operator":"FREE"}`},
		{feedsBucket, string(sfr), ""},
		{entriesBucket, string(sfr), `[null]`},
		{entriesBucket, string(sfr), `[{"code":"1","lat":91}]`},
		{entriesBucket, "FR\x00FREE", "[]"},
		{reportsBucket, string(u[:]), "{}"},
		{reportsBucket, string(u[:]), `{"id":"` + r.ID + `","market":"FR","operator":"SFR","state":"dormant"}`},
		{reportsBucket, string(u[:]), `{"id":"` + r.ID + `","market":"FR","operator":"SFR","state":"confirmed"}`},
		{tokensBucket, "x", "y"},
	} {
		var before []byte
		put := func(value []byte) {
			if err := db.Update(func(tx *bbolt.Tx) error {
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
