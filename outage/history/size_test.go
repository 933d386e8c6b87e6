package history

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"relais/internal/errtest"
	"relais/internal/store/storetest"
	"relais/internal/tier"
	"relais/market"
	"relais/outage"
	"relais/site"
)

// 400 days of 2,000 sites each take at most 20 MB, and a question about a department at most a second.
func TestNationalSize(t *testing.T) {
	if !tier.Full() {
		t.Skip("make full runs it")
	}
	path := filepath.Join(t.TempDir(), "outages.db")
	s, rng := Open(storetest.Open(t, path, Buckets...)), rand.New(rand.NewPCG(5, 5))
	first, live, left := site.DateOf(2025, 10, 25), []*outage.Entry{}, map[*outage.Entry]int{}
	operators := market.Get(market.FR).OperatorKeys()
	for day := first; day < first+400; day++ {
		var rows []*outage.Entry
		for _, e := range live {
			if left[e]--; left[e] > 0 {
				rows = append(rows, e)
			}
		}
		for len(rows) < 2000 {
			began := day.Time().Add(time.Duration(rng.IntN(540)) * time.Minute)
			commune := rng.IntN(30000) // which has one code
			e := &outage.Entry{Market: market.FR, Operator: operators[rng.IntN(len(operators))],
				Code: fmt.Sprintf("%010d", rng.IntN(1e9)), Area: fmt.Sprintf("%02d", 21+rng.IntN(75)),
				Lat: 43 + 6*rng.Float64(), Lng: 7 * rng.Float64(), Commune: fmt.Sprint("C", commune),
				INSEE: fmt.Sprintf("%05d", commune), Reason: "INT", Start: &began,
				Services: outage.Services{Voice4G: "HS", Data4G: outage.Status([]string{"HS", "OK"}[rng.IntN(2)])}}
			rows, left[e] = append(rows, e), 1+rng.IntN(6)
		}
		live = rows
		_, err := s.Add(DayList{Day: day, List: &outage.List{Market: market.FR, Operators: operators, Entries: rows}})
		errtest.Must(t, err)
	}
	info, err := os.Stat(path)
	errtest.Must(t, err)
	began := time.Now()
	found, err := s.Find(context.Background(), Query{Market: market.FR, Areas: []string{"35"}, From: first, To: first + 399, Limit: 200})
	took := time.Since(began)
	errtest.Must(t, err)
	t.Logf("%d bytes, %v, %d outages", info.Size(), took, found.Total)
	if info.Size() > 20<<20 || took > time.Second || found.Total < 1000 {
		t.Errorf("got %d bytes, %v and %d outages, want at most 20 MB and a second, and 1000 outages", info.Size(), took, found.Total)
	}
}
