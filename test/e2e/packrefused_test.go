package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
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
		{"a program that is a text", "not a program", 2, []string{dest, "--area", "FR", "--program-arm64", c.files[0]}},
		{"a program of another machine", "not for EM_", 2, []string{dest, "--area", "FR", "--program-" + otherArch(),
			ownProgram(t)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			why := strings.ReplaceAll(tt.why, "not for EM_", "not for ")
			fails(t, tt.code, why, append([]string{"pack", "--data", c.dir}, tt.args...)...)
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
	run(t, "pack", "--data", c.dir, "--area", "FR", dest)
	fails(t, 1, "is a pack", append([]string{"ingest", "--data", filepath.Join(dest, "data"), "fr,drom"}, c.files...)...)
	fails(t, 1, "cannot be written to", "client", "create", "--data", filepath.Join(dest, "data"), "--name", "x", "--mode", "server",
		"--cidr", "127.0.0.1/32", "--scopes", "all-read")
}

func otherArch() string {
	out, _ := exec.Command("uname", "-m").Output()
	if strings.Contains(string(out), "x86_64") {
		return "arm64"
	}
	return "amd64"
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
	text := string(filetest.Read(t, filepath.Join(dest, "start.sh")))
	if !strings.Contains(text, "--map-all") {
		t.Errorf("start.sh lacks --map-all, without which the map would not show them: %s", text)
	}
}
