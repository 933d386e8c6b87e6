//go:build linux

// Package cluster breaks a cluster under load: it starts the built binary on several nodes,
// PostgreSQL with a standby, and HAProxy before them, kills, stops and cuts them off while all kinds
// of writes are made, and looks for what was acknowledged. make cluster runs it.
package cluster

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"relais/cluster/pgtest"
	"relais/internal/tier"
	"relais/test/relaistest"
)

// How often things are broken: the figures of make cluster. With -short each is as often as
// short says, and 0 stands for that.
var (
	killCount    = flag.Int("kills", 0, "times that TestKilledNodes kills a node (200)")
	pauseCount   = flag.Int("pauses", 0, "times that TestPausedNode stops a node (20)")
	engineCount  = flag.Int("engine-kills", 0, "times that TestKilledEngine kills all of PostgreSQL (50)")
	promoteCount = flag.Int("promotions", 0, "times that TestPromotedStandby promotes the standby (20)")
	cutTime      = flag.Duration("cut", 0, "how long TestCutLink cuts a node off (30s)")
	seed         = flag.Uint64("seed", rand.Uint64(), "seed of what these tests choose")
)

// often returns the flag's value, or the one for the form of the run.
func often[T int | time.Duration](given *T, long, short T) T {
	switch {
	case *given > 0:
		return *given
	case !tier.Full():
		return short
	}
	return long
}

// asked is set by make cluster: without it these tests are skipped, because they take long.
const asked = "RELAIS_TEST_CLUSTER"

// need skips a test that was not asked for, or whose programs are missing.
func need(t *testing.T) {
	t.Helper()
	if os.Getenv(asked) == "" {
		t.Skip("takes long: make cluster runs it")
	}
	pgtest.Need(t)
	if _, err := haproxy(); err != nil {
		t.Skip("needs HAProxy (apt install haproxy): ", err)
	}
	t.Logf("-seed %d", *seed)
}

// haproxy is where the program is, which Debian has outside of some people's PATH.
var haproxy = sync.OnceValues(func() (string, error) {
	path, err := exec.LookPath("haproxy")
	if err != nil {
		return exec.LookPath("/usr/sbin/haproxy")
	}
	return path, err
})

// scratch is removed when the tests have ended.
var scratch string

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "relais-cluster")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	scratch = dir
	code := relaistest.Run(m)
	os.RemoveAll(dir)
	os.Exit(code)
}
