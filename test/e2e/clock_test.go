//go:build linux

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"relais/internal/filetest"
)

// Old speedtests stay while nothing newer shows that the system clock is right, and go afterwards.
func TestFarClock(t *testing.T) {
	dir := newFolder(t)
	importOf := func(n int, age time.Duration) {
		t.Helper()
		text := "timestamp,lat,lng,download_mbps\n"
		for i := range n {
			text += fmt.Sprintf("%s,45.%d,3,50\n", ago(age), 1000+i)
		}
		run(t, "speedtest", "import", "--data", dir, "--market", "FR", filetest.New(t, "old.csv", text))
	}
	// retained is a server that has looked for what is too old.
	retained := func(looked string, want int) {
		t.Helper()
		s := serve(t, dir, "--keep-measures", "30d")
		s.waitUntil("the log says "+looked, func() bool { return strings.Contains(s.log.String(), looked) })
		s.measured()
		if got := len(s.list("/speedtests?days=365&limit=1000")); got != want {
			t.Errorf("speedtests: got %d, want %d", got, want)
		}
		s.stop()
	}
	importOf(40, 100*24*time.Hour)
	retained("the system clock is far ahead of the newest data", 40)
	importOf(2, time.Hour)
	retained("measures=40", 2)
}
