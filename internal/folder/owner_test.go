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
	if err := os.MkdirAll(filepath.Join(dir, "snapshots"), 0o755); err != nil {
		t.Fatal(err)
	}
	own, other := os.Geteuid(), 65534
	for _, c := range []struct {
		name string
		dir  string
		euid int
		want []string // none: the error as it was
	}{
		{"own folder", dir, own, nil},
		{"folder of another", dir, other, []string{dir + " belongs to " + userName(own), "runs as " + userName(other),
			"sudo chown -R " + userName(other) + `: '` + strings.ReplaceAll(dir, "'", `'\''`) + "'"}},
		{"missing below own", filepath.Join(dir, "a", "b"), own, nil},
		{"missing below another's", filepath.Join(dir, "a", "b"), other,
			[]string{dir + " belongs to", "sudo install -d -o " + userName(other)}},
	} {
		got := Dir(c.dir).ownerAdvice(denied, c.euid)
		if !errors.Is(got, fs.ErrPermission) || !strings.HasPrefix(got.Error(), denied.Error()) {
			t.Errorf("%s: the cause is lost: %v, want fs.ErrPermission and %q at its start", c.name, got,
				denied.Error())
		}
		if c.want == nil && got.Error() != denied.Error() {
			t.Errorf("%s: error = %v, want %v unchanged", c.name, got, denied)
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
