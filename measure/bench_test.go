package measure

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"relais/geo"
	"relais/market"
	"relais/site"
)

// benchPoints is how many coverage points the benchmarks have, and ten times as many as
// they have speedtests; RELAIS_BENCH_POINTS changes it.
func benchPoints() int {
	if n, err := strconv.Atoi(os.Getenv("RELAIS_BENCH_POINTS")); err == nil {
		return n
	}
	return 1_000_000
}

var townCenter = geo.Point{Lat: 45.76, Lng: 4.86}

// townFiles writes drives through a town of 10 km: coverage points of 300 days in ten
// files, and speedtests in one. One in four points is of NR, and half of those do not state a gNB.
func townFiles(b *testing.B, n int) (paths []string) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var lat, lng float64
	var at time.Time
	next := func(i int) {
		if i%300 == 0 {
			lat, lng = townCenter.Lat+(r.Float64()-0.5)*0.09, townCenter.Lng+(r.Float64()-0.5)*0.13
			at = now.Add(-time.Duration(r.IntN(300*86400)) * time.Second)
		}
		lat, lng, at = lat+(r.Float64()-0.5)*4e-4, lng+(r.Float64()-0.5)*4e-4, at.Add(time.Second)
	}
	node := func() int { return 1000 + int((lat-45)*200) + 300*int((lng-4)*200) }
	file := func(name, head string, rows int, row func(w *bufio.Writer, i int)) {
		path := filepath.Join(b.TempDir(), name)
		f, err := os.Create(path)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		w := bufio.NewWriter(f)
		w.WriteString(head)
		for i := range rows {
			next(i)
			row(w, i)
		}
		must(b, w.Flush())
		paths = append(paths, path)
	}
	mncs := []int{1, 10, 15, 20}
	for k := range 10 {
		file(fmt.Sprintf("coverage%d.csv", k), coverageHead, n/10, func(w *bufio.Writer, i int) {
			technology, gnb, cell := "LTE", "", uint64(node())<<8|uint64(i%3)
			if r.IntN(4) == 0 {
				technology, cell = "NR", uint64(node())<<12|uint64(i%3)
				if r.IntN(2) == 0 {
					gnb = strconv.Itoa(node())
				}
			}
			fmt.Fprintf(w, "a,%s,%.5f,%.5f,%d,%d,%d,%s,CELLULAR,208,%d,,%s,%d,%d\n", at.Format(time.RFC3339), lat, lng,
				-60-r.IntN(50), -80-r.IntN(50), r.IntN(30), technology, mncs[r.IntN(4)], gnb, cell, i%504)
		})
	}
	file("speedtests.csv", testHead, n/10, func(w *bufio.Writer, i int) {
		fmt.Fprintf(w, "a,%s,%.5f,%.5f,%.1f,%.1f,,%d,%d,208,%d,CELLULAR,4G,phone,%d,,,%d,%d,,\n",
			at.Format(time.RFC3339), lat, lng,
			r.Float64()*500, r.Float64()*200, r.IntN(50), 10+r.IntN(40), mncs[r.IntN(4)], node(), i%504, -70-r.IntN(50))
	})
	return paths
}

func BenchmarkImport(b *testing.B) {
	paths := townFiles(b, benchPoints()/10)
	for b.Loop() {
		imported(b, openStore(b, b.TempDir()), market.FR, paths...)
	}
}

// BenchmarkTown asks a town with a million points what the API and the tools ask, and
// says how much of the heap a measurement takes.
func BenchmarkTown(b *testing.B) {
	n, dir := benchPoints(), b.TempDir()
	imported(b, openStore(b, dir), market.FR, townFiles(b, n)...)
	closeStore(b, dir)
	s := openReader(b, dir)
	node := site.RadioID{Kind: site.ENB, Value: uint64(1000 + 152 + 300*172)}
	b.Run("open", func(b *testing.B) {
		each, before := 0.0, liveHeap()
		for b.Loop() {
			s := openReader(b, dir)
			s.ObservationsOf(market.FR, node, 0, nil) // what is made by who needs it first
			b.StopTimer()
			each = float64(liveHeap()-before) / float64(s.Count(market.FR, Coverage)+s.Count(market.FR, Speedtest))
			b.StartTimer()
			runtime.KeepAlive(s)
		}
		b.ReportMetric(each, "heap-B/row")
	})
	tests, _, err := s.Speedtests(Query{Market: market.FR, Limit: 1})
	must(b, err)
	tested := site.RadioID{Kind: site.ENB, Operator: -1, Value: uint64(tests[0].Radio.ENB)}

	disc := func(km float64) *geo.Disc { return &geo.Disc{Center: townCenter, Radius: km * 1000} }
	town := Query{Market: market.FR, Limit: 5000, Box: &geo.Box{South: 45.6, West: 4.6, North: 45.9, East: 5.1}}
	days := town
	days.Since = since(100)
	operator := days
	operator.Operator, operator.Technology = "ORANGE", 4
	coverage := func(q Query) func() int {
		return func() int { list, err := s.Coverage(q); must(b, err); return len(list) }
	}
	survey := func(kind Kind, q Query) func() int {
		return func() int { list, err := s.Survey(kind, q); must(b, err); return len(list) }
	}
	cell := site.RadioID{Kind: site.Cell, Value: node.Value<<8 | 1}
	gnb := site.RadioID{Kind: site.GNB, Bits: 24, Value: node.Value}
	asks := []struct {
		name string
		ask  func() int // how much the answer has
	}{
		{"box", coverage(town)},
		{"boxDays", coverage(days)},
		{"boxOperator", coverage(operator)},
		{"near1km", func() int {
			_, list, err := s.CoverageCounts(Query{Market: market.FR, Limit: 10, Disc: disc(1)})
			must(b, err)
			return len(list)
		}},
		{"near10km", func() int {
			_, list, err := s.CoverageCounts(Query{Market: market.FR, Limit: 10, Disc: disc(10)})
			must(b, err)
			return len(list)
		}},
		{"signal1km", survey(Coverage, Query{Market: market.FR, Disc: disc(1)})},
		{"signal10km", survey(Coverage, Query{Market: market.FR, Disc: disc(10)})},
		{"signal10kmDays", survey(Coverage, Query{Market: market.FR, Disc: disc(10), Since: days.Since})},
		{"areaSummary5km", survey(Speedtest, Query{Market: market.FR, Disc: disc(5)})},
		{"areaSummary50km", survey(Speedtest, Query{Market: market.FR, Disc: disc(50)})},
		{"sessions2km", sessionsNear(b, s, disc(2))},
		{"sessions20km", sessionsNear(b, s, disc(20))},
		{"byENB", func() int { return s.ObservationsOf(market.FR, node, 128, func(*Observation) {}) }},
		{"byGNB", func() int { return s.ObservationsOf(market.FR, gnb, 128, func(*Observation) {}) }},
		{"byCell", func() int { return s.ObservationsOf(market.FR, cell, 128, func(*Observation) {}) }},
		{"heardNear", func() int { n, _ := s.ObservationsNear(market.FR, *disc(1), 1024, func(*Observation) {}); return n }},
		{"speedtests", func() int {
			list, _, err := s.Speedtests(Query{Market: market.FR, Limit: 100, Box: town.Box})
			must(b, err)
			return len(list)
		}},
		{"siteNamed", func() int {
			_, n, err := s.SpeedtestsOfSite(SiteQuery{Query: Query{Market: market.FR, Limit: 20},
				Radio: []site.RadioID{tested, gnb, cell}})
			must(b, err)
			return n
		}},
		{"siteAround", func() int {
			_, n, err := s.SpeedtestsOfSite(SiteQuery{Query: Query{Market: market.FR, Limit: 20}, Center: &townCenter})
			must(b, err)
			return n
		}},
	}
	for _, a := range asks {
		b.Run(a.name, func(b *testing.B) {
			n, used := 0, processorTime()
			for b.Loop() {
				n = a.ask()
			}
			b.ReportMetric(float64(n), "items")
			b.ReportMetric((processorTime()-used).Seconds()*1000/float64(b.N), "cpu-ms/op")
		})
	}
	b.Run("20atOnce", func(b *testing.B) {
		var mu sync.Mutex
		var took []time.Duration
		for b.Loop() {
			var wg sync.WaitGroup
			for session := range 20 {
				wg.Go(func() {
					for i := range asks[3:] {
						start := time.Now()
						asks[3+(session+i)%len(asks[3:])].ask()
						mu.Lock()
						took = append(took, time.Since(start))
						mu.Unlock()
					}
				})
			}
			wg.Wait()
		}
		slices.Sort(took)
		b.ReportMetric(took[len(took)/2].Seconds()*1000, "p50-ms")
		b.ReportMetric(took[int(math.Ceil(float64(len(took))*0.99))-1].Seconds()*1000, "p99-ms")
	})
	runtime.KeepAlive(s)
}

func sessionsNear(b *testing.B, s *Store, disc *geo.Disc) func() int {
	b.Helper()
	return func() int {
		all, err := s.Sessions(Query{Market: market.FR, Limit: 25, Disc: disc}, 0)
		must(b, err)
		return all.Total
	}
}

func must(b testing.TB, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// liveHeap is how many bytes of the heap are in use after a collection.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// resident is the memory of the process that is in RAM, in bytes.
func resident() int {
	debug.FreeOSMemory()
	text, _ := os.ReadFile("/proc/self/statm")
	n, _ := strconv.Atoi(strings.Fields(string(text) + " 0 0")[1])
	return n * os.Getpagesize()
}

// processorTime is the time that the process has computed: on a busy machine less than
// what the clock says.
func processorTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
