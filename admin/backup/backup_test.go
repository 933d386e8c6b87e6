package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/internal/errtest"
	"relais/internal/killtest"
	"relais/internal/tier"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// manyFiles is how many files a copy of the tests has.
const manyFiles = 40

// copyFiles writes the files of a complete copy, each with its number.
func copyFiles(dir string) error {
	for i := range manyFiles {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), fmt.Appendf(nil, "file %d", i), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func makeCopy(dest string) error {
	return Fill(dest, func(dir string) error {
		if err := copyFiles(dir); err != nil {
			return err
		}
		return Seal(context.Background(), dir, time.Now())
	})
}

// makeRestored makes a copy like a restore.
func makeRestored(dest string) error {
	return Fill(dest, func(dir string) error {
		if err := copyFiles(dir); err != nil {
			return err
		}
		return Unseal(dir)
	})
}

func TestMain(m *testing.M) {
	killtest.Main(m, func(args []string) error {
		do := makeCopy
		if args[0] == "restore" {
			do = makeRestored
		}
		for i := 0; ; i++ {
			dest := filepath.Join(args[2], fmt.Sprint(i))
			if args[1] == "exists" {
				if err := os.Mkdir(dest, 0o755); err != nil {
					return err
				}
			}
			if err := do(dest); err != nil {
				return err
			}
			fmt.Println(dest)
		}
	})
}

// whole counts the intact files of a copy.
func whole(dir string) (n int) {
	for i := range manyFiles {
		if text, err := os.ReadFile(filepath.Join(dir, fmt.Sprint(i))); err == nil &&
			string(text) == fmt.Sprintf("file %d", i) {
			n++
		}
	}
	return n
}

// A killed copy is missing or marked as unfinished. Any other copy has all files.

func TestKilled(t *testing.T) {
	tier.Slow(t)
	for _, kind := range []string{"backup", "restore"} {
		for _, dest := range []string{"missing", "exists"} {
			for range 6 {
				parent := t.TempDir()
				done := map[string]bool{}
				killtest.Run(t, 150*time.Millisecond, func(line string) { done[line] = true }, kind, dest, parent)
				entries, err := os.ReadDir(parent)
				must(t, err)
				for _, e := range entries {
					dir := filepath.Join(parent, e.Name())
					if strings.HasPrefix(e.Name(), ".") {
						continue // under its temporary name
					}
					l, err := Read(dir)
					if err == nil {
						err = l.Check(context.Background(), dir)
					}
					complete := err == nil
					if kind == "restore" {
						names, err := filepath.Glob(filepath.Join(dir, "[0-9]*"))
						complete = Unfinished(dir) == nil && (len(names) > 0 || err != nil)
					}
					if done[dir] && !complete || complete && whole(dir) != manyFiles {
						t.Errorf("%s into a folder that is %s: got done %v, complete %v with %d files, %v, want "+
							"all %d when done", kind, dest, done[dir], complete, whole(dir), err, manyFiles)
					}
				}
			}
		}
	}
}

// The next copy removes what a killed one left, but not what another process is writing.

func TestLeftovers(t *testing.T) {
	parent := t.TempDir()
	left := filepath.Join(parent, ".copy.tmp-1")
	must(t, errors.Join(os.Mkdir(left, 0o755), begin(left)))
	err := Fill(filepath.Join(parent, "copy"), func(dir string) error {
		if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the leftover exists, want it removed: %v", err)
		}
		sweep(parent, ".copy.tmp-")
		if err := Unfinished(dir); err == nil {
			t.Error("a copy under way was swept")
		}
		return Unseal(dir)
	})
	if err != nil {
		t.Error(err)
	}
}

// A copy that fails leaves nothing behind.
func TestFailure(t *testing.T) {
	full := errors.New("no space left")
	for _, exists := range []bool{false, true} {
		parent := t.TempDir()
		dest := filepath.Join(parent, "copy")
		if exists {
			must(t, os.Mkdir(dest, 0o755))
		}
		err := Fill(dest, func(dir string) error { return errors.Join(copyFiles(dir), full) })
		if !errors.Is(err, full) {
			t.Errorf("folder exists = %v: error = %v, want %v", exists, err, full)
		}
		left := 0
		filepath.WalkDir(parent, func(path string, _ fs.DirEntry, err error) error {
			if path != parent && path != dest {
				left++
			}
			return err
		})
		if _, err := os.Stat(dest); left != 0 || (err == nil) != exists {
			t.Errorf("folder exists = %v: %d files are left, %v; want none", exists, left, err)
		}
	}
}

// Two copies into one folder do not mix.
func TestInUse(t *testing.T) {
	dest := t.TempDir()
	err := Fill(dest, func(dir string) error {
		if err := makeCopy(dest); err == nil || !strings.Contains(err.Error(), "another process") {
			t.Errorf("the second copy: error = %v, want that another process copies", err)
		}
		return errors.Join(copyFiles(dir), Seal(context.Background(), dir, time.Now()))
	})
	if l, err2 := Read(dest); err != nil || err2 != nil || len(l.Files) != manyFiles {
		t.Errorf("the first copy: %v, %v, len(l.Files) %v, want no error, no error and len(l.Files) = %v", err, err2,
			len(l.Files), manyFiles)
	}
}

func TestList(t *testing.T) {
	tests := []struct {
		name   string
		change func(dir string) error
		want   error // of Read or Check
		says   string
	}{
		{"as it was", func(string) error { return nil }, nil, ""},
		{"another file", func(dir string) error { return os.WriteFile(filepath.Join(dir, "mine.txt"), nil, 0o600) },
			nil, ""},
		{"a file is missing", func(dir string) error { return os.Remove(filepath.Join(dir, "7")) }, ErrDamaged,
			"7 is missing"},
		{"a file is empty", func(dir string) error { return os.WriteFile(filepath.Join(dir, "7"), nil, 0o600) },
			ErrDamaged, "7 has 0 bytes, had 6"},
		{"a byte is another",
			func(dir string) error { return os.WriteFile(filepath.Join(dir, "7"), []byte("file 8"), 0o600) },
			ErrDamaged, "7 was changed"},
		{"no list", func(dir string) error { return os.Remove(filepath.Join(dir, Name)) }, fs.ErrNotExist, Name},
		{"an empty list", func(dir string) error { return os.Truncate(filepath.Join(dir, Name), 0) }, ErrDamaged, Name},
		{"a list that is cut", func(dir string) error { return os.Truncate(filepath.Join(dir, Name), 300) }, ErrDamaged,
			Name},
		{"another object", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, Name), []byte("{}"), 0o600)
		}, ErrDamaged, "format"},
		{"a list of nothing", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, Name), []byte(`{"format":1,"complete":true,"files":[]}`), 0o600)
		}, ErrDamaged, "no file"},
		{"a file outside", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, Name),
				[]byte(`{"format":1,"complete":true,"files":[{"path":"../x"}]}`), 0o600)
		}, ErrDamaged, "outside"},
		{"not finished", begin, ErrUnfinished, "empty the folder"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "copy")
			must(t, makeCopy(dir))
			must(t, tt.change(dir))
			l, err := Read(dir)
			if err == nil {
				err = l.Check(context.Background(), dir)
			}
			if !errors.Is(err, tt.want) || tt.want != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error = %v, want %v with %q", err, tt.want, tt.says)
			}
		})
	}
}
