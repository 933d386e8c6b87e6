package outage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/store"
	"relais/internal/store/storetest"
	"relais/market"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// A clock is one that tests move.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newClock() *clock { return &clock{time.Date(2026, 8, 20, 12, 0, 0, 0, time.UTC)} }

func opened(t *testing.T, c *clock) (*Store, *store.DB) {
	t.Helper()
	db := storetest.New(t, Buckets...)
	return reopen(t, db, c), db
}

// reopen is a store on what is on disk, after a check of it.
func reopen(t *testing.T, db *store.DB, c *clock) *Store {
	t.Helper()
	if _, err := Check(db); err != nil {
		t.Fatal(err)
	}
	s, err := Open(db, c.now)
	must(t, err)
	return s
}

func load(t *testing.T, s *Store, operator string, rows ...string) {
	t.Helper()
	if _, err := s.Import(context.Background(), market.FR, operator,
		filetest.New(t, "hs.csv", fmt.Sprintf(header, operator)+strings.Join(rows, ""))); err != nil {
		t.Fatal(err)
	}
}

func codes(list []*Entry) (all []string) {
	for _, e := range list {
		all = append(all, e.Operator+" "+e.Code)
	}
	return all
}

var french = []string{"SFR", "BOUYGUES", "ORANGE", "FREE"}

// The state of a feed from its first day on.
func TestFeed(t *testing.T) {
	c := newClock()
	s, db := opened(t, c)
	state := func() string {
		a, b := s, reopen(t, db, c)
		feed := func(s *Store) string {
			f, status := s.Feeds(market.FR)[0], s.FeedStatus(market.FR, []string{"SFR"})
			entries := s.Entries(Query{Market: market.FR})
			last := "never"
			if status.LastUpdate != nil {
				last = status.LastUpdate.Format("02T15")
			}
			return fmt.Sprint(f.State(), " ", status.Available, " ", last, " ", f.Age(c.at), " ", len(entries), " ",
				f.Served)
		}
		if feed(a) != feed(b) {
			t.Errorf("%s, after opening it again %s", feed(a), feed(b))
		}
		return feed(a)
	}
	expect := func(when, want string) {
		t.Helper()
		if got := state(); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	expect("at first", "absent false never 0s 0 0")
	must(t, s.Failed(market.FR, "sfr", errors.New("HTTP 503")))
	expect("a first try that fails", "failed false never 0s 0 0")
	load(t, s, "SFR", rowOf("1"), rowOf("2"))
	expect("read", "available true 20T12 0s 2 2")
	c.at = c.at.Add(48 * time.Hour)
	expect("at the end of its time", "available true 20T12 48h0m0s 2 2")
	before := s.Version()
	c.at = c.at.Add(time.Second)
	expect("too old", "available false 20T12 48h0m1s 2 2")
	if s.Version() == before {
		t.Error("the version is that of a feed that is not too old")
	}
	load(t, s, "SFR", rowOf("3"))
	expect("read again", "available true 22T12 0s 1 1")
	if _, err := s.Import(context.Background(), market.FR, "SFR", filetest.New(t, "hs.csv", "<html>")); err == nil {
		t.Error("a web page was read")
	}
	expect("a web page", "failed false 22T12 0s 1 1")
	if f := s.Feeds(market.FR)[0]; f.Why != "hs.csv:1: this is a web page, not a table" {
		t.Errorf("why: %q, want hs.csv:1: this is a web page, not a table", f.Why)
	}
	load(t, s, "SFR", rowOf("3"))
	expect("good again", "available true 22T12 0s 1 1")
	if status := s.FeedStatus(market.FR, nil); !status.Exists || status.Available || status.LastUpdate != nil {
		t.Errorf("three of four are absent: got %+v, want it to exist, not available, without an update", status)
	}
	must(t, s.Clear(market.FR, "SFR"))
	expect("cleared", "absent false never 0s 0 0")
}

// What was asked for at one moment stays as it was, with its version.
func TestSnapshot(t *testing.T) {
	c := newClock()
	s, _ := opened(t, c)
	look := func(s *Store) string {
		list := s.Entries(Query{Market: market.FR})
		return fmt.Sprint(s.Version(), len(list), s.FeedStatus(market.FR, []string{"SFR"}).Available)
	}
	before := look(s)
	snapshot := s.Snapshot()
	load(t, s, "SFR", rowOf("1"))
	if got := look(snapshot); got != before {
		t.Errorf("snapshot = %s, want %s", got, before)
	}
	if look(s) == before {
		t.Errorf("the store is still %s after the change", before)
	}
	before, snapshot = look(s), s.Snapshot()
	c.at = c.at.Add(49 * time.Hour)
	if got := look(snapshot); got != before {
		t.Errorf("snapshot = %s, want %s", got, before)
	}
	if look(s) == before {
		t.Errorf("the store is still %s after the change", before)
	}
	if err := snapshot.Clear(market.FR, "SFR"); !errors.Is(err, errReadOnly) {
		t.Errorf("Clear of a snapshot: %v, want ErrReadOnly", err)
	}
}

// All of the asked operators must be available, and the oldest counts.
func TestFeedStatus(t *testing.T) {
	c := newClock()
	s, _ := opened(t, c)
	for i, op := range french {
		c.at = c.at.Add(time.Hour * time.Duration(i))
		load(t, s, op, rowOf("1"))
	}
	status := s.FeedStatus(market.FR, nil)
	if !status.Available || !status.LastUpdate.Equal(newClock().at) {
		t.Errorf("got %+v, want it available, updated at %s", status, newClock().at)
	}
	if l := s.FeedStatus(market.FR, []string{"FREE", "ORANGE"}).LastUpdate; !l.Equal(newClock().at.Add(3 * time.Hour)) {
		t.Errorf("got %v, want %v", l, newClock().at.Add(3*time.Hour))
	}
	for _, code := range []market.Code{market.BE, market.CH, market.PT} {
		if status := s.FeedStatus(code, nil); status.Exists || status.Available || len(s.Feeds(code)) != 0 {
			t.Errorf("%s: got %+v, want no feed", code, status)
		}
	}
	for _, code := range []market.Code{market.DROM, market.CA} {
		if status := s.FeedStatus(code, nil); !status.Exists || status.Available {
			t.Errorf("%s: got %+v, want it to exist, not available", code, status)
		}
	}
}

// What is refused leaves the last good data, whatever is wrong.
func TestRefused(t *testing.T) {
	c := newClock()
	s, db := opened(t, c)
	load(t, s, "SFR", rowOf("1"))
	titles := fmt.Sprintf(header, "SFR")
	for _, tt := range []struct{ name, text string }{
		{"empty", ""},
		{"a header alone", titles},
		{"no row that can be used", titles + strings.Replace(rowOf("1"), ";45.77;", ";;", 1)},
		{"cut", titles + rowOf("9") + "10;OUI"},
		{"another operator's", fmt.Sprintf(header, "FREE") + rowOf("9")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := s.Import(context.Background(), market.FR, "SFR", filetest.New(t, "hs.csv", titles+rowOf("8")),
				filetest.New(t, "hs.csv", tt.text)); tt.name != "a header alone" && tt.name != "no row that can be used" && err == nil {
				t.Errorf("%s together with a good file: got no error", tt.name)
			}
			load(t, s, "SFR", rowOf("1"))
			if _, err := s.Import(context.Background(), market.FR, "SFR", filetest.New(t, "hs.csv", tt.text)); err == nil {
				t.Errorf("%s: no error", tt.name)
			}
			for _, s := range []*Store{s, reopen(t, db, c)} {
				list := s.Entries(Query{Market: market.FR})
				if got := fmt.Sprint(codes(list)); got != "[SFR 1]" || s.Feeds(market.FR)[0].State() != Failed {
					t.Errorf("%s: %s, %+v, want [SFR 1] and State = %v", tt.name, got, s.Feeds(market.FR)[0], Failed)
				}
			}
			load(t, s, "SFR", rowOf("1"))
		})
	}
	before := s.Version()
	stopped, stop := context.WithCancel(context.Background())
	stop()
	for _, c := range []struct {
		name           string
		ctx            context.Context
		code           market.Code
		operator, path string
		want           error
	}{
		{"stopped", stopped, market.FR, "SFR", filetest.New(t, "hs.csv", titles+rowOf("1")), context.Canceled},
		{"no such file", context.Background(), market.FR, "SFR", "/no/such/file", fs.ErrNotExist},
		{"no operator", context.Background(), market.FR, "ALL", "", ErrOperator},
		{"another market", context.Background(), market.DROM, "SFR", "", ErrOperator},
		{"no feeds", context.Background(), market.BE, "ORANGE_BE", "", errNoFeed},
		{"no market", context.Background(), "XX", "SFR", "", errNoFeed},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := s.Import(c.ctx, c.code, c.operator, c.path); !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", c.name, err, c.want)
			}
		})
	}
	if s.Version() != before {
		t.Error("what was refused changed something")
	}
}

// A file with only sites of other markets means that all sites of this one work.
func TestNoneOverseas(t *testing.T) {
	s, _ := opened(t, newClock())
	if _, err := s.Import(context.Background(), market.DROM, "ORANGE",
		filetest.New(t, "hs.csv", fmt.Sprintf(header, "ORANGE")+rowOf("1"))); err != nil {
		t.Fatal(err)
	}
	if f := s.FeedStatus(market.DROM, []string{"ORANGE"}); !f.Available {
		t.Errorf("got %+v, want it available", f)
	}
}

// Codes are an operator's own.
func TestSameCode(t *testing.T) {
	s, db := opened(t, newClock())
	load(t, s, "SFR", rowOf("42"))
	load(t, s, "ORANGE", rowOf("42"))
	for _, s := range []*Store{s, reopen(t, db, newClock())} {
		list := s.Entries(Query{Market: market.FR})
		if len(list) != 2 || list[0].ID() != "operator:fr-orange:42" || list[1].ID() != "operator:fr-sfr:42" ||
			list[1].SourceID() != "fr-sfr" {
			t.Errorf("got %v, want operator:fr-orange:42 and operator:fr-sfr:42 of fr-sfr", codes(list))
		}
	}
}

func TestReadOnly(t *testing.T) {
	c := newClock()
	path := filepath.Join(t.TempDir(), "community.db")
	db := storetest.Open(t, path, Buckets...)
	load(t, reopen(t, db, c), "SFR", rowOf("1"))
	must(t, db.Close())
	db, err := store.OpenReadOnly(path)
	must(t, err)
	defer db.Close()
	for _, db := range []*store.DB{db, nil} {
		s := reopen(t, db, c)
		list := s.Entries(Query{Market: market.FR})
		if (len(list) == 1) != (db != nil) {
			t.Errorf("got %v, want one while the database is there", codes(list))
		}
		_, err := s.Import(context.Background(), market.FR, "SFR", filetest.New(t, "hs.csv", ""))
		for _, err := range []error{err, s.Clear(market.FR, "SFR"), s.Failed(market.FR, "SFR", nil)} {
			if !errors.Is(err, errReadOnly) || !errors.Is(err, fs.ErrPermission) {
				t.Errorf("got %v, want errReadOnly and fs.ErrPermission", err)
			}
		}
	}
}
