package cli

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relais/internal/filetest"
)

// buildFor builds an empty program of the name relais for a system and machine: the linker writes the headers.
func buildFor(t *testing.T, dir, name string) {
	t.Helper()
	source := t.TempDir()
	filetest.Write(t, filepath.Join(source, "go.mod"), []byte("module relais\n"))
	filetest.Write(t, filepath.Join(source, "main.go"), []byte("package main\n\nfunc main() {}\n"))
	parts := strings.Split(strings.TrimSuffix(name, ".exe"), "-")
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", filepath.Join(dir, name), ".")
	cmd.Dir, cmd.Env = source, append(os.Environ(), "CGO_ENABLED=0", "GOOS="+parts[1], "GOARCH="+parts[2])
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build for %s: %v: %s", name, err, out)
	}
}

// Programs of all systems are taken from a folder by their names, which must be true.
func TestProgramsOfAllSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles Go's runtime for five systems")
	}
	dir := t.TempDir()
	for _, name := range packPrograms {
		buildFor(t, dir, name)
	}
	c := packCommand{Programs: dir}
	got, err := c.programs()
	must(t, err)
	if want := slices.Sorted(slices.Values(packPrograms)); !slices.Equal(slices.Sorted(maps.Keys(got)), want) {
		t.Errorf("programs of the folder: got %v, want %v", got, want)
	}
	for _, name := range packPrograms {
		wrong := t.TempDir()
		program := packPrograms[(slices.Index(packPrograms, name)+1)%len(packPrograms)]
		must(t, os.Rename(filepath.Join(dir, program), filepath.Join(wrong, name)))
		c := packCommand{Programs: wrong}
		if _, err := c.programs(); err == nil || !strings.Contains(err.Error(), program) {
			t.Errorf("%s under the name %s: %v, want an error that names it", program, name, err)
		}
		must(t, os.Rename(filepath.Join(wrong, name), filepath.Join(dir, program)))
	}
	// A release's archive is unpacked to relais-VERSION-SYSTEM/relais.
	unpacked := filepath.Join(dir, "relais-v1.2.3-windows-amd64", "relais.exe")
	must(t, os.Mkdir(filepath.Dir(unpacked), 0o755))
	must(t, os.Rename(filepath.Join(dir, "relais-windows-amd64.exe"), unpacked))
	if got, err := c.programs(); err != nil || got["relais-windows-amd64.exe"] != unpacked || len(got) != len(packPrograms) {
		t.Errorf("programs with an archive that was unpacked: got %v, %v, want %s among them", got, err, unpacked)
	}
	buildFor(t, dir, "relais-windows-amd64.exe")
	if _, err := c.programs(); err == nil || !strings.Contains(err.Error(), "leave one") {
		t.Errorf("two programs for Windows: %v, want an error", err)
	}
}

// A program finds the stick that it is on.
func TestStickOf(t *testing.T) {
	stick := t.TempDir()
	must(t, os.Mkdir(filepath.Join(stick, "data"), 0o755))
	filetest.Write(t, filepath.Join(stick, "data", "pack.json"), []byte("{}"))
	for _, tt := range []struct{ program, want string }{
		{filepath.Join(stick, "programs", "relais.exe"), stick},
		{filepath.Join(stick, "relais"), stick},
		{filepath.Join(stick, "a", "b", "relais"), ""},
		{filepath.Join(filepath.Dir(stick), "relais"), ""},
		{"/relais", ""},
	} {
		if got := stickOf(tt.program); got != tt.want {
			t.Errorf("the stick of %s: got %q, want %q", tt.program, got, tt.want)
		}
	}
}
