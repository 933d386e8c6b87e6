package export_test

import (
	"io"
	"os"
	"testing"
	"time"

	"relais/api/view"
	"relais/export"
	"relais/index"
	"relais/market"
	"relais/snapshot"
)

// BenchmarkFormats writes all emissions of the snapshot that RELAIS_BENCH_SNAPSHOT names, such as a France of
// national size. Run it with GOMAXPROCS=1.
func BenchmarkFormats(b *testing.B) {
	path := os.Getenv("RELAIS_BENCH_SNAPSHOT")
	if path == "" {
		b.Skip("RELAIS_BENCH_SNAPSHOT names no snapshot")
	}
	snap, err := snapshot.ReadFile(path, market.FR)
	must(b, err)
	m, err := index.Load(snap, view.Summaries, time.Now())
	must(b, err)
	r := &export.Register{Market: m, Whole: true}
	for name, format := range map[string]interface {
		Write(io.Writer, *export.Table) error
	}{"csv": export.CSV{}, "parquet": export.Parquet{}} {
		for rows, table := range map[string]*export.Table{"sites": r.SiteTable(), "emissions": r.EmissionTable()} {
			b.Run(name+" "+rows, func(b *testing.B) {
				b.ReportAllocs()
				var n counter
				for b.Loop() {
					n = 0
					must(b, format.Write(&n, table))
				}
				b.SetBytes(int64(n))
				b.ReportMetric(float64(n)/1e6, "MB")
			})
		}
	}
}

type counter int64

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
