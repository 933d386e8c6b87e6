package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"syscall"
	"testing"

	"relais/demo"
)

// A million rows of Canada, of every licence category and province, one in twenty
// broken: ingested within memory bounds, and every broken row is counted.
func TestMillionRows(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a gigabyte of disk")
	}
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, "SYNTHETIC_Site_Data_Extract_FX.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	wrote, err := demo.WriteCA(file, 1_000_000, demo.CAOptions{Broken: true, Personal: true})
	if err != nil {
		t.Fatal(err)
	}
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "ingest", "--json", "--data", filepath.Join(dir, "data"), "CA", file.Name())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var report struct {
		Seconds float64
		Files   []struct {
			Rows, Served int
			Rejected     map[string]int
		}
		Markets []struct{ Sites int }
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatal(err)
	}
	b, f := wrote.Broken, report.Files[0]
	want := map[string]int{
		"broken record": b["stray quote"], "wrong number of columns": b["one field more"], "latitude and longitude swapped": b["swapped"],
		"position outside Canada": b["zero"] + b["outside"], "no position": b["not a number"], "unknown technology": b["technology"],
		"not a cellular licence": b["category"], "an upload without stations": b["no changes"], "no licence number": b["no licence"],
	}
	rejected := 0
	for _, n := range f.Rejected {
		rejected += n
	}
	if f.Rows != wrote.Rows || f.Served+rejected != f.Rows || !reflect.DeepEqual(f.Rejected, want) || report.Markets[0].Sites != wrote.Places {
		t.Errorf("%+v, %d sites; want %v and %d", f, report.Markets[0].Sites, want, wrote.Places)
	}
	state := cmd.ProcessState
	peak := state.SysUsage().(*syscall.Rusage).Maxrss / 1000
	cpu := (state.UserTime() + state.SystemTime()).Seconds()
	t.Logf("%.1f s, %.1f s of processors, %d MB", report.Seconds, cpu, peak)
	// Seconds depend on what else runs on the machine; work done does not.
	if cpu > 15 || peak > 600 {
		t.Errorf("%.1f s of processors, %d MB at most", cpu, peak)
	}
}
