// Package errtest ends tests that cannot go on.
package errtest

import "testing"

// Must ends the test on an error of something that it needs.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
