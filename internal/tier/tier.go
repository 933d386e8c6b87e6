// Package tier says how much the tests do. There are three tiers: make quick, with go test -short, runs in
// milliseconds; make test tries every kind of thing; make full, with RELAIS_FULL=1, tries every variant, at
// national size.
package tier

import (
	"os"
	"testing"
)

// Full reports whether every variant is tried, and not a sample.
func Full() bool { return os.Getenv("RELAIS_FULL") != "" }

// Slow skips a test in make quick: it waits, syncs, starts programs, or computes for about a second.
func Slow(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("make test runs it")
	}
}
