package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zip"

	"relais/demo"
)

const coveragePoints = 10_000_000

// measureCoverage measures an import of many coverage points into a folder of all sites.
func (b *bench) measureCoverage(ctx context.Context) error {
	file := filepath.Join(b.work, "SYNTHETIC_coverage.zip")
	if _, err := os.Stat(file); err != nil {
		if err := writeZip(file, "coverage.csv", func(w io.Writer) error {
			return writeCoverage(w, coveragePoints, time.Now().UTC())
		}); err != nil {
			return err
		}
	}
	return b.once([]figure{
		{what: "ten million coverage points imported", unit: "s"}, {what: "ten million points: most memory", unit: "MB"}},
		func(p *program) ([]float64, error) {
			data := p.folder("coverage")
			defer os.RemoveAll(data)
			if err := copyTo(p.folder("data"), data); err != nil {
				return nil, err
			}
			c, err := p.run(ctx, "coverage", "import", "--data", data, "--market", "FR", file)
			return []float64{c.seconds, c.peakMB}, err
		})
}

// writeCoverage writes coverage points near Paris, of the 30 days before now, in no order.
func writeCoverage(w io.Writer, n int, now time.Time) error {
	out := bufio.NewWriterSize(w, 1<<20)
	if _, err := out.WriteString("timestamp,lat,lng,technology,rsrp,mcc,mnc,enb,cell_id,pci\n"); err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(1, 2))
	today := now.Truncate(24 * time.Hour)
	for range n {
		at := today.Add(-time.Duration(r.IntN(30*86400)) * time.Second)
		enb, sector := 100000+r.IntN(5000), r.IntN(3)
		fmt.Fprintf(out, "%s,%.5f,%.5f,LTE,%d,208,%d,%d,%d,%d\n", at.Format(time.RFC3339), 48.6+r.Float64()*0.5,
			2.0+r.Float64()*0.7, -65-r.IntN(55), []int{1, 10, 15, 20}[enb%4], enb, enb<<8|sector, (enb*3+sector)%504)
	}
	return out.Flush() // it also reports failed writes
}

// measureLargeCountry measures a start with ten times as many sites as France has.
func (b *bench) measureLargeCountry(ctx context.Context) error {
	const sites = 10 * nationalSupports
	file := filepath.Join(b.work, "large.zip")
	if _, err := os.Stat(file); err != nil {
		dir := filepath.Join(b.work, "large")
		defer os.RemoveAll(dir)
		if err := demo.Publications(dir, sites, 1, func(path string) error { return zipFile(file, path) }); err != nil {
			return err
		}
	}
	for _, p := range b.programs {
		if _, _, err := p.ingest(ctx, p.folder("large"), []string{file}); err != nil {
			return err
		}
	}
	return b.once([]figure{{what: "727,000 sites: start to ready", unit: "s"}, {what: "727,000 sites: memory, just ready", unit: "MB"}},
		func(p *program) ([]float64, error) {
			server, err := p.serve(ctx, p.folder("large"))
			if err != nil {
				return nil, err
			}
			defer server.stop()
			return []float64{server.ready.Seconds(), rssMB(server.pid)}, nil
		})
}

func zipFile(to, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return writeZip(to, filepath.Base(path), func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
}

// writeZip writes an archive with one member. An archive that is not whole is removed.
func writeZip(path, member string, write func(io.Writer) error) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if f.Close(); err != nil {
			os.Remove(path)
		}
	}()
	z := zip.NewWriter(f)
	w, err := z.Create(member)
	if err != nil {
		return err
	}
	if err := write(w); err != nil {
		return err
	}
	return z.Close()
}
