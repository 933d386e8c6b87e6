// Package killtest kills the program of a test while it works.
package killtest

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"
)

const isChild = "RELAIS_KILLTEST_CHILD"

// Main runs the tests of a package or, in a child process, work with the child's arguments.
// work must end only with an error. TestMain calls Main and nothing else.
func Main(m *testing.M, work func(args []string) error) {
	if os.Getenv(isChild) == "" {
		os.Exit(m.Run())
	}
	fmt.Println() // it begins
	fmt.Fprintln(os.Stderr, work(os.Args[1:]))
	os.Exit(1)
}

// Start starts a child and returns it when its work begins, with the lines that
// it prints.
func Start(t testing.TB, args ...string) (child *exec.Cmd, lines *bufio.Scanner) {
	t.Helper()
	child = exec.Command(os.Args[0], args...)
	child.Env, child.Stderr = append(os.Environ(), isChild+"=1"), os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if lines = bufio.NewScanner(out); !lines.Scan() {
		t.Fatalf("the child did not start: %v, %v", lines.Err(), child.Wait())
	}
	return child, lines
}

// Run kills a child at a random moment within a time from the beginning of its work, and calls
// said with each line that it printed.
func Run(t testing.TB, within time.Duration, said func(line string), args ...string) {
	t.Helper()
	child, lines := Start(t, args...)
	time.AfterFunc(rand.N(within), func() { child.Process.Kill() })
	for lines.Scan() {
		said(lines.Text())
	}
	child.Wait()
	if child.ProcessState.Exited() {
		t.Fatal("the child ended by itself")
	}
}
