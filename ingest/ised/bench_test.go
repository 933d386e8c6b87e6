package ised

import (
	"os"
	"path/filepath"
	"testing"

	"relais/demo/demotest"
	"relais/ingest/source"
	"relais/market"
)

// BenchmarkBuild reads a hundred thousand rows.
func BenchmarkBuild(b *testing.B) {
	path := filepath.Join(b.TempDir(), "SYNTHETIC_fx.csv")
	f, err := os.Create(path)
	must(b, err)
	if _, err := demotest.WriteCA(f, 100000, 20); err != nil {
		b.Fatal(err)
	}
	must(b, f.Close())
	files := []source.Found{{Input: &source.Input{Path: path}, Kind: Kinds[0]}}
	markets := []*market.Market{market.Get(market.CA)}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Build(files, markets, nil); err != nil {
			b.Fatal(err)
		}
	}
}
