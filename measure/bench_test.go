package measure

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"relais/geo"
	"relais/market"
)

// points is how many coverage points the benchmarks have; RELAIS_BENCH_POINTS changes it.
func points() int {
	if n, err := strconv.Atoi(os.Getenv("RELAIS_BENCH_POINTS")); err == nil {
		return n
	}
	return 100_000
}

// national writes a file of coverage points: walks of some hundred points each.
func national(b *testing.B, n int) string {
	path := filepath.Join(b.TempDir(), "coverage.csv")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	w.WriteString(coverageHead)
	r := rand.New(rand.NewPCG(1, 2))
	var lat, lng float64
	for i := range n {
		if i%300 == 0 {
			lat, lng = 43+r.Float64()*7, -1+r.Float64()*7
		}
		lat, lng = lat+(r.Float64()-0.5)*1e-3, lng+(r.Float64()-0.5)*1e-3
		enb := 1000 + r.IntN(60000)
		t := now.Add(-time.Duration(r.IntN(300*86400)) * time.Second)
		fmt.Fprintf(w, "cp%d,%s,%.5f,%.5f,%d,%d,%d,%s,CELLULAR,208,%d,%d,,%d,%d\n", i, t.Format(time.RFC3339), lat, lng, -60-i%50, -80-i%50, i%30, techs[i%2], []int{1, 10, 15, 20}[i%4], enb, enb*256+i%3, i%504)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	f.Close()
	return path
}

// resident is the memory of the process that is in RAM, in bytes.
func resident() int {
	debug.FreeOSMemory()
	text, _ := os.ReadFile("/proc/self/statm")
	n, _ := strconv.Atoi(strings.Fields(string(text) + " 0 0")[1])
	return n * os.Getpagesize()
}

// cpu is the time that the process has computed: on a busy machine less than what the
// clock says.
func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkImport(b *testing.B) {
	n := points()
	path := national(b, n)
	for b.Loop() {
		imported(b, openStore(b, b.TempDir()), market.FR, path)
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkCoverage(b *testing.B) {
	n, dir := points(), b.TempDir()
	imported(b, openStore(b, dir), market.FR, national(b, n))
	before := resident()
	for range 3 { // until what the import had is given back
		time.Sleep(100 * time.Millisecond)
		before = resident()
	}
	s := openReader(b, dir)
	each := float64(resident()-before) / float64(n)
	for _, q := range []struct {
		name string
		q    Query
	}{
		{"all", Query{}}, {"days", Query{Since: now.AddDate(0, 0, -300)}}, {"all4G", Query{Technology: 4}}, {"orange", Query{Operator: "ORANGE", Since: now.AddDate(0, 0, -200)}},
		{"tenth", Query{Box: &geo.Box{South: 45, West: 1, North: 45 + 2.2136, East: 1 + 2.2136}}},
		{"tenthDays", Query{Since: now.AddDate(0, 0, -250), Box: &geo.Box{South: 45, West: 1, North: 45 + 2.2136, East: 1 + 2.2136}}},
		{"town", Query{Box: &geo.Box{South: 45.7, West: 4.8, North: 45.8, East: 4.9}}},
	} {
		b.Run(q.name, func(b *testing.B) {
			q.q.Market, q.q.Limit = market.FR, 5000
			got, used := 0, cpu()
			for b.Loop() {
				list, err := s.Coverage(q.q)
				if err != nil {
					b.Fatal(err)
				}
				got = len(list)
			}
			b.ReportMetric(float64(got), "points")
			b.ReportMetric(float64(cpu()-used)/1e6/float64(b.N), "cpu-ms/op")
			b.ReportMetric(each, "B/row")
		})
	}
}
