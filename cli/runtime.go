package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	"relais/cgroup"
	"relais/photos/worker"
)

const (
	defaultGrowth = 50        // percent that the heap may grow before it is collected
	mostGrowth    = 512 << 20 // bytes that it may grow then, however large it is
)

// growFreely lets the heap grow while the first data is loaded, almost all of
// which stays; what it returns makes the collector keep the heap small from then
// on, which costs little, because the data has no pointers to follow. GOGC in the
// environment overrides both.
func growFreely() (settle func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	debug.SetGCPercent(400)
	return func() {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		debug.SetGCPercent(growth(m.HeapAlloc))
	}
}

// growth is how many percent a heap of so many bytes may grow.
func growth(heap uint64) int { return int(max(1, min(defaultGrowth, 100*mostGrowth/max(heap, 1)))) }

// listenBeside has one more goroutine run at a time than there are processors: while each
// of them computes, Go looks for new requests every ten milliseconds only, and who asks
// then waits several times as long as most. GOMAXPROCS in the environment overrides it,
// and a container's share of the processors is left as it is.
var listenBeside = sync.OnceFunc(func() {
	if n := runtime.GOMAXPROCS(0); os.Getenv("GOMAXPROCS") == "" && n == runtime.NumCPU() {
		runtime.GOMAXPROCS(n + 1)
	}
})

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
