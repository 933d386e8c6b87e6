//go:build linux

package e2e

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"relais/demo/demotest"
	"relais/internal/tier"
)

// A million rows of Canada, of every licence category and province, one in twenty
// broken: ingested within memory bounds, and every broken row is counted.
func TestMillionRows(t *testing.T) {
	if !tier.Full() {
		t.Skip("make full runs it: it takes half a gigabyte of disk")
	}
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, "SYNTHETIC_Site_Data_Extract_FX.csv"))
	must(t, err)
	defer file.Close()
	wrote, err := demotest.WriteCA(file, 1_000_000, 20)
	must(t, err)
	cmd := prepared(t, "ingest", "--json", "--data", filepath.Join(dir, "data"), "CA", file.Name())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("ingest: %v: %s", err, out)
	}
	var report ingestReport
	must(t, json.Unmarshal(out, &report))
	b, f := wrote.Broken, report.Files[0]
	want := map[string]int{
		"broken record": b["stray quote"], "wrong number of columns": b["one field more"],
		"latitude and longitude swapped": b["swapped"],
		"position outside Canada":        b["zero"] + b["outside"], "no position": b["not a number"],
		"unknown technology":     b["technology"],
		"not a cellular licence": b["category"], "an upload without stations": b["no changes"],
		"no licence number": b["no licence"],
	}
	rejected := 0
	for _, n := range f.Rejected {
		rejected += n
	}
	if f.Rows != wrote.Rows || f.Served+rejected != f.Rows {
		t.Errorf("got %d rows, %d served and %d rejected; want %d and none left out", f.Rows, f.Served, rejected,
			wrote.Rows)
	}
	if diff := cmp.Diff(want, f.Rejected); diff != "" {
		t.Errorf("rejected: want (-), got (+):\n%s", diff)
	}
	if got := report.Markets[0].Sites; got != wrote.Places {
		t.Errorf("sites: got %d, want %d", got, wrote.Places)
	}
	state := cmd.ProcessState
	peak := state.SysUsage().(*syscall.Rusage).Maxrss / 1000
	cpu := (state.UserTime() + state.SystemTime()).Seconds()
	// Seconds depend on the machine; how often the same file could be read meanwhile does not.
	plain := readPlainly(t, file.Name(), wrote.Rows)
	t.Logf("%.1f s of processors, %.1f times what encoding/csv takes, %d MB", cpu, cpu/plain, peak)
	if cpu > 15*plain || peak > 600 {
		t.Errorf("got %.1f times what encoding/csv takes, %d MB; want at most 15 times, 600 MB", cpu/plain, peak)
	}
}

// readPlainly returns the seconds of processors that encoding/csv takes for all
// records of a file of at least that many.
func readPlainly(t *testing.T, name string, rows int) float64 {
	t.Helper()
	used := func() float64 {
		var u syscall.Rusage
		must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
	}
	file, err := os.Open(name)
	must(t, err)
	defer file.Close()
	before := used()
	r := csv.NewReader(bufio.NewReaderSize(file, 1<<20))
	r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = true, -1, true
	read := 0
	for {
		if _, err := r.Read(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		read++
	}
	if read < rows/2 { // a stray quote swallows the lines to the next one
		t.Fatalf("encoding/csv: got %d records, want half of %d rows or more", read, rows)
	}
	return used() - before
}
