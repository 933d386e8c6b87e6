package cli

import (
	"runtime/debug"
	"testing"
)

// The processes that decode photos get what the control group leaves to them.
func TestMemoryOfWorkers(t *testing.T) {
	if got := memoryOfWorkers(func() (int64, bool) { return 512 << 20, true }); got != 384<<20 {
		t.Errorf("memory of workers in 512 MiB = %d, want 384 MiB", got)
	}
	if got := memoryOfWorkers(func() (int64, bool) { return 0, false }); got != 0 {
		t.Errorf("memory of workers without a control group = %d, want 0", got)
	}
}

// A command that collects often does so until its end, and not against GOGC.
func TestCollectOften(t *testing.T) {
	percent := func() int {
		now := debug.SetGCPercent(100)
		debug.SetGCPercent(now)
		return now
	}
	before := percent()
	for _, tt := range []struct {
		gogc   string
		during int
	}{{"", 50}, {"200", before}} {
		t.Run("GOGC="+tt.gogc, func(t *testing.T) {
			t.Setenv("GOGC", tt.gogc)
			end := collectOften()
			if got := percent(); got != tt.during {
				t.Errorf("during the command: %d %%, want %d", got, tt.during)
			}
			end()
			if got := percent(); got != before {
				t.Errorf("after it: %d %%, want %d", got, before)
			}
		})
	}
}
