package belgium

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"relais/ingest/source"
	"relais/ingest/source/sourcetest"
	"relais/internal/tier"
)

// writeLine writes a register of one line, so many megabytes long, with the same
// thousand dossiers again and again.
func writeLine(t testing.TB, megabytes int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "line.geojson")
	f, err := os.Create(path)
	must(t, err)
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	fmt.Fprint(w, `{"type":"FeatureCollection",`+crs+`"features":[`)
	var rows [1000]string
	for i := range rows {
		rows[i] = row{fmt.Sprint(1 + i), "2018-08-07T13:26:43.224998+00:00", "_OV5196E",
			"Hippoliet Lippensplein 7, 9000 Gent", "Telenet Group BVBA",
			fmt.Sprint(100000 + i), at(104000+float64(20*(i%30)), 194000+float64(20*(i/30)))}.String()
	}
	all, comma := strings.Join(rows[:], ","), ""
	for n := 0; n < megabytes<<20; n += len(all) {
		fmt.Fprint(w, comma, all)
		comma = ","
	}
	fmt.Fprint(w, "]}")
	must(t, w.Flush())
	return path
}

// Memory follows what is kept, not the size of the file.
func TestMemory(t *testing.T) {
	tier.Slow(t)
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, peak, calls := m.HeapAlloc, uint64(0), 0
	watch := func(int) error {
		if calls++; calls%10 == 0 {
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
		return nil
	}
	builders, reports, err := Build([]source.Found{sourcetest.Detect(t, writeLine(t, 50), Kinds)}, nil, watch)
	if err != nil || builders[0].Len() != 1000 {
		t.Fatalf("reports = %+v, err = %v; want no error, builders[0].Len() = 1000", reports, err)
	}
	if r := reports[0]; r.Served != 1000 || r.Rejected["duplicate dossier"] != r.Rows-1000 || r.Rows < 100_000 {
		t.Errorf(`r = %+v; want r.Served = 1000, r.Rejected["duplicate dossier"] = r.Rows-1000, r.Rows >= 100_000`, r)
	}
	if grown := int64(peak) - int64(
		before); grown > 32<<20 { // when it is collected is up to the runtime; the rows alone have more
		t.Errorf("%d MB of memory for a thousand dossiers; want grown <= 32<<20", grown>>20)
	}
	t.Logf("%d rows, peak %d kB over %d kB", reports[0].Rows, peak>>10, before>>10)
}

func BenchmarkRegister(b *testing.B) {
	f := []source.Found{sourcetest.Detect(b, writeLine(b, 20), Kinds)}
	b.SetBytes(f[0].Size)
	for b.Loop() {
		if _, _, err := Build(f, nil, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBIPT(b *testing.B) {
	rows := make([]string, 5000)
	for i := range rows {
		rows[i] = biptRow(map[string]string{"ID": fmt.Sprint(i), "X": fmt.Sprint(100000 + 20*(i%70)),
			"Y": fmt.Sprint(190000 + 20*(i/70)), "Eigenaar1": "Proximus: x"})
	}
	f := files(b, "["+strings.Join(rows, ",")+"]")
	b.SetBytes(f[0].Size)
	for b.Loop() {
		if _, _, err := Build(f, nil, nil); err != nil {
			b.Fatal(err)
		}
	}
}
