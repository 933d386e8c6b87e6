package community

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/internal/killtest"
	"relais/internal/store"
	"relais/internal/tier"
	"relais/market"
	"relais/outage"
)

func TestMain(m *testing.M) {
	killtest.Main(m, func(args []string) error { return changeForEver(args[0]) })
}

const rowsEach = 500

// changeForEver imports files whose rows all have the commune of the round, reports outages
// in between, and prints what it did.
func changeForEver(dir string) error {
	db, err := store.Open(filepath.Join(dir, "community.db"), slices.Concat(outage.Buckets, Buckets)...)
	if err != nil {
		return err
	}
	s, err := openBoth(db, time.Now)
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		name, round := filepath.Join(dir, "hs.csv"), fmt.Sprint(time.Now().UnixNano())
		text := fmt.Sprintf(header, "SFR")
		for k := range rowsEach {
			text += strings.Replace(rowOf(fmt.Sprint(k)), "CLERMONT", round, 1)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
		fmt.Println("importing", round)
		if _, err := s.Feeds.Import(context.Background(), market.FR, "SFR", name); err != nil {
			return err
		}
		fmt.Println("imported", round)
		n := said("ann")
		n.Token = round
		if _, _, err := s.AddReport(n); err != nil {
			return err
		}
		fmt.Println("reported", round)
	}
}

// Whenever the process is killed, a file counts as a whole or not at all, and what was
// acknowledged is there.
func TestKilled(t *testing.T) {
	tier.Slow(t)
	dir := t.TempDir()
	reported := 0
	rounds := 15
	if !tier.Full() {
		rounds = 3
	}
	for round := range rounds {
		last, next := "", ""
		killtest.Run(t, 200*time.Millisecond, func(line string) {
			switch what, id, _ := strings.Cut(line, " "); what {
			case "importing":
				next = id
			case "imported":
				last = id
			case "reported":
				reported++
			}
		}, dir)
		got := afterKill(t, dir, reported)
		if last != "" && got != last && got != next {
			t.Fatalf("round %d: got %q, want %q or %q", round, got, last, next)
		}
	}
	t.Logf("%d reports", reported)
}

// afterKill looks at everything and returns the commune of the rows.
func afterKill(t *testing.T, dir string, reported int) string {
	t.Helper()
	db := database(t, filepath.Join(dir, "community.db"))
	defer db.Close()
	s := reopen(t, db, &clock{time.Now()})
	l := s.Feeds.Entries(outage.Query{Market: market.FR})
	if len(l) == 0 {
		return ""
	}
	for _, e := range l {
		if e.Commune != l[0].Commune || len(l) != rowsEach {
			t.Fatalf("%d entries, of %s and %s, want %d and %s", len(l), e.Commune, l[0].Commune, rowsEach,
				l[0].Commune)
		}
	}
	if list, total, err := s.Reports(ReportFilter{}, 0, 0); total < reported || err != nil {
		t.Errorf("%d reports of at least %d, %v, %v, want at least %d and no error", total, reported, list, err,
			reported)
	}
	return l[0].Commune
}
