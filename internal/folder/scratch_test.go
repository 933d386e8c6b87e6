package folder

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// The folders of dead processes are removed; those of the living, of other prefixes and what is not a
// folder stay.
func TestScratch(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	elsewhere := t.TempDir()
	path := func(name string) string { return filepath.Join(temporary, name) }
	for _, name := range []string{"relais-x-dead/data", "relais-y-1", "relais-x-living"} {
		must(t, os.MkdirAll(path(name), 0o700))
	}
	must(t, errors.Join(os.WriteFile(path("relais-x-dead/data/file"), []byte("left"), 0o600),
		os.WriteFile(path("relais-x-file"), nil, 0o600), os.Symlink(elsewhere, path("relais-x-link"))))
	hold(t, path("relais-x-living"))
	err := Scratch("relais-x-", func(outer string) error {
		if info, err := os.Stat(outer); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("got %v, %v; want a folder for its owner alone", info, err)
		}
		return Scratch("relais-x-", func(inner string) error {
			want := []string{"relais-x-file", "relais-x-link", "relais-x-living", "relais-y-1",
				filepath.Base(filepath.Dir(inner)), filepath.Base(filepath.Dir(outer))}
			slices.Sort(want)
			if got := namesIn(t, temporary); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			return os.WriteFile(filepath.Join(inner, "file"), nil, 0o600)
		})
	})
	want := []string{"relais-x-file", "relais-x-link", "relais-x-living", "relais-y-1"}
	if got := namesIn(t, temporary); err != nil || !slices.Equal(got, want) {
		t.Errorf("afterwards: got %q, %v; want %q", got, err, want)
	}
	failed := errors.New("failed")
	if err := Scratch("relais-x-", func(string) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("got %v, want the error of the function", err)
	}
}

func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// hold has another process lock a folder for the test.
func hold(t *testing.T, dir string) {
	t.Helper()
	flock, err := exec.LookPath("flock")
	if err != nil {
		t.Skip("flock is not installed")
	}
	cmd := exec.Command(flock, "--no-fork", dir, "sh", "-c", "echo locked; read line")
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	must(t, errors.Join(err1, err2, cmd.Start()))
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	if _, err := out.Read(make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
}
