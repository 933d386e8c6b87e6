//go:build unix

package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Advice names the owner and the command that helps, and is given only if somebody
// else's folder is the cause.
func TestOwnerAdvice(t *testing.T) {
	denied := fmt.Errorf("open clients.db: %w", fs.ErrPermission)
	dir := filepath.Join(t.TempDir(), "it's data")
	must(t, os.MkdirAll(filepath.Join(dir, "snapshots"), 0o755))
	own, other := os.Geteuid(), 65534
	open := func(path string) { // for others, who else would be stopped before
		for ; path != filepath.Dir(path) && path != os.TempDir(); path = filepath.Dir(path) {
			os.Chmod(path, 0o755)
		}
	}
	open(dir)
	shut := filepath.Join(t.TempDir(), "shut")
	weak, file := filepath.Join(t.TempDir(), "weak"), filepath.Join(t.TempDir(), "list.csv")
	err := errors.Join(os.Mkdir(shut, 0o700), os.Mkdir(weak, 0o700), os.WriteFile(filepath.Join(weak, "x"), nil, 0o400),
		os.WriteFile(file, nil, 0o600))
	must(t, err)
	for _, path := range []string{filepath.Dir(shut), filepath.Dir(file)} {
		open(path)
	}
	of := func(path string) error {
		return fmt.Errorf("read: %w", &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission})
	}
	for _, c := range []struct {
		name string
		err  error
		dir  string
		euid int
		want []string // none: the error as it was
	}{
		{"own folder", denied, dir, own, nil},
		{"own folder with a mode", denied, weak, own, []string{filepath.Join(weak, "x") + " has the mode 0400",
			"chmod -R u+rwX " + weak}},
		{"folder of another", denied, dir, other, []string{dir + " belongs to " + userName(own), "runs as " + userName(other),
			"sudo chown -R " + userName(other) + `: '` + strings.ReplaceAll(dir, "'", `'\''`) + "'"}},
		{"in a shut folder", denied, filepath.Join(shut, "data"), other, []string{shut + " belongs to " + userName(own),
			"sudo chmod o+x " + shut}},
		{"file of another", of(file), dir, other, []string{file + " belongs to " + userName(own),
			"sudo chown " + userName(other) + ": " + file}},
		{"file of another in no folder", of(file), "", other, []string{file + " belongs to "}},
		{"a temporary file", of(filepath.Join(filepath.Dir(dir), ".copy.tmp-12")), dir, other,
			[]string{"sudo install -d -o " + userName(other) + " " + filepath.Join(filepath.Dir(dir), "copy")}},
		{"a name in the folder", of("snapshots"), dir, other, []string{"sudo chown -R"}},
		{"in the folder", of(filepath.Join(dir, "clients.db")), dir, other, []string{"sudo chown -R"}},
		{"missing below own", denied, filepath.Join(dir, "a", "b"), own, nil},
		{"missing below another's", denied, filepath.Join(dir, "a", "b"), other,
			[]string{dir + " belongs to", "sudo install -d -o " + userName(other)}},
	} {
		got := Dir(c.dir).ownerAdvice(c.err, c.euid)
		if !errors.Is(got, fs.ErrPermission) || !strings.HasPrefix(got.Error(), c.err.Error()) {
			t.Errorf("%s: the cause is lost: %v, want fs.ErrPermission and %q at its start", c.name, got,
				c.err.Error())
		}
		if c.want == nil && got.Error() != c.err.Error() {
			t.Errorf("%s: error = %v, want %v unchanged", c.name, got, c.err)
		}
		for _, w := range c.want {
			if !strings.Contains(got.Error(), w) {
				t.Errorf("%s: error = %v, want %q in it", c.name, got, w)
			}
		}
	}
	if err := errors.New("disk full"); Dir(dir).OwnerAdvice(err) != err {
		t.Error("another error was changed")
	}
}
