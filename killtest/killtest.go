// Package killtest kills the program of a test amid its work.
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

// Main runs the tests of a package or, in a child, its work with the child's arguments,
// which ends only with an error. It is all that TestMain does.
func Main(m *testing.M, work func(args []string) error) {
	if os.Getenv(isChild) == "" {
		os.Exit(m.Run())
	}
	fmt.Println() // it begins
	fmt.Fprintln(os.Stderr, work(os.Args[1:]))
	os.Exit(1)
}

// Start starts a child and returns it, at the beginning of its work, with the lines that
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
		t.Fatalf("the child did not begin: %v, %v", lines.Err(), child.Wait())
	}
	return child, lines
}

// Run kills a child at any moment within a time from the beginning of its work, and calls
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
