package system

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// replacesOpen reports whether this is a Windows that replaces open files. Wine 8 does not.
func replacesOpen() bool {
	return windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() != nil
}

// A file that another program has open, such as a virus scanner, is replaced when that has closed it.
func TestRenameWaits(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+`\old`, nil, 0o600))
	must(t, os.WriteFile(dir+`\new`, nil, 0o600))
	f, err := os.Open(dir + `\old`) // which does not let others replace it
	must(t, err)
	time.AfterFunc(200*time.Millisecond, func() { f.Close() })
	must(t, Rename(dir+`\new`, dir+`\old`))
}

// The errors of a full and of a protected disk are those of winerror.h.
func TestMeaning(t *testing.T) {
	for _, c := range []struct {
		number          windows.Errno
		full, protected bool
	}{{112, true, false}, {39, true, false}, {19, false, true}, {5, false, false}} {
		err := error(&os.PathError{Op: "write", Path: "x", Err: c.number})
		if Full(err) != c.full || WriteProtected(err) != c.protected {
			t.Errorf("%v: full %v, protected %v, want %v, %v", err, Full(err), WriteProtected(err), c.full, c.protected)
		}
	}
}
