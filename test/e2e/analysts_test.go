//go:build linux

package e2e

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"relais/internal/filetest"
	"relais/test/relaistest"
)

// analystsCommands returns the commands of docs/analysts.md that ask something.
func analystsCommands(t *testing.T) (list []string) {
	t.Helper()
	for line := range strings.Lines(string(filetest.Read(t, "../../docs/analysts.md"))) {
		if text, code := strings.CutPrefix(strings.TrimRight(line, "\n"), "    "); code &&
			!strings.HasPrefix(text, "export ") && !strings.HasPrefix(text, "SELECT ") {
			list = append(list, text)
		}
	}
	return list
}

// Each question of the page is one command, which answers what the API answers.
func TestAnalystsPage(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"curl", "ogr2ogr"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed (Debian: curl, gdal-bin)", tool)
		}
	}
	dir := filepath.Join(t.TempDir(), "demo")
	s, _ := demonstrate(t, dir, func(*exec.Cmd) {})
	program, err := relaistest.Binary()
	work := t.TempDir()
	must(t, errors.Join(err, os.Symlink(program, filepath.Join(work, "relais"))))
	env := append(os.Environ(), "PATH="+work+":"+os.Getenv("PATH"), "RELAIS="+s.base, "KEY="+s.key, "RELAIS_DATA="+dir)
	commands := analystsCommands(t)
	if len(commands) != 4 {
		t.Fatalf("%d commands, want one for each of four questions", len(commands))
	}
	// Most of the demonstration's sites in France have azimuths, those in Switzerland none.
	swiss := strings.NewReplacer("--market FR", "--market CH", "without.csv", "swiss.csv").Replace(commands[1])
	for _, command := range append(commands, swiss) {
		c := exec.Command("bash", "-e", "-o", "pipefail", "-c", command)
		c.Dir, c.Env = work, env
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", command, err, out)
		}
	}
	changes := s.meta("/changes?operator=FREE&technology=5G%20NR%203500&department=35&kind=system-added")
	if got, want := len(csvLines(t, work, "new.csv", ','))-1, changes["totalMatched"]; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("new.csv has %d rows, want %v as /changes", got, want)
	}
	if got, want := len(csvLines(t, work, "france.csv", ';'))-1, s.meta("/antennas?limit=1")["total"]; fmt.Sprint(got) !=
		fmt.Sprint(want) {
		t.Errorf("france.csv has %d rows, want %v as /antennas", got, want)
	}
	without := len(csvLines(t, work, "without.csv", ',')) - 1
	total := s.meta("/antennas?limit=1")["total"].(float64)
	if want := int(total) - withAzimuths(t, s); without != want || want == 0 {
		t.Errorf("%d sites of France are without an azimuth, want %d", without, want)
	}
	if got, want := len(csvLines(t, work, "swiss.csv", ','))-1, s.meta("/antennas?market=CH&limit=1")["total"]; fmt.Sprint(got) !=
		fmt.Sprint(want) {
		t.Errorf("%d Swiss sites are without an azimuth, want all %v", got, want)
	}
	var outages struct{ Features []any }
	must(t, json.Unmarshal(filetest.Read(t, filepath.Join(work, "outages.geojson")), &outages))
	if got, want := len(outages.Features), s.meta("/outages?limit=1&offset=0"); want["count"] == nil || got == 0 ||
		got != len(s.list("/outages?limit=500")) {
		t.Errorf("outages.geojson has %d outages, want those of /outages, %v", got, want)
	}
}

// csvLines returns the lines of a file of CSV.
func csvLines(t *testing.T, dir, name string, separator rune) [][]string {
	t.Helper()
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(filetest.Read(t, filepath.Join(dir, name)), []byte("\ufeff"))))
	r.Comma = separator
	lines, err := r.ReadAll()
	if err != nil || len(lines) == 0 {
		t.Fatalf("%s: %d lines, %v", name, len(lines), err)
	}
	return lines
}
