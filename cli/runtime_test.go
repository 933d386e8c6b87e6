package cli

import "testing"

// The processes that decode photos get what the control group leaves to them.
func TestMemoryOfWorkers(t *testing.T) {
	if got := memoryOfWorkers(func() (int64, bool) { return 512 << 20, true }); got != 384<<20 {
		t.Errorf("memory of workers in 512 MiB = %d, want 384 MiB", got)
	}
	if got := memoryOfWorkers(func() (int64, bool) { return 0, false }); got != 0 {
		t.Errorf("memory of workers without a control group = %d, want 0", got)
	}
}
