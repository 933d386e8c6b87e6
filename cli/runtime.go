package cli

import (
	"os"
	"runtime/debug"

	"relais/internal/cgroup"
	"relais/photos/worker"
)

// limitMemory makes the collector work harder when this process comes near the memory of its
// control group. A quarter of that is left for memory that Go does not count and for the
// processes that decode photos. GOMEMLIMIT in the environment overrides it.
func limitMemory() {
	if limit, ok := memoryLimit(os.Getenv("GOMEMLIMIT"), cgroup.MemoryLimit); ok {
		debug.SetMemoryLimit(limit)
	}
}

// memoryLimit returns the limit that limitMemory sets; ok is false for no limit.
func memoryLimit(stated string, group func() (bytes int64, ok bool)) (bytes int64, ok bool) {
	if stated != "" {
		return 0, false
	}
	bytes, ok = group()
	return bytes - bytes/4, ok
}

// collectOften makes the collector run earlier, until the function that it returns is called. What a command
// loads grows to hundreds of megabytes, nearly without pointers: collecting often costs little time, and
// saves memory. GOGC in the environment overrides it.
func collectOften() (end func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	former := debug.SetGCPercent(50)
	return func() { debug.SetGCPercent(former) }
}

// memoryOfWorkers returns how many bytes the processes that decode photos share; 0 is no
// limit.
func memoryOfWorkers(group func() (bytes int64, ok bool)) int64 {
	if limit, ok := group(); ok {
		return worker.Room(limit)
	}
	return 0
}
