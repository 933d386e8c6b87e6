package cli

import "testing"

// A small heap may grow by half, a large one by half a gigabyte, the largest by
// the least that the collector knows.
func TestGrowth(t *testing.T) {
	for heap, want := range map[uint64]int{0: 50, 122 << 20: 50, 1 << 30: 50, 2 << 30: 25, 8 << 30: 6, 1 << 40: 1} {
		if got := growth(heap); got != want {
			t.Errorf("%d bytes: %d percent, want %d", heap, got, want)
		}
	}
}
