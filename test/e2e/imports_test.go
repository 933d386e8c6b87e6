//go:build linux

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"relais/internal/filetest"
	"relais/internal/tier"
)

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

var addedAt = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d`)

// An importer is a command that reads a file into the folder.
type importer struct {
	name    string
	command []string
	again   []string                              // more flags for a file that is there already
	text    func(n int) string                    // a file of n rows; of another n it is another file
	rows    int                                   // that take a while
	state   func(t *testing.T, dir string) string // what counts of it
	asks    string                                // what answers it
}

// importers are the four imports of what changes in time.
var importers = []importer{
	{"archive", []string{"archive", "add"}, []string{"--force"}, func(n int) string {
		return newPublication(fmt.Sprintf("2026-08-%02d", 1+n%27), n).text()
	}, 8_000, func(t *testing.T, dir string) string {
		return addedAt.ReplaceAllString(run(t, "archive", "list", "--data", dir), "")
	}, "/anfr/archive/2026-08-09?view=full"},
	{"outages", []string{"outage", "import", "--market", "FR", "--operator", "SFR"}, nil, unavailableOf, 5_000,
		func(t *testing.T, dir string) string {
			var list struct {
				Feeds []struct {
					State  string
					Served int
				}
			}
			command(t, &list, "outage", "list", "--data", dir, "--market", "FR", "--operator", "SFR")
			return fmt.Sprint(list.Feeds)
		}, "/sites-hs?operator=SFR"},
	{"speedtests", []string{"speedtest", "import", "--market", "FR"}, nil, speedtestsOf, 12_000,
		measuresOf("speedtest"), "/speedtests?days=365&limit=1000"},
	{"coverage points", []string{"coverage", "import", "--market", "FR"}, nil, coverageOf, 12_000,
		measuresOf("coverage point"), "/coverage/points?days=365&limit=5000"},
}

func measuresOf(kind string) func(t *testing.T, dir string) string {
	return func(t *testing.T, dir string) string {
		r := report{}
		command(t, &r, "check", "--data", dir)
		return fmt.Sprint(r.count(kind))
	}
}

// args are those of the command that imports a file.
func (im *importer) args(dir, path string, flags ...string) []string {
	return append(append(append([]string{}, im.command...), "--data", dir, path), flags...)
}

// A file whose import was killed counts completely or not at all, in addition to the data
// before it. Importing it again gives the same as an import that was not killed.
func TestImportsKilled(t *testing.T) {
	for _, im := range importers {
		t.Run(im.name, func(t *testing.T) { im.killed(t) })
	}
}

func (im *importer) killed(t *testing.T) {
	rounds := 4
	if !tier.Full() {
		rounds = 2
	}
	file, base := filetest.New(t, "file.csv", im.text(im.rows)), newFolder(t)
	run(t, im.args(base, filetest.New(t, "before.csv", im.text(40)))...)
	without := im.state(t, base)
	whole := copyOf(t, base)
	began := time.Now()
	run(t, im.args(whole, file)...)
	took := time.Since(began)
	with := im.state(t, whole)
	if with == without {
		t.Fatalf("got %s with the file and without", with)
	}
	counted := 0
	var dir string
	for round := 0; round < rounds || counted == round && round < 5*rounds; round++ { // until one is killed in time
		dir = copyOf(t, base)
		after := time.Duration((float64(round%rounds) + rand.Float64()) / float64(rounds) * float64(took))
		done := im.kill(t, dir, file, after, round%2 == 1)
		switch got := im.state(t, dir); {
		case got == with:
			counted++
		case done || got != without:
			t.Errorf("killed after %s, acknowledged %v: got %s; without the file %s, with it %s", after, done, got,
				without, with)
		}
		run(t, "check", "--data", dir) // which fails when anything is not whole
		run(t, im.args(dir, file, im.again...)...)
		if got := im.state(t, dir); got != with {
			t.Errorf("imported again: got %s, want %s", got, with)
		}
	}
	t.Logf("%d rows take %s; %d that were killed counted", im.rows, took.Round(time.Millisecond), counted)
	if counted >= 5*rounds {
		t.Error("no import was killed in time")
	}
	want := im.answer(t, whole)
	if diff := cmp.Diff(want, im.answer(t, dir)); diff != "" || len(fmt.Sprint(want)) < 1000 {
		t.Errorf("without kills (-), after kills (+):\n%s", diff)
	}
}

// copyOf copies a folder that nobody has open.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "data")
	must(t, os.CopyFS(to, os.DirFS(dir)))
	key, _ := keys.Load(dir)
	keys.Store(to, key)
	return to
}

// kill imports a file, kills the reading process after a while, and reports whether it was
// acknowledged. With served the process is a server, else the command.
func (im *importer) kill(t *testing.T, dir, file string, after time.Duration, served bool) (done bool) {
	t.Helper()
	cmd := prepared(t, im.args(dir, file)...)
	victim := cmd
	if served {
		victim = start(t, nil, "serve", "--data", dir).cmd
	}
	must(t, cmd.Start())
	time.Sleep(after)
	victim.Process.Kill()
	err := cmd.Wait()
	if served {
		victim.Wait()
	}
	return err == nil
}

// answer serves a folder and returns what the API says of the import.
func (im *importer) answer(t *testing.T, dir string) any {
	t.Helper()
	s := serve(t, dir)
	defer s.stop()
	s.measured()
	return s.ask(im.asks)["data"]
}

// measured waits until the measures are open.
func (s *server) measured() {
	s.t.Helper()
	s.waitUntil("the measures are open", func() bool { return s.succeeds("/external/v1/speedtests") == nil })
}
