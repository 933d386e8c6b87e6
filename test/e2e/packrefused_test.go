//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"relais/internal/filetest"
	"relais/test/relaistest"
)

// What cannot be packed is said, and leaves nothing.
func TestBadPacks(t *testing.T) {
	c := makeCountry(t, 60)
	full := t.TempDir()
	filetest.Write(t, filepath.Join(full, "file"), []byte("mine"))
	empty := t.TempDir()
	dest := filepath.Join(t.TempDir(), "stick")
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(c.dir, link))
	for _, tt := range []struct {
		name, why string
		code      int
		args      []string
	}{
		{"no area", "--area or a --disc", 2, []string{dest}},
		{"both", "one of them", 2, []string{dest, "--area", "35", "--disc=1,2,3"}},
		{"an unknown area", "no market has it", 2, []string{dest, "--area", "Atlantis"}},
		{"a market without a register", "no market has it", 2, []string{dest, "--area", "PT"}},
		{"a disc of two numbers", "LAT,LON,KM", 2, []string{dest, "--disc=1,2"}},
		{"a disc of nothing", "LAT,LON,KM", 2, []string{dest, "--disc=48,2,0"}},
		{"a disc of not a number", "LAT,LON,KM", 2, []string{dest, "--disc=48,2,NaN"}},
		{"a disc off the globe", "LAT,LON,KM", 2, []string{dest, "--disc=91,2,10"}},
		{"a disc in the sea", "no site", 1, []string{dest, "--disc=0,0,10"}},
		{"a disc in the sea, to a folder", "no site", 1, []string{empty, "--disc=0,0,10"}},
		{"a full folder", "is not empty", 1, []string{full, "--area", "FR"}},
		{"in the data folder", "in the data folder", 1, []string{filepath.Join(c.dir, "stick"), "--area", "FR"}},
		{"in the data folder by a link", "in the data folder", 1,
			[]string{filepath.Join(link, "new", "stick"), "--area", "FR"}},
		{"no register", "no register of CA: run relais ingest", 1, []string{dest, "--area", "QC"}},
		{"a folder without programs", "has no program: want relais-linux-amd64", 2, []string{dest, "--area", "FR", "--programs", full}},
		{"a program that is a text", "relais-linux-arm64 is not a program", 2,
			[]string{dest, "--area", "FR", "--programs", programsWith(t, "relais-linux-arm64", c.files[0])}},
		{"a program of another system", "relais-windows-amd64.exe is the program " + ownName, 2,
			[]string{dest, "--area", "FR", "--programs", programsWith(t, "relais-windows-amd64.exe", ownProgram(t))}},
		{"another program", "is the program cmd/go, not relais", 2,
			[]string{dest, "--area", "FR", "--programs", programsWith(t, ownName, goCommand(t))}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fails(t, tt.code, tt.why, append([]string{"pack", "--data", c.dir}, tt.args...)...)
			for _, dir := range []string{filepath.Dir(dest), empty} {
				if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
					t.Errorf("%s has %v, %v, want nothing", dir, entries, err)
				}
			}
		})
	}
	for _, name := range []string{"stick", "new"} {
		if _, err := os.Stat(filepath.Join(c.dir, name)); err == nil {
			t.Errorf("the data folder has %s", name)
		}
	}
	// A pack stays what it is.
	said := run(t, "pack", "--data", c.dir, "--area", "FR", "--programs", programsWith(t, ownName, ownProgram(t)), dest)
	if !strings.Contains(said, "without relais-windows-amd64.exe") || strings.Contains(said, "without "+ownName) {
		t.Errorf("relais pack says %q, want the programs that the stick lacks", said)
	}
	fails(t, 1, "is a pack", append([]string{"ingest", "--data", filepath.Join(dest, "data"), "fr,drom"}, c.files...)...)
	fails(t, 1, "cannot be written to", "client", "create", "--data", filepath.Join(dest, "data"), "--name", "x", "--mode", "server",
		"--cidr", "127.0.0.1/32", "--scopes", "all-read")
}

// ownName is the name of this machine's program on a stick.
var ownName = "relais-" + runtime.GOOS + "-" + runtime.GOARCH

// programsWith returns a folder with a program under a name.
func programsWith(t *testing.T, name, program string) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.Symlink(program, filepath.Join(dir, name)))
	return dir
}

// goCommand is a Go program that is not relais.
func goCommand(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	must(t, err)
	return filepath.Join(strings.TrimSpace(string(out)), "bin", "go")
}

func ownProgram(t *testing.T) string {
	t.Helper()
	path, err := relaistest.Binary()
	must(t, err)
	return path
}

// Registers that may not be redistributed are left out of a pack, unless its maker says otherwise.
func TestPackLeavesRestrictedRegistersOut(t *testing.T) {
	dir := newFolder(t)
	list := filetest.New(t, "bipt.json", `[{"ID":"7","Status":"O","X":"104500","Y":"194000","Eigenaar1":"Proximus: 12AB",`+
		`"PostcodeGemeente":"9000 Gent","Adres":"Korenmarkt 1","Locatie":"-"}]`)
	if _, errs, code := relais(t, "ingest", "--data", dir, "BE", list); code != 0 {
		t.Fatalf("ingest: %s", errs)
	}
	dest := filepath.Join(t.TempDir(), "stick")
	fails(t, 1, "may not be redistributed", "pack", "--data", dir, "--area", "BE", dest)
	var p packed
	command(t, &p, "pack", "--data", dir, "--area", "BE", "--with-restricted", dest)
	if len(p.Contents.Markets) != 1 || p.Contents.Markets[0].Sites != 1 {
		t.Errorf("with --with-restricted: got %+v, want one site of BE", p)
	}
	s := openStick(t, dest, t.TempDir(), "sh", filepath.Join(dest, "open-relais.sh"))
	if n := len(asked(s, "/antennas?market=BE")["data"].([]any)); n != 1 {
		t.Errorf("the map has %d sites of BE, want the one that the stick has", n)
	}
}
