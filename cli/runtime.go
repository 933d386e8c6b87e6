package cli

import (
	"os"
	"runtime/debug"

	"relais/cgroup"
	"relais/photos/worker"
)

// limitMemory has the collector work harder when this process comes near the memory that
// its control group has; a quarter of that is left to what Go does not count and to the
// processes that decode photos. GOMEMLIMIT in the environment overrides it.
func limitMemory() {
	if limit, ok := memoryLimit(os.Getenv("GOMEMLIMIT"), cgroup.MemoryLimit); ok {
		debug.SetMemoryLimit(limit)
	}
}

// memoryLimit is the limit that limitMemory sets; ok is false for none.
func memoryLimit(stated string, group func() (bytes int64, ok bool)) (bytes int64, ok bool) {
	if stated != "" {
		return 0, false
	}
	bytes, ok = group()
	return bytes - bytes/4, ok
}

// memoryOfWorkers is how many bytes the processes that decode photos may have together, 0
// for no bound.
func memoryOfWorkers(group func() (bytes int64, ok bool)) int64 {
	if limit, ok := group(); ok {
		return worker.Room(limit)
	}
	return 0
}
