package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"relais/archive/change"
	"relais/internal/intern"
	"relais/internal/store"
	"relais/internal/tier"
	"relais/market"
	"relais/site"
)

// Whatever byte of whatever record is another one, or whatever record is gone or under
// another key, the check says so, and no question panics.
func TestDamage(t *testing.T) {
	tier.Slow(t)
	s, db := opened(t)
	for i, date := range []string{"2026-08-06", "2026-08-13", "2026-08-20"} {
		mustAdd(t, s, publication(t, date, line("SFR", "10", "LTE 800", "0032700001", "Projet approuvé"),
			line("SFR", fmt.Sprint(11+i), "LTE 800", fmt.Sprint("003270001", i), "En service")), Options{})
	}
	r, now := rand.New(rand.NewPCG(21, 1)), listed{}
	for _, date := range []string{"2026-08-06", "2026-08-13", "2026-08-20"} {
		now = randomListed(r, now)
		mustNote(t, s, snapshotOf(t, date, now), true)
	}
	mustAdd(t, s, publication(t, "2026-08-20", line("SFR", "10", "LTE 800", "0032700001", "En service"),
		line("SFR", "13", "LTE 800", "0032700012", "En service")), Options{Newest: true}) // corrects it
	mustNote(t, s, snapshotOf(t, "2026-08-20", randomListed(r, now)), true)
	mustBeWhole(t, s, 3)
	for _, bucket := range Buckets {
		var keys, values [][]byte
		if err := db.View(func(tx *store.Tx) error {
			return tx.Bucket([]byte(bucket)).ForEach(func(k, v []byte) error {
				keys, values = append(keys, bytes.Clone(k)), append(values, bytes.Clone(v))
				return nil
			})
		}); err != nil || len(keys) == 0 {
			t.Fatalf("%s: got %d keys, %v, want some", bucket, len(keys), err)
		}
		put := func(key, value []byte) {
			t.Helper()
			must(t, db.Update(func(tx *store.Tx) error {
				if value == nil {
					return tx.Bucket([]byte(bucket)).Delete(key)
				}
				return tx.Bucket([]byte(bucket)).Put(key, value)
			}))
		}
		for i, key := range keys {
			damages := [][]byte{nil, {}, values[i][:len(values[i])/2], values[(i+1)%len(keys)]}
			for at := 0; at < len(values[i]); at += 1 + len(values[i])/40 {
				b := bytes.Clone(values[i])
				b[at] ^= 0x41
				damages = append(damages, b)
			}
			for n, damage := range damages {
				if damage != nil && bytes.Equal(damage, values[i]) {
					continue
				}
				put(key, damage)
				_, _, _, err := s.CheckRecords()
				if !errors.Is(err, errDamaged) {
					t.Errorf("%s %x, damage %d: %v, want ErrDamaged", bucket, key, n, err)
				}
				askAll(s)
				put(key, values[i])
			}
		}
		mustBeWhole(t, s, 3)
	}
}

// Differences that can be read, but are not those of the noted editions, are found.
func TestWrongDifferences(t *testing.T) {
	s, db := opened(t)
	r, now := rand.New(rand.NewPCG(21, 2)), listed{}
	for i, date := range []string{"2026-08-06", "2026-08-13", "2026-08-20"} {
		mustAdd(t, s, publication(t, date, line("SFR", fmt.Sprint(10+i), "LTE 800", "0032700001", "En service")), Options{})
		now = randomListed(r, now)
		mustNote(t, s, snapshotOf(t, date, now), true)
	}
	for _, tt := range []struct {
		code     market.Code
		from, to int
	}{{market.CH, 0, 1}, {market.CH, 1, 2}} {
		t.Run(fmt.Sprint(tt.code, tt.to), func(t *testing.T) {
			all, err := s.Editions(tt.code)
			must(t, err)
			key := marketKey(tt.code, all[tt.to].Date)
			var old []byte
			must(t, db.Update(func(tx *store.Tx) error {
				old = bytes.Clone(tx.Value(differencesBucket, key))
				empty, err := change.NewBuilder().List()
				return errors.Join(err, putDifference(tx, tt.code, all[tt.from], all[tt.to], empty))
			}))
			if _, _, _, err := s.CheckRecords(); !errors.Is(err, errDamaged) {
				t.Errorf("got %v, want errDamaged", err)
			}
			must(t, db.Update(func(tx *store.Tx) error {
				return tx.Bucket([]byte(differencesBucket)).Put(key, old)
			}))
			mustBeWhole(t, s, 3)
		})
	}
}

// Differences of a date without a publication, or with nothing before it, belong to nothing.
func TestLostDifferences(t *testing.T) {
	s, db := opened(t)
	for i, date := range []string{"2026-08-06", "2026-08-13"} {
		mustAdd(t, s, publication(t, date, line("SFR", fmt.Sprint(10+i), "LTE 800", "0032700001", "En service")), Options{})
	}
	for _, date := range []site.Date{site.DateOf(2026, 8, 6), site.DateOf(2026, 8, 7), site.DateOf(2026, 8, 20)} {
		t.Run(date.String(), func(t *testing.T) {
			must(t, db.Update(func(tx *store.Tx) error {
				empty, err := change.NewBuilder().List()
				return errors.Join(err, putDifference(tx, market.FR, Edition{}, Edition{Date: date}, empty))
			}))
			if _, _, _, err := s.CheckRecords(); !errors.Is(err, errDamaged) {
				t.Errorf("got %v, want errDamaged", err)
			}
			must(t, db.Update(func(tx *store.Tx) error { return removeDifferences(tx, date) }))
			mustBeWhole(t, s, 2)
		})
	}
}

// askAll asks everything and reads the answers.
func askAll(s *Store) {
	for range sitesOf(s.Whole("2026-08-13")) {
	}
	for range sitesOf(s.Changes("2026-08-20")) {
	}
	for range sitesOf(s.compare("2026-08-06", "2026-08-20")) {
	}
	s.History("10")
	for _, code := range []market.Code{market.FR, market.CH} {
		if span, err := s.Between(context.Background(), code, site.DateOf(2026, 8, 6), site.DateOf(2026, 8, 20)); err == nil {
			span.Net(context.Background())
		}
	}
	s.Dates()
}

// A replaced publication leaves nothing behind, and who reads it then is told.
func TestReplaced(t *testing.T) {
	s, _ := opened(t)
	path := publication(t, "2026-08-06", line("SFR", "10", "LTE 800", "0032700001", "En service"),
		line("SFR", "11", "LTE 800", "0032700001", "En service"))
	other := publication(t, "2026-08-06", line("ORANGE", "10", "LTE 800", "0032700001", "En service"))
	mustAdd(t, s, path, Options{})
	v, err := s.Whole("2026-08-06")
	must(t, err)
	for i := range 4 {
		mustAdd(t, s, []string{other, path}[i%2], Options{Force: true})
	}
	for site, err := range v.All() {
		if site != nil || !errors.Is(err, errReplaced) {
			t.Errorf("got %v, %v, want none and ErrReplaced", site, err)
		}
	}
	if _, rows, _, err := s.CheckRecords(); rows != 2 || err != nil {
		t.Errorf("%d rows, %v, want 2 and no error", rows, err)
	}
}

// A reader sees a consistent publication while others are added.
func TestReadBesideAdd(t *testing.T) {
	s, _ := opened(t)
	path := publication(t, "2026-08-06", line("SFR", "10", "LTE 800", "0032700001", "En service"),
		line("SFR", "11", "LTE 800", "0032700002", "En service"))
	mustAdd(t, s, path, Options{})
	done := make(chan error)
	go func() {
		for i := range 20 {
			if _, err := add(s, path, Options{Date: site.DateOf(2026, 8, 1+i%12), Force: i%12 != 5}); err != nil &&
				!errors.Is(err, ErrExists) {
				done <- err
				return
			}
		}
		close(done)
	}()
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			mustBeWhole(t, s, 12)
			return
		default:
		}
		n := 0
		for site, err := range sitesOf(s.Whole("2026-08-06")) {
			must(t, err)
			n += len(site.Records)
		}
		if n != 2 {
			t.Fatalf("%d rows, want 2", n)
		}
	}
}

// FuzzStored reads any bytes as what is stored.
func FuzzStored(f *testing.F) {
	c := content{inPlace: "\x0210\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", inSystem: "LTE 800"}
	var texts [contentTexts]intern.Table
	var row codes
	for i := range c {
		row[i] = intern.Add(&texts[i], c[i])
	}
	w := newBlockWriter(&texts)
	w.add(0, &row)
	w.add(1, &row)
	packed := w.finish()
	if b, err := readBlock(packed); err != nil || b.content(1) != c {
		f.Fatalf("a block of two rows: %v; want %q twice", err, c)
	}
	f.Add(packed)
	f.Add((&listing{refs: []ref{{1, 0}, {1, 1}, {2, 0}, {1, 7}}, ids: []uint32{2, 3, 4, 0}}).pack())
	f.Add(packChanges([]rowChange{{10, ref{1, 2}, 3, New}, {11, ref{1, 0}, 4, Replaced}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if b, err := readBlock(data); err == nil {
			for row := range b.ranks {
				b.record(row, New, 1, "")
				b.content(row)
			}
		} else if !errors.Is(err, errDamaged) {
			t.Error(err)
		}
		if l, err := readListing(data); err == nil {
			again, err := readListing(l.pack())
			if err != nil || len(again.refs) != len(l.refs) {
				t.Errorf("got %v, %v, want no error and len(again.refs) = %v", again, err, len(l.refs))
			}
		}
		if c, err := readChanges(data); err == nil {
			if again, err := readChanges(packChanges(c)); err != nil || len(again) != len(c) {
				t.Errorf("got %v, %v, want no error and len(again) = %v", again, err, len(c))
			}
		}
	})
}
