package cli

import "testing"

// The limit is three quarters of the group's, unless the environment states one.
func TestMemoryFollowsTheControlGroups(t *testing.T) {
	for _, tt := range []struct {
		name, stated string
		group        int64
		limited      bool
		want         int64
		ok           bool
	}{
		{"a group of 1 GiB", "", 1 << 30, true, 768 << 20, true},
		{"a small group", "", 256 << 20, true, 192 << 20, true},
		{"no limit", "", 0, false, 0, false},
		{"stated by the environment", "2GiB", 1 << 30, true, 0, false},
	} {
		got, ok := memoryLimit(tt.stated, func() (int64, bool) { return tt.group, tt.limited })
		if got != tt.want || ok != tt.ok {
			t.Errorf("memoryLimit = %d, %v; want %d, %v", got, ok, tt.want, tt.ok)
		}
	}
}
