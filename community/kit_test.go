package community

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/store"
	"relais/internal/store/storetest"
	"relais/market"
	"relais/outage"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// A clock is one that tests move.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newClock() *clock { return &clock{time.Date(2026, 8, 20, 12, 0, 0, 0, time.UTC)} }

func database(t *testing.T, path string) *store.DB {
	t.Helper()
	return storetest.Open(t, path, slices.Concat(outage.Buckets, Buckets)...)
}

func opened(t *testing.T, c *clock) (*Store, *store.DB) {
	t.Helper()
	db := database(t, filepath.Join(t.TempDir(), "community.db"))
	return reopen(t, db, c), db
}

// reopen is a store on what is on disk, after a check of it.
func reopen(t *testing.T, db *store.DB, c *clock) *Store {
	t.Helper()
	if _, err := outage.Check(db); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := Check(db); err != nil {
		t.Fatal(err)
	}
	s, err := openBoth(db, c.now)
	must(t, err)
	return s
}

// openBoth opens what is in a file with the feeds in it.
func openBoth(db *store.DB, now func() time.Time) (*Store, error) {
	feeds, err := outage.Open(db, now)
	if err != nil {
		return nil, err
	}
	return Open(db, feeds, now)
}

var french = []string{"SFR", "BOUYGUES", "ORANGE", "FREE"}

const header = "code_site_op;Antenne relais gérée par %s;region;departement;commune;code_insee;" +
	"Lat;Lon;voix;data;debut\n"

// rowOf is a row under header, in the middle of France.
func rowOf(code string) string {
	return code + ";OUI;AURA;63;CLERMONT;63113;45.77;3.08;HS;HS;2026-08-20 06:10:00\n"
}

// load imports a file of these rows.
func load(t *testing.T, s *Store, operator string, rows ...string) {
	t.Helper()
	path := filetest.New(t, "hs.csv", fmt.Sprintf(header, operator)+strings.Join(rows, ""))
	if _, err := s.Feeds.Import(context.Background(), market.FR, operator, path); err != nil {
		t.Fatal(err)
	}
}
