package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// An importer is a command that reads a file into the folder.
type importer struct {
	name    string
	command []string
	again   []string             // more flags for a file that is there already
	text    func(n int) string   // a file of n rows; of another n it is another file
	rows    int                  // that take a while
	state   func(dir string) any // what counts of it
	asks    string               // what answers it
}

// run imports a file.
func (im *importer) run(t *testing.T, dir, path string, flags ...string) {
	t.Helper()
	if _, errs, code := relais(t, im.args(dir, path, flags...)...); code != 0 {
		t.Fatalf("%s: exit %d %s", im.name, code, errs)
	}
}

func (im *importer) args(dir, path string, flags ...string) []string {
	return append(append(append([]string{}, im.command...), "--data", dir, path), flags...)
}

// ago is a time of the last days as files of measures have it.
func ago(d time.Duration) string { return time.Now().Add(-d).UTC().Format("2006-01-02T15:04:05Z") }

func speedtestsOf(n int) string {
	var b strings.Builder
	b.WriteString("timestamp,lat,lng,download_mbps,average_mbps,max_mbps,upload_mbps,ping_ms,mcc,mnc,network_type,connection_type,device_type,enb,cell_id,pci,rsrp,rsrq,snr\n")
	for i := range n {
		fmt.Fprintf(&b, "%s,%.5f,%.5f,%d,80.5,120,10,20,208,10,CELLULAR,LTE,phone,%d,%d,7,-90.5,-10,7\n",
			ago(time.Duration(i)*time.Second), 45+float64(i)/1e4, 3+float64(n%7)/10, 50+i%900, 1000+i%50,
			(1000+i%50)<<8|i%3)
	}
	return b.String()
}

func coverageOf(n int) string {
	var b strings.Builder
	b.WriteString("timestamp,lat,lng,signal_strength,technology,network_type,mcc,mnc,cell_id,pci,rsrp,rsrq,snr\n")
	for i := range n {
		fmt.Fprintf(&b, "%s,%.5f,%.5f,%d,LTE,CELLULAR,208,1,%d,7,-80.5,-9.5,12\n", ago(time.Duration(i)*time.Second),
			45+float64(i)/1e4, 2+float64(n%7)/10, -60-i%50, (2000+i%50)<<8|i%3)
	}
	return b.String()
}

func unavailableOf(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, hsHeader, "SFR")
	for i := range n {
		fmt.Fprintf(&b, "%d;OUI;AURA;63;COMMUNE %d;63113;%.4f;3.08;HS;HS;HS;HS;HS;NE;HS;HS;Incident;panne;2026-08-20 06:10:00;\n", i, n, 45+float64(i)/1e4)
	}
	return b.String()
}

// importers are the four imports of what changes in time.
func importers(t *testing.T) []*importer {
	measures := func(kind string) func(dir string) any {
		return func(dir string) any {
			sum, r := 0, report{}
			command(t, &r, "check", "--data", dir)
			for _, f := range r.Files {
				n := 0
				if _, err := fmt.Sscanf(strings.ReplaceAll(f.Detail, ",", ""), "%d "+kind, &n); err == nil {
					sum += n
				}
			}
			return sum
		}
	}
	return []*importer{
		{"archive", []string{"archive", "add"}, []string{"--force"}, func(n int) string {
			p := &publication{date: fmt.Sprintf("2026-08-%02d", 1+n%27)}
			for i := range n {
				p.rows = append(p.rows,
					map[string]string{"adm_lb_nom": "SFR", "sup_id": fmt.Sprint(1000 + i/4),
						"emr_lb_systeme": fmt.Sprint("LTE ", i%4), "sta_nm_anfr": fmt.Sprintf("063227%04d", i/4),
						"sta_nm_dpt": "063", "coordonnees": "45.5 , 3.1", "statut": "En service", "generation": "4G",
						"adr_lb_lieu": fmt.Sprint("Lieu ", i/4)})
			}
			return p.text()
		}, 8_000, func(dir string) any {
			var list struct {
				Archives []struct {
					Date string
					Rows int
				}
			}
			command(t, &list, "archive", "list", "--data", dir)
			return list.Archives
		}, "/anfr/archive/2026-08-09?view=full"},
		{"outages", []string{"outage", "import", "--market", "FR", "--operator", "SFR"}, nil, unavailableOf, 5_000,
			func(dir string) any {
				var list struct {
					Feeds []struct {
						State  string
						Served int
					}
				}
				command(t, &list, "outage", "list", "--data", dir, "--market", "FR", "--operator", "SFR")
				return list.Feeds
			}, "/sites-hs?operator=SFR"},
		{"speedtests", []string{"speedtest", "import", "--market", "FR"}, nil, speedtestsOf, 12_000,
			measures("speedtest"), "/speedtests?days=365&limit=1000"},
		{"coverage points", []string{"coverage", "import", "--market", "FR"}, nil, coverageOf, 12_000,
			measures("coverage point"), "/coverage/points?days=365&limit=5000"},
	}
}

// A file whose import was killed counts completely or not at all, in addition to the data
// before it. Importing it again gives the same as an import that was not killed.
func TestImportsKilled(t *testing.T) {
	rounds := 4
	if testing.Short() {
		rounds = 2
	}
	for _, im := range importers(t) {
		before, file := writeFile(t, "before.csv", im.text(40)), writeFile(t, "file.csv", im.text(im.rows))
		base := filepath.Join(t.TempDir(), "data")
		letIn(t, base)
		im.run(t, base, before)
		without := im.state(base)
		whole := copyOf(t, base)
		start := time.Now()
		im.run(t, whole, file)
		took := time.Since(start)
		with := im.state(whole)
		if reflect.DeepEqual(with, without) {
			t.Fatalf("%s: %v with the file and without", im.name, with)
		}
		counted := 0
		var dir string
		for round := range rounds {
			dir = copyOf(t, base)
			after := time.Duration((float64(round) + rand.Float64()) / float64(rounds) * float64(took))
			done := im.kill(t, dir, file, after, round%2 == 1)
			switch got := im.state(dir); {
			case reflect.DeepEqual(got, with):
				counted++
			case done || !reflect.DeepEqual(got, without):
				t.Errorf("%s, killed after %s, acknowledged %v: %v; without the file %v, with it %v", im.name, after,
					done, got, without, with)
			}
			command(t, &report{}, "check", "--data", dir) // which fails when anything is not whole
			im.run(t, dir, file, im.again...)
			if got := im.state(dir); !reflect.DeepEqual(got, with) {
				t.Errorf("%s, imported again: %v, want %v", im.name, got, with)
			}
		}
		t.Logf("%s: %d rows take %s; %d of %d that were killed counted", im.name, im.rows, took.Round(time.Millisecond),
			counted, rounds)
		if counted == rounds {
			t.Errorf("%s: no import was killed in time", im.name)
		}
		if got, want := im.answer(t, dir), im.answer(t, whole); len(want) < 40 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d answered after kills, %d without", im.name, len(got), len(want))
		}
	}
}

// copyOf copies a folder that nobody has open.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	key, _ := keys.Load(dir)
	keys.Store(to, key)
	return to
}

// kill imports a file, kills the reading process after a while, and reports whether it was
// acknowledged. With served the process is a server, else the command.
func (im *importer) kill(t *testing.T, dir, file string, after time.Duration, served bool) (done bool) {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, im.args(dir, file)...)
	victim := cmd
	if served {
		victim = serve(t, nil, "serve", "--data", dir).cmd
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after)
	victim.Process.Kill()
	err = cmd.Wait()
	if served {
		victim.Wait()
	}
	return err == nil
}

// answer serves a folder and returns what the API says of the import.
func (im *importer) answer(t *testing.T, dir string) (items map[string]any) {
	t.Helper()
	s := serve(t, nil, "serve", "--data", dir)
	defer s.stop()
	s.measured()
	switch data := s.ask(im.asks)["data"].(type) {
	case []any:
		items = map[string]any{}
		for i, x := range data {
			items[fmt.Sprint(i)] = x
		}
	case object:
		items = data
	}
	return items
}

// measured waits until the measures are open.
func (s *server) measured() {
	s.t.Helper()
	if !waitFor(func() bool { code, _ := s.get("/external/v1/speedtests"); return code == 200 }) {
		s.t.Fatalf("no measures: %s", s.log)
	}
}
