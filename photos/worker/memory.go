package worker

import (
	"fmt"
	"os"
	"runtime/metrics"
	"time"
)

// memoryTick is how often watchMemory looks.
const memoryTick = 10 * time.Millisecond

// watchMemory ends the process if it takes more than so many bytes, in the words of the Go runtime. Decoders that are Go
// or WebAssembly take all their memory from it.
func watchMemory(most int64) {
	taken := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for range time.Tick(memoryTick) {
		metrics.Read(taken)
		if bytes := taken[0].Value.Uint64() - taken[1].Value.Uint64(); bytes > uint64(most) {
			fmt.Fprintf(os.Stderr, "fatal error: out of memory: %d bytes are taken, %d allowed\n", bytes, most)
			os.Exit(2)
		}
	}
}
