package history

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"relais/ingest/source"
	"relais/internal/filetest"
	"relais/internal/killtest"
	"relais/internal/store"
	"relais/internal/store/storetest"
	"relais/internal/tier"
	"relais/market"
	"relais/outage"
	"relais/site"
)

func TestMain(m *testing.M) {
	killtest.Main(m, func(args []string) error { return addForEver(args[0]) })
}

// addForEver adds one of two lists as one of forty days, and says when it begins and when it is kept.
func addForEver(dir string) error {
	db, err := store.Open(filepath.Join(dir, "outages.db"), Buckets...)
	if err != nil {
		return err
	}
	s := Open(db)
	for {
		name, day := rand.IntN(2), rand.IntN(40)
		in, err := source.Expand([]string{filepath.Join(dir, fmt.Sprint(name, ".geojson"))})
		if err != nil {
			return err
		}
		l, err := outage.ReadList(context.Background(), market.FR, in[0])
		if err != nil {
			return err
		}
		fmt.Println("adding", name, day)
		if _, err := s.Add(DayList{Day: site.DateOf(2026, 1, 1) + site.Date(day), Force: true, List: l}); err != nil {
			return err
		}
		fmt.Println("added", name, day)
	}
}

// What was acknowledged is there, and what was not is there whole or not at all, whenever the process was killed.
func TestKilled(t *testing.T) {
	tier.Slow(t)
	dir, sizes := t.TempDir(), [2]int{300, 500}
	for name, n := range sizes {
		var rows []feature
		for i := range n {
			rows = append(rows, feature{operator: "Orange", station: fmt.Sprint(35000000 + i), reason: "INT", department: "35",
				lat: 48.1, lng: -1.6, placed: true, down: []string{"data4g"}})
		}
		filetest.Write(t, filepath.Join(dir, fmt.Sprint(name, ".geojson")), geoJSON(rows))
	}
	have, rounds := map[int]int{}, 12
	if !tier.Full() {
		rounds = 4
	}
	for range rounds {
		began := -1
		begun := 0
		killtest.Run(t, 600*time.Millisecond, func(line string) {
			var name, day int
			if n, _ := fmt.Sscanf(line, "adding %d %d", &name, &day); n == 2 {
				begun, began = name, day
			}
			if n, _ := fmt.Sscanf(line, "added %d %d", &name, &day); n == 2 {
				have[day], began = sizes[name], -1
			}
		}, dir)
		db := storetest.Open(t, filepath.Join(dir, "outages.db"), Buckets...)
		s := Open(db)
		for day := range 40 {
			at := site.DateOf(2026, 1, 1) + site.Date(day)
			found, err := s.Find(context.Background(), Query{Market: market.FR, From: at, To: at, Limit: 1})
			switch {
			case err != nil:
				t.Fatal(err)
			case day == began && found.Total == sizes[begun]:
				have[day] = found.Total
			case found.Total != have[day] || (found.Read == 1) != (have[day] > 0):
				t.Errorf("day %d: got %d rows, %d read, want %d", day, found.Total, found.Read, have[day])
			}
		}
		if err := errors.Join(db.Close(), store.Check(filepath.Join(dir, "outages.db"))); err != nil || t.Failed() {
			t.Fatal(err)
		}
	}
}
