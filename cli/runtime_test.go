package cli

import "testing"

// The processes that decode photos get what the control group leaves to them.
func TestMemoryOfWorkers(t *testing.T) {
	if got := memoryOfWorkers(func() (int64, bool) { return 512 << 20, true }); got != 384<<20 {
		t.Errorf("of 512 MiB: %d", got)
	}
	if got := memoryOfWorkers(func() (int64, bool) { return 0, false }); got != 0 {
		t.Errorf("without a control group: %d", got)
	}
}
