package archive

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"relais/internal/store"
)

var syntheticCases = []struct {
	bucket string
	want   int
}{
	{publicationsBucket, 1},
	{rowsBucket, 1},
	{segmentsBucket, 1},
	{blocksBucket, 1},
	{changesBucket, 0},
}

// Synthetic data is known by the name of its file. The first publication of
// the authority replaces all of it, for good.
func TestSynthetic(t *testing.T) {
	s, db := opened(t)
	first, second := line("SFR", "90000010", "LTE 800", "0032700001", "En service"), line("SFR", "90000011", "LTE 800",
		"0032700002", "En service")
	madeUp := func(date string, lines ...string) string {
		path := publication(t, date, lines...)
		to := filepath.Join(filepath.Dir(path), "SYNTHETIC_observatoire_"+date+".csv")
		must(t, os.Rename(path, to))
		return to
	}
	mustAdd(t, s, madeUp("2026-08-06", first), Options{})
	mustAdd(t, s, madeUp("2026-08-13", first, second), Options{})
	if _, err := add(s, madeUp("2026-08-13", first, second), Options{}); !errors.Is(err, ErrExists) {
		t.Errorf("the same date again: %v, want ErrExists", err)
	}
	mustTell(t, "second", sitesOf(s.Changes("2026-08-13")), "new 2 2026-08-13 90000011 SFR LTE 800 0032700002")
	mustBeWhole(t, s, 2)
	mustAll(t, s, true, "2026-08-06", "2026-08-13")
	version := s.Version()

	// Of the same date, of fewer supports and older: compared with none of them.
	real := line("ORANGE", "10", "LTE 800", "0032290001", "En service")
	if r := mustAdd(t, s, publication(t, "2026-08-06", real), Options{}); r.Before != "" || r.Replaced ||
		r.Changes["new"] != 1 {
		t.Errorf("got %+v, want a first publication with one new support", r)
	}
	mustTell(t, "published", sitesOf(s.Whole("2026-08-06")), "new 1 2026-08-06 10 ORANGE LTE 800 0032290001")
	mustAll(t, s, false, "2026-08-06")
	mustBeWhole(t, s, 1)
	if s.Version() == version {
		t.Error("the version is that of the demonstration")
	}
	for _, tt := range syntheticCases {
		t.Run(tt.bucket, func(t *testing.T) {
			must(t, db.View(func(tx *store.Tx) error {
				n := 0
				err := store.Each(tx, tt.bucket, func(_, _ []byte) error { n++; return nil })
				if n != tt.want {
					t.Errorf("%d records in %s, want %d", n, tt.bucket, tt.want)
				}
				return err
			}))
		})
	}
	for _, force := range []bool{false, true} {
		if _, err := add(s, madeUp("2026-08-20", first), Options{Force: force}); !errors.Is(err, ErrRefused) {
			t.Errorf("adding a demonstration to published data = %v, want ErrRefused", err)
		}
	}
	mustAll(t, s, false, "2026-08-06")
}

func mustAll(t *testing.T, s *Store, synthetic bool, dates ...string) {
	t.Helper()
	all, err := s.List()
	must(t, err)
	var got []string
	for _, p := range all {
		if got = append(got, p.Date); p.Synthetic != synthetic {
			t.Errorf("%s: synthetic %v, want %v", p.Date, p.Synthetic, synthetic)
		}
	}
	if !slices.Equal(got, dates) {
		t.Errorf("%q, want %q", got, dates)
	}
}
