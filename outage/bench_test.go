package outage

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"relais/geo"
	"relais/internal/filetest"
	"relais/internal/store"
	"relais/market"
)

// many is a file of n sites.
func many(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, header, "SFR")
	for i := range n {
		b.WriteString(strings.Replace(rowOf(fmt.Sprint(i)), ";45.77;3.08;",
			fmt.Sprintf(";%v;%v;", 43+float64(i%6000)/1000, float64(i/10)/10000), 1))
	}
	return b.String()
}

// A file as large as it may be.
func BenchmarkOutages(b *testing.B) {
	db, err := store.Open(filepath.Join(b.TempDir(), "community.db"), Buckets...)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	path := filepath.Join(b.TempDir(), "hs.csv")
	s, err := Open(db, newClock().now)
	if err != nil {
		b.Fatal(err)
	}
	filetest.Write(b, path, many(maxRows))
	b.Run("import", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Import(context.Background(), market.FR, "SFR", path); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			if _, err := Open(db, newClock().now); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("disc", func(b *testing.B) {
		for b.Loop() {
			s.Entries(Query{Market: market.FR, Disc: &geo.Disc{Center: geo.Point{Lat: 46, Lng: 0.2}, Radius: 50e3},
				Limit: 200})
		}
	})
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			s.Entries(Query{Market: market.FR, Limit: 200})
		}
	})
}
