// Package relaistest builds relais once for the tests of a package that start it.
package relaistest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// built is the folder of the program that was built, "" for none.
var built string

// Binary returns the path of the program: $RELAIS_BINARY, or one that is built.
var Binary = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("RELAIS_BINARY"); path != "" {
		return path, nil
	}
	dir, err := os.MkdirTemp("", "relais-program-")
	if err != nil {
		return "", err
	}
	built = dir
	path := filepath.Join(dir, "relais")
	out, err := exec.Command("go", "build", "-buildvcs=false", "-tags", "netgo,osusergo,nodynamic", "-o", path,
		"relais").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// Run runs the tests of a package, removes what was built for them, and returns the code to exit with.
func Run(m *testing.M) (code int) {
	defer func() {
		if built != "" {
			os.RemoveAll(built)
		}
	}()
	return m.Run()
}

// WaitAtMost waits until ok, and reports whether it was in time.
func WaitAtMost(d time.Duration, ok func() bool) bool {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return true
		}
	}
	return false
}
